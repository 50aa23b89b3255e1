// SPDX-License-Identifier: BSD-3-Clause
/* ticks_os.c - the clock of the profile: two looks at it are most of its cost.
 *
 * x86-64 with an invariant time-stamp counter: RDTSC, half of the price of clock_gettime.  Its
 * counters agree among the CPUs of a host, and its frequency is measured against CLOCK_MONOTONIC by
 * the reader, over the whole job. */
#include "libmpi/prof/table.h"

#include "libmpi/core/clock.h"
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#if defined(__x86_64__)
static int even = -1; /* the counter is invariant */

static void even_find(void)
{
	unsigned a, b, c, d;

	even = __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
}

uint64_t prof_ticks(void)
{
	if (__builtin_expect(even < 0, 0))
		even_find();
	return __builtin_expect(even, 1) ? __rdtsc() : clock_now_ns();
}

uint32_t prof_ticks_are_ns(void)
{
	if (even < 0)
		even_find();
	return !even;
}
#else
uint64_t prof_ticks(void)
{
	return clock_now_ns();
}

uint32_t prof_ticks_are_ns(void)
{
	return 1;
}
#endif
