// SPDX-License-Identifier: BSD-3-Clause
/* outq.c - frames of requests, in their order.
 *
 *     p2p_out_put ── the peer's queue `out' is empty, and there is room ──> the frame goes
 *                └── else ──> out ── p2p_out_push, from progress ─────────> the frame goes
 *
 *     gone:   EAGER, FIN, control frames ──> the request is over
 *             RTS, COOP_DONE             ──> it waits for the receiver's answer
 *             CTS                        ──> it waits in pipe_recvs, or for a stream
 *
 * A frame that cannot go fails its request.  Two kinds must go in the end, whatever memory there
 * is: an error in place of a message of a collective, whose receiver waits; and the offer of a
 * partitioned operation that waits for its turn, as its init has succeeded.  Where memory does not
 * come back for seconds, the job ends with words. */
#include "libmpi/p2p/outq.h"

#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/rank_name.h"
#include "libmpi/p2p/claim.h"
#include "libmpi/p2p/fail.h"
#include "libmpi/p2p/remote_stream.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/sig.h"
#include "libmpi/via/shared_mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_S           1000000000ull
#define STARVED_NS     (5 * NS_S) /* a frame that must go is tried for so long */
#define STARVED_GAP_NS NS_S       /* no try for so long: there was memory meanwhile */

/* The tries of frames that must go, and find no memory. */
static struct {
	uint64_t since_ns, last_ns; /* 0: none */
} starved;

/* --- frames --------------------------------------------------------------------------------- */

/* Data that is not contiguous is packed where the receiver reads it. */
static int out_put_eager(const struct req *r)
{
	const char *data = type_contiguous_at(r->type, r->buf, r->count);
	void *room;
	int err;

	if (data != NULL || r->bytes == 0)
		return via_put(r->peer, r->ctx, r->tag, FRAME_EAGER, data, (size_t)r->bytes);
	err = via_reserve(r->peer, (size_t)r->bytes, &room);
	if (err != 0)
		return err;
	type_pack(r->type, r->buf, r->count, 0, room, r->bytes);
	via_commit(r->peer, r->ctx, r->tag, FRAME_EAGER, (size_t)r->bytes);
	return 0;
}

/* A message with a claim word is contiguous: the RTS says where it is. */
static struct rts out_rts(const struct req *r)
{
	struct rts rts = {.total = r->bytes, .id = r->send.id, .claim = r->send.claim};
	const char *data = type_contiguous_at(r->type, r->buf, r->count);

	if (r->send.claim == 0)
		return rts;
	rts.at = via_mem_off(data, r->bytes);
	rts.where = rts.at != 0 ? RTS_AT_SHARED : RTS_AT_PRIVATE;
	if (rts.at == 0)
		rts.at = (uint64_t)(uintptr_t)data;
	return rts;
}

/* A type signature, and then the message, or an RTS if not NULL. */
static int out_put_typed(const struct req *r, const struct rts *rts)
{
	size_t len = rts != NULL ? sizeof(*rts) : (size_t)r->bytes;
	struct p2p_sig *sig;
	void *room;
	int err = via_reserve(r->peer, sizeof(*sig) + len, &room);

	if (err != 0)
		return err;
	sig = room;
	if (r->send.sig != NULL)
		*sig = *r->send.sig;
	else
		p2p_sig_fill(sig, r->type, r->bytes);
	if (rts != NULL)
		memcpy(sig + 1, rts, len);
	else if (len > 0)
		type_pack(r->type, r->buf, r->count, 0, sig + 1, r->bytes);
	via_commit(r->peer, r->ctx, r->tag, FRAME_TYPED | (rts != NULL ? FRAME_RTS : FRAME_EAGER),
		sizeof(*sig) + len);
	return 0;
}

static int out_put_rts(const struct req *r)
{
	struct rts rts = out_rts(r);

	if (p2p_sig_wanted(r, p2p_state.checks))
		return out_put_typed(r, &rts);
	return via_put(r->peer, r->ctx, r->tag, FRAME_RTS, &rts, sizeof(rts));
}

/* A remote peer is told how many bytes to send, if not all.  Without a stream: none. */
static int out_put_cts(const struct req *r)
{
	int64_t room = r->recv.stream != NULL ? r->bytes : 0;
	bool all =
		via_is_local(r->recv.from) || (r->recv.stream != NULL && r->bytes >= r->recv.total);

	return via_put(r->recv.from, r->recv.stream_id, (int32_t)r->recv.sender_id, FRAME_CTS,
		&room, all ? 0 : sizeof(room));
}

