// SPDX-License-Identifier: BSD-3-Clause
/* passive.c - MPI_Win_lock and its kin: passive target epochs (MPI-5.0 12.5.3).
 *
 *      MPI_Win_lock      ──> the lock of the target, in the segment             (win_lock.h)
 *                        ──> a frame to its process, which takes it for us      (win_remote.c)
 *                        ──> nothing: MPI_MODE_NOCHECK promises that no other process holds it
 *      MPI_Win_lock_all  ──> the locks of all members, shared
 *
 * MPI_Win_lock_all never blocks others for long while it waits.  It takes the locks that are
 * free and waits for the others; after a time it releases everything it holds, waits
 * on, and then takes the rest again, for twice that time.  So other processes may lock
 * several targets in any order (model/lock_all.pml). */
#include "libmpi/rma/win_epoch.h"

#include "libmpi/core/err.h"
#include "libmpi/rma/conflict.h"
#include "libmpi/rma/win_remote.h"
#include "libmpi/rma/win_lock.h"
#include "libmpi/rma/win.h"
#include <engine.h>

#define HOLD_FIRST_NS 50000u    /* some switches of processes: another epoch ends in that time */
#define HOLD_MAX_NS   50000000u /* long enough even if that epoch has to wait for its CPU */

/* --- one lock ------------------------------------------------------------------------------- */

/* A wait for the lock of a member of this host. */
struct local_lock_wait {
	struct rma_epoch_wait wait;
	struct rma_lock_wait k;
};

static bool lock_local_ready(void *arg, bool rest)
{
	struct local_lock_wait *n = arg;
	bool got = rma_lock_wait_ready(&n->k, rest);

	n->wait.nap_ns = n->k.starving ? RMA_REPORT_NS : RMA_STARVING_NS;
	return got;
}

static __attribute__((noinline)) void lock_local_wait(
	struct win *w, int rank, enum rma_lock_mode mode)
{
	struct local_lock_wait n = {.wait = {.w = w,
					    .rank = rank,
					    .late = rma_lock_holders_late,
					    .ready = lock_local_ready,
					    .arg = &n},
		.k = {.w = w, .rank = rank, .who = w->rank, .mode = mode}};

	rma_lock_wait_begin(&n.k);
	rma_epoch_wait_until(&n.wait);
}

static void lock_local(struct win *w, int rank, enum rma_lock_mode mode)
{
	if (unlikely(!rma_lock_try(w, rank, w->rank, mode)))
		lock_local_wait(w, rank, mode);
}

static void passive_lock(struct win *w, int rank, enum rma_lock_mode mode)
{
	if (likely(w->target[rank].ctl != NULL))
		lock_local(w, rank, mode);
	else
		rma_remote_lock(w, rank, mode);
}

static void passive_unlock(struct win *w, int rank, enum rma_lock_mode mode)
{
	if (likely(w->target[rank].ctl != NULL))
		rma_lock_drop(w, rank, w->rank, mode);
	else
		rma_remote_unlock(w, rank, mode);
}

static int lock_type_check(const struct win *w, int lock_type)
{
	char name[RMA_WIN_WORDS];

	if (likely(lock_type == MPI_LOCK_SHARED || lock_type == MPI_LOCK_EXCLUSIVE))
		return 0;
	return haft_err(MPI_ERR_LOCKTYPE,
		"%s: %d is neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE", rma_win_words(w, name),
		lock_type);
}

/* May a lock be taken now? rank -1: all locks. 0, or MPI_ERR_RMA_SYNC or _ASSERT with words, or the
 * error of a broken window. */
static int lock_check(const struct win *w, int rank, int modes)
{
	const struct rma_epoch *e = w->rma->epoch;
	int err = rma_epoch_assert(w, modes);

	if (err == 0)
		err = rma_broken_error(w);
	if (err != 0)
		return err;
	if (unlikely(w->no_locks))
		return rma_epoch_error(w, rank, "a lock, and the info of the window says no_locks");
	if (likely(e->access == EPOCH_CLOSED || e->access == EPOCH_FENCE))
		return 0;
	if (rank < 0)
		return rma_epoch_error(w, rank, "MPI_Win_lock_all inside an access epoch");
	if (e->access != EPOCH_LOCK)
		return rma_epoch_error(w, rank, "MPI_Win_lock inside another access epoch");
	if (e->target[rank].held != HELD_NONE)
		return rma_epoch_error(w, rank, "MPI_Win_lock of a target that is locked already");
	return 0;
}

/* MPI_MODE_NOCHECK: the user promises that no other process wants the lock, so it is not taken.
 * While accesses are recorded it is taken, so that a broken promise shows. 0, or
 * MPI_ERR_RMA_CONFLICT with words. */
