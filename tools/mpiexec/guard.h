// SPDX-License-Identifier: BSD-3-Clause
/* guard.h - a helper process that cleans up when mpiexec is killed by SIGKILL.
 *
 * The kernel then kills the ranks (PR_SET_PDEATHSIG), but not processes that they have started. The
 * guard sleeps in sigwaitinfo without open files until mpiexec dies.  Then it kills the process
 * group of each rank, and each process whose environment has the cookie of the job. */
#ifndef MPIEXEC_GUARD_H
#define MPIEXEC_GUARD_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

struct guard {
	pid_t pid;
	_Atomic int32_t *group; /* [GUARD_GROUPS]: by row, 0: none; shared with the guard */
};

#define GUARD_GROUPS 131072 /* rows: ranks of a segment, twice; address space only */

/* Starts the guard.  g->pid stays 0 if fork fails: the job then runs without a
 * guard. */
void guard_init(struct guard *g, uint64_t cookie);

/* Ends the guard; called before mpiexec ends normally. */
void guard_fini(struct guard *g);

#endif