/* Puts the frame that the request's state asks for: 0, VIA_AGAIN, or another error of via_put. */
static int out_put_frame(const struct req *r)
{
	switch (r->state) {
	case STATE_OUT_EAGER:
		return p2p_sig_wanted(r, p2p_state.checks) ? out_put_typed(r, NULL)
							   : out_put_eager(r);
	case STATE_OUT_RTS: return out_put_rts(r);
	case STATE_OUT_CTS: return out_put_cts(r);
	case STATE_OUT_FIN:
		return via_put(r->recv.from, 0, (int32_t)r->recv.sender_id, FRAME_FIN, NULL, 0);
	case STATE_OUT_FRAME:
		return via_put(r->peer, r->ctx, r->tag, r->send.frame, r->send.payload,
			r->send.payload_bytes);
	default:
		return via_put(r->peer, r->state == STATE_OUT_COOP_FAILED, (int32_t)r->send.coop_id,
			FRAME_COOP_DONE, NULL, 0);
	}
}

static void out_cts_gone(struct req *r)
{
	if (r->recv.stream != NULL) {
		p2p_stream_recv(r);
	} else if (!via_is_local(r->recv.from)) { /* no memory for a stream: it has failed */
		p2p_req_finish(r);
	} else {
		r->state = STATE_PIPE_RECV;
		p2p_queue_push(&p2p_peer(r->recv.from)->pipe_recvs, r);
		p2p_peer_enlist(r->recv.from);
	}
}

/* The frame has gone: the request's next step. */
static void out_gone(struct req *r)
{
	if (r->state == STATE_OUT_CTS)
		out_cts_gone(r);
	else if (r->state == STATE_OUT_EAGER || r->state == STATE_OUT_FRAME ||
		 r->state == STATE_OUT_FIN)
		p2p_req_finish(r);
	else
		r->state = STATE_AWAIT_CTS;
}

/* --- failures ------------------------------------------------------------------------------- */

/* Its frame does not go: nothing names it. */
static void out_drop_rts(struct req *r)
{
	if (r->state != STATE_OUT_RTS && r->state != STATE_OUT_COOP_DONE &&
		r->state != STATE_OUT_COOP_FAILED)
		return;
	id_table_drop(&p2p_state.ids, r->send.id);
	p2p_claim_end(r);
}

static void out_failed(struct req *r, int err)
{
	bool recv = r->state == STATE_OUT_CTS || r->state == STATE_OUT_FIN;

	out_drop_rts(r);
	if (recv && r->recv.stream != NULL)
		p2p_stream_stop(r);
	if (r->state != STATE_OUT_FIN || err != VIA_LOST) /* else the message is here, whole */
		p2p_fail_request(r, recv ? r->recv.from : r->peer, err);
	p2p_req_finish(r);
}

bool p2p_out_is_collective(const struct req *r)
{
	return r->comm != NULL && r->ctx == (r->comm->ctx | CTX_COLL);
}

/* One for all requests, as there is no memory: so its words are true of each of them. */
static struct p2p_error_msg out_no_memory = {.err = MPI_ERR_NO_MEM};

void p2p_out_error_instead(struct req *r)
{
	char who[HAFT_RANK_NAME];

	out_drop_rts(r);
	p2p_fail_request(r, r->peer, VIA_NOMEM);
	snprintf(out_no_memory.words, sizeof(out_no_memory.words), "at %s: no memory for a message",
		haft_number_name(who, p2p_state.me));
	r->send.payload = &out_no_memory;
	r->send.frame = FRAME_ERROR;
	r->send.payload_bytes = sizeof(out_no_memory);
	r->state = STATE_OUT_FRAME;
}

/* Must the frame of r go in the end?  (See above.) */
static bool out_must_go(const struct req *r, int peer)
{
	if (r->state == STATE_OUT_FRAME)
		return r->send.frame == FRAME_ERROR;
	return r->state <= STATE_OUT_RTS && r->ctx % CTX_PLANES == CTX_PART &&
	       p2p_peer(peer)->out.head == r;
}

/* A frame that must go finds no memory: it is tried again, as memory may come back.  If none does,
 * the job ends with words, because the receiver of the frame would wait for ever. */
