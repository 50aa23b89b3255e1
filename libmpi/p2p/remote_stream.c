// SPDX-License-Identifier: BSD-3-Clause
/* remote_stream.c - rendezvous messages of remote peers: streams, after RTS and CTS.
 *
 * The network transport, libnet or libfabric, moves the bytes of a stream (via.h).  1 MiB between
 * two hosts:
 *
 *     sender                                        receiver
 *     MPI_Send: send_rendezvous                     MPI_Recv: p2p_recv_start, posted
 *     RTS {1 MiB, id} ─────── one frame ───────>    p2p_recv_got_rts: matched
 *                                                   p2p_stream_post: the user's buffer is posted
 *                                                     for stream 7, a number never used before
 *          <──────────────── CTS id, ctx: 7 ───     recv_answer
 *     p2p_send_got_cts > p2p_stream_send
 *     the user's buffer ═══════════════════════>    the user's buffer, without a copy in between:
 *                                                     libnet: chunks of at most 256 KiB, and frames
 *                                                     of other messages between them
 *                                                     libfabric: one tagged message
 *     stream_chunk_done: p2p_req_finish             stream_chunk_done: p2p_req_finish
 *
 *     A buffer that is not contiguous goes through a window of two chunks.  One is on its way while
 *     the other is packed, or unpacked.
 *          [ chunk | chunk ] ═══════════════════>   [ chunk | chunk ]
 *
 * The two sides need not agree about chunks: a stream is bytes.
 *
 * Invariants
 *  - A request in STATE_STREAM has a stream.  The stream goes with the end of its last chunk, and
 *    finishes the request.
 *  - Before its CTS goes, a receiver has posted all that comes, or two chunks of it.  It posts a
 *    chunk again before the transport looks at the next byte (inside `done').
 *  - Bytes for which a receive has no room are not posted.  CTS says so: they are not sent.  A
 *    receive without memory for its stream is one that has no room.
 *  - A send without memory for its stream ends the job with words, as its receiver waits. */
#include "libmpi/p2p/remote_stream.h"

#include "libmpi/core/err.h"
#include "libmpi/p2p/claim.h"
#include "libmpi/p2p/fail.h"
#include "libmpi/p2p/request.h"
#include <stdlib.h>

/* Bytes of a chunk: packed while one is sent; and if there is little memory. */
#define STREAM_WINDOW ((int64_t)MEAN_OR(96, 256 * 1024))
#define STREAM_SMALL  ((int64_t)MEAN_OR(32, 4096))
#define STREAM_CHUNKS 2

struct stream_chunk {
	struct net_op op; /* first */
	struct p2p_stream *stream;
	char *mem;
};

struct p2p_stream {
	struct req *req;
	uint64_t id;
	int64_t next;     /* bytes of the message that chunks have taken */
	int64_t end;      /* bytes of the message that are moved */
	int in_transport; /* chunks that are the transport's */
	int err;          /* the first, or 0 */
	bool sends;
	bool lengthy; /* counted in stream_lengthy */
	int64_t most; /* bytes of a chunk of the window */
	struct stream_chunk chunk[STREAM_CHUNKS];
	char window[];
};

static uint64_t stream_last_id; /* numbers given out so far */
static int stream_lengthy;      /* streams of CLAIM_LONG or more that are not over */

bool p2p_stream_awaits_helper(void)
{
	return stream_lengthy > 0;
}

static void stream_free(struct p2p_stream *s)
{
	stream_lengthy -= s->lengthy;
	free(s);
}

static int stream_peer(const struct p2p_stream *s)
{
	return s->sends ? s->req->peer : s->req->recv.from;
}

/* Hands a chunk to the transport.  0, VIA_NOMEM or VIA_LOST. */
static int stream_give(struct stream_chunk *c, void *at, int64_t n)
{
	struct p2p_stream *s = c->stream;

	return s->sends ? via_stream_send(stream_peer(s), s->id, at, (size_t)n, &c->op)
			: via_stream_post(stream_peer(s), s->id, at, (size_t)n, &c->op);
}

/* Moves the next bytes of the message with this chunk.  False: there are no more, or it failed. */
static bool stream_take(struct stream_chunk *c)
{
	struct p2p_stream *s = c->stream;
	struct req *r = s->req;
	int64_t n = s->end - s->next;
	char *at = c->mem;

	if (n == 0 || s->err != 0)
		return false;
	if (at == NULL)
		at = (char *)(uintptr_t)type_contiguous_at(r->type, r->buf, r->count) + s->next;
	else if (n > s->most)
		n = s->most;
	if (c->mem != NULL && s->sends)
		type_pack(r->type, r->buf, r->count, s->next, at, n);
	s->err = stream_give(c, at, n);
	if (s->err != 0)
		return false;
	s->next += n;
	s->in_transport++;
	return true;
}

