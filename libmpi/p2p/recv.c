// SPDX-License-Identifier: BSD-3-Clause
/* recv.c - the receiver's side of a message (protocol.h).
 *
 *      frame   ──> a posted receive ──> recv_matched ──┬── eager: unpacked, done
 *              └─> none: unexpected queue              └── RTS: recv_rendezvous
 *      receive ──> an unexpected message ──> likewise
 *              └─> none: posted
 *
 *      recv_rendezvous: the first that fits
 *        RTS_AT_SHARED, claim taken ───────> the receiver copies from the segment ──────> FIN
 *        RTS_AT_PRIVATE, receive contiguous,
 *          proto.c says read, claim taken
 *          ├── two chunks, CPUs to spare,
 *          │   and this is no exchange ────> COOP: both sides copy chunks (COOP_DONE) ──> FIN
 *          └── else ───────────────────────> the receiver copies by process_vm_readv ───> FIN
 *        a copy has failed, or none of these:
 *          ├── remote peer ────────────────> CTS {stream}, the stream brings the data
 *          └── local peer ─────────────────> CTS, the pipe brings the data
 *
 * A message longer than the receive's room is an error of the receive (MPI_ERR_TRUNCATE, MPI-5.0
 * 3.2.4).  The first bytes are delivered, the rest is dropped, and the sender does not
 * notice. */
#include "libmpi/p2p/recv.h"

#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/core/event.h"
#include "libmpi/core/error_code.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/rank_name.h"
#include "libmpi/core/traffic.h"
#include "libmpi/p2p/claim.h"
#include "libmpi/p2p/cooperative.h"
#include "libmpi/p2p/fail.h"
#include "libmpi/p2p/failed.h"
#include "libmpi/p2p/outq.h"
#include "libmpi/p2p/proto.h"
#include "libmpi/p2p/remote_stream.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/sig.h"
#include "libmpi/p2p/unexpected.h"
#include "libmpi/via/shared_mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The message is longer than the receive. */
static void recv_truncated(struct req *r)
{
	char name[MPI_MAX_OBJECT_NAME] = "";
	int len;

	obj_name_get(r->comm, name, sizeof(name), OBJ_C, &len);
	p2p_req_fail(r, haft_err(MPI_ERR_TRUNCATE,
				"message of %lld byte%s from rank %d of %s with tag %d, "
				"but only %lld byte%s posted to receive it",
				(long long)r->recv.total, r->recv.total == 1 ? "" : "s",
				r->res.source, len > 0 ? name : "a communicator", r->res.tag,
				(long long)r->bytes, r->bytes == 1 ? " was" : "s were"));
}

/* The message is shorter, and the communicator promises exact lengths (mpi_assert_exact_length,
 * MPI-5.0 7.4.4). */
static void recv_too_short(struct req *r)
{
	p2p_req_fail(
		r, haft_err(MPI_ERR_TRUNCATE,
			   "message of %lld byte%s from rank %d with tag %d, but %lld were posted "
			   "to receive it on a communicator with mpi_assert_exact_length",
			   (long long)r->recv.total, r->recv.total == 1 ? "" : "s", r->res.source,
			   r->res.tag, (long long)r->bytes));
}

/* Type signatures are compared, or messages counted for a tool. */
static __attribute__((noinline, cold)) void recv_watched(struct req *r)
{
	if (p2p_state.sig != NULL)
		p2p_sig_check(r, p2p_state.sig);
	if ((r->comm->hints & COMM_METERED) != 0 && r->ctx == r->comm->ctx)
		haft_traffic_received(
			r->comm, r->ctx, r->res.source, r->res.tag, (uint64_t)r->res.bytes);
}

/* r has been matched with a message: sets its result, and its error if the lengths differ. */
HAFT_HOT static void recv_matched(struct req *r, int peer, int tag, int64_t total)
{
	if (unlikely(r->done))
		p2p_req_unpend(r);
	r->recv.from = peer;
	r->recv.total = total;
	r->res.source = group_rank_of(comm_peers(r->comm), peer);
	r->res.tag = tag;
	r->res.bytes = total;
	if (unlikely(total > r->bytes)) {
		r->res.bytes = r->bytes;
		recv_truncated(r);
	} else if (unlikely(total < r->bytes) && r->comm->hints & HINT_EXACT_LENGTH &&
		   r->ctx == r->comm->ctx) {
		recv_too_short(r);
	}
	if (unlikely(p2p_state.watched))
		recv_watched(r);
}