static int out_wait_memory(int peer)
{
	uint64_t now = clock_now_ns();
	char words[HAFT_RANK_NAME + 80], who[HAFT_RANK_NAME];

	if (starved.last_ns == 0 || now - starved.last_ns > STARVED_GAP_NS)
		starved.since_ns = now;
	starved.last_ns = now;
	if (now - starved.since_ns > STARVED_NS) {
		snprintf(words, sizeof(words), "no memory for a frame to %s, tried for %llu s",
			haft_number_name(who, peer), STARVED_NS / NS_S);
		haft_abort_job(MPI_ERR_NO_MEM, words);
	}
	return VIA_AGAIN;
}

/* As out_put_frame, and does without memory what can be done. */
static int out_try_frame(struct req *r, int peer)
{
	int err = out_put_frame(r);

	if (likely(err != VIA_NOMEM))
		return err;
	if (r->state <= STATE_OUT_RTS && p2p_out_is_collective(r)) {
		p2p_out_error_instead(r);
		err = out_put_frame(r);
	}
	return err == VIA_NOMEM && out_must_go(r, peer) ? out_wait_memory(peer) : err;
}

/* --- the queue ------------------------------------------------------------------------------ */

/* Does its peer wait for r, and no call of this process?  A blocking call has its request on the
 * stack.  Of other requests p2p_req_begun says when they begin that they are open. */
static bool out_is_left(const struct req *r)
{
	return (r->state == STATE_OUT_FRAME || r->state == STATE_OUT_FIN ||
		       r->state == STATE_OUT_CTS) &&
	       r->o.refs > 0;
}

void p2p_out_put(struct req *r, int peer)
{
	struct p2p_peer *p = p2p_peer(peer);
	int err = VIA_AGAIN;

	if (p->out.head == NULL)
		err = out_try_frame(r, peer);
	if (err == 0) {
		out_gone(r);
	} else if (err == VIA_AGAIN) {
		p2p_queue_push(&p->out, r);
		p2p_peer_enlist(peer);
		if (unlikely(haft_helper) && out_is_left(r))
			p2p_help(r);
	} else {
		out_failed(r, err);
	}
}

/* A request for a control frame, with a copy of its data (n bytes). */
static struct req *out_frame_new(
	int peer, uint64_t ctx, int32_t tag, enum p2p_frame_kind kind, const void *data, int64_t n)
{
	struct req *r = p2p_req_alloc();
	char *copy = malloc((size_t)n + 1);

	if (r == NULL || copy == NULL)
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for a frame to another rank");
	if (n > 0)
		memcpy(copy, data, (size_t)n);
	r->kind = REQ_SEND;
	r->send.copy = copy;
	r->send.payload = copy;
	r->send.frame = (uint8_t)kind;
	r->send.payload_bytes = (uint32_t)n;
	r->peer = peer;
	r->ctx = ctx;
	r->tag = tag;
	r->state = STATE_OUT_FRAME;
	p2p_req_detach(r, NULL);
	return r;
}

void p2p_out_frame(
	int peer, uint64_t ctx, int32_t tag, enum p2p_frame_kind kind, const void *data, int64_t n)
{
	if (p2p_peer(peer)->out.head == NULL &&
		via_put(peer, ctx, tag, (uint8_t)kind, data, (size_t)n) == 0)
		return;
	p2p_out_put(out_frame_new(peer, ctx, tag, kind, data, n), peer);
}

void p2p_out_replace(struct req *r, const struct p2p_error_msg *msg)
{
	struct req *frame = out_frame_new(r->peer, r->ctx, r->tag, FRAME_ERROR, msg, sizeof(*msg));

	p2p_queue_replace(&p2p_peer(r->peer)->out, r, frame);
}

void p2p_ft_send(int peer, uint64_t ctx, int32_t tag, const void *data, int64_t n)
{
	p2p_out_frame(peer, ctx, tag, FRAME_FT, data, n);
}

void p2p_abort_send(int peer, int code, const char *words)
{
	p2p_out_frame(peer, 0, code, FRAME_ABORT, words, (int64_t)strlen(words) + 1);
}

int p2p_out_push(int peer)
{
	struct p2p_peer *p = p2p_peer(peer);
	int moved = 0;

	while (p->out.head != NULL) {
		struct req *r = p->out.head;
		int err = out_try_frame(r, peer);

		if (err == VIA_AGAIN)
			break;
		p2p_queue_pop(&p->out);
		if (err == 0)
			out_gone(r);
		else
			out_failed(r, err);
		moved++;
	}
	return moved;
}