static int lock_nocheck(struct win *w, int rank, enum rma_lock_mode mode, enum rma_epoch_held *held)
{
	struct rma_ctl *ctl = w->target[rank].ctl;
	char name[RMA_WIN_WORDS];

	if (likely(w->rma->epoch->conflicts == NULL) || ctl == NULL) {
		*held = HELD_PROMISED;
		return 0;
	}
	if (rma_lock_try(w, rank, w->rank, mode))
		return 0;
	return haft_err(MPI_ERR_RMA_CONFLICT,
		"%s: MPI_MODE_NOCHECK is not true: another process has rank %d locked",
		rma_win_words(w, name), rank);
}

/* A member has failed while the lock was waited for, or before. */
static int lock_failed(struct win *w, int rank)
{
	struct rma_epoch *e = w->rma->epoch;

	e->target[rank].held = HELD_NONE;
	if (--e->locks == 0)
		e->access = EPOCH_CLOSED;
	return rma_broken_error(w);
}

int rma_win_lock(int lock_type, int rank, int modes, struct win *w)
{
	enum rma_lock_mode mode = lock_type == MPI_LOCK_EXCLUSIVE ? LOCK_EXCLUSIVE : LOCK_SHARED;
	enum rma_epoch_held held = mode == LOCK_EXCLUSIVE ? HELD_EXCLUSIVE : HELD_SHARED;
	struct rma_epoch *e = w->rma->epoch;
	int err = lock_type_check(w, lock_type);

	if (unlikely(rank >= w->size))
		return rma_epoch_no_rank(w, rank);
	if (err == 0 && rank != MPI_PROC_NULL)
		err = lock_check(w, rank, modes);
	if (err != 0 || rank == MPI_PROC_NULL)
		return err;
	if ((modes & MPI_MODE_NOCHECK) != 0)
		err = lock_nocheck(w, rank, mode, &held);
	if (err != 0)
		return err;
	e->access = EPOCH_LOCK;
	e->locks++;
	if ((modes & MPI_MODE_NOCHECK) == 0) {
		e->target[rank].held = HELD_WAITING;
		passive_lock(w, rank, mode);
		if (unlikely(w->rma->broken))
			return lock_failed(w, rank);
	}
	e->target[rank].held = (uint8_t)held;
	w->target[rank].exclusive = mode == LOCK_EXCLUSIVE;
	rma_epoch_open(w, rank, true);
	return 0;
}

int rma_win_unlock(int rank, struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;
	enum rma_epoch_held held;
	int err;

	if (rank == MPI_PROC_NULL)
		return 0;
	if (unlikely(rank >= w->size))
		return rma_epoch_no_rank(w, rank);
	held = e->target[rank].held;
	if (unlikely(e->access != EPOCH_LOCK || held == HELD_NONE || held == HELD_WAITING))
		return rma_epoch_error(w, rank, "MPI_Win_unlock without MPI_Win_lock");
	err = rma_flush_unfenced(w, rank);
	if (unlikely(e->conflicts != NULL))
		rma_conflict_complete(w, rank, false);
	rma_epoch_open(w, rank, false);
	w->target[rank].exclusive = false;
	e->target[rank].held = HELD_NONE;
	if (held == HELD_PROMISED)
		atomic_thread_fence(memory_order_seq_cst);
	else
		passive_unlock(w, rank, held == HELD_EXCLUSIVE ? LOCK_EXCLUSIVE : LOCK_SHARED);
	if (--e->locks == 0)
		e->access = EPOCH_CLOSED;
	rma_epoch_poll(w);
	return err != 0 ? err : rma_broken_error(w);
}

/* --- all ------------------------------------------------------------------------------------ */

/* Takes all locks if all members are local and all locks are free.  Else takes none. */
static bool lock_all_try(struct win *w)
{
	if (!w->rma->epoch->all_local)
		return false;
	for (int i = 0; i < w->size; i++) {
		if (likely(rma_lock_try(w, i, w->rank, LOCK_SHARED)))
			continue;
		while (i-- > 0)
			rma_lock_drop(w, i, w->rank, LOCK_SHARED);
		return false;
	}
	return true;
}

/* MPI_Win_lock_all while it waits.  Until it holds all locks, those it holds are HELD_SHARED, and
 * those it has requested from remote members HELD_WAITING. */
struct lock_all {
	struct rma_epoch_wait wait;
	struct rma_lock_wait k; /* of a local lock; k.w NULL: it waits for remote locks */
	uint64_t hold_ns;       /* how long it keeps its locks */
	uint64_t begin_ns;      /* since when it holds something; 0: not known yet */
	bool over;              /* that time has ended */
};

/* Reads the answers of remote members.  True: all have granted.  *holds: some have. */
static bool lock_all_answered(struct lock_all *a, bool *holds)
{
	struct rma_epoch *e = a->wait.w->rma->epoch;

	a->wait.rank = -1;
	*holds = false;
	for (int i = 0; i < e->win->size; i++) {
		struct rma_epoch_target *t = &e->target[i];

		if (t->held == HELD_WAITING && t->granted)
			t->held = HELD_SHARED;
		if (t->held == HELD_WAITING)
			a->wait.rank = i;
		*holds = *holds || t->held == HELD_SHARED;
	}
	return a->wait.rank < 0;
}

