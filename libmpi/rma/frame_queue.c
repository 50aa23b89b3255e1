// SPDX-License-Identifier: BSD-3-Clause
/* frame_queue.c - frames about windows: on their way out, and as they arrive.
 *
 *      rma_queue_put ── the way is free ──> via_put
 *         └────── or others wait: the peer's queue ── queue_pass (a hook of p2p's progress) ──>
 * via_put
 *
 *      p2p_deliver ──> deliver ── ctx ──> the window: rma_am_request, rma_am_reply, rma_remote_frame
 *                                  └────> not made here yet: kept until rma_registry_add
 *
 * A member may use a window as soon as it has everybody's offer, while another is still waiting for
 * the last one: its frames are what is kept. */
#include "libmpi/rma/am.h"

#include "libmpi/core/process_state.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/atomic.h"
#include "libmpi/rma/mailbox.h"
#include "libmpi/rma/win_epoch.h"
#include "libmpi/rma/win.h"
#include <stdlib.h>
#include <string.h>

#define BUCKETS 64 /* windows at a time are few */

/* A frame whose window is not here yet. */
struct unmatched_frame {
	struct unmatched_frame *next;
	uint64_t ctx;
	int peer, kind;
	uint32_t len;
	_Alignas(16) char data[];
};

struct peer_queue {
	struct rma_queued *first, *last;
	struct peer_queue *busy_next;
	bool busy;
};

static struct {
	struct rma *registry_bucket[BUCKETS]; /* windows by ctx */
	struct unmatched_frame *early, **early_end;
	struct peer_queue *busy; /* those with a queue */
} rma = {.early_end = &rma.early};

static __attribute__((noreturn, cold)) void queue_no_memory(void)
{
	haft_abort_job(MPI_ERR_NO_MEM, "no memory for a message about a window");
}

/* --- out ------------------------------------------------------------------------------------ */

static int queue_pass(void)
{
	struct peer_queue *y = rma.busy, *next;
	int moved = 0;

	rma.busy = NULL;
	for (; y != NULL; y = next) {
		next = y->busy_next;
		y->busy = false;
		while (y->first != NULL) {
			struct rma_queued *o = y->first, *after = o->next;

			if (o->push(o) != 0)
				break;
			moved++;
			y->first = after;
		}
		if (y->first != NULL && !y->busy) {
			y->busy = true;
			y->busy_next = rma.busy;
			rma.busy = y;
		}
	}
	return moved;
}

static void queue_wait_turn(struct rma_queued *o)
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
	if (!y->busy) {
		y->busy = true;
		y->busy_next = rma.busy;
		rma.busy = y;
	}
	p2p_progress_hook(queue_pass);
	via_poller_wake();
}

struct rma_queued *rma_queue_last(int peer)
{
	const struct peer_queue *y =
		via_peer(peer)->rma; /* made by the first frame that has to wait */

	return y != NULL && y->first != NULL ? y->last : NULL;
}

void rma_queue_put(struct rma_queued *o)
{
	if (rma_queue_last(o->peer) != NULL || o->push(o) != 0)
		queue_wait_turn(o);
}

int64_t rma_frame_max(int peer)
{
	(void)peer;
	return (int64_t)via.frame_max & -16;
}

/* A full way and one without memory look the same here: memory may come back. */
void *rma_frame_reserve(const struct rma_queued *o, int64_t bytes)
{
	void *room = NULL;

	return via_reserve(o->peer, (size_t)bytes, &room) == 0 ? room : NULL;
}

void rma_frame_commit(const struct rma_queued *o, enum rma_am_kind kind, int64_t bytes)
{
	via_commit(o->peer, o->ctx, (int32_t)kind, P2P_WINDOW, (size_t)bytes);
}

struct queued_small {
	struct rma_queued mail;
	enum rma_am_kind kind;
	uint32_t len;
	char data[RMA_SMALL_MAX];
};

static int queue_push_small(struct rma_queued *o)
{
	struct queued_small *s = container_of(o, struct queued_small, mail);
	int err = via_put(o->peer, o->ctx, (int32_t)s->kind, P2P_WINDOW, s->data, s->len);

	if (err == 0)
		free(s);
	return err;
}

void rma_queue_small(int peer, uint64_t ctx, enum rma_am_kind kind, const void *data, uint32_t len)
{
	struct queued_small *s;

	if (rma_queue_last(peer) == NULL &&
		via_put(peer, ctx, (int32_t)kind, P2P_WINDOW, data, len) == 0)
		return;
	s = malloc(sizeof(*s));
	if (s == NULL)
		queue_no_memory();
	*s = (struct queued_small){{NULL, queue_push_small, ctx, peer}, kind, len, {0}};
	memcpy(s->data, data, len);
	queue_wait_turn(&s->mail);
}

