// SPDX-License-Identifier: BSD-3-Clause
/* rank_start.h - starts one rank.
 *
 * By vfork and exec: no page tables are copied, and 64 ranks start in about 30 ms.  Each rank
 * leads a process group, dies with mpiexec, has its own stdout and stderr, and inherits the
 * segment's fd. */
#ifndef HAFT_TOOLS_MPIEXEC_RANK_START_H
#define HAFT_TOOLS_MPIEXEC_RANK_START_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "tools/mpiexec/job_plan.h"

#define FD_OWN 128 /* from here on mpiexec has those that it keeps of each rank */

/* Common to all ranks. */
struct rank_common {
	sigset_t mask;       /* signal mask that mpiexec inherited */
	struct rlimit files; /* limit of open files that mpiexec inherited */
	int seg_fd;          /* the segment, inherited by the ranks */
	int profile_fd;      /* likewise the profile; -1: none */
	int inherited_end;   /* fd_inherited_end of the start */
	pid_t by;            /* mpiexec */
	char host[256];      /* name of this host */
};

/* The files, CPUs and environment of one rank. */
struct rank_ends {
	int in, out, err;
	const cpu_set_t *cpus; /* NULL: it is not bound */
	int listen;            /* listening socket, inherited; -1: none */
	int pmi;               /* connection to the PMI server, inherited; -1: none */
	bool fork_server;      /* it is a fork server: fork_client.h */
	char **envp;
};

/* Moves a descriptor that mpiexec keeps out of the way of the next ranks: those below FD_OWN are
 * copied for each.  Returns the new one, or fd if there is none. */
int fd_keep(int fd);

/* Behind all descriptors that a program executed now would inherit: ranks inherit them. */
int fd_inherited_end(void);

/* Starts program `a'.  Returns the pid, or -1 with errno and *stage naming the failed step. */
pid_t rank_start(const struct rank_common *s, const struct app *a, const struct rank_ends *e,
	const char **step);

#endif
