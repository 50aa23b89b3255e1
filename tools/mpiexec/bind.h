// SPDX-License-Identifier: BSD-3-Clause
/* bind.h - which CPUs each rank of this host may run on.
 *
 *     -bind-to core, 4 ranks      | core 0 | core 1 | core 2 | core 3 |      as they lie
 *                                    r0       r1       r2       r3
 *     -map-by numa                | core 0   core 1 | core 2   core 3 |      NUMA nodes in turn
 *                                    r0       r2       r1       r3
 *
 * The machine is asked by hwloc, which is loaded when somebody wants it and not before.  Only CPUs
 * that mpiexec itself may use are given away; more ranks than parts begin again with the first. */
#ifndef MPIEXEC_BIND_H
#define MPIEXEC_BIND_H

#include <sched.h>
#include "tools/mpiexec/job_plan.h"

/* The CPUs of each of n ranks: malloc'ed; NULL: they are not bound.  Ends mpiexec if they cannot be
 * bound as the user wants it. */
cpu_set_t *bind_make(const struct plan *p, int n);

/* "0-3,8": as text, malloc'ed. */
char *bind_text(const cpu_set_t *set);

#endif
