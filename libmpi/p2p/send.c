// SPDX-License-Identifier: BSD-3-Clause
/* send.c - the sender's side of the protocol of p2p.h.
 *
 *      send_start ──┬── to myself ──────────> the posted receive, or a copy
 *                   ├── small, way free ────> one frame: done
 *                   ├── small, way full ────> out ─(out_push)─> one frame: done
 *                   └── large or sync ──────> ASK ── CLEAR ──> feed ─(feed_push)─> pipe: done
 *
 * A small send is done when its frame is put: the receiver's ring or inbox holds a copy. */
#include "libmpi/p2p/inner.h"

#include "libmpi/core/err.h"
#include "libmpi/p2p/lease.h"
#include "libmpi/p2p/note.h"
#include "libmpi/type/type.h"
#include "libmpi/via/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool send_number(struct req *r)
{
	return ids_take(&p2p.ids, r, &r->id);
}

/* --- frames --------------------------------------------------------------------------------- */

/* A small message; one that has gaps is packed where the receiver reads it. */
static int eager_put(struct req *r)
{
	const char *piece = type_piece(r->type, r->buf, r->count);
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
static struct ask ask_for(const struct req *r)
{
	struct ask ask = {.total = r->bytes, .id = r->id, .lease = r->lease};
	const char *piece = type_piece(r->type, r->buf, r->count);

	if (r->lease == 0)
		return ask;
	ask.at = via_mem_off(piece, r->bytes);
	ask.where = ask.at != 0 ? ASK_SHARED : ASK_PRIVATE;
	if (ask.at == 0)
		ask.at = (uint64_t)(uintptr_t)piece;
	return ask;
}

/* The same with a note in front: of a message, or of the question whether it may come. */
static int noted_put(struct req *r, const struct ask *ask)
{
	size_t len = ask != NULL ? sizeof(*ask) : (size_t)r->bytes;
	struct p2p_note *note;
	void *room;
	int err = via_reserve(r->peer, sizeof(*note) + len, &room);

	if (err != 0)
		return err;
	note = room;
	if (r->note != NULL)
		*note = *r->note;
	else
		note_fill(note, r->type, r->bytes);
	if (ask != NULL)
		memcpy(note + 1, ask, len);
	else if (len > 0)
		type_pack(r->type, r->buf, r->count, 0, note + 1, r->bytes);
	via_commit(r->peer, r->ctx, r->tag, FRAME_NOTED | (ask != NULL ? FRAME_ASK : FRAME_EAGER),
		sizeof(*note) + len);
	return 0;
}

/* With the bytes that a far peer may send, if not all. */
static int clear_put(const struct req *r)
{
	int64_t most = r->flow != NULL ? r->bytes : 0;
	bool all = via_near(r->from) || (r->flow != NULL && r->bytes >= r->total);

	return via_put(
		r->from, r->stream, (int32_t)r->mate, FRAME_CLEAR, &most, all ? 0 : sizeof(most));
}

/* Puts the frame that the request's state asks for: 0, SHM_AGAIN, or another error of libshm. */
static int frame_put(struct req *r)
{
	struct ask ask;

	if (r->state == STATE_OUT_EAGER)
		return note_wanted(r, p2p.checks) ? noted_put(r, NULL) : eager_put(r);
	if (r->state == STATE_OUT_CLEAR)
		return clear_put(r);
	if (r->state == STATE_OUT_FRAME)
		return via_put(
			r->peer, r->ctx, r->tag, (uint8_t)r->mate, r->scratch, (size_t)r->bytes);
	if (r->state == STATE_OUT_DONE)
		return via_put(r->from, 0, (int32_t)r->mate, FRAME_DONE, NULL, 0);
	if (r->state == STATE_OUT_WROTE || r->state == STATE_OUT_SPOILT)
		return via_put(r->peer, r->state == STATE_OUT_SPOILT, (int32_t)r->mate, FRAME_WROTE,
			NULL, 0);
	ask = ask_for(r);
	if (note_wanted(r, p2p.checks))
		return noted_put(r, &ask);
	return via_put(r->peer, r->ctx, r->tag, FRAME_ASK, &ask, sizeof(ask));
}

/* The frame has gone: what the request does next. */
static void frame_gone(struct req *r)
{
	switch (r->state) {
	case STATE_OUT_EAGER:
	case STATE_OUT_FRAME:
	case STATE_OUT_DONE: req_finish(r); break;
	case STATE_OUT_ASK:
	case STATE_OUT_WROTE:
	case STATE_OUT_SPOILT: r->state = STATE_ASKED; break;
	case STATE_OUT_CLEAR:
		if (r->flow != NULL) {
			flow_recv(r);
			break;
		}
		if (!via_near(r->from)) { /* it has failed */
			req_finish(r);
			break;
		}
		r->state = STATE_DRAIN;
		queue_push(&p2p_peer(r->from)->drain, r);
		peer_busy(r->from);
		break;
	}
}

void lease_end(struct req *r)
{
	if (r->lease != 0)
		lease_free(r->lease);
	r->lease = 0;
}

/* Its frame cannot go. */
static void send_failed(struct req *r, int err)
{
	bool back = r->state == STATE_OUT_CLEAR || r->state == STATE_OUT_DONE;

	if (r->state == STATE_OUT_ASK) {
		ids_give(&p2p.ids, r->id);
		lease_end(r);
	}
	if (r->flow != NULL)
		flow_stop(r);
	peer_fail(r, back ? r->from : r->peer, err);
	req_finish(r);
}

/* What goes in place of messages: one for all, which are many in no case but this. */
static struct p2p_sorry no_memory = {.err = MPI_ERR_NO_MEM};

static bool collective(const struct req *r)
{
	return r->comm != NULL && r->ctx == (r->comm->ctx | CTX_COLL);
}

/* A message of a collective call without memory: its receiver, who waits, is told so in its place.
 */
static void say_sorry(struct req *r)
{
	if (r->state == STATE_OUT_ASK) {
		ids_give(&p2p.ids, r->id);
		lease_end(r);
	}
	peer_fail(r, r->peer, SHM_NOMEM);
	snprintf(no_memory.words, sizeof(no_memory.words), "at rank %d: no memory for a message",
		r->comm->rank);
	r->scratch = &no_memory;
	r->bytes = sizeof(no_memory);
	r->mate = FRAME_SORRY;
	r->state = STATE_OUT_FRAME;
}

/* Once a partitioned operation's offer waits for its turn, its init has succeeded. */
static bool must_go(const struct req *r, int peer)
{
	return (r->state == STATE_OUT_FRAME && r->mate == FRAME_SORRY) ||
	       (r->state <= STATE_OUT_ASK && r->ctx % CTX_PLANES == CTX_PART &&
		       p2p_peer(peer)->out.head == r);
}

/* frame_put, of what must go in any case in the end. */
static int frame_try(struct req *r, int peer)
{
	int err = frame_put(r);

	if (likely(err != SHM_NOMEM))
		return err;
	if (r->state <= STATE_OUT_ASK && collective(r)) {
		say_sorry(r);
		err = frame_put(r);
	}
	return err == SHM_NOMEM && must_go(r, peer) ? SHM_AGAIN : err;
}

/* Puts a request's frame, now or when it is its turn.  peer is where it goes. */
void out_put(struct req *r, int peer)
{
	struct p2p_peer *p = p2p_peer(peer);
	int err = SHM_AGAIN;

	if (p->out.head == NULL)
		err = frame_try(r, peer);
	if (err == 0) {
		frame_gone(r);
	} else if (err == SHM_AGAIN) {
		queue_push(&p->out, r);
		peer_busy(peer);
	} else {
		send_failed(r, err);
	}
}

void out_frame(
	int peer, uint64_t ctx, int32_t tag, enum frame_kind kind, const void *data, int64_t n)
{
	struct req *r;
	char *copy;

	if (p2p_peer(peer)->out.head == NULL &&
		via_put(peer, ctx, tag, (uint8_t)kind, data, (size_t)n) == 0)
		return;
	r = req_blank();
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
	req_orphan(r, NULL);
	out_put(r, peer);
}

int out_push(int peer)
{
	struct p2p_peer *p = p2p_peer(peer);
	int moved = 0;

	while (p->out.head != NULL) {
		struct req *r = p->out.head;
		int err = frame_try(r, peer);

		if (err == SHM_AGAIN)
			break;
		queue_pop(&p->out);
		if (err == 0)
			frame_gone(r);
		else
			send_failed(r, err);
		moved++;
	}
	return moved;
}

/* --- large messages ------------------------------------------------------------------------- */

void send_read(int peer, uint32_t id)
{
	struct req *r = ids_get(&p2p.ids, id);

	if (!send_asked(r, peer) || r->lease == 0)
		p2p_nonsense(peer, "that it has read message %u, which it cannot", id);
	ids_give(&p2p.ids, id);
	lease_end(r);
	req_finish(r);
}

/* The receiver of our message `id' is ready: far ones for this stream, and so many bytes of it. */
void send_clear(int peer, uint32_t id, uint64_t stream, int64_t room)
{
	struct req *r = ids_get(&p2p.ids, id);

	if (!send_asked(r, peer))
		p2p_nonsense(peer, "that it is ready for message %u, which does not wait", id);
	ids_give(&p2p.ids, id);
	lease_end(r);
	if (r->bytes == 0) {
		req_finish(r);
		return;
	}
	if (!via_near(peer)) {
		flow_send(r, stream, room);
		return;
	}
	r->state = STATE_FEED;
	queue_push(&p2p_peer(peer)->feed, r);
	peer_busy(peer);
	feed_push(peer);
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

int feed_push(int peer)
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
			queue_pop(q);
			req_finish(r);
		}
	}
	return moved;
}

