// SPDX-License-Identifier: BSD-3-Clause
/* pscw.c - MPI_Win_post, start, complete, wait: origins and targets synchronize in pairs (MPI-5.0
 * 12.5.2).
 *
 *      target T                     in the segment                         origin O
 *      post(.. O ..)  ──> pairs of O: pair[T].posts + 1, doorbell of O ──> first access to T after
 *                                                                          start(.. T ..)
 *      wait           <── sync of T: done + 1, doorbell of T           <── complete
 *
 * MPI_Win_start does not wait.  The first access to a target that has not posted waits, or at the
 * latest MPI_Win_complete.
 *
 * posts counts the exposure epochs of T for O, and O counts those that it has used.  An access
 * epoch uses one of each target, so the counters never mix up epochs.  done is one counter for
 * all origins: an origin cannot complete the next epoch before the target has opened it, and the
 * target opens it only after it has waited for all origins of this one. */
#include "libmpi/rma/win_epoch.h"

#include "libmpi/core/err.h"
#include "libmpi/rma/conflict.h"
#include "libmpi/rma/win_remote.h"
#include "libmpi/rma/win_lock.h"
#include "libmpi/rma/win.h"
#include <engine.h>

/* The rank in the window of member i of a group, or -1. */
static int pscw_rank_of(const struct win *w, const struct group *g, int i)
{
	return group_rank_of(w->comm->group, group_peer(g, i));
}

/* 0, or MPI_ERR_GROUP with words if a member of the group is not in the window. */
static int pscw_group_check(const struct win *w, const struct group *g)
{
	char name[RMA_WIN_WORDS];

	for (int i = 0; i < g->size; i++) {
		if (pscw_rank_of(w, g, i) < 0)
			return haft_err(MPI_ERR_GROUP,
				"%s: rank %d of the group is not one of its processes",
				rma_win_words(w, name), i);
	}
	return 0;
}

/* May an epoch for this group begin?  0 or an MPI error class. */
static int pscw_begin_check(struct win *w, const struct group *g, int modes)
{
	int err = rma_epoch_assert(w, modes);

	if (err == 0)
		err = pscw_group_check(w, g);
	return err != 0 ? err : rma_broken_error(w);
}

/* --- exposure ------------------------------------------------------------------------------- */

int rma_win_post(struct group *g, int modes, struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;
	int err = pscw_begin_check(w, g, modes);

	if (err != 0)
		return err;
	if (e->posted)
		return rma_epoch_error(w, -1, "MPI_Win_post inside an exposure epoch");
	if (e->access == EPOCH_FENCED)
		return rma_epoch_error(w, -1, "MPI_Win_post inside a fence epoch");
	e->posted = true;
	e->nposted = g->size;
	e->done += (uint32_t)g->size;
	rma_conflict_post(w, modes);
	for (int i = 0; i < g->size; i++) {
		int rank = pscw_rank_of(w, g, i);

		e->posted_to[i] = rank;
		e->target[rank].dones++;
		if (likely(w->target[rank].ctl != NULL))
			rma_epoch_posted(w, rank, w->rank, (modes & MPI_MODE_NOCHECK) == 0);
		else
			rma_remote_posted(w, rank);
	}
	return 0;
}

static bool pscw_all_done(void *arg, bool rest)
{
	const struct win *w = arg;
	uint32_t done = atomic_load_explicit(&w->rma->ctl->sync.done, memory_order_acquire);

	(void)rest;
	return (int32_t)(done - w->rma->epoch->done) >= 0;
}

/* Wait reports: the members whose access epoch is not complete. */
static void pscw_late(const struct rma_epoch_wait *wait, struct boot_wait *what)
{
	const struct win *w = wait->w;
	const struct rma_epoch *e = w->rma->epoch;

	for (int i = 0; i < e->nposted; i++) {
		int rank = e->posted_to[i];
		uint32_t dones = atomic_load_explicit(
			&rma_lock_pairs(w, w->rank)[rank].dones, memory_order_relaxed);

		if (dones != e->target[rank].dones)
			rma_epoch_late(w, rank, what);
	}
}

int rma_win_wait(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;
	struct rma_epoch_wait wait = {
		.w = w, .rank = -1, .late = pscw_late, .ready = pscw_all_done, .arg = w};

	if (!e->posted)
		return rma_epoch_error(w, -1, "MPI_Win_wait without MPI_Win_post");
	rma_epoch_wait_until(&wait);
	e->posted = false;
	return rma_broken_error(w);
}

int rma_win_test(struct win *w, int *flag)
{
	struct rma_epoch *e = w->rma->epoch;

	if (!e->posted)
		return rma_epoch_error(w, -1, "MPI_Win_test without MPI_Win_post");
	*flag = pscw_all_done(w, false);
	if (*flag == 0) {
		rma_epoch_progress();
		*flag = pscw_all_done(w, false);
	}
	if (*flag != 0 || w->rma->broken)
		e->posted = false;
	return rma_broken_error(w);
}

/* --- access --------------------------------------------------------------------------------- */

struct pscw_start {
	struct win *w;
	int rank;
};

/* Has the target posted for this process more often than it has used? */
static bool pscw_has_posted(void *arg, bool rest)
{
	const struct pscw_start *s = arg;
	const struct rma_epoch *e = s->w->rma->epoch;
	uint32_t posts = atomic_load_explicit(
		&rma_lock_pairs(s->w, s->w->rank)[s->rank].posts, memory_order_acquire);

	(void)rest;
	return posts != e->target[s->rank].posts;
}

void rma_epoch_start_wait(struct win *w, int rank)
{
	struct pscw_start s = {w, rank};
	struct rma_epoch_wait wait = {.w = w, .rank = rank, .ready = pscw_has_posted, .arg = &s};

	rma_epoch_wait_until(&wait);
	rma_epoch_open(w, rank, true);
}

int rma_win_start(struct group *g, int modes, struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;
	int err = pscw_begin_check(w, g, modes);

	if (err != 0)
		return err;
	if (e->access != EPOCH_CLOSED && e->access != EPOCH_FENCE)
		return rma_epoch_error(w, -1, "MPI_Win_start inside an access epoch");
	rma_conflict_clear(w);
	e->access = EPOCH_START;
	e->nstarted = g->size;
	for (int i = 0; i < g->size; i++) {
		struct pscw_start s = {w, pscw_rank_of(w, g, i)};

		e->started[i] = s.rank;
		e->target[s.rank].held = HELD_STARTED;
		if (pscw_has_posted(&s, false))
			rma_epoch_open(w, s.rank, true);
	}
	return 0;
}

int rma_win_complete(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;
	int err = 0;

	if (e->access != EPOCH_START)
		return rma_epoch_error(w, -1, "MPI_Win_complete without MPI_Win_start");
	for (int i = 0; i < e->nstarted; i++) {
		int rank = e->started[i], one;

		rma_epoch_start_wait(w, rank);
		one = rma_flush_unfenced(w, rank);
		err = err != 0 ? err : one;
		e->target[rank].posts++;
		e->target[rank].held = HELD_NONE;
		rma_epoch_open(w, rank, false);
		if (likely(w->target[rank].ctl != NULL))
			rma_epoch_completed(w, rank, w->rank);
		else
			rma_remote_completed(w, rank);
	}
	e->access = EPOCH_CLOSED;
	rma_epoch_poll(w);
	return err != 0 ? err : rma_broken_error(w);
}
