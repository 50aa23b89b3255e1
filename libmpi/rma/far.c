// SPDX-License-Identifier: BSD-3-Clause
/* far.c - synchronization by frames, with members that share no memory with this one.  See far.h.
 */
#include "libmpi/rma/far.h"

#include "libmpi/rma/epoch.h"
#include <stdlib.h>
#include <string.h>

enum far_kind {
	FAR_LOCK = 1,
	FAR_GRANT,
	FAR_DROP,
	FAR_POST,
	FAR_DONE,
	FAR_KICK,
	FAR_BYE,
	FAR_HELD
};

struct far {
	uint8_t kind; /* enum far_kind */
	uint8_t wish; /* LOCK, DROP: enum lock_wish */
	uint8_t pad[2];
	int32_t who; /* HELD: rank of who has the lock */
};
static_assert(sizeof(struct far) <= RMA_POST_MAX, "one frame");

/* The windows for which somebody far away waits: few, and seldom. */
static struct rma_epoch *waiting;

static void put(struct win *w, int rank, enum far_kind kind, enum lock_wish wish)
{
	struct far f = {.kind = (uint8_t)kind, .wish = (uint8_t)wish};

	rma_post(w, rank, &f, sizeof(f));
}

/* --- the origin ----------------------------------------------------------------------------- */

struct granted {
	const struct win *w;
	int rank;
};

static bool is_granted(void *arg, bool rest)
{
	const struct granted *g = arg;

	(void)rest;
	return g->w->rma->epoch->target[g->rank].granted;
}

void far_ask(struct win *w, int rank, enum lock_wish wish)
{
	w->rma->epoch->target[rank].granted = false;
	w->rma->epoch->target[rank].holder = -1;
	put(w, rank, FAR_LOCK, wish);
}

void far_lock(struct win *w, int rank, enum lock_wish wish)
{
	struct granted g = {w, rank};
	struct epoch_wait wait = {.w = w,
		.rank = rank,
		.late = far_late,
		.ready = is_granted,
		.arg = &g,
		.nap_ns = RMA_TELL_NS};

	far_ask(w, rank, wish);
	epoch_until(&wait);
}

void far_drop(struct win *w, int rank, enum lock_wish wish)
{
	put(w, rank, FAR_DROP, wish);
}

void far_post(struct win *w, int rank)
{
	put(w, rank, FAR_POST, LOCK_NONE);
}

void far_done(struct win *w, int rank)
{
	put(w, rank, FAR_DONE, LOCK_NONE);
}

int far_new(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;

	if (e->near)
		return 0;
	e->far_waits = calloc((size_t)w->size, sizeof(*e->far_waits));
	return e->far_waits != NULL ? 0 : MPI_ERR_NO_MEM;
}

static bool all_gone(void *arg, bool rest)
{
	const struct rma_epoch *e = arg;

	(void)rest;
	return e->byes == e->win->size - 1;
}

void rma_epoch_bye(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;
	struct epoch_wait wait = {.w = w, .rank = -1, .ready = all_gone, .arg = e};

	if (e->near)
		return;
	for (int i = 0; i < w->size; i++) {
		if (i != w->rank)
			put(w, i, FAR_BYE, LOCK_NONE);
	}
	epoch_until(&wait);
}

void far_free(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;

	for (struct rma_epoch **at = &waiting; *at != NULL;) {
		if (*at == e)
			*at = e->far_next;
		else
			at = &(*at)->far_next;
	}
	free(e->far_waits);
}

void far_kick(struct win *w, int rank)
{
	put(w, rank, FAR_KICK, LOCK_NONE);
}

void far_late(const struct epoch_wait *wait, struct shm_what *what)
{
	const struct win *w = wait->w;
	int who[SHM_WHAT_LATE], n = 0;

	what->kind = REQ_LOCK;
	if (wait->rank >= 0 && w->target[wait->rank].ctl != NULL)
		n = lock_holders(w, wait->rank, who, SHM_WHAT_LATE);
	else if (wait->rank >= 0 && w->rma->epoch->target[wait->rank].holder >= 0)
		who[n++] = w->rma->epoch->target[wait->rank].holder;
	for (int i = 0; i < n; i++)
		epoch_late(w, who[i], what);
}

