// SPDX-License-Identifier: BSD-3-Clause
/* remote_stream.c - large messages to and from far peers: streams of libnet, after ASK and CLEAR.
 *
 *     sender                                        receiver
 *     ASK ─────────────────────────────────────>    matched: posts the user's buffer for a stream
 *          <──────────────── CLEAR, ctx: the stream  of a number that it has never used
 *     the user's buffer ═══════════════════════>    the user's buffer
 *
 *     a buffer with gaps goes through a window: two pieces of it, one on its way while the other
 *     is packed, or unpacked
 *          [ piece | piece ] ═══════════════════>   [ piece | piece ]
 *
 * The two sides need not agree about pieces: a stream is bytes.
 *
 * Invariants
 *  - A request in STATE_STREAM has a flow, and is in no queue.  The flow goes with the end of its
 * last piece, whatever became of it.
 *  - A receiver has posted, before its CLEAR goes, all that comes or two pieces of it, and posts a
 *    piece again before libnet looks at the next byte (inside `done').
 *  - What a receive has no room for is not posted; CLEAR says so, and it is not sent.  So it is
 * with a receive that has no memory for its flow.  A send, whose receiver waits, takes turns with
 *    others without memory in the one flow that is always there. */
#include "libmpi/p2p/p2p_state.h"

#include "libmpi/core/err.h"
#include "libmpi/type/type.h"
#include <stdlib.h>

#define STREAM_WINDOW \
	((int64_t)MEAN_OR(96, 256 * 1024)) /* bytes of a piece: packed while one is sent */
#define STREAM_CHUNKS 2
#define STREAM_SPARE  ((int64_t)MEAN_OR(32, 4096)) /* the same, without memory */

struct stream_chunk {
	struct net_op op; /* first */
	struct p2p_stream *flow;
	char *mem;
};

struct p2p_stream {
	struct req *req;
	uint64_t id;
	int64_t next; /* bytes of the message that pieces have taken */
	int64_t end;  /* of them that go or come; before: r->at at the beginning */
	int busy;     /* pieces that are libnet's */
	int err;      /* the first, or 0 */
	bool sends;
	int64_t most; /* bytes of a piece that goes through the window */
	struct stream_chunk piece[STREAM_CHUNKS];
	char window[];
};

static uint64_t stream_last_id; /* numbers given out so far */

/* The flow without memory, and the sends that wait for it. */
static _Alignas(struct p2p_stream) char stream_spare[sizeof(struct p2p_stream) +
						     STREAM_CHUNKS * STREAM_SPARE];
static bool stream_spare_used;
static struct req_queue stream_starved;

static int stream_peer(const struct p2p_stream *f)
{
	return f->sends ? f->req->peer : f->req->from;
}

/* Hands a piece to libnet.  0, SHM_NOMEM or VIA_LOST. */
static int stream_give(struct stream_chunk *p, void *at, int64_t n)
{
	struct p2p_stream *f = p->flow;

	return f->sends ? via_stream_send(stream_peer(f), f->id, at, (size_t)n, &p->op)
			: via_stream_post(stream_peer(f), f->id, at, (size_t)n, &p->op);
}

/* Takes the next bytes of the message with this piece.  False: there are no more, or no way. */
static bool stream_take(struct stream_chunk *p)
{
	struct p2p_stream *f = p->flow;
	struct req *r = f->req;
	int64_t n = f->end - f->next;
	char *at = p->mem;

	if (n == 0 || f->err != 0)
		return false;
	if (at == NULL)
		at = (char *)(uintptr_t)type_contiguous_at(r->type, r->buf, r->count) + f->next;
	else if (n > f->most)
		n = f->most;
	if (p->mem != NULL && f->sends)
		type_pack(r->type, r->buf, r->count, f->next, at, n);
	f->err = stream_give(p, at, n);
	if (f->err != 0)
		return false;
	f->next += n;
	f->busy++;
	return true;
}

/* A piece is over. */
static void stream_chunk_over(struct stream_chunk *p)
{
	struct p2p_stream *f = p->flow;
	struct req *r = f->req;

	f->busy--;
	if (p->op.state == NET_OP_LOST)
		f->err = VIA_LOST;
	else if (p->mem != NULL && !f->sends)
		type_unpack(r->type, r->buf, r->count, r->at, p->mem, (int64_t)p->op.len);
	r->at += (int64_t)p->op.len;
}

