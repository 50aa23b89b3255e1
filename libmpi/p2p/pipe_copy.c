// SPDX-License-Identifier: BSD-3-Clause
/* pipe_copy.c - rendezvous messages of local peers, chunk by chunk.
 *
 *     sender                     libshm's pipe                  receiver
 *     pipe_sends.head ── pack ──> [chunk|chunk|  |  ] ── unpack ──> pipe_recvs.head
 *
 * Both sides copy at once, each its own chunk.  A pipe is filled only after CTS, that is for a
 * message that has a receive.  So no message without a receive can block it. */
#include "libmpi/p2p/pipe_copy.h"

#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/p2p/proto.h"
#include "libmpi/p2p/recv.h"
#include "libmpi/p2p/request.h"

/* Bytes: a smaller chunk costs more in hand-over than it gains in overlap. */
#define CHUNK_MIN ((int64_t)MEAN_OR(64, 8192))

/* Bytes to put into the next chunk: an eighth of the message, within limits. */
static int64_t pipe_chunk(const struct req *r, size_t cap)
{
	int64_t n = r->bytes / 8;

	if (n < CHUNK_MIN)
		n = CHUNK_MIN;
	if (n > (int64_t)cap)
		n = (int64_t)cap;
	return n < r->bytes - r->moved ? n : r->bytes - r->moved;
}

int p2p_pipe_push(int peer)
{
	struct req_queue *q = &p2p_peer(peer)->pipe_sends;
	int moved = 0;

	while (q->head != NULL) {
		struct req *r = q->head;
		void *chunk;
		size_t cap;
		int64_t n;
		int err = via_pipe_acquire(peer, &chunk, &cap);

		if (err == VIA_NOMEM) /* the receiver waits, and cannot be told */
			haft_abort_job(MPI_ERR_NO_MEM,
				"no shared memory left for the pipe of a large message");
		if (err != 0)
			break;
		n = pipe_chunk(r, cap);
		type_pack(r->type, r->buf, r->count, r->moved, chunk, n);
		via_pipe_publish(peer, (size_t)n);
		r->moved += n;
		moved++;
		if (r->moved == r->bytes) {
			p2p_queue_pop(q);
			p2p_req_finish(r);
		}
	}
	return moved;
}

/* Takes one chunk for r.  False: there is none yet. */
static bool pipe_take(struct req *r, int peer)
{
	const void *chunk;
	size_t n;

	if (via_pipe_front(peer, &chunk, &n) != 0)
		return false;
	p2p_recv_unpack(r, chunk, (int64_t)n);
	via_pipe_release(peer);
	r->moved += (int64_t)n;
	return true;
}

int p2p_pipe_pull(int peer)
{
	struct req_queue *q = &p2p_peer(peer)->pipe_recvs;
	int moved = 0;

	while (q->head != NULL) {
		struct req *r = q->head;

		if (r->moved < r->recv.total) {
			if (!pipe_take(r, peer))
				break;
			moved++;
		}
		if (r->moved < r->recv.total)
			continue;
		if (r->recv.began != 0)
			p2p_proto_took(PROTO_PIPE, r->recv.total, clock_now_ns() - r->recv.began);
		p2p_queue_pop(q);
		p2p_req_finish(r);
	}
	return moved;
}
