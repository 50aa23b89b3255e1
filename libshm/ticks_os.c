// SPDX-License-Identifier: BSD-3-Clause
/* ticks_os.c - a cheap clock, for what looks at it at each call or each wait.
 *
 * x86-64 with an invariant time-stamp counter: RDTSC, half of the price of clock_gettime, and it
 * touches no page of the kernel's clock.  Its counters agree among the CPUs of a host.  A reader
 * measures its frequency against CLOCK_MONOTONIC: of the profile over the whole job, of a rank's
 * waits from time to time (shm_wait.c). */
#include "libshm/ticks.h"

#include "libshm/shm_inner.h"
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#if defined(__x86_64__)
static HAFT_HOT_DATA _Atomic int even = -1; /* the counter is invariant; -1: not asked yet */

static void even_find(void)
{
	unsigned a, b, c, d;
	int is = __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;

	atomic_store_explicit(&even, is, memory_order_relaxed);
}

HAFT_HOT uint64_t shm_ticks(void)
{
	if (unlikely(atomic_load_explicit(&even, memory_order_relaxed) < 0))
		even_find();
	return likely(atomic_load_explicit(&even, memory_order_relaxed)) ? __rdtsc() : shm_os_now();
}

uint32_t shm_ticks_are_ns(void)
{
	if (atomic_load_explicit(&even, memory_order_relaxed) < 0)
		even_find();
	return !atomic_load_explicit(&even, memory_order_relaxed);
}
#else
HAFT_HOT uint64_t shm_ticks(void)
{
	return shm_os_now();
}

uint32_t shm_ticks_are_ns(void)
{
	return 1;
}
#endif
