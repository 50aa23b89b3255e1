// SPDX-License-Identifier: BSD-3-Clause
/* mutex.c - a mutex of one word with a name and a rank.
 *
 *     word   0 ──lock──> 1 ──another thread comes──> 2 ──unlock──> 0, and wake one
 *
 * Debug builds remember the locks that a thread has.  They abort when it takes one whose rank is
 * not above all of them, so no cycle of waiting can exist.  While a thread has a lock it destroys
 * nothing; objects whose count falls to zero meanwhile are destroyed when it gives the last lock
 * back. */
#include "libobj/obj_inner.h"
#include <stdio.h>
#include <stdlib.h>

#define SPINS 100 /* looks at a taken lock before sleeping: about as long as ours are held */

__thread struct obj_thread obj_this_thread;
const struct obj_upcalls *obj_up;

/* In debug builds locks are always taken, so that the ranks are checked with one thread as well. */
uint32_t obj_threads_on = HAFT_DEBUG;

void obj_assert_failed(const char *file, int line, const char *what)
{
	fprintf(stderr, "libobj: %s:%d: broken: %s\n", file, line, what);
	abort();
}

static void mutex_lock_slow(struct obj_lock *l)
{
	for (int i = 0; i < SPINS; i++) {
		uint32_t free = 0;

		if (__atomic_load_n(&l->word, __ATOMIC_RELAXED) == 0 &&
			__atomic_compare_exchange_n(
				&l->word, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return;
	}
	while (__atomic_exchange_n(&l->word, 2, __ATOMIC_ACQUIRE) != 0)
		obj_os_wait(&l->word, 2);
}

void obj_lock_take(struct obj_lock *l)
{
	uint32_t free = 0;

	if (!__atomic_compare_exchange_n(&l->word, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		mutex_lock_slow(l);
}

void obj_lock_give(struct obj_lock *l)
{
	if (__atomic_exchange_n(&l->word, 0, __ATOMIC_RELEASE) == 2)
		obj_os_wake(&l->word);
}

/* Aborts unless the lock's rank is above those of all locks that this thread has. */
static void mutex_rank_check(const struct obj_lock *l)
{
	for (uint32_t i = 0; i < obj_this_thread.nlocks && i < LOCKS_HELD_MAX; i++) {
		const struct obj_lock *held = obj_this_thread.locks[i];

		if (held->rank < l->rank)
			continue;
		fprintf(stderr, "libobj: lock '%s' (rank %u) taken under '%s' (rank %u)\n", l->name,
			l->rank, held->name, held->rank);
		abort();
	}
}

HAFT_START void obj_lock_always(struct obj_lock *l)
{
	if (HAFT_DEBUG)
		mutex_rank_check(l);
	obj_lock_take(l);
	if (HAFT_DEBUG && obj_this_thread.nlocks < LOCKS_HELD_MAX)
		obj_this_thread.locks[obj_this_thread.nlocks] = l;
	obj_this_thread.nlocks++;
}

/* Locks may be given back in any order. */
static void mutex_forget(const struct obj_lock *l)
{
	uint32_t n =
		obj_this_thread.nlocks < LOCKS_HELD_MAX ? obj_this_thread.nlocks : LOCKS_HELD_MAX;
	uint32_t at = n;

	for (uint32_t i = 0; i < n; i++)
		if (obj_this_thread.locks[i] == l)
			at = i;
	if (at == n && obj_this_thread.nlocks <= LOCKS_HELD_MAX) {
		fprintf(stderr, "libobj: lock '%s' given back by a thread that has not got it\n",
			l->name);
		abort();
	}
	for (uint32_t i = at; i + 1 < n; i++)
		obj_this_thread.locks[i] = obj_this_thread.locks[i + 1];
}

HAFT_START void obj_unlock_always(struct obj_lock *l)
{
	if (HAFT_DEBUG)
		mutex_forget(l);
	obj_lock_give(l);
	obj_this_thread.nlocks--;
	reap_if_due();
}

int obj_locks_held(void)
{
	return (int)obj_this_thread.nlocks;
}
