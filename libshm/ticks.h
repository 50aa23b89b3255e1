// SPDX-License-Identifier: BSD-3-Clause
/* ticks.h - a cheap clock, for code that reads it at each call or each wait (ticks_os.c).
 *
 * x86-64 with an invariant time-stamp counter: RDTSC, half of the price of clock_gettime, and it
 * touches no page of the kernel's clock.  Its counters agree among the CPUs of a host.  A reader
 * measures its frequency against CLOCK_MONOTONIC: of the profile over the whole job, of a rank's
 * waits from time to time (shm_wait.c). */
#ifndef LIBSHM_TICKS_H
#define LIBSHM_TICKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "libobj/base.h"

/* 1: the counter is invariant; 0: it is not; -1: not asked yet. */
extern _Atomic int shm_ticks_invariant;

/* Is the counter invariant?  Asks the processor, once a process.  A process that knows it of its
 * host tells it to one that need not ask. */
bool shm_ticks_known(void);
void shm_ticks_learn(bool invariant);

/* As shm_ticks, which calls it where there is no such counter, or it is not known yet. */
uint64_t shm_ticks_find(void);

/* Ticks of a clock that never goes back, of one frequency, equal on all CPUs of the host.  Of what
 * frequency, the reader measures.  Any thread; no lock; it does not block. */
static inline uint64_t shm_ticks(void)
{
	if (likely(atomic_load_explicit(&shm_ticks_invariant, memory_order_relaxed) > 0))
		return CPU_TICKS();
	return shm_ticks_find();
}

/* Not 0: a tick is a nanosecond of CLOCK_MONOTONIC. */
uint32_t shm_ticks_are_ns(void);

#endif
