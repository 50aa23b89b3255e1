// SPDX-License-Identifier: BSD-3-Clause
/* send.c - the sender's side of a message (protocol.h).
 *
 *      p2p_send_start ──┬── to myself ──────────────> the posted receive, or a copy
 *                       ├── eager: one frame ───────> done
 *                       └── large or synchronous: RTS ──┬── FIN: it was read in place: done
 *                                                       ├── COOP: both sides copy, then FIN: done
 *                                                       └── CTS ──> pipe or stream: done
 *
 * An eager send is done when its frame is put: the shared segment holds a copy, or the network
 * transport does. */
#include "libmpi/p2p/send.h"

#include "libmpi/core/event.h"
#include "libmpi/p2p/claim.h"
#include "libmpi/p2p/fail.h"
#include "libmpi/p2p/outq.h"
#include "libmpi/p2p/pipe_copy.h"
#include "libmpi/p2p/recv.h"
#include "libmpi/p2p/remote_stream.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/sig.h"
#include "libmpi/p2p/unexpected.h"
#include <string.h>

bool p2p_send_take_id(struct req *r)
{
	return id_table_take(&p2p_state.ids, r, &r->send.id);
}

/* --- answers to RTS ------------------------------------------------------------------------- */

void p2p_send_got_fin(const struct shm_frame *f)
{
	uint32_t id = (uint32_t)f->tag;
	struct req *r = id_table_get(&p2p_state.ids, id);

	if (!p2p_send_awaits_cts(r, f->src) || r->send.claim == 0)
		p2p_protocol_error(f->src, "that it has read message %u, which it cannot", id);
	id_table_drop(&p2p_state.ids, id);
	p2p_claim_end(r);
	p2p_req_finish(r);
}

/* The receiver is ready for r: a remote one for this stream, and for `room' bytes. */
static void send_cleared(struct req *r, uint64_t stream_id, int64_t room)
{
	if (r->bytes == 0) {
		p2p_req_finish(r);
		return;
	}
	if (!via_is_local(r->peer)) {
		p2p_stream_send(r, stream_id, room);
		return;
	}
	r->state = STATE_PIPE_SEND;
	p2p_queue_push(&p2p_peer(r->peer)->pipe_sends, r);
	p2p_peer_enlist(r->peer);
	p2p_pipe_push(r->peer);
}

void p2p_send_got_cts(const struct shm_frame *f)
{
	uint32_t id = (uint32_t)f->tag;
	struct req *r = id_table_get(&p2p_state.ids, id);
	int64_t room = INT64_MAX;

	if (f->len != 0 && f->len != sizeof(room))
		p2p_protocol_error(f->src, "a CTS of %u bytes", f->len);
	if (!p2p_send_awaits_cts(r, f->src))
		p2p_protocol_error(
			f->src, "that it is ready for message %u, which does not wait", id);
	memcpy(&room, f->data, f->len);
	id_table_drop(&p2p_state.ids, id);
	p2p_claim_end(r);
	send_cleared(r, f->ctx, room);
}

/* --- starting ------------------------------------------------------------------------------- */

static void send_failed(struct req *r)
{
	p2p_fail_request(r, r->peer, VIA_NOMEM);
	p2p_req_finish(r);
}

/* Keeps a message to this process for a later receive: a synchronous one by its request, any other
 * as a copy. */
static void send_to_self_later(struct req *r)
{
	struct unexpected *u =
		p2p_unexpected_try(r->ctx, r->peer, r->tag, r->bytes, r->send.sync ? 0 : r->bytes);

	if (u == NULL) {
		send_failed(r);
		return;
	}
	if (r->send.sync) {
		u->is_rts = true;
		u->sender = r;
	} else {
		type_pack(r->type, r->buf, r->count, 0, u->data, r->bytes);
		p2p_req_finish(r);
	}
	p2p_match_store(u);
}

static void send_to_self(struct req *r)
{
	struct req *recv = p2p_match_take(r->ctx, r->peer, r->tag);
	struct p2p_sig sig;

	if (p2p_sig_wanted(r, p2p_state.checks)) {
		p2p_sig_fill(&sig, r->type, r->bytes);
		p2p_state.sig = r->send.sig != NULL ? r->send.sig : &sig;
		p2p_state.watched = true;
	}
	if (recv != NULL) {
		p2p_recv_self(recv, r);
		p2p_req_finish(r);
	} else {
		send_to_self_later(r);
	}
	p2p_state.sig = NULL;
}

static void send_rendezvous(struct req *r)
{
	if (r->bytes > 0 && via_is_local(r->peer) &&
		type_contiguous_at(r->type, r->buf, r->count) != NULL)
		r->send.claim = p2p_claim_new(r->peer, r->bytes);
	r->state = STATE_OUT_RTS;
	if (haft_event_wanted(EVENT_RENDEZVOUS_BEGUN) && r->comm != NULL && r->ctx == r->comm->ctx)
		haft_event(EVENT_RENDEZVOUS_BEGUN, obj_handle(r->comm), r->peer, r->tag, r->bytes,
			haft_event_handle(r->comm));
	p2p_out_put(r, r->peer);
}

/* Will its receiver not match it?  The communicator is revoked, or a member of a collective call
 * has failed. */
static bool send_unmatchable(const struct req *r)
{
	if (likely(p2p_state.lost == 0) || r->comm == NULL)
		return false;
	return (r->comm->hints & COMM_REVOKED) != 0 ||
	       (p2p_is_collective(r->ctx, r->comm) && p2p_comm_broken(r->comm));
}

/* The receiver, which may not know yet, gets the error in the message's turn.  All learn of a
 * revocation. */
static void send_abandon(struct req *r)
{
	int err = p2p_comm_error(r->comm);
	struct p2p_error_msg msg = p2p_error_of(r->comm, err);

	p2p_req_fail(r, err);
	if ((r->comm->hints & COMM_REVOKED) == 0 && !p2p_peer_gone(r->peer))
		p2p_out_frame(r->peer, r->ctx, r->tag, FRAME_ERROR, &msg, sizeof(msg));
	p2p_req_finish(r);
}

void p2p_send_start(struct req *r)
{
	if (r->peer == p2p_state.me) {
		send_to_self(r);
	} else if (r->bytes <= p2p_peer(r->peer)->eager && !r->send.sync) {
		r->state = STATE_OUT_EAGER;
		p2p_out_put(r, r->peer);
	} else if (unlikely(send_unmatchable(r))) {
		send_abandon(r);
	} else if (p2p_send_take_id(r)) {
		send_rendezvous(r);
	} else if (p2p_out_is_collective(r)) {
		p2p_out_error_instead(r);
		p2p_out_put(r, r->peer);
	} else {
		send_failed(r);
	}
}

void p2p_send_start_part(struct req *r, struct req *whole)
{
	p2p_req_detach(r, whole);
	p2p_send_start(r);
}
