// SPDX-License-Identifier: BSD-3-Clause
/* win_valid.c - the invariants of windows, as a function that debug and MEAN builds run.
 *
 *      targets    issued - completed - failed = operations in first ... last      (am_origin.c)
 *      window     pending, origin_pending and failed are the sums over its targets
 *      epoch      locks and open epochs fit the state (win_epoch.h)
 *      lock       the word of a local target names what this process holds         (win_lock.h) */
#include "libmpi/rma/win_epoch.h"

#include "libmpi/rma/am.h"
#include "libmpi/rma/win.h"
#include "libmpi/rma/win_lock.h"

/* Do the window's counters agree with those of its targets? */
static bool win_sums_valid(const struct win *w)
{
	const struct rma *r = w->rma;
	uint64_t pending = 0, origin_pending = 0, failed = 0;

	for (int i = 0; i < w->size; i++) {
		const struct rma_target *t = &w->target[i];

		if (t->completed + t->failed > t->issued || t->origin_pending > t->issued)
			return false;
		if (t->method == RMA_DIRECT && w->flavor != MPI_WIN_FLAVOR_DYNAMIC && t->issued > 0)
			return false;
		pending += t->issued - t->completed;
		origin_pending += t->origin_pending;
		failed += t->failed;
	}
	return r->pending == pending && r->origin_pending == origin_pending && r->failed == failed;
}

/* Does the lock word of a local target agree with what this process holds? */
static bool win_lock_valid(const struct win *w, int rank, uint8_t held)
{
	const struct rma_ctl *ctl = w->target[rank].ctl;
	uint64_t word;

	if (ctl == NULL)
		return true;
	word = atomic_load_explicit(&ctl->sync.lock.word, memory_order_relaxed);
	if ((word & LOCK_WRITER) == 0 ? (word & LOCK_READERS) > 2 * (uint64_t)w->size
				      : (word & LOCK_READERS) >= (uint64_t)w->size)
		return false; /* each member reads, and hands over; or one writes */
	if (held != HELD_SHARED && held != HELD_EXCLUSIVE)
		return true;
	if (held == HELD_EXCLUSIVE)
		return (word & LOCK_WRITER) != 0 && (int)(word & LOCK_READERS) == w->rank;
	return (word & LOCK_WRITER) == 0 && (word & LOCK_READERS) > 0;
}

static bool win_target_valid(const struct win *w, int rank)
{
	const struct rma_epoch *e = w->rma->epoch;
	const struct rma_target *t = &w->target[rank];
	uint8_t held = e->target[rank].held;

	if (t->open != 0 && (e->checked || held == HELD_NONE || held == HELD_WAITING))
		return false;
	if (t->exclusive && held != HELD_EXCLUSIVE && held != HELD_PROMISED)
		return false;
	if (held == HELD_STARTED && e->access != EPOCH_START)
		return false;
	if (held != HELD_NONE && e->access < EPOCH_START)
		return false;
	return win_lock_valid(w, rank, held);
}

static bool win_epoch_valid(const struct win *w)
{
	const struct rma_epoch *e = w->rma->epoch;
	int held = 0;

	if (e->win != w || e->access > EPOCH_ALL || e->locks < 0)
		return false;
	if (w->open != 0 && (e->checked || (e->access != EPOCH_FENCED && e->access != EPOCH_ALL)))
		return false;
	for (int i = 0; i < w->size; i++) {
		if (!win_target_valid(w, i))
			return false;
		held += e->target[i].held != HELD_NONE;
	}
	if (e->access == EPOCH_LOCK)
		return held == e->locks && held > 0;
	return e->locks == 0 && (e->access != EPOCH_START || held <= e->nstarted);
}

static bool win_valid(const struct win *w)
{
	const struct rma *r = w->rma;

	if (r->win != w || r->ctl == NULL || w->comm == NULL || w->target == NULL)
		return false;
	return win_sums_valid(w) && rma_am_valid(w) && win_epoch_valid(w);
}

bool rma_win_valid(void)
{
	return rma_registry_all(win_valid);
}