/* The transport is done with a chunk. */
static void stream_chunk_over(struct stream_chunk *c)
{
	struct p2p_stream *s = c->stream;
	struct req *r = s->req;

	s->in_transport--;
	if (c->op.state == NET_OP_LOST)
		s->err = VIA_LOST;
	else if (c->mem != NULL && !s->sends)
		type_unpack(r->type, r->buf, r->count, r->moved, c->mem, (int64_t)c->op.len);
	r->moved += (int64_t)c->op.len;
}

/* Ends a stream of which the transport has no chunk. */
static void stream_finish(struct p2p_stream *s)
{
	struct req *r = s->req;

	if (s->in_transport > 0)
		return;
	if (s->err != 0)
		p2p_fail_request(r, stream_peer(s), s->err);
	stream_free(s);
	p2p_req_finish(r);
}

/* The transport's callback, inside a poll. */
static void stream_chunk_done(struct net_op *op)
{
	struct stream_chunk *c = (struct stream_chunk *)(void *)op;
	struct p2p_stream *s = c->stream;

	stream_chunk_over(c);
	while (stream_take(c) && c->op.state != NET_OP_ACTIVE)
		stream_chunk_over(c);
	stream_finish(s);
}

/* Memory for a stream whose chunks are `*most' bytes, fewer if there is little memory; or NULL. */
static struct p2p_stream *stream_room(bool whole, int64_t *most)
{
	struct p2p_stream *s;

	*most = whole ? 0 : STREAM_WINDOW;
	s = malloc(sizeof(*s) + (size_t)(STREAM_CHUNKS * *most));
	if (s != NULL || whole)
		return s;
	*most = STREAM_SMALL;
	return malloc(sizeof(*s) + (size_t)(STREAM_CHUNKS * *most));
}

/* Makes r's stream, for bytes [r->moved, end) of its message, and gives the transport the first
 * chunks.  NULL: no memory. */
static struct p2p_stream *stream_new(struct req *r, bool sends, uint64_t id, int64_t end)
{
	bool whole = type_contiguous_at(r->type, r->buf, r->count) != NULL;
	int64_t most;
	struct p2p_stream *s = stream_room(whole, &most);

	if (s == NULL)
		return NULL;
	*s = (struct p2p_stream){.req = r,
		.id = id,
		.next = r->moved,
		.end = end,
		.sends = sends,
		.lengthy = end - r->moved >= CLAIM_LONG,
		.most = most};
	stream_lengthy += s->lengthy;
	for (int i = 0; i < STREAM_CHUNKS; i++) {
		struct stream_chunk *c = &s->chunk[i];

		*c = (struct stream_chunk){.op.done = stream_chunk_done,
			.stream = s,
			.mem = whole ? NULL : s->window + i * most};
	}
	s->in_transport = 1; /* ours, until all have been given */
	for (int i = 0; i < STREAM_CHUNKS; i++) {
		struct stream_chunk *c = &s->chunk[i];

		while (stream_take(c) && c->op.state != NET_OP_ACTIVE)
			stream_chunk_over(c);
	}
	return s;
}

void p2p_stream_send(struct req *r, uint64_t id, int64_t room)
{
	struct p2p_stream *s;

	r->state = STATE_STREAM;
	if (room <= r->moved) {
		p2p_req_finish(r);
		return;
	}
	s = stream_new(r, true, id, r->bytes < room ? r->bytes : room);
	if (s == NULL)
		haft_abort_job(MPI_ERR_NO_MEM, "no memory to send a message that is awaited");
	s->in_transport--;
	stream_finish(s);
}

uint64_t p2p_stream_try_post(struct req *r)
{
	r->recv.stream = NULL;
	r->recv.stream = stream_new(
		r, false, ++stream_last_id, r->recv.total < r->bytes ? r->recv.total : r->bytes);
	return r->recv.stream != NULL ? r->recv.stream->id : 0;
}

uint64_t p2p_stream_post(struct req *r)
{
	uint64_t id = p2p_stream_try_post(r);

	if (id == 0)
		p2p_req_fail(r, haft_err(MPI_ERR_NO_MEM,
					"no memory to receive a message of %lld bytes from rank %d",
					(long long)r->recv.total, r->res.source));
	return id;
}

void p2p_stream_recv(struct req *r)
{
	struct p2p_stream *s = r->recv.stream;

	r->recv.stream = NULL;
	r->state = STATE_STREAM;
	s->in_transport--;
	stream_finish(s);
}

void p2p_stream_stop(struct req *r)
{
	struct p2p_stream *s = r->recv.stream;

	r->recv.stream = NULL;
	for (int i = 0; i < STREAM_CHUNKS; i++)
		if (s->chunk[i].op.state == NET_OP_ACTIVE)
			via_stream_unpost(&s->chunk[i].op);
	stream_free(s);
}
