// SPDX-License-Identifier: BSD-3-Clause
/* cpu_bind.h - CPU binding: which CPUs each rank of this host may run on.
 *
 *     -bind-to core, 4 ranks      | core 0 | core 1 | core 2 | core 3 |      in the order of hwloc
 *                                    r0       r1       r2       r3
 *     -map-by numa                | core 0   core 1 | core 2   core 3 |      NUMA nodes in turn
 *                                    r0       r2       r1       r3
 *
 * hwloc is loaded only when binding is requested.  Only CPUs that mpiexec itself may use are
 * assigned.  With more ranks than parts the assignment starts over. */
#ifndef MPIEXEC_CPU_BIND_H
#define MPIEXEC_CPU_BIND_H

#include <sched.h>
#include "tools/mpiexec/job_plan.h"

/* The CPU set of each of n ranks, malloc'ed; NULL: ranks are not bound.  Ends mpiexec with words if
 * the requested binding is impossible. */
cpu_set_t *bind_make(const struct plan *p, int n);

/* A CPU set as text, "0-3,8"; malloc'ed. */
char *bind_text(const cpu_set_t *set);

#endif
