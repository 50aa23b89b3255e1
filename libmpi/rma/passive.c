// SPDX-License-Identifier: BSD-3-Clause
/* passive.c - MPI_Win_lock and its kin: epochs in which the target does nothing (MPI-5.0 12.5.3).
 *
 *      MPI_Win_lock      ──> the lock of the target, in the segment             (lock.h)
 *                        ──> a frame to its process, which takes it for us      (far.c)
 *                        ──> nothing: MPI_MODE_NOCHECK promises that nobody else has it
 *      MPI_Win_lock_all  ──> the locks of all, shared
 *
 * MPI_Win_lock_all does not hold some locks while it waits for another: it tries all, and if one is
 * taken it gives back what it has, waits for that one, and tries the others.  So it can only be in
 * the way of others when it has all it wants.  When it has been unlucky ROUNDS times, or some are
 * far away, where it cannot try, it takes one after the other in the order of ranks: then nobody
 * who locks several targets in that order waits for it while it waits for him. */
#include "libmpi/rma/epoch.h"

#include "libmpi/core/err.h"
#include "libmpi/rma/check.h"
#include "libmpi/rma/far.h"
#include "libmpi/rma/lock.h"
#include <engine.h>

#define ROUNDS 16 /* of MPI_Win_lock_all; then it takes one after the other */

/* --- one lock -------------------------------------------------------------------------------- */

/* A process that waits for a lock. */
struct near {
	struct epoch_wait wait;
	struct lock_wait k;
};

static bool near_ready(void *arg, bool rest)
{
	struct near *n = arg;
	bool got = lock_wait_ready(&n->k, rest);

	n->wait.nap_ns = n->k.hungry ? 0 : RMA_HUNGRY_NS;
	return got;
}

static __attribute__((noinline)) void wait_near(struct win *w, int rank, enum lock_wish wish)
{
	struct near n = {.wait = {.w = w, .rank = rank, .ready = near_ready, .arg = &n},
		.k = {.w = w, .rank = rank, .who = w->rank, .wish = wish}};

	lock_wait_begin(&n.k);
	epoch_until(&n.wait);
}

static void take_near(struct win *w, int rank, enum lock_wish wish)
{
	if (unlikely(!lock_try(&w->target[rank].ctl->sync.lock, wish)))
		wait_near(w, rank, wish);
}

static void take(struct win *w, int rank, enum lock_wish wish)
{
	if (likely(w->target[rank].ctl != NULL))
		take_near(w, rank, wish);
	else
		far_lock(w, rank, wish);
}

static void drop(struct win *w, int rank, enum lock_wish wish)
{
	if (likely(w->target[rank].ctl != NULL))
		lock_drop(w, rank, wish);
	else
		far_drop(w, rank, wish);
}

static int lock_type_check(const struct win *w, int lock_type)
{
	char name[RMA_WORDS];

	if (likely(lock_type == MPI_LOCK_SHARED || lock_type == MPI_LOCK_EXCLUSIVE))
		return 0;
	return haft_err(MPI_ERR_LOCKTYPE,
		"%s: %d is neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE", rma_words(w, name),
		lock_type);
}

/* May a lock be taken now?  rank -1: all. */
static int lock_check(const struct win *w, int rank, int modes)
{
	const struct rma_epoch *e = w->rma->epoch;
	int err = epoch_assert(w, modes);

	if (err != 0)
		return err;
	if (unlikely(w->no_locks))
		return epoch_wrong(w, rank, "a lock, and the info of the window says no_locks");
	if (likely(e->access == EPOCH_CLOSED || e->access == EPOCH_FENCE))
		return 0;
	if (rank < 0)
		return epoch_wrong(w, rank, "MPI_Win_lock_all inside an access epoch");
	if (e->access != EPOCH_LOCK)
		return epoch_wrong(w, rank, "MPI_Win_lock inside another access epoch");
	if (e->target[rank].held != HELD_NOT)
		return epoch_wrong(w, rank, "MPI_Win_lock of a target that is locked already");
	return 0;
}

/* The user promises that nobody else wants the lock: then it need not be taken.  While accesses are
 * recorded it is, so that promises which are not kept show.  0; MPI_ERR_RMA_CONFLICT with words. */
static int promised(struct win *w, int rank, enum lock_wish wish, enum epoch_held *held)
{
	struct rma_ctl *ctl = w->target[rank].ctl;
	char name[RMA_WORDS];

	if (likely(w->rma->epoch->check == NULL) || ctl == NULL) {
		*held = HELD_PROMISED;
		return 0;
	}
	if (lock_try(&ctl->sync.lock, wish))
		return 0;
	return haft_err(MPI_ERR_RMA_CONFLICT,
		"%s: MPI_MODE_NOCHECK is not true: another process has rank %d locked",
		rma_words(w, name), rank);
}

