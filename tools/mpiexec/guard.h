// SPDX-License-Identifier: BSD-3-Clause
/* guard.h - the process that survives mpiexec when somebody kills it with SIGKILL.
 *
 * The kernel then kills the ranks themselves (PR_SET_PDEATHSIG), but not what they have started: a
 * shell's children, a daemon.  The guard sleeps in sigwait, with no file open, until mpiexec has
 * died; then it kills every rank's process group, and every process whose environment carries the
 * job's cookie. */
#ifndef MPIEXEC_GUARD_H
#define MPIEXEC_GUARD_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

struct guard {
	pid_t pid;
	_Atomic int32_t *group; /* of each rank, 0: none; shared with the guard */
};

/* Starts it for `n' ranks of the job with `cookie'; its pid stays 0 if there is no process left. */
void guard_init(struct guard *g, int n, uint64_t cookie);

/* Ends it: mpiexec is about to end by itself. */
void guard_fini(struct guard *g);

#endif
