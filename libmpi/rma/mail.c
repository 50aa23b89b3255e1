// SPDX-License-Identifier: BSD-3-Clause
/* mail.c - frames about windows: on their way out, and as they arrive.
 *
 *      mail_put ── the way is free ──> via_put
 *         └────── or others wait: the peer's queue ── rma_pass (a hook of p2p's progress) ──>
 * via_put
 *
 *      p2p_deliver ──> deliver ── ctx ──> the window: serve_frame, msg_answer, rma_epoch_frame
 *                                  └────> not made here yet: kept until rma_list
 *
 * A member may use a window as soon as it has everybody's offer, while another is still waiting for
 * the last one: its frames are what is kept. */
#include "libmpi/rma/msg.h"

#include "libmpi/core/state.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/atom.h"
#include "libmpi/rma/box.h"
#include "libmpi/rma/epoch.h"
#include "libmpi/rma/win.h"
#include <stdlib.h>
#include <string.h>

#define BUCKETS 64 /* windows at a time are few */

/* A frame whose window is not here yet. */
struct early {
	struct early *next;
	uint64_t ctx;
	int peer, kind;
	uint32_t len;
	_Alignas(16) char data[];
};

struct way {
	struct mail *first, *last;
	struct way *busy_next;
	bool busy;
};

static struct {
	struct rma *bucket[BUCKETS]; /* windows by ctx */
	struct early *early, **early_end;
	struct way *busy; /* those with a queue */
} rma = {.early_end = &rma.early};

static __attribute__((noreturn, cold)) void no_memory(void)
{
	haft_abort_job(MPI_ERR_NO_MEM, "no memory for a message about a window");
}

/* --- out ------------------------------------------------------------------------------------ */

