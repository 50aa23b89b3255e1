// SPDX-License-Identifier: BSD-3-Clause
/* clock.h - the one clock of the library: monotonic, in nanoseconds.
 *
 * Any thread; about 20 ns (vDSO), no system call where the kernel offers the clock to user
 * space. */
#ifndef HAFT_CORE_CLOCK_H
#define HAFT_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

/* Nanoseconds since some moment in the past; one moment for all processes of a host. */
static inline uint64_t clock_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

#endif
