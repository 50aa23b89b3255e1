// SPDX-License-Identifier: BSD-3-Clause
/* pin.h - a processor of its own for a process; also for programs without MPI. */
#ifndef TESTS_BENCH_PIN_H
#define TESTS_BENCH_PIN_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* The calling thread stays on the k-th (from 0 on) of the processors that it may use, unless the
 * system refuses.  False: there are not so many. */
static inline bool pin_to_nth(int k)
{
	cpu_set_t all, one;
	size_t cpu = 0;

	if (sched_getaffinity(0, sizeof(all), &all) != 0 || k >= CPU_COUNT(&all))
		return false;
	while (!CPU_ISSET(cpu, &all) || k-- > 0)
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	return true;
}

#endif
