// SPDX-License-Identifier: BSD-3-Clause
/* library_lock.h - the one lock of the library, for calls of several threads.
 *
 *      MPI_Recv ── BIND_ENTER: lock ──> handles, checks, engine ── BIND_LEAVE: unlock ──>
 *                                            │        │
 *                       a user function: released    a wait (via_wait): released while the
 *                       around it                    thread spins, yields or sleeps
 *
 * Below MPI_THREAD_MULTIPLE the gate is 0 and no lock is taken: one branch at either end.  Calls
 * that are allowed at any time (MPI_Info_create before MPI_Init) lock at every level of thread
 * support, because they are thread-safe at every level (MPI-5.0 11.6.2).
 *
 * Invariants
 *  - A thread holds the lock at most once, and knows it (haft_locked).
 *  - No thread holds it while the program's code runs, or while it waits for anything but the lock.
 *  - A thread that waited and was overtaken gets the lock next: no thread starves.
 *  - The holder, before it unlocks, looks for waiting threads whose condition holds
 *    (haft_lock_ready_hook).  So no thread misses the effect of a call.
 *
 * A program of one thread at a time may have a helper beside it (HAFT_PROGRESS=thread).  While no
 * request needs it, the helper rests and the gate stays 0.  Else the lock is the program's unless
 * the helper claims it: a call that comes in stores its number, loads whether there is a claim, and
 * has the lock.  There is no atomic instruction in it.
 *
 *      program   number + 1 (odd: inside) ── a claim? ── no: it has the lock ── number + 1
 *      helper    claim ── membarrier ── the number is even: it may take the lock from now on
 *      program   at the end of a call after which none needs it: rest ── a claim? ── no: gate 0
 *
 * One of the two sees the other's store, as the membarrier executes a full barrier on the CPU of
 * the program's thread.  While there is a claim the program locks as threads do.  A call that began
 * while the helper rested has the lock once one of its requests needs the helper.  In a user's
 * function neither changes: the call around it began without the lock, perhaps. */
#ifndef HAFT_CORE_LIBRARY_LOCK_H
#define HAFT_CORE_LIBRARY_LOCK_H

#include "libobj/base.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* haft_lock takes the lock, and may sleep; the thread does not hold it.  haft_unlock releases it
 * and wakes the threads that may go on. */
void haft_lock(void);
void haft_unlock(void);

/* Like haft_lock, but queued threads go first.  For a waiter that polls its condition again. */
void haft_lock_to_poll(void);

/* true: a thread waits for the lock.  A hint. */
bool haft_lock_wanted(void);

extern __thread bool haft_locked;
/* User functions that this thread is in.  One that does not return counts for ever, and a helper no
 * longer begins to serve. */
extern __thread int haft_user_depth;
/* A request that needs the helper began in them: it is served from the end of the outermost on,
 * where haft_help_catch_up has the lock for the call around it. */
extern __thread bool haft_help_late;
void haft_help_catch_up(void);

/* Around each call of a user function: releases the lock if this thread holds it, and takes it
 * again.  Afterwards the engine's state may have changed; objects that the caller still uses must
 * be held.
 *
 *      bool had = haft_user_begin();
 *      rc = fn(...);
 *      haft_user_end(had); */
static inline bool haft_user_begin(void)
{
	bool had = haft_locked;

	haft_user_depth++;
	if (unlikely(had))
		haft_unlock();
	return had;
}

static inline void haft_user_end(bool had)
{
	if (unlikely(had))
		haft_lock();
	if (--haft_user_depth == 0 && unlikely(haft_help_late))
		haft_help_catch_up();
}

/* haft_threads_enable admits several threads (MPI_THREAD_MULTIPLE): calls lock, references are
 * atomic.  Called before the second thread makes calls.  haft_threads_enabled: true after that. */
void haft_threads_enable(void);

/* One thread makes calls again: the other ones that were admitted are outside of the library, and
 * stay there.  The caller does not hold the lock. */
void haft_threads_disable(void);