HAFT_HOT void p2p_recv_unpack(struct req *r, const void *data, int64_t n)
{
	if (unlikely(r->moved + n > r->bytes))
		n = r->moved < r->bytes ? r->bytes - r->moved : 0;
	if (likely(r->type->dense))
		memcpy(r->buf + r->moved, data, (size_t)n);
	else if (n > 0)
		type_unpack(r->type, r->buf, r->count, r->moved, data, n);
}

void p2p_recv_data(struct req *r, int peer, int tag, const void *data, int64_t total)
{
	recv_matched(r, peer, tag, total);
	if (total > 0)
		p2p_recv_unpack(r, data, total);
	p2p_req_finish(r);
}

void p2p_recv_self(struct req *r, struct req *send)
{
	int64_t n = send->bytes < r->bytes ? send->bytes : r->bytes;

	recv_matched(r, send->peer, send->tag, send->bytes);
	if (n > 0)
		type_copy_bytes(send->buf, send->type, r->buf, r->type, n);
	p2p_req_finish(r);
}

/* --- rendezvous ----------------------------------------------------------------------------- */

/* A message that a process has announced, which has ended since.  Its memory is no more. */
static bool recv_deserted(int peer)
{
	return unlikely(p2p_state.lost > 0) && p2p_peer_gone(peer);
}

/* Reads a message in place if both buffers allow it and the sender has not taken it back. */
static enum in_place recv_in_place(struct req *r, int peer, const struct rts *rts)
{
	int64_t n = rts->total < r->bytes ? rts->total : r->bytes;
	char *to = type_contiguous_at(r->type, r->buf, r->count);

	if (rts->where == RTS_AT_SHARED && p2p_claim_take(rts->claim)) {
		p2p_recv_unpack(r, via_mem_at(rts->at), rts->total);
		return IN_PLACE_DONE;
	}
	if (rts->where != RTS_AT_PRIVATE || to == NULL || recv_deserted(peer) ||
		!p2p_proto_read(peer, n) || !p2p_claim_take(rts->claim))
		return IN_PLACE_NOT;
	return p2p_read_private(r, peer, to, rts, n);
}

/* Sends FIN if the message has been received, else CTS. */
static void recv_answer(struct req *r, int peer, bool received)
{
	if (!received && recv_deserted(peer)) {
		p2p_fail_request(r, peer, VIA_LOST);
		p2p_req_finish(r);
		return;
	}
	if (received) {
		r->state = STATE_OUT_FIN;
	} else if (!via_is_local(peer)) {
		r->state = STATE_OUT_CTS;
		r->recv.stream_id = p2p_stream_post(r);
	} else {
		r->state = STATE_OUT_CTS;
		r->recv.began = p2p_peer(peer)->pipe_recvs.head == NULL ? clock_now_ns() : 0;
	}
	p2p_out_put(r, peer);
}

/* r has been matched with an RTS: reads the message in place, or asks for it. */
static void recv_rendezvous(struct req *r, int peer, int tag, const struct rts *rts)
{
	enum in_place how;

	req_touch(r);
	recv_matched(r, peer, tag, rts->total);
	r->recv.sender_id = rts->id;
	how = recv_in_place(r, peer, rts);
	if (how != IN_PLACE_OPEN)
		recv_answer(r, peer, how == IN_PLACE_DONE);
}

void p2p_recv_got_coop_done(const struct shm_frame *f)
{
	bool bad;
	struct req *r = p2p_coop_end(f, &bad);

	recv_answer(r, f->src, !bad);
}

/* --- errors in place of messages ------------------------------------------------------------ */

int p2p_error_take(const struct p2p_error_msg *msg)
{
	bool named = msg->missed > 0 && msg->missed <= 1 << VIA_PEER_BITS;

	if (named && msg->err == MPIX_ERR_PROC_FAILED)
		p2p_peer_suspect(msg->missed - 1);
	else if (named)
		haft_peer_lost(msg->missed - 1);
	return haft_err(msg->err, "%.*s", (int)sizeof(msg->words), msg->words);
}

/* r has been matched with an error frame. */
static void recv_error(struct req *r, const struct p2p_error_msg *msg)
{
	p2p_req_fail(r, p2p_error_take(msg));
	p2p_req_finish(r);
}

/* A malformed one is an error, too: its receive must not wait for another message. */
static void recv_error_check(struct p2p_error_msg *msg, int peer)
{
	char who[HAFT_RANK_NAME];

	if (msg->err > MPI_SUCCESS && haft_err_is_class(msg->err))
		return;
	msg->err = MPI_ERR_INTERN;
	snprintf(msg->words, sizeof(msg->words), "%s has sent an error of no known class",
		haft_number_name(who, peer));
}

