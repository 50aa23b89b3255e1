// SPDX-License-Identifier: BSD-3-Clause
/* robust_lock.c - the one lock between processes, for things that happen seldom.
 *
 * It protects only structures whose every single store leaves them whole (see heap.c, block.c), so
 * that the lock of a holder that was killed can simply be taken over.  At worst the extent of the
 * heap is lost that the holder was about to use. */
#include <errno.h>
#include <sched.h>
#include <time.h>
#include "libshm/shm_inner.h"

#define TRIES_YIELD 200  /* then we sleep while we wait: the holder may not run for long */
#define TRIES_DEAD  5000 /* half a second more, then we ask whether it lives: a pid of another */
			 /* namespace says nothing, and no live holder takes so long */

static bool lock_holder_dead(struct shm_seg *seg, uint32_t owner)
{
	struct shm_doorbell *d = seg_at(seg, seg->head->doorbell);
	int pid = atomic_load_explicit(&d[owner - 1].pid, memory_order_relaxed);

	return pid != 0 && !shm_os_alive(pid);
}

HAFT_START void shm_lock_take(struct shm_seg *seg, int me, struct seg_lock *l)
{
	const struct timespec moment = {0, 100000};
	uint32_t owner, mine = (uint32_t)me + 1;
	unsigned tries = 0;

	for (;;) {
		owner = 0;
		if (atomic_compare_exchange_weak_explicit(
			    &l->owner, &owner, mine, memory_order_acquire, memory_order_relaxed))
			return;
		if (tries++ < TRIES_YIELD) {
			sched_yield();
			continue;
		}
		if (owner != 0 && tries > TRIES_DEAD && lock_holder_dead(seg, owner) &&
			atomic_compare_exchange_strong_explicit(&l->owner, &owner, mine,
				memory_order_acquire, memory_order_relaxed))
			return;
		nanosleep(&moment, NULL);
	}
}

HAFT_START void shm_lock_drop(struct seg_lock *l)
{
	atomic_store_explicit(&l->owner, 0, memory_order_release);
}