static int rma_pass(void)
{
	struct way *y = rma.busy, *next;
	int moved = 0;

	rma.busy = NULL;
	for (; y != NULL; y = next) {
		next = y->busy_next;
		y->busy = false;
		while (y->first != NULL) {
			struct mail *o = y->first, *after = o->next;

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

static void wait_turn(struct mail *o)
{
	struct via_peer *p = via_peer_get(o->peer);
	struct way *y;

	if (p->rma == NULL)
		p->rma = calloc(1, sizeof(*y));
	if (p->rma == NULL)
		no_memory();
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
	p2p_hook(rma_pass);
	via_kick();
}

struct mail *mail_last(int peer)
{
	const struct way *y = via_peer(peer)->rma; /* made by the first frame that has to wait */

	return y != NULL && y->first != NULL ? y->last : NULL;
}

void mail_put(struct mail *o)
{
	if (mail_last(o->peer) != NULL || o->push(o) != 0)
		wait_turn(o);
}

int64_t mail_room(int peer)
{
	(void)peer;
	return (int64_t)via.frame_max & -16;
}

/* A full way and one without memory look the same here: memory may come back. */
void *mail_frame(const struct mail *o, int64_t bytes)
{
	void *room = NULL;

	return via_reserve(o->peer, (size_t)bytes, &room) == 0 ? room : NULL;
}

void mail_go(const struct mail *o, enum msg_kind kind, int64_t bytes)
{
	via_commit(o->peer, o->ctx, (int32_t)kind, P2P_WINDOW, (size_t)bytes);
}

struct small {
	struct mail mail;
	enum msg_kind kind;
	uint32_t len;
	char data[MAIL_SMALL];
};

static int push_small(struct mail *o)
{
	struct small *s = container_of(o, struct small, mail);
	int err = via_put(o->peer, o->ctx, (int32_t)s->kind, P2P_WINDOW, s->data, s->len);

	if (err == 0)
		free(s);
	return err;
}

void mail_small(int peer, uint64_t ctx, enum msg_kind kind, const void *data, uint32_t len)
{
	struct small *s;

	if (mail_last(peer) == NULL &&
		via_put(peer, ctx, (int32_t)kind, P2P_WINDOW, data, len) == 0)
		return;
	s = malloc(sizeof(*s));
	if (s == NULL)
		no_memory();
	*s = (struct small){{NULL, push_small, ctx, peer}, kind, len, {0}};
	memcpy(s->data, data, len);
	wait_turn(&s->mail);
}

void rma_post(struct win *w, int rank, const void *data, uint32_t len)
{
	must(len <= RMA_POST_MAX);
	mail_small(w->target[rank].peer, w->comm->ctx, MSG_SYNC, data, len);
}

/* --- in ------------------------------------------------------------------------------------- */

static struct rma **bucket(uint64_t ctx)
{
	return &rma.bucket[ctx / CTX_PLANES % BUCKETS];
}

struct win *rma_find(uint64_t ctx)
{
	struct rma *r = *bucket(ctx);

	while (r != NULL && r->win->comm->ctx != ctx)
		r = r->next;
	return r != NULL ? r->win : NULL;
}

static void serve(struct win *w, int peer, int kind, const void *data, uint32_t len)
{
	int from = group_rank_of(w->comm->group, peer);

	if (from < 0 || kind < MSG_PUT || kind > MSG_SYNC)
		p2p_nonsense(peer, "a frame of kind %d about a window that is not its own", kind);
	if (kind == MSG_SYNC)
		rma_epoch_frame(w, from, data, len);
	else if (kind == MSG_DATA || kind == MSG_DONE)
		msg_answer(w, from, kind, data, len);
	else
		serve_frame(w, from, kind, data, len);
}

static void keep(const struct shm_frame *f)
{
	struct early *e = malloc(sizeof(*e) + f->len);

	if (e == NULL)
		no_memory();
	*e = (struct early){NULL, f->ctx, f->src, f->tag, f->len};
	memcpy(e->data, f->data, f->len);
	*rma.early_end = e;
	rma.early_end = &e->next;
}

static void deliver(const struct shm_frame *f)
{
	struct win *w = rma_find(f->ctx);

	if (likely(w != NULL))
		serve(w, f->src, f->tag, f->data, f->len);
	else
		keep(f);
}

void rma_init(void)
{
	p2p_window = deliver;
	atom_init();
	box_init();
}

void rma_list(struct win *w)
{
	uint64_t ctx = w->comm->ctx;
	struct early **p = &rma.early, *e;

	w->rma->next = *bucket(ctx);
	*bucket(ctx) = w->rma;
	while ((e = *p) != NULL) {
		if (e->ctx != ctx) {
			p = &e->next;
			continue;
		}
		*p = e->next;
		serve(w, e->peer, e->kind, e->data, e->len);
		free(e);
	}
	rma.early_end = p;
}

void rma_unlist(struct win *w)
{
	for (struct rma **p = bucket(w->comm->ctx); *p != NULL; p = &(*p)->next) {
		if (*p == w->rma) {
			*p = w->rma->next;
			return;
		}
	}
}

/* --- waiting -------------------------------------------------------------------------------- */

static int pass(void *arg)
{
	(void)arg;
	return p2p_progress();
}

struct waiting {
	struct shm_teller teller; /* first */
	struct win *w;
};

static void tell(const struct shm_teller *t, struct shm_what *what)
{
	const struct waiting *about = (const struct waiting *)t;

	what->kind = REQ_COLL;
	what->bytes = -1;
	what->peer = what->rank = what->tag = -1;
	what->open = 1;
	for (int i = 0; i < about->w->size; i++) {
		if (about->w->target[i].first != NULL)
			epoch_late(about->w, i, what);
	}
	p2p_tell(about->w->comm, what);
}

void rma_wait(struct win *w, bool (*ready)(void *arg), void *arg)
{
	struct waiting about = {{tell}, w};
	struct shm_wait s;

	if (ready(arg))
		return;
	if (haft_threads()) {
		via_wait(&(struct via_want){ready, arg, pass, NULL, &about.teller});
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