int rma_win_lock(int lock_type, int rank, int modes, struct win *w)
{
	enum lock_wish wish = lock_type == MPI_LOCK_EXCLUSIVE ? LOCK_ALONE : LOCK_SHARED;
	enum epoch_held held = wish == LOCK_ALONE ? HELD_ALONE : HELD_SHARED;
	struct rma_epoch *e = w->rma->epoch;
	int err = lock_type_check(w, lock_type);

	if (unlikely(rank >= w->size))
		return epoch_no_rank(w, rank);
	if (err == 0 && rank != MPI_PROC_NULL)
		err = lock_check(w, rank, modes);
	if (err != 0 || rank == MPI_PROC_NULL)
		return err;
	if ((modes & MPI_MODE_NOCHECK) != 0)
		err = promised(w, rank, wish, &held);
	if (err != 0)
		return err;
	e->access = EPOCH_LOCK;
	e->locks++;
	if ((modes & MPI_MODE_NOCHECK) == 0) {
		e->target[rank].held = HELD_WAITING;
		take(w, rank, wish);
	}
	e->target[rank].held = (uint8_t)held;
	w->target[rank].alone = wish == LOCK_ALONE;
	epoch_open(w, rank, true);
	return 0;
}

int rma_win_unlock(int rank, struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;
	enum epoch_held held;
	int err;

	if (rank == MPI_PROC_NULL)
		return 0;
	if (unlikely(rank >= w->size))
		return epoch_no_rank(w, rank);
	held = e->target[rank].held;
	if (unlikely(e->access != EPOCH_LOCK || held == HELD_NOT || held == HELD_WAITING))
		return epoch_wrong(w, rank, "MPI_Win_unlock without MPI_Win_lock");
	err = epoch_flushed(w, rank);
	if (unlikely(e->check != NULL))
		check_complete(w, rank, false);
	epoch_open(w, rank, false);
	w->target[rank].alone = false;
	e->target[rank].held = HELD_NOT;
	if (held == HELD_PROMISED)
		atomic_thread_fence(memory_order_seq_cst);
	else
		drop(w, rank, held == HELD_ALONE ? LOCK_ALONE : LOCK_SHARED);
	if (--e->locks == 0)
		e->access = EPOCH_CLOSED;
	epoch_look(w);
	return err;
}

/* --- all ------------------------------------------------------------------------------------- */

/* Takes what is free but `have'; all are near.  All of it: -1; else the rank of one that was not,
 * and nothing is taken. */
static int try_all(struct win *w, int have)
{
	for (int i = 0; i < w->size; i++) {
		int rank = (w->rank + i) % w->size;
		struct rma_ctl *ctl = w->target[rank].ctl;

		if (rank == have || lock_try(&ctl->sync.lock, LOCK_SHARED))
			continue;
		while (i-- > 0) {
			int back = (w->rank + i) % w->size;

			if (back != have)
				lock_drop(w, back, LOCK_SHARED);
		}
		return rank;
	}
	return -1;
}

/* Without holding some while it waits for another, if all members are near. */
static bool take_all_near(struct win *w)
{
	int have = -1;

	for (int round = 0; round < ROUNDS; round++) {
		int wanted = try_all(w, have);

		if (wanted < 0)
			return true;
		if (have >= 0)
			lock_drop(w, have, LOCK_SHARED);
		take_near(w, wanted, LOCK_SHARED);
		have = wanted;
	}
	lock_drop(w, have, LOCK_SHARED);
	return false;
}

static void take_all(struct win *w)
{
	if (w->rma->epoch->near && take_all_near(w))
		return;
	for (int i = 0; i < w->size; i++)
		take(w, i, LOCK_SHARED);
}

int rma_win_lock_all(int modes, struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;
	int err = lock_check(w, -1, modes);

	if (err != 0)
		return err;
	e->access = EPOCH_ALL;
	e->promised = (modes & MPI_MODE_NOCHECK) != 0;
	if (!e->promised)
		take_all(w);
	epoch_open_all(w, true);
	return 0;
}

int rma_win_unlock_all(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;
	int err;

	if (unlikely(e->access != EPOCH_ALL))
		return epoch_wrong(w, -1, "MPI_Win_unlock_all without MPI_Win_lock_all");
	err = rma_flushed_all(w);
	check_complete(w, -1, false);
	epoch_open_all(w, false);
	for (int i = 0; i < w->size && !e->promised; i++)
		drop(w, i, LOCK_SHARED);
	e->access = EPOCH_CLOSED;
	epoch_look(w);
	return err;
}
