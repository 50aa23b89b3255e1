// SPDX-License-Identifier: BSD-3-Clause
/* library_lock.h - the library's one lock, taken by MPI's calls when several threads may make them.
 *
 *      MPI_Recv ── BIND_ENTER: lock ──> handles, checks, engine ── BIND_LEAVE: unlock ──>
 *                                            │        │
 *                       a callback of    waiting (via_wait): given up while the
 *                       the user: given  thread spins, yields or sleeps
 *                       up around it
 *
 * Below MPI_THREAD_MULTIPLE the gate is 0 and nothing is taken: one branch at either end.  What is
 * allowed at any time (MPI_Info_create before MPI_Init) takes the lock at every level, because such
 * calls are thread-safe at every level (MPI-5.0 11.6.2).
 *
 * Invariants
 *  - A thread has the lock at most once, and knows it (haft_locked).
 *  - Nobody has it while the program's code runs, nor while it waits for anything but the lock.
 *  - Who was waiting for the lock and was overtaken gets it next: no thread starves.
 *  - Who unlocks looks first whether a waiting thread has got what it wants (haft_lock_ready_hook), so
 *    nothing that a call does can be missed by the threads that wait. */
#ifndef HAFT_CORE_LIBRARY_LOCK_H
#define HAFT_CORE_LIBRARY_LOCK_H

#include "libobj/base.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* haft_lock takes the lock; haft_unlock gives it back and wakes who may go on.  The thread has not
 * got it before haft_lock, and has it before haft_unlock.  haft_lock may sleep. */
void haft_lock(void);
void haft_unlock(void);

/* haft_lock for one who only wants to look again: those who wait to enter go first. */
void haft_lock_to_poll(void);

/* Does somebody wait for the lock?  A hint. */
bool haft_lock_wanted(void);

extern __thread bool haft_locked;

/* Around every call of a function of the user's: gives the lock up if this thread has it, and takes
 * it again.  Afterwards the engine's state may have changed: what you go on with must be held.
 *
 *      bool had = haft_user_begin();
 *      rc = fn(...);
 *      haft_user_end(had);                                                                      */
static inline bool haft_user_begin(void)
{
	bool had = haft_locked;

	if (unlikely(had))
		haft_unlock();
	return had;
}

static inline void haft_user_end(bool had)
{
	if (unlikely(had))
		haft_lock();
}

/* haft_threads_enable lets several threads in (MPI_THREAD_MULTIPLE): calls lock, references are
 * atomic.  Before the second thread makes calls.  haft_threads_enabled: have we? */
void haft_threads_enable(void);

static inline bool haft_threads_enabled(void);

/* In a forked child: the lock is free, whichever thread of the parent had it. */
void haft_lock_child(void);

/* The same if it is free at once; false: somebody has it. */
bool haft_trylock(void);

/* Mail: what threads leave without the lock for whoever has it, as a stack.  Leave it, then do
 * `if (haft_trylock()) { haft_lock_deferred_hook(); haft_unlock(); }': if somebody else has the lock, he
 * finds the mail when he unlocks.  haft_lock_deferred_hook is p2p's; it takes all there is. */
extern _Atomic(void *) haft_lock_deferred;
extern void (*haft_lock_deferred_hook)(void);

/* Set by libmpi/via: called by haft_unlock with the lock held.  Stores the words to be woken when
 * the lock has been given back, at most `max'; returns how many. */
#define HAFT_LOCK_WAKES 16
extern int (*haft_lock_ready_hook)(_Atomic uint32_t *words[], int max);

/* Sleeps while *word is `old', at most ns nanoseconds (0: no limit), or returns for nothing.  Wakes
 * n threads of this process. */
void haft_futex_wait(_Atomic uint32_t *word, uint32_t old, uint64_t ns);
void haft_futex_wake(_Atomic uint32_t *word, int n);

#include "libmpi/core/process_state.h"

static inline bool haft_threads_enabled(void)
{
	return unlikely((haft_life.gate & HAFT_GATE_THREADS) != 0);
}

#endif
