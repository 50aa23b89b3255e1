// SPDX-License-Identifier: BSD-3-Clause
/* ticks_os.c - has this processor a counter that serves as a clock?
 *
 *      x86-64, CPUID 0x80000007 says invariant     RDTSC: the same rate in all states of a CPU
 *                                                  A hypervisor traps CPUID, 6 us each time
 *      all others                                  CLOCK_MONOTONIC */
#include "libshm/ticks.h"

#include "libshm/shm_inner.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

HAFT_HOT_DATA _Atomic int shm_ticks_invariant = -1;

static bool ticks_invariant(void)
{
	int is = atomic_load_explicit(&shm_ticks_invariant, memory_order_relaxed);

	if (is >= 0)
		return is != 0;
	is = 0;
#if defined(__x86_64__)
	unsigned a, b, c, d;

	is = __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
#endif
	atomic_store_explicit(&shm_ticks_invariant, is, memory_order_relaxed);
	return is != 0;
}

bool shm_ticks_known(void)
{
	return ticks_invariant();
}

HAFT_START void shm_ticks_learn(bool invariant)
{
	atomic_store_explicit(&shm_ticks_invariant, invariant, memory_order_relaxed);
}

uint64_t shm_ticks_find(void)
{
	return ticks_invariant() ? shm_ticks() : shm_os_now();
}

uint32_t shm_ticks_are_ns(void)
{
	return !ticks_invariant();
}
