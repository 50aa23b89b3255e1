// SPDX-License-Identifier: BSD-3-Clause
/* win_lock.h - the lock of one member of a window: readers and writers of all processes of the
 * node.
 *
 *   word   | waiters 20 | hungry 20 | ... | WOKEN | WRITER | readers 17, or the writer's rank |
 *
 *   free ──take──> held ──drop──> free                         one atomic instruction each
 *                   │  nobody hungry, somebody waits: free, and the oldest waiter is woken
 *                   └─ somebody hungry: held on, and given to the oldest waiter (slot = GRANTED)
 *
 *   slot   | ticket 29 | chosen | mode 2 |                     rma_pair.wait; 0: no mode
 *          | 0         | reads  | 0      |                     for the roll-call: it is a reader
 *
 * Whoever comes while the lock is free takes it, also from under the eyes of those who wait: with
 * more processes than CPUs anything else would cost a switch of processes each time.  But who has
 * waited for RMA_STARVING_NS is hungry: from then on nobody who has not waited takes the lock, and
 * it goes from hand to hand in the order of the tickets.  So nobody waits for longer than
 * RMA_STARVING_NS and the turns of those who came before him.
 *
 * Invariants
 *  - A slot has a mode before the word counts a waiter, and until after it no longer does.
 *  - Only who holds the lock alone (WRITER) gives it away.  A granted slot is held by its owner.
 *  - WOKEN: one waiter was woken and has not looked yet, or looks still; nobody else need be.  A
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
#define LOCK_COUNT    UINT64_C(0xfffff) /* of hungry, of waiters */

static_assert(LOCK_READERS >= SHM_RANKS_MAX, "every process may read");
static_assert(LOCK_COUNT >= SHM_RANKS_MAX, "every process may wait");

#define SLOT_READER 4u /* with no mode */

#define RMA_STARVING_NS 1000000u /* some 50 switches of processes */

/* Who waits says that often who has the lock: seldom enough to cost nothing. */
#define RMA_REPORT_NS 500000000u

enum rma_lock_mode { LOCK_NONE, LOCK_SHARED, LOCK_EXCLUSIVE, LOCK_GRANTED };

/* The table of pairs of a member that shares memory with this one. */
static inline struct rma_pair *rma_lock_pairs(const struct win *w, int rank)
{
	return (struct rma_pair *)(w->target[rank].ctl + 1);
}

/* What the word says of one who has it. */
static inline uint64_t rma_lock_unit(enum rma_lock_mode mode, int who)
{
	return mode == LOCK_EXCLUSIVE ? LOCK_WRITER + (uint64_t)who : LOCK_READER;
}

/* Notes that a member is a reader of rank's lock, or no longer. */
static inline void rma_lock_note_reader(struct win *w, int rank, int who, uint32_t slot)
{
	atomic_store_explicit(&rma_lock_pairs(w, rank)[who].wait, slot, memory_order_relaxed);
}

/* Takes, for member `who', the lock of member `rank' if it is free for the mode (LOCK_SHARED,
 * LOCK_EXCLUSIVE) and nobody is hungry for it.  False: it is not. */
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
			rma_lock_note_reader(w, rank, who, SLOT_READER);
		return true;
	}
	return false;
}

/* Gives back what rma_lock_try or rma_lock_wait_ready took for `who', to who wants it most. */
void rma_lock_drop_slow(struct win *w, int rank, int who, enum rma_lock_mode mode);

static inline void rma_lock_drop(struct win *w, int rank, int who, enum rma_lock_mode mode)
{
	uint64_t old = rma_lock_unit(mode, who);

	if (mode == LOCK_SHARED)
		rma_lock_note_reader(w, rank, who, 0);

	if (unlikely(!atomic_compare_exchange_strong_explicit(&w->target[rank].ctl->sync.lock.word,
		    &old, 0, memory_order_release, memory_order_relaxed)))
		rma_lock_drop_slow(w, rank, who, mode);
}

/* The ranks of those who have a near member's lock, as far as they are known just now: the first
 * `max' of them.  How many it has found. */
int rma_lock_holders(const struct win *w, int rank, int *who, int max);

/* Somebody who waits: on the stack of who waits, or of whom a process far away waits for. */
struct rma_lock_wait {
	struct win *w;
	int rank; /* of the member whose lock it is */
	int who;  /* rank of the member that wants it */
	enum rma_lock_mode mode;
	bool starving;
	bool got;          /* it has it */
	uint64_t begin_ns; /* 0: not known yet */
};

/* Says the mode (w, rank, who, mode are set, the rest zero). */
void rma_lock_wait_begin(struct rma_lock_wait *k);

/* Has it got the lock, or can it take it now?  True from then on; the mode is gone.  `rest': it
 * will sleep if not, until the bell of member `who' changes or RMA_STARVING_NS have passed. */
bool rma_lock_wait_ready(struct rma_lock_wait *k, bool rest);

#endif