static bool lock_all_ready(void *arg, bool rest)
{
	struct lock_all *a = arg;
	bool local = a->k.w != NULL, holds = a->begin_ns != UINT64_MAX;

	if (local ? rma_lock_wait_ready(&a->k, rest) : lock_all_answered(a, &holds))
		return true;
	a->wait.nap_ns = local && !a->k.starving ? RMA_STARVING_NS : RMA_REPORT_NS;
	if (!holds)
		return false;
	if (a->begin_ns == 0)
		a->begin_ns = clock_now_ns();
	a->over = clock_now_ns() - a->begin_ns >= a->hold_ns;
	if (a->wait.nap_ns > a->hold_ns)
		a->wait.nap_ns = (uint32_t)a->hold_ns;
	return a->over;
}

static void lock_all_give_back(struct win *w)
{
	struct rma_epoch_target *t = w->rma->epoch->target;

	for (int i = 0; i < w->size; i++) {
		if (t[i].held != HELD_SHARED)
			continue;
		t[i].held = HELD_NONE;
		passive_unlock(w, i, LOCK_SHARED);
	}
}

/* Takes the local locks that are free.  If it holds all local ones, requests the remote ones.
 * Returns a rank that it has to wait for; -1: it holds all. */
static int lock_all_take_free(struct win *w)
{
	struct rma_epoch_target *t = w->rma->epoch->target;
	int wanted = -1;

	for (int i = 0; i < w->size; i++) {
		if (t[i].held != HELD_NONE || w->target[i].ctl == NULL)
			continue;
		if (rma_lock_try(w, i, w->rank, LOCK_SHARED))
			t[i].held = HELD_SHARED;
		else
			wanted = i;
	}
	if (wanted >= 0)
		return wanted;
	for (int i = 0; i < w->size; i++) {
		if (t[i].held != HELD_NONE)
			continue;
		t[i].held = HELD_WAITING;
		rma_remote_lock_request(w, i, LOCK_SHARED);
		wanted = i;
	}
	return wanted;
}

/* Waits for a local lock, or for all that it has requested.  It may release its locks
 * meanwhile. */
static void lock_all_wait_one(struct lock_all *a, int rank)
{
	struct win *w = a->wait.w;
	bool local = w->target[rank].ctl != NULL;

	a->k = (struct rma_lock_wait){.rank = rank, .who = w->rank, .mode = LOCK_SHARED};
	a->wait.rank = rank;
	a->begin_ns = 0;
	if (local) {
		a->k.w = w;
		rma_lock_wait_begin(&a->k);
	}
	for (;;) {
		a->over = false;
		rma_epoch_wait_until(&a->wait);
		if (!a->over || a->wait.w->rma->broken)
			break;
		lock_all_give_back(w);
		a->begin_ns = local ? UINT64_MAX : 0; /* remote members may still grant */
		if (a->hold_ns < HOLD_MAX_NS)
			a->hold_ns *= 2;
	}
	if (local)
		w->rma->epoch->target[rank].held = HELD_SHARED;
}

static __attribute__((noinline)) void lock_all_wait(struct win *w)
{
	struct lock_all a = {
		.wait = {.w = w, .late = rma_lock_holders_late, .ready = lock_all_ready, .arg = &a},
		.hold_ns = HOLD_FIRST_NS};
	int rank;

	while (!w->rma->broken && (rank = lock_all_take_free(w)) >= 0)
		lock_all_wait_one(&a, rank);
	for (int i = 0; i < w->size; i++)
		w->rma->epoch->target[i].held = HELD_NONE; /* EPOCH_ALL stands for all of them */
}

int rma_win_lock_all(int modes, struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;
	int err = lock_check(w, -1, modes);

	if (err != 0)
		return err;
	e->access = EPOCH_ALL;
	e->promised = (modes & MPI_MODE_NOCHECK) != 0;
	if (!e->promised && unlikely(!lock_all_try(w)))
		lock_all_wait(w);
	if (unlikely(w->rma->broken)) {
		e->access = EPOCH_CLOSED;
		return rma_broken_error(w);
	}
	rma_epoch_open_all(w, true);
	return 0;
}

int rma_win_unlock_all(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;
	int err;

	if (unlikely(e->access != EPOCH_ALL))
		return rma_epoch_error(w, -1, "MPI_Win_unlock_all without MPI_Win_lock_all");
	err = rma_flush_all(w);
	rma_conflict_complete(w, -1, false);
	rma_epoch_open_all(w, false);
	for (int i = 0; i < w->size && !e->promised; i++)
		passive_unlock(w, i, LOCK_SHARED);
	e->access = EPOCH_CLOSED;
	rma_epoch_poll(w);
	return err != 0 ? err : rma_broken_error(w);
}