/* --- the target ----------------------------------------------------------------------------- */

/* Tells a member who has the lock that it waits for, if it is another than it knows. */
static void tell_holder(struct win *w, struct far_wait *f)
{
	struct far held = {.kind = FAR_HELD, .who = -1};

	f->told_ns = epoch_now();
	if (lock_holders(w, w->rank, &held.who, 1) == 0 || held.who == f->holder)
		return;
	f->holder = held.who;
	rma_post(w, f->k.who, &held, sizeof(held));
}

/* Gives our lock to those far away who can have it now. */
static int serve(struct win *w)
{
	struct far_wait **at = &w->rma->epoch->far;
	int served = 0;

	while (*at != NULL) {
		struct far_wait *f = *at;

		if (!lock_wait_ready(&f->k, true)) {
			if (epoch_now() - f->told_ns >= RMA_TELL_NS)
				tell_holder(w, f);
			at = &f->next;
			continue;
		}
		*at = f->next;
		put(w, f->k.who, FAR_GRANT, f->k.wish);
		served++;
	}
	return served;
}

static int serve_all(void)
{
	int served = 0;

	for (struct rma_epoch *e = waiting; e != NULL; e = e->far_next)
		served += serve(e->win);
	for (struct rma_epoch **at = &waiting; *at != NULL;) {
		if ((*at)->far == NULL)
			*at = (*at)->far_next;
		else
			at = &(*at)->far_next;
	}
	return served;
}

static void serve_later(struct rma_epoch *e)
{
	for (struct rma_epoch *i = waiting; i != NULL; i = i->far_next) {
		if (i == e)
			return;
	}
	e->far_next = waiting;
	waiting = e;
	p2p_hook(serve_all);
}

static void wish_of_far(struct win *w, int from, enum lock_wish wish)
{
	struct rma_epoch *e = w->rma->epoch;
	struct far_wait *f = &e->far_waits[from], **end = &e->far;

	if (lock_try(w, w->rank, from, wish)) {
		put(w, from, FAR_GRANT, wish);
		return;
	}
	*f = (struct far_wait){
		.k = {.w = w, .rank = w->rank, .who = from, .wish = wish}, .holder = -1};
	lock_wait_begin(&f->k);
	tell_holder(w, f);
	while (*end != NULL)
		end = &(*end)->next;
	*end = f;
	serve_later(e);
}

/* May this come from that member?  Who waits for our lock does not ask for it again. */
static bool sane(const struct win *w, int from, const struct far *f)
{
	const struct rma_epoch *e = w->rma->epoch;

	if (f->kind == FAR_HELD)
		return f->who >= 0 && f->who < w->size;
	if (f->kind < FAR_LOCK || f->kind > FAR_BYE)
		return false;
	if (f->kind != FAR_LOCK && f->kind != FAR_DROP)
		return true;
	if (f->wish != LOCK_SHARED && f->wish != LOCK_ALONE)
		return false;
	if (f->kind == FAR_DROP)
		return true;
	if (e->far_waits == NULL)
		return false;
	for (const struct far_wait *i = e->far; i != NULL; i = i->next) {
		if (i == &e->far_waits[from])
			return false;
	}
	return true;
}

void rma_epoch_frame(struct win *w, int from, const void *data, uint32_t len)
{
	struct rma_epoch *e = w->rma->epoch;
	struct far f = {0};

	if (len == sizeof(f))
		memcpy(&f, data, sizeof(f));
	if (!sane(w, from, &f))
		p2p_nonsense(w->target[from].peer,
			"word %u, %u, %d of %u bytes about a window's synchronization", f.kind,
			f.wish, f.who, len);
	switch ((enum far_kind)f.kind) {
	case FAR_LOCK: wish_of_far(w, from, (enum lock_wish)f.wish); break;
	case FAR_GRANT: e->target[from].granted = true; break;
	case FAR_DROP: lock_drop(w, w->rank, from, (enum lock_wish)f.wish); break;
	case FAR_POST: epoch_posted(w, w->rank, from, true); break;
	case FAR_DONE: epoch_done(w, w->rank, from); break;
	case FAR_KICK: serve(w); break;
	case FAR_BYE: e->byes++; break;
	case FAR_HELD: e->target[from].holder = f.who; break;
	}
}