/* --- starting ------------------------------------------------------------------------------- */

/* A message to this process itself. */
static void send_self(struct req *r)
{
	struct req *recv = match_take(r->ctx, r->peer, r->tag);
	struct p2p_note note;
	struct arrived *a;

	if (note_wanted(r, p2p.checks)) {
		note_fill(&note, r->type, r->bytes);
		p2p.note = r->note != NULL ? r->note : &note;
	}
	if (recv != NULL) {
		recv_self(recv, r);
		p2p.note = NULL;
		req_finish(r);
		return;
	}
	a = arrived_try(r->ctx, r->peer, r->tag, r->bytes, r->sync ? 0 : r->bytes);
	p2p.note = NULL;
	if (a == NULL) {
		send_failed(r, SHM_NOMEM);
		return;
	}
	if (r->sync) {
		a->asks = true;
		a->sender = r;
	} else {
		type_pack(r->type, r->buf, r->count, 0, a->data, r->bytes);
		req_finish(r);
	}
	match_store(a);
}

void send_start(struct req *r)
{
	if (r->peer == p2p.me) {
		send_self(r);
	} else if (r->bytes <= p2p_peer(r->peer)->eager && !r->sync) {
		r->state = STATE_OUT_EAGER;
		out_put(r, r->peer);
	} else if (send_number(r)) {
		if (r->bytes > 0 && via_near(r->peer) &&
			type_piece(r->type, r->buf, r->count) != NULL)
			r->lease = lease_new();
		r->state = STATE_OUT_ASK;
		out_put(r, r->peer);
	} else if (collective(r)) {
		say_sorry(r);
		out_put(r, r->peer);
	} else {
		send_failed(r, SHM_NOMEM);
	}
}
