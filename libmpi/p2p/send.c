// SPDX-License-Identifier: BSD-3-Clause
/* send.c - the sender's side of the protocol of p2p_state.h.
 *
 *      p2p_send_start ──┬── to myself ──────────> the posted receive, or a copy
 *                   ├── small, way free ────> one frame: done
 *                   ├── small, way full ────> out ─(p2p_out_push)─> one frame: done
 *                   └── large or sync ──────> ASK ── CLEAR ──> feed ─(p2p_pipe_push)─> pipe: done
 *
 * A small send is done when its frame is put: the receiver's ring or inbox holds a copy. */
#include "libmpi/p2p/p2p_state.h"

#include "libmpi/core/err.h"
#include "libmpi/p2p/claim.h"
#include "libmpi/p2p/sig.h"
#include "libmpi/type/type.h"
#include "libmpi/via/shared_mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool p2p_send_take_id(struct req *r)
{
	return id_table_take(&p2p_state.ids, r, &r->id);
}

/* --- frames --------------------------------------------------------------------------------- */

/* A small message; one that has gaps is packed where the receiver reads it. */
static int out_put_eager(struct req *r)
{
	const char *piece = type_contiguous_at(r->type, r->buf, r->count);
	void *room;
	int err;

	if (piece != NULL || r->bytes == 0)
		return via_put(r->peer, r->ctx, r->tag, FRAME_EAGER, piece, (size_t)r->bytes);
	err = via_reserve(r->peer, (size_t)r->bytes, &room);
	if (err != 0)
		return err;
	type_pack(r->type, r->buf, r->count, 0, room, r->bytes);
	via_commit(r->peer, r->ctx, r->tag, FRAME_EAGER, (size_t)r->bytes);
	return 0;
}

/* What the receiver must know of a large message: where it lies, if it lies in one piece. */
static struct rts send_rts_fill(const struct req *r)
{
	struct rts rts = {.total = r->bytes, .id = r->id, .claim = r->claim};
	const char *piece = type_contiguous_at(r->type, r->buf, r->count);

	if (r->claim == 0)
		return rts;
	rts.at = via_mem_off(piece, r->bytes);
	rts.where = rts.at != 0 ? RTS_AT_SHARED : RTS_AT_PRIVATE;
	if (rts.at == 0)
		rts.at = (uint64_t)(uintptr_t)piece;
	return rts;
}

/* The same with a note in front: of a message, or of the question whether it may come. */
static int out_put_typed(struct req *r, const struct rts *rts)
{
	size_t len = rts != NULL ? sizeof(*rts) : (size_t)r->bytes;
	struct p2p_sig *note;
	void *room;
	int err = via_reserve(r->peer, sizeof(*note) + len, &room);

	if (err != 0)
		return err;
	note = room;
	if (r->note != NULL)
		*note = *r->note;
	else
		p2p_sig_fill(note, r->type, r->bytes);
	if (rts != NULL)
		memcpy(note + 1, rts, len);
	else if (len > 0)
		type_pack(r->type, r->buf, r->count, 0, note + 1, r->bytes);
	via_commit(r->peer, r->ctx, r->tag, FRAME_TYPED | (rts != NULL ? FRAME_RTS : FRAME_EAGER),
		sizeof(*note) + len);
	return 0;
}

/* With the bytes that a far peer may send, if not all. */
static int out_put_cts(const struct req *r)
{
	int64_t most = r->flow != NULL ? r->bytes : 0;
	bool all = via_is_local(r->from) || (r->flow != NULL && r->bytes >= r->total);

	return via_put(
		r->from, r->stream, (int32_t)r->mate, FRAME_CTS, &most, all ? 0 : sizeof(most));
}

/* Puts the frame that the request's state asks for: 0, SHM_AGAIN, or another error of libshm. */
static int out_put_frame(struct req *r)
{
	struct rts rts;

	if (r->state == STATE_OUT_EAGER)
		return p2p_sig_wanted(r, p2p_state.checks) ? out_put_typed(r, NULL)
							   : out_put_eager(r);
	if (r->state == STATE_OUT_CTS)
		return out_put_cts(r);
	if (r->state == STATE_OUT_FRAME)
		return via_put(
			r->peer, r->ctx, r->tag, (uint8_t)r->mate, r->scratch, (size_t)r->bytes);
	if (r->state == STATE_OUT_FIN)
		return via_put(r->from, 0, (int32_t)r->mate, FRAME_FIN, NULL, 0);
	if (r->state == STATE_OUT_COOP_DONE || r->state == STATE_OUT_COOP_FAILED)
		return via_put(r->peer, r->state == STATE_OUT_COOP_FAILED, (int32_t)r->mate,
			FRAME_COOP_DONE, NULL, 0);
	rts = send_rts_fill(r);
	if (p2p_sig_wanted(r, p2p_state.checks))
		return out_put_typed(r, &rts);
	return via_put(r->peer, r->ctx, r->tag, FRAME_RTS, &rts, sizeof(rts));
}