static void unexpected_set_error(struct unexpected *u, const struct p2p_error_msg *msg)
{
	u->is_rts = false;
	u->is_error = true;
	u->total = sizeof(*msg);
	memcpy(u->data, msg, sizeof(*msg));
}

void p2p_recv_error_instead(struct unexpected *u, const struct p2p_error_msg *msg)
{
	struct p2p_error_msg checked = *msg;

	recv_error_check(&checked, u->peer);
	unexpected_set_error(u, &checked);
}

/* --- frames --------------------------------------------------------------------------------- */

HAFT_HOT __attribute__((noinline)) void p2p_recv_eager(struct req *r, const struct shm_frame *f)
{
	if (r != NULL)
		p2p_recv_data(r, f->src, f->tag, f->data, f->len);
	else
		p2p_unexpected_eager(f);
}

/* Only peers that share memory may say where a message can be read. */
static bool recv_rts_valid(int peer, const struct rts *rts)
{
	return rts->total >= 0 && rts->where <= RTS_AT_PRIVATE &&
	       (rts->where == RTS_AT_SENDER || via_is_local(peer));
}

/* An RTS that has no receive yet may become an error (p2p_recv_error_instead). */
#define RTS_ROOM                            \
	sizeof(union {                      \
		struct rts rts;             \
		struct p2p_error_msg error; \
	})

void p2p_recv_got_rts(const struct shm_frame *f)
{
	struct unexpected *u;
	struct rts rts;
	struct req *r;

	if (f->len != sizeof(rts))
		p2p_protocol_error(f->src, "an RTS of %u bytes", f->len);
	memcpy(&rts, f->data, sizeof(rts));
	if (!recv_rts_valid(f->src, &rts))
		p2p_protocol_error(f->src, "a message of %lld bytes that lies at %u",
			(long long)rts.total, rts.where);
	if (rts.total <= p2p_state.one_frame)
		p2p_help_short();
	r = p2p_match_take(f->ctx, f->src, f->tag);
	if (r != NULL) {
		recv_rendezvous(r, f->src, f->tag, &rts);
		return;
	}
	u = p2p_unexpected_new(f->ctx, f->src, f->tag, rts.total, RTS_ROOM);
	u->is_rts = true;
	u->rts_id = rts.id;
	memcpy(u->data, &rts, sizeof(rts));
	p2p_match_store(u);
	haft_event(EVENT_MESSAGE_KEPT, NULL, f->src, f->tag, rts.total, 0);
}

void p2p_recv_got_error(const struct shm_frame *f)
{
	struct p2p_error_msg msg = {0};
	struct unexpected *u;
	struct req *r;

	if (f->len == sizeof(msg))
		memcpy(&msg, f->data, sizeof(msg));
	recv_error_check(&msg, f->src);
	r = p2p_match_take(f->ctx, f->src, f->tag);
	if (r != NULL) {
		recv_error(r, &msg);
		return;
	}
	u = p2p_unexpected_new(f->ctx, f->src, f->tag, sizeof(msg), sizeof(msg));
	unexpected_set_error(u, &msg);
	p2p_match_store(u);
}

/* --- starting ------------------------------------------------------------------------------- */

void p2p_recv_unexpected(struct req *r, struct unexpected *u)
{
	p2p_state.sig = u->sig;
	if (u->sender != NULL) {
		p2p_recv_self(r, u->sender);
		p2p_req_finish(u->sender);
	} else if (u->is_rts) {
		struct rts rts;

		memcpy(&rts, u->data, sizeof(rts));
		recv_rendezvous(r, u->peer, u->tag, &rts);
	} else if (u->is_error) {
		struct p2p_error_msg msg;

		memcpy(&msg, u->data, sizeof(msg));
		recv_error(r, &msg);
	} else {
		if (u->peer != p2p_state.me)
			p2p_unexpected_uncharge(u);
		p2p_recv_data(r, u->peer, u->tag, u->data, u->total);
	}
	p2p_state.sig = NULL;
	free(u);
}

HAFT_HOT void p2p_recv_start(struct req *r)
{
	struct unexpected *u = p2p_match_find(r->ctx, r->peer, r->tag);
	int err;

	if (u != NULL && likely((r->comm->hints & COMM_REVOKED) == 0)) {
		p2p_match_remove(u);
		p2p_recv_unexpected(r, u);
		return;
	}
	err = p2p_recv_check(r);
	if (unlikely(err != 0 && !p2p_req_may_pend(r, err))) {
		p2p_req_fail(r, err);
		p2p_req_finish(r);
		return;
	}
	p2p_recv_post(r);
	if (unlikely(err != 0))
		p2p_req_pend(r, p2p_comm_unacked(r->comm));
}