static void stream_free(struct p2p_stream *f)
{
	struct req *r;

	if ((char *)f != stream_spare) {
		free(f);
		return;
	}
	stream_spare_used = false;
	r = stream_starved.head;
	if (r == NULL)
		return;
	p2p_queue_pop(&stream_starved);
	p2p_stream_send(r, r->stream, r->total);
}

/* The flow ends if nothing of it is libnet's any more. */
static void stream_finish(struct p2p_stream *f)
{
	struct req *r = f->req;

	if (f->busy > 0)
		return;
	if (f->err != 0)
		p2p_fail_request(r, stream_peer(f), f->err);
	stream_free(f);
	p2p_req_finish(r);
}

/* libnet is done with a piece: from inside a poll. */
static void stream_chunk_done(struct net_op *op)
{
	struct stream_chunk *p = (struct stream_chunk *)(void *)op;
	struct p2p_stream *f = p->flow;

	stream_chunk_over(p);
	while (stream_take(p) && p->op.state != NET_OP_BUSY)
		stream_chunk_over(p);
	stream_finish(f);
}

/* Room for a flow whose pieces are `*most' bytes at most, fewer if there is little memory. */
static struct p2p_stream *stream_room(bool whole, bool sends, int64_t *most)
{
	struct p2p_stream *f;

	*most = whole ? 0 : STREAM_WINDOW;
	f = malloc(sizeof(*f) + (size_t)(STREAM_CHUNKS * *most));
	if (f != NULL || !sends || stream_spare_used)
		return f;
	stream_spare_used = true;
	*most = STREAM_SPARE;
	return (struct p2p_stream *)(void *)stream_spare;
}

/* Makes r's flow, bytes [r->at, end) of its message, and gives libnet the first pieces.  NULL: no
 * memory. */
static struct p2p_stream *stream_new(struct req *r, bool sends, uint64_t id, int64_t end)
{
	bool whole = type_contiguous_at(r->type, r->buf, r->count) != NULL;
	int64_t most;
	struct p2p_stream *f = stream_room(whole, sends, &most);

	if (f == NULL)
		return NULL;
	*f = (struct p2p_stream){
		.req = r, .id = id, .next = r->at, .end = end, .sends = sends, .most = most};
	for (int i = 0; i < STREAM_CHUNKS; i++) {
		struct stream_chunk *p = &f->piece[i];

		*p = (struct stream_chunk){.op.done = stream_chunk_done,
			.flow = f,
			.mem = whole ? NULL : f->window + i * most};
	}
	f->busy = 1; /* ours, until all have been given */
	for (int i = 0; i < STREAM_CHUNKS; i++) {
		struct stream_chunk *p = &f->piece[i];

		while (stream_take(p) && p->op.state != NET_OP_BUSY)
			stream_chunk_over(p);
	}
	return f;
}

void p2p_stream_send(struct req *r, uint64_t id, int64_t room)
{
	struct p2p_stream *f;

	r->state = STATE_STREAM;
	if (room <= r->at) {
		p2p_req_finish(r);
		return;
	}
	f = stream_new(r, true, id, r->bytes < room ? r->bytes : room);
	if (f == NULL) {
		r->stream = id;
		r->total = room;
		p2p_queue_push(&stream_starved, r);
		return;
	}
	f->busy--;
	stream_finish(f);
}

uint64_t p2p_stream_try_post(struct req *r)
{
	r->flow = NULL;
	r->flow = stream_new(r, false, ++stream_last_id, r->total < r->bytes ? r->total : r->bytes);
	return r->flow != NULL ? r->flow->id : 0;
}

uint64_t p2p_stream_post(struct req *r)
{
	uint64_t id = p2p_stream_try_post(r);

	if (id == 0)
		p2p_req_set_error(
			r, haft_err(MPI_ERR_NO_MEM,
				   "no memory to receive a message of %lld bytes from rank %d",
				   (long long)r->total, r->res.source));
	return id;
}

void p2p_stream_recv(struct req *r)
{
	struct p2p_stream *f = r->flow;

	r->flow = NULL;
	r->state = STATE_STREAM;
	f->busy--;
	stream_finish(f);
}

void p2p_stream_stop(struct req *r)
{
	struct p2p_stream *f = r->flow;

	r->flow = NULL;
	for (int i = 0; i < STREAM_CHUNKS; i++)
		if (f->piece[i].op.state == NET_OP_BUSY)
			via_stream_unpost(&f->piece[i].op);
	stream_free(f);
}