/* The frame has gone: what the request does next. */
static void out_frame_gone(struct req *r)
{
	switch (r->state) {
	case STATE_OUT_EAGER:
	case STATE_OUT_FRAME:
	case STATE_OUT_FIN: p2p_req_finish(r); break;
	case STATE_OUT_RTS:
	case STATE_OUT_COOP_DONE:
	case STATE_OUT_COOP_FAILED: r->state = STATE_AWAIT_CTS; break;
	case STATE_OUT_CTS:
		if (r->flow != NULL) {
			p2p_stream_recv(r);
			break;
		}
		if (!via_is_local(r->from)) { /* it has failed */
			p2p_req_finish(r);
			break;
		}
		r->state = STATE_PIPE_RECV;
		p2p_queue_push(&p2p_peer(r->from)->drain, r);
		p2p_peer_busy(r->from);
		break;
	}
}

void p2p_claim_end(struct req *r)
{
	if (r->claim != 0)
		p2p_claim_free(r->claim);
	r->claim = 0;
}

/* Its frame cannot go. */
static void out_failed(struct req *r, int err)
{
	bool back = r->state == STATE_OUT_CTS || r->state == STATE_OUT_FIN;

	if (r->state == STATE_OUT_RTS) {
		id_table_drop(&p2p_state.ids, r->id);
		p2p_claim_end(r);
	}
	if (r->flow != NULL)
		p2p_stream_stop(r);
	p2p_fail_request(r, back ? r->from : r->peer, err);
	p2p_req_finish(r);
}

/* What goes in place of messages: one for all, which are many in no case but this. */
static struct p2p_error_msg no_memory = {.err = MPI_ERR_NO_MEM};

static bool send_is_collective(const struct req *r)
{
	return r->comm != NULL && r->ctx == (r->comm->ctx | CTX_COLL);
}

/* A message of a collective call without memory: its receiver, who waits, is told so in its place.
 */
static void out_error_instead(struct req *r)
{
	if (r->state == STATE_OUT_RTS) {
		id_table_drop(&p2p_state.ids, r->id);
		p2p_claim_end(r);
	}
	p2p_fail_request(r, r->peer, SHM_NOMEM);
	snprintf(no_memory.words, sizeof(no_memory.words), "at rank %d: no memory for a message",
		r->comm->rank);
	r->scratch = &no_memory;
	r->bytes = sizeof(no_memory);
	r->mate = FRAME_ERROR;
	r->state = STATE_OUT_FRAME;
}

/* Once a partitioned operation's offer waits for its turn, its init has succeeded. */
static bool out_must_go(const struct req *r, int peer)
{
	return (r->state == STATE_OUT_FRAME && r->mate == FRAME_ERROR) ||
	       (r->state <= STATE_OUT_RTS && r->ctx % CTX_PLANES == CTX_PART &&
		       p2p_peer(peer)->out.head == r);
}

/* out_put_frame, of what must go in any case in the end. */
static int out_try_frame(struct req *r, int peer)
{
	int err = out_put_frame(r);

	if (likely(err != SHM_NOMEM))
		return err;
	if (r->state <= STATE_OUT_RTS && send_is_collective(r)) {
		out_error_instead(r);
		err = out_put_frame(r);
	}
	return err == SHM_NOMEM && out_must_go(r, peer) ? SHM_AGAIN : err;
}

/* Puts a request's frame, now or when it is its turn.  peer is where it goes. */
void p2p_out_put(struct req *r, int peer)
{
	struct p2p_peer *p = p2p_peer(peer);
	int err = SHM_AGAIN;

	if (p->out.head == NULL)
		err = out_try_frame(r, peer);
	if (err == 0) {
		out_frame_gone(r);
	} else if (err == SHM_AGAIN) {
		p2p_queue_push(&p->out, r);
		p2p_peer_busy(peer);
	} else {
		out_failed(r, err);
	}
}

void p2p_out_frame(
	int peer, uint64_t ctx, int32_t tag, enum p2p_frame_kind kind, const void *data, int64_t n)
{
	struct req *r;
	char *copy;

	if (p2p_peer(peer)->out.head == NULL &&
		via_put(peer, ctx, tag, (uint8_t)kind, data, (size_t)n) == 0)
		return;
	r = p2p_req_alloc();
	copy = malloc((size_t)n + 1);
	if (r == NULL || copy == NULL)
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for a frame to another rank");
	if (n > 0)
		memcpy(copy, data, (size_t)n);
	r->scratch = copy;
	r->bytes = n;
	r->peer = peer;
	r->ctx = ctx;
	r->tag = tag;
	r->mate = (uint32_t)kind;
	r->state = STATE_OUT_FRAME;
	p2p_req_detach(r, NULL);
	p2p_out_put(r, peer);
}

