// SPDX-License-Identifier: BSD-3-Clause
/* rank_start.h - starts one rank.
 *
 * vfork and exec: the child borrows mpiexec's memory, so that nothing is copied and 64 ranks start
 * in some 30 ms.  Each rank leads a process group of its own, dies with mpiexec, has its own stdout
 * and stderr, and inherits the segment's fd. */
#ifndef HAFT_TOOLS_MPIEXEC_RANK_START_H
#define HAFT_TOOLS_MPIEXEC_RANK_START_H

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "tools/mpiexec/job_plan.h"

/* What is the same for all ranks. */
struct spawn {
	sigset_t mask;       /* the user's signal mask */
	struct rlimit files; /* the user's limit */
	int seg_fd;          /* an fd that they inherit */
	pid_t by;            /* mpiexec */
};

/* What a rank reads and writes, and its environment. */
struct ends {
	int in, out, err;
	const cpu_set_t *cpus; /* NULL: it is not bound */
	int listen;            /* its socket, which it inherits as it is; -1: none */
	int pmi;               /* likewise: its connection to the PMI server */
	char **envp;
};

/* Starts `a' with this environment and the given fds as 0, 1 and 2.  Returns the pid, or -1 with
 * errno; *stage says then what failed. */
pid_t rank_start(
	const struct spawn *s, const struct app *a, const struct ends *e, const char **stage);

#endif