static inline bool haft_threads_enabled(void);

/* haft_helper: this process has a helper, which serves requests that need it; under the lock. */
extern HAFT_INSIDE bool haft_helper;

/* The helper comes, or has gone: it rests.  Under the lock. */
void haft_helper_set(bool is_there);

/* One more request needs the helper, or one fewer (n: 1, -1).  Under the lock, in a call. */
void haft_help_need(int n);

/* Does any?  Any thread. */
bool haft_help_is_needed(void);

/* Sleeps until one does, or haft_help_await_end, unless *word is not `value' any more.  The
 * helper's. */
void haft_help_await(const _Atomic uint32_t *word, uint32_t value);
void haft_help_await_end(void);

/* The lock of a call of a program that has a helper and one thread at a time (gate HELPER).
 * haft_unlock releases it; so does haft_unlock_program, unless the call had to lock as threads do:
 * false.  haft_leave_program is haft_unlock_program at the end of a call: the helper rests if no
 * request needs it. */
void haft_lock_program(void);
bool haft_unlock_program(void);
bool haft_leave_program(void);

/* How often such calls have begun and ended, together: odd while the program is inside.  Any
 * thread. */
uint32_t haft_program_calls(void);

/* From now on other processes see that number, plus 2, in *word; 0: they see none.  word NULL: none
 * any more.  There is no helper meanwhile. */
void haft_program_show(_Atomic uint32_t *word);

/* Sleeps until that number is not `calls' any more.  The helper's. */
void haft_program_await(uint32_t calls);
void haft_program_await_end(void); /* ends such a sleep.  Any thread */

/* The helper claims the lock: until haft_help_end the program's calls lock as threads do, and the
 * helper may use haft_trylock.  False: the program is inside, or has been since the number was
 * `calls', or the helper is to rest; there is no claim. */
bool haft_help_begin(uint32_t calls);
void haft_help_end(void);

/* True: calls lock, because there are threads or a helper. */
static inline bool haft_calls_lock(void);

/* The invariants above, as far as this thread can see them: the word has a value of the lock's, the
 * holder's own; a call of a program with a helper is counted; the helper has a claim, and the gate
 * says so, only if there is one.  For valid.h. */
bool haft_lock_valid(void);

/* In a forked child: the lock is free, whichever thread of the parent had it. */
void haft_lock_child(void);

/* Takes the lock if it is free; false: another thread holds it.  Does not sleep. */
bool haft_trylock(void);

/* Deferred work: a stack that threads without the lock fill for the holder.  Push, then do
 * `if (haft_trylock()) { haft_lock_deferred_hook(); haft_unlock(); }'.  If another thread holds the
 * lock, it finds the work when it unlocks.  The hook is p2p's, and takes the whole stack. */
extern _Atomic(void *) haft_lock_deferred;
extern void (*haft_lock_deferred_hook)(void);

/* Set by libmpi/via; haft_unlock calls it with the lock held.  Stores at most `max' futex words of
 * waiting threads whose condition holds, and of other ranks, and returns their number.  All
 * sleepers of these words are woken after the unlock. */
#define HAFT_LOCK_WAKES 16
extern int (*haft_lock_ready_hook)(_Atomic uint32_t *words[], int max);

/* Sleeps while *word is `old', for at most ns nanoseconds (0: no limit); may return early.
 * haft_futex_wake wakes n threads of this process, or of others that share the word. */
void haft_futex_wait(_Atomic uint32_t *word, uint32_t old, uint64_t ns);
void haft_futex_wake(_Atomic uint32_t *word, int n);

/* Every running thread of this process executes a full barrier.  False: the kernel does not know
 * that. */
bool haft_barrier_all(void);

#include "libmpi/core/process_state.h"

static inline bool haft_threads_enabled(void)
{
	return unlikely(haft_gate_has(HAFT_GATE_THREADS));
}

static inline bool haft_calls_lock(void)
{
	return unlikely(haft_gate_has(HAFT_GATE_THREADS | HAFT_GATE_HELPER));
}

#endif
