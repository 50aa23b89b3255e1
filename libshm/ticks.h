// SPDX-License-Identifier: BSD-3-Clause
/* ticks.h - a cheap clock (ticks_os.c). */
#ifndef LIBSHM_TICKS_H
#define LIBSHM_TICKS_H

#include <stdint.h>

/* Ticks of a clock that never goes back, of one frequency, equal on all CPUs of the host.  Of what
 * frequency, the reader measures.  Any thread; no lock; it does not block. */
uint64_t shm_ticks(void);

/* Not 0: a tick is a nanosecond of CLOCK_MONOTONIC. */
uint32_t shm_ticks_are_ns(void);

#endif
