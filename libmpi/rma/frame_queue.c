// SPDX-License-Identifier: BSD-3-Clause
/* frame_queue.c - frames about windows on their way out.
 *
 *      rma_queue_put ──┬── nothing waits, transport free ──> via_put
 *                      └── else: the peer's queue ── queue_poll (hook of p2p_progress) ──> via_put
 *
 * A peer has one queue, so its frames leave in the order of their calls. */
#include "libmpi/rma/am.h"

#include "libmpi/core/process_state.h"
#include "libmpi/p2p/p2p.h"
#include <stdlib.h>
#include <string.h>

/* The items that wait for one peer; made when first needed, and kept in its row of via's table. */
struct peer_queue {
	struct rma_queued *first, *last;
	struct peer_queue *worklist_next;
	bool listed;
};

static struct peer_queue *worklist; /* peers with a queue that is not empty */

static __attribute__((noreturn, cold)) void queue_no_memory(void)
{
	haft_abort_job(MPI_ERR_NO_MEM, "no memory for a message about a window");
}

static int queue_poll(void)
{
	struct peer_queue *y = worklist, *next;
	int moved = 0;

	worklist = NULL;
	for (; y != NULL; y = next) {
		next = y->worklist_next;
		y->listed = false;
		while (y->first != NULL) {
			struct rma_queued *o = y->first, *after = o->next;

			if (o->push(o) != 0)
				break;
			moved++;
			y->first = after;
		}
		if (y->first != NULL && !y->listed) {
			y->listed = true;
			y->worklist_next = worklist;
			worklist = y;
		}
	}
	return moved;
}

static void queue_append(struct rma_queued *o)
{
	struct via_peer *p = via_peer_get(o->peer);
	struct peer_queue *y;

	if (p->rma == NULL)
		p->rma = calloc(1, sizeof(*y));
	if (p->rma == NULL)
		queue_no_memory();
	y = p->rma;
	o->next = NULL;
	if (y->first != NULL)
		y->last->next = o;
	else
		y->first = o;
	y->last = o;
	if (!y->listed) {
		y->listed = true;
		y->worklist_next = worklist;
		worklist = y;
	}
	p2p_progress_hook(queue_poll);
	via_poller_wake();
}

struct rma_queued *rma_queue_last(int peer)
{
	const struct peer_queue *y = via_peer(peer)->rma;

	return y != NULL && y->first != NULL ? y->last : NULL;
}

void rma_queue_put(struct rma_queued *o)
{
	if (rma_queue_last(o->peer) != NULL || o->push(o) != 0)
		queue_append(o);
}

int64_t rma_frame_max(void)
{
	return (int64_t)via.frame_max & -16;
}

/* Out of memory counts as no room: memory may be freed meanwhile. */
void *rma_frame_reserve(const struct rma_queued *o, int64_t bytes)
{
	void *room = NULL;

	return via_reserve(o->peer, (size_t)bytes, &room) == 0 ? room : NULL;
}

void rma_frame_commit(const struct rma_queued *o, enum rma_am_kind kind, int64_t bytes)
{
	via_commit(o->peer, o->ctx, (int32_t)kind, FRAME_RMA, (size_t)bytes);
}

struct queued_small {
	struct rma_queued queued;
	enum rma_am_kind kind;
	uint32_t len;
	char data[RMA_SMALL_MAX];
};

static int queue_push_small(struct rma_queued *o)
{
	struct queued_small *s = container_of(o, struct queued_small, queued);
	int err = via_put(o->peer, o->ctx, (int32_t)s->kind, FRAME_RMA, s->data, s->len);

	if (err != 0 && err != VIA_LOST)
		return err;
	free(s); /* no call waits for an answer of a peer that is lost */
	return 0;
}

void rma_queue_small(int peer, uint64_t ctx, enum rma_am_kind kind, const void *data, uint32_t len)
{
	struct queued_small *s;

	if (rma_queue_last(peer) == NULL &&
		via_put(peer, ctx, (int32_t)kind, FRAME_RMA, data, len) == 0)
		return;
	s = malloc(sizeof(*s));
	if (s == NULL)
		queue_no_memory();
	*s = (struct queued_small){{NULL, queue_push_small, ctx, peer}, kind, len, {0}};
	memcpy(s->data, data, len);
	queue_append(&s->queued);
}

void rma_queue_sync(struct win *w, int rank, const void *data, uint32_t len)
{
	must(len <= RMA_SYNC_MAX);
	rma_queue_small(w->target[rank].peer, w->comm->ctx, AM_SYNC, data, len);
}
