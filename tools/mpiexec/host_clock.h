// SPDX-License-Identifier: BSD-3-Clause
/* host_clock.h - the clocks of other hosts, compared with mpiexec's.
 *
 *     mpiexec   t0 ── FRAME_CLOCK {t0} ──>            ──> t1      offset = there - (t0 + t1) / 2
 *     proxy              there ── UP_CLOCK {t0, there} ──'        error  = (t1 - t0) / 2
 *
 * BURST questions when a host is ready, then one each EVERY_MS.  The best answer of the first and
 * the best of the last ones, that is those with the least error, give the offset: between them it
 * changes evenly.  The error of an answer is a bound: whatever the two ways took, "there" lies
 * between t0 and t1. */
#ifndef HAFT_TOOLS_MPIEXEC_HOST_CLOCK_H
#define HAFT_TOOLS_MPIEXEC_HOST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "tools/mpiexec/marshal.h"

struct remote_ranks;

/* The host is ready to start ranks: asks it. */
void host_clock_begin(struct remote_ranks *f, int host);

/* Asks the hosts for which it is time. */
void host_clock_work(struct remote_ranks *f, uint64_t now);

/* Takes an answer.  host_clock_answer is the proxy's part: makes one. */
void host_clock_take(struct remote_ranks *f, int host, struct marshal *p);
void host_clock_answer(struct marshal *out, const void *question, uint32_t len);

/* ns by which the host's clock is ahead of mpiexec's, at this moment of its own; 0: not asked. */
double host_clock_offset(int host, double at_ns);

/* The largest error of a host that has answered, in ns; 0: there is none. */
double host_clock_error(void);

#endif
