// SPDX-License-Identifier: BSD-3-Clause
/* flow.c - large messages to and from far peers: streams of libnet, after ASK and CLEAR.
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
 *  - A request in STATE_FLOW has a flow, and is in no queue.  The flow goes with the end of its
 * last piece, whatever became of it.
 *  - A receiver has posted, before its CLEAR goes, all that comes or two pieces of it, and posts a
 *    piece again before libnet looks at the next byte (inside `done').
 *  - What a receive has no room for is not posted; CLEAR says so, and it is not sent.  So it is
 * with a receive that has no memory for its flow.  A send, whose receiver waits, takes turns with
 *    others without memory in the one flow that is always there. */
#include "libmpi/p2p/inner.h"

#include "libmpi/core/err.h"
#include "libmpi/type/type.h"
#include <stdlib.h>

#define WINDOW ((int64_t)MEAN_OR(96, 256 * 1024)) /* bytes of a piece: packed while one is sent */
#define PIECES 2
#define SPARE  ((int64_t)MEAN_OR(32, 4096)) /* the same, without memory */

struct piece {
	struct net_op op; /* first */
	struct flow *flow;
	char *mem;
};

struct flow {
	struct req *req;
	uint64_t id;
	int64_t next; /* bytes of the message that pieces have taken */
	int64_t end;  /* of them that go or come; before: r->at at the beginning */
	int busy;     /* pieces that are libnet's */
	int err;      /* the first, or 0 */
	bool sends;
	int64_t most; /* bytes of a piece that goes through the window */
	struct piece piece[PIECES];
	char window[];
};

static uint64_t streams; /* numbers given out so far */

/* The flow without memory, and the sends that wait for it. */
static _Alignas(struct flow) char spare[sizeof(struct flow) + PIECES * SPARE];
static bool spare_used;
static struct req_queue starved;

static int flow_peer(const struct flow *f)
{
	return f->sends ? f->req->peer : f->req->from;
}

/* Hands a piece to libnet.  0, SHM_NOMEM or VIA_LOST. */
static int give(struct piece *p, void *at, int64_t n)
{
	struct flow *f = p->flow;

	return f->sends ? via_stream_send(flow_peer(f), f->id, at, (size_t)n, &p->op)
			: via_stream_post(flow_peer(f), f->id, at, (size_t)n, &p->op);
}

/* Takes the next bytes of the message with this piece.  False: there are no more, or no way. */
static bool take(struct piece *p)
{
	struct flow *f = p->flow;
	struct req *r = f->req;
	int64_t n = f->end - f->next;
	char *at = p->mem;

	if (n == 0 || f->err != 0)
		return false;
	if (at == NULL)
		at = (char *)(uintptr_t)type_piece(r->type, r->buf, r->count) + f->next;
	else if (n > f->most)
		n = f->most;
	if (p->mem != NULL && f->sends)
		type_pack(r->type, r->buf, r->count, f->next, at, n);
	f->err = give(p, at, n);
	if (f->err != 0)
		return false;
	f->next += n;
	f->busy++;
	return true;
}

/* A piece is over. */
static void over(struct piece *p)
{
	struct flow *f = p->flow;
	struct req *r = f->req;

	f->busy--;
	if (p->op.state == NET_OP_LOST)
		f->err = VIA_LOST;
	else if (p->mem != NULL && !f->sends)
		type_unpack(r->type, r->buf, r->count, r->at, p->mem, (int64_t)p->op.len);
	r->at += (int64_t)p->op.len;
}

static void flow_free(struct flow *f)
{
	struct req *r;

	if ((char *)f != spare) {
		free(f);
		return;
	}
	spare_used = false;
	r = starved.head;
	if (r == NULL)
		return;
	queue_pop(&starved);
	flow_send(r, r->stream, r->total);
}

/* The flow ends if nothing of it is libnet's any more. */
static void flow_end(struct flow *f)
{
	struct req *r = f->req;

	if (f->busy > 0)
		return;
	if (f->err != 0)
		peer_fail(r, flow_peer(f), f->err);
	flow_free(f);
	req_finish(r);
}

/* libnet is done with a piece: from inside a poll. */
static void piece_done(struct net_op *op)
{
	struct piece *p = (struct piece *)(void *)op;
	struct flow *f = p->flow;

	over(p);
	while (take(p) && p->op.state != NET_OP_BUSY)
		over(p);
	flow_end(f);
}

/* Room for a flow whose pieces are `*most' bytes at most, fewer if there is little memory. */
static struct flow *flow_room(bool whole, bool sends, int64_t *most)
{
	struct flow *f;

	*most = whole ? 0 : WINDOW;
	f = malloc(sizeof(*f) + (size_t)(PIECES * *most));
	if (f != NULL || !sends || spare_used)
		return f;
	spare_used = true;
	*most = SPARE;
	return (struct flow *)(void *)spare;
}

/* Makes r's flow, bytes [r->at, end) of its message, and gives libnet the first pieces.  NULL: no
 * memory. */
static struct flow *flow_new(struct req *r, bool sends, uint64_t id, int64_t end)
{
	bool whole = type_piece(r->type, r->buf, r->count) != NULL;
	int64_t most;
	struct flow *f = flow_room(whole, sends, &most);

	if (f == NULL)
		return NULL;
	*f = (struct flow){
		.req = r, .id = id, .next = r->at, .end = end, .sends = sends, .most = most};
	for (int i = 0; i < PIECES; i++) {
		struct piece *p = &f->piece[i];

		*p = (struct piece){.op.done = piece_done,
			.flow = f,
			.mem = whole ? NULL : f->window + i * most};
	}
	f->busy = 1; /* ours, until all have been given */
	for (int i = 0; i < PIECES; i++) {
		struct piece *p = &f->piece[i];

		while (take(p) && p->op.state != NET_OP_BUSY)
			over(p);
	}
	return f;
}

void flow_send(struct req *r, uint64_t id, int64_t room)
{
	struct flow *f;

	r->state = STATE_FLOW;
	if (room <= r->at) {
		req_finish(r);
		return;
	}
	f = flow_new(r, true, id, r->bytes < room ? r->bytes : room);
	if (f == NULL) {
		r->stream = id;
		r->total = room;
		queue_push(&starved, r);
		return;
	}
	f->busy--;
	flow_end(f);
}

uint64_t flow_try(struct req *r)
{
	r->flow = NULL;
	r->flow = flow_new(r, false, ++streams, r->total < r->bytes ? r->total : r->bytes);
	return r->flow != NULL ? r->flow->id : 0;
}

uint64_t flow_post(struct req *r)
{
	uint64_t id = flow_try(r);

	if (id == 0)
		req_fail(r, haft_err(MPI_ERR_NO_MEM,
				    "no memory to receive a message of %lld bytes from rank %d",
				    (long long)r->total, r->res.source));
	return id;
}

void flow_recv(struct req *r)
{
	struct flow *f = r->flow;

	r->flow = NULL;
	r->state = STATE_FLOW;
	f->busy--;
	flow_end(f);
}

void flow_stop(struct req *r)
{
	struct flow *f = r->flow;

	r->flow = NULL;
	for (int i = 0; i < PIECES; i++)
		if (f->piece[i].op.state == NET_OP_BUSY)
			via_stream_unpost(&f->piece[i].op);
	flow_free(f);
}