int p2p_out_push(int peer)
{
	struct p2p_peer *p = p2p_peer(peer);
	int moved = 0;

	while (p->out.head != NULL) {
		struct req *r = p->out.head;
		int err = out_try_frame(r, peer);

		if (err == SHM_AGAIN)
			break;
		p2p_queue_pop(&p->out);
		if (err == 0)
			out_frame_gone(r);
		else
			out_failed(r, err);
		moved++;
	}
	return moved;
}

/* --- large messages ------------------------------------------------------------------------- */

void p2p_send_fin(int peer, uint32_t id)
{
	struct req *r = id_table_get(&p2p_state.ids, id);

	if (!p2p_send_awaits_cts(r, peer) || r->claim == 0)
		p2p_protocol_error(peer, "that it has read message %u, which it cannot", id);
	id_table_drop(&p2p_state.ids, id);
	p2p_claim_end(r);
	p2p_req_finish(r);
}

/* The receiver of our message `id' is ready: far ones for this stream, and so many bytes of it. */
void p2p_send_cts(int peer, uint32_t id, uint64_t stream, int64_t room)
{
	struct req *r = id_table_get(&p2p_state.ids, id);

	if (!p2p_send_awaits_cts(r, peer))
		p2p_protocol_error(
			peer, "that it is ready for message %u, which does not wait", id);
	id_table_drop(&p2p_state.ids, id);
	p2p_claim_end(r);
	if (r->bytes == 0) {
		p2p_req_finish(r);
		return;
	}
	if (!via_is_local(peer)) {
		p2p_stream_send(r, stream, room);
		return;
	}
	r->state = STATE_PIPE_SEND;
	p2p_queue_push(&p2p_peer(peer)->feed, r);
	p2p_peer_busy(peer);
	p2p_pipe_push(peer);
}

#define PIECE_MIN \
	((int64_t)MEAN_OR(64, 8192)) /* smaller pieces cost more in hand-overs than they overlap \
				      */

/* Bytes to put into the next chunk: a quarter of the message, so that both sides copy at once,
 * within limits. */
static int64_t piece(const struct req *r, size_t cap)
{
	int64_t n = r->bytes / 8;

	if (n < PIECE_MIN)
		n = PIECE_MIN;
	if (n > (int64_t)cap)
		n = (int64_t)cap;
	return n < r->bytes - r->at ? n : r->bytes - r->at;
}

int p2p_pipe_push(int peer)
{
	struct req_queue *q = &p2p_peer(peer)->feed;
	int moved = 0;

	while (q->head != NULL) {
		struct req *r = q->head;
		void *chunk;
		size_t cap;
		int64_t n;
		int err;

		err = via_pipe_acquire(peer, &chunk, &cap);
		if (err == SHM_NOMEM) /* the receiver is waiting and cannot be told otherwise */
			haft_abort_job(MPI_ERR_NO_MEM,
				"no shared memory left for the pipe of a large message");
		if (err != 0)
			break;
		n = piece(r, cap);
		type_pack(r->type, r->buf, r->count, r->at, chunk, n);
		via_pipe_publish(peer, (size_t)n);
		r->at += n;
		moved++;
		if (r->at == r->bytes) {
			p2p_queue_pop(q);
			p2p_req_finish(r);
		}
	}
	return moved;
}

/* --- starting ------------------------------------------------------------------------------- */

/* A message to this process itself. */
static void send_to_self(struct req *r)
{
	struct req *recv = p2p_match_take(r->ctx, r->peer, r->tag);
	struct p2p_sig note;
	struct unexpected *a;

	if (p2p_sig_wanted(r, p2p_state.checks)) {
		p2p_sig_fill(&note, r->type, r->bytes);
		p2p_state.note = r->note != NULL ? r->note : &note;
	}
	if (recv != NULL) {
		p2p_recv_self(recv, r);
		p2p_state.note = NULL;
		p2p_req_finish(r);
		return;
	}
	a = p2p_unexpected_try(r->ctx, r->peer, r->tag, r->bytes, r->sync ? 0 : r->bytes);
	p2p_state.note = NULL;
	if (a == NULL) {
		out_failed(r, SHM_NOMEM);
		return;
	}
	if (r->sync) {
		a->asks = true;
		a->sender = r;
	} else {
		type_pack(r->type, r->buf, r->count, 0, a->data, r->bytes);
		p2p_req_finish(r);
	}
	p2p_match_store(a);
}

void p2p_send_start(struct req *r)
{
	if (r->peer == p2p_state.me) {
		send_to_self(r);
	} else if (r->bytes <= p2p_peer(r->peer)->eager && !r->sync) {
		r->state = STATE_OUT_EAGER;
		p2p_out_put(r, r->peer);
	} else if (p2p_send_take_id(r)) {
		if (r->bytes > 0 && via_is_local(r->peer) &&
			type_contiguous_at(r->type, r->buf, r->count) != NULL)
			r->claim = p2p_claim_new();
		r->state = STATE_OUT_RTS;
		p2p_out_put(r, r->peer);
	} else if (send_is_collective(r)) {
		out_error_instead(r);
		p2p_out_put(r, r->peer);
	} else {
		out_failed(r, SHM_NOMEM);
	}
}