void rma_queue_sync(struct win *w, int rank, const void *data, uint32_t len)
{
	must(len <= RMA_SYNC_MAX);
	rma_queue_small(w->target[rank].peer, w->comm->ctx, AM_SYNC, data, len);
}

/* --- in ------------------------------------------------------------------------------------- */

static struct rma **registry_bucket(uint64_t ctx)
{
	return &rma.registry_bucket[ctx / CTX_PLANES % BUCKETS];
}

struct win *rma_registry_find(uint64_t ctx)
{
	struct rma *r = *registry_bucket(ctx);

	while (r != NULL && r->win->comm->ctx != ctx)
		r = r->next;
	return r != NULL ? r->win : NULL;
}

static void registry_dispatch(struct win *w, int peer, int kind, const void *data, uint32_t len)
{
	int from = group_rank_of(w->comm->group, peer);

	if (from < 0 || kind < AM_PUT || kind > AM_SYNC)
		p2p_protocol_error(
			peer, "a frame of kind %d about a window that is not its own", kind);
	if (kind == AM_SYNC)
		rma_remote_frame(w, from, data, len);
	else if (kind == AM_DATA || kind == AM_ACK)
		rma_am_reply(w, from, kind, data, len);
	else
		rma_am_request(w, from, kind, data, len);
}

static void registry_keep(const struct shm_frame *f)
{
	struct unmatched_frame *e = malloc(sizeof(*e) + f->len);

	if (e == NULL)
		queue_no_memory();
	*e = (struct unmatched_frame){NULL, f->ctx, f->src, f->tag, f->len};
	memcpy(e->data, f->data, f->len);
	*rma.early_end = e;
	rma.early_end = &e->next;
}

static void registry_deliver(const struct shm_frame *f)
{
	struct win *w = rma_registry_find(f->ctx);

	if (likely(w != NULL))
		registry_dispatch(w, f->src, f->tag, f->data, f->len);
	else
		registry_keep(f);
}

void rma_init(void)
{
	p2p_window = registry_deliver;
	rma_atomic_init();
	rma_mailbox_init();
}

void rma_registry_add(struct win *w)
{
	uint64_t ctx = w->comm->ctx;
	struct unmatched_frame **p = &rma.early, *e;

	w->rma->next = *registry_bucket(ctx);
	*registry_bucket(ctx) = w->rma;
	while ((e = *p) != NULL) {
		if (e->ctx != ctx) {
			p = &e->next;
			continue;
		}
		*p = e->next;
		registry_dispatch(w, e->peer, e->kind, e->data, e->len);
		free(e);
	}
	rma.early_end = p;
}

void rma_registry_remove(struct win *w)
{
	for (struct rma **p = registry_bucket(w->comm->ctx); *p != NULL; p = &(*p)->next) {
		if (*p == w->rma) {
			*p = w->rma->next;
			return;
		}
	}
}

/* --- waiting -------------------------------------------------------------------------------- */

static int queue_progress(void *arg)
{
	(void)arg;
	return p2p_progress();
}

struct queue_waiter {
	struct shm_describer teller; /* first */
	struct win *w;
};

static void queue_tell(const struct shm_describer *t, struct shm_what *what)
{
	const struct queue_waiter *about = (const struct queue_waiter *)t;

	what->kind = REQ_COLL;
	what->bytes = -1;
	what->peer = what->rank = what->tag = -1;
	what->open = 1;
	for (int i = 0; i < about->w->size; i++) {
		if (about->w->target[i].first != NULL)
			rma_epoch_late(about->w, i, what);
	}
	p2p_wait_report(about->w->comm, what);
}

void rma_queue_wait(struct win *w, bool (*ready)(void *arg), void *arg)
{
	struct queue_waiter about = {{queue_tell}, w};
	struct shm_wait s;

	if (ready(arg))
		return;
	if (haft_threads_enabled()) {
		via_wait(&(struct via_condition){ready, arg, queue_progress, NULL, &about.teller});
		return;
	}
	shm_wait_begin(&s);
	s.teller = &about.teller;
	do {
		if (p2p_progress() > 0)
			shm_wait_again(&s);
		else
			via_idle(&s);
	} while (!ready(arg));
	via_wait_end(&s);
}
