// SPDX-License-Identifier: BSD-3-Clause
/* win_lock.h - the lock of one member of a window: readers and writers of all processes of the
 * host.
 *
 *   word   | waiters 20 | starving 20 | ... | WOKEN | WRITER | readers 17, or the writer's rank |
 *
 *   free ──take──> held ──drop──> free                         one atomic instruction each
 *                   │  none starving, some wait: free, and the oldest waiter is woken
 *                   └─ some starving: stays held, handed to the oldest waiter (slot = GRANTED)
 *
 *   slot   | ticket 29 | chosen | mode 2 |                     rma_pair.wait; 0: no request
 *          | 0         | reader | 0      |                     for wait reports: holds it shared
 *
 * A process that comes while the lock is free takes it, even if others wait: with more processes
 * than CPUs anything else costs a switch of processes each time.  A waiter that has waited for
 * RMA_STARVING_NS is starving.  From then on only waiters get the lock, in the order of their
 * tickets.  So no process waits longer than RMA_STARVING_NS and the turns of the waiters before it.
 *
 * Invariants
 *  - A slot holds a request before the word counts its waiter, and until the word no longer does.
 *  - Only an exclusive holder (WRITER) hands the lock over.  A granted slot is held by its owner.
 *  - WOKEN: one waiter was woken and has not finished its check; no other need be woken.  A
 *    waiter does not go to sleep with WOKEN set for it. */
#ifndef HAFT_RMA_WIN_LOCK_H
#define HAFT_RMA_WIN_LOCK_H

#include "libmpi/rma/rma.h"

#define LOCK_READER   UINT64_C(1)
#define LOCK_READERS  UINT64_C(0x1ffff) /* up to SHM_RANKS_MAX */
#define LOCK_WRITER   (UINT64_C(1) << 17)
#define LOCK_WOKEN    (UINT64_C(1) << 18)
#define LOCK_STARVING (UINT64_C(1) << 20)
#define LOCK_WAITER   (UINT64_C(1) << 40)
#define LOCK_HELD     (LOCK_READERS | LOCK_WRITER)
#define LOCK_COUNT    UINT64_C(0xfffff) /* of starving waiters, of waiters */

static_assert(LOCK_READERS >= SHM_RANKS_MAX, "every process may read");
static_assert(LOCK_COUNT >= SHM_RANKS_MAX, "every process may wait");

#define SLOT_READER 4u /* without a request */

#define RMA_STARVING_NS 1000000u /* some 50 switches of processes */

/* How often a waiter publishes the current holder: seldom enough to cost nothing. */
#define RMA_REPORT_NS 500000000u

enum rma_lock_mode { LOCK_NONE, LOCK_SHARED, LOCK_EXCLUSIVE, LOCK_GRANTED };

/* The table of pairs of a member that shares memory with this one. */
static inline struct rma_pair *rma_lock_pairs(const struct win *w, int rank)
{
	return (struct rma_pair *)(w->target[rank].ctl + 1);
}

/* The part of the word that stands for a holder. */
static inline uint64_t rma_lock_unit(enum rma_lock_mode mode, int who)
{
	return mode == LOCK_EXCLUSIVE ? LOCK_WRITER + (uint64_t)who : LOCK_READER;
}

/* Notes in the slot of member `who' whether it reads rank's lock. */
static inline void rma_lock_record_reader(struct win *w, int rank, int who, uint32_t slot)
{
	atomic_store_explicit(&rma_lock_pairs(w, rank)[who].wait, slot, memory_order_relaxed);
}

/* Takes the lock of member `rank' for member `who' if it is free for the mode (LOCK_SHARED,
 * LOCK_EXCLUSIVE) and no waiter is starving.  False: it is not. */
static inline bool rma_lock_try(struct win *w, int rank, int who, enum rma_lock_mode mode)
{
	struct rma_lock *l = &w->target[rank].ctl->sync.lock;
	uint64_t old = atomic_load_explicit(&l->word, memory_order_relaxed);
	uint64_t starving = LOCK_COUNT * LOCK_STARVING;
	uint64_t bar = starving | (mode == LOCK_EXCLUSIVE ? LOCK_HELD : LOCK_WRITER);

	while ((old & bar) == 0) {
		uint64_t new = old + rma_lock_unit(mode, who);

		if (!atomic_compare_exchange_weak_explicit(
			    &l->word, &old, new, memory_order_acquire, memory_order_relaxed))
			continue;
		if (mode == LOCK_SHARED)
			rma_lock_record_reader(w, rank, who, SLOT_READER);
		return true;
	}
	return false;
}

/* Does member `who' hold rank's lock in this mode? */
bool rma_lock_is_held(const struct win *w, int rank, int who, enum rma_lock_mode mode);

/* Releases what rma_lock_try or rma_lock_wait_ready took for `who'.  Hands it over if a waiter is
 * starving. */
void rma_lock_drop_slow(struct win *w, int rank, int who, enum rma_lock_mode mode);

static inline void rma_lock_drop(struct win *w, int rank, int who, enum rma_lock_mode mode)
{
	uint64_t old = rma_lock_unit(mode, who);

	if (mode == LOCK_SHARED)
		rma_lock_record_reader(w, rank, who, 0);

	if (unlikely(!atomic_compare_exchange_strong_explicit(&w->target[rank].ctl->sync.lock.word,
		    &old, 0, memory_order_release, memory_order_relaxed)))
		rma_lock_drop_slow(w, rank, who, mode);
}

/* Writes up to `max' ranks of current holders of a local member's lock to `who'.  Returns how many.
 * A snapshot, for wait reports. */
int rma_lock_holders(const struct win *w, int rank, int *who, int max);

/* A waiter: on the stack of a waiting call, or in rma_remote_wait for a remote member. */
struct rma_lock_wait {
	struct win *w;
	int rank; /* of the member whose lock it is */
	int who;  /* rank of the member that wants it */
	enum rma_lock_mode mode;
	bool starving;
	bool got;          /* it has the lock */
	uint64_t begin_ns; /* 0: not known yet */
};

/* Files the request.  The caller has set w, rank, who and mode; the rest is zero. */
void rma_lock_wait_begin(struct rma_lock_wait *k);

/* Has it got the lock, or can it take it now?  True from then on; the request is gone. rest: the
 * caller sleeps if false, until the doorbell of `who' rings or RMA_STARVING_NS have passed. */
bool rma_lock_wait_ready(struct rma_lock_wait *k, bool rest);

#endif
