// SPDX-License-Identifier: BSD-3-Clause
/* launch.h - starts an agent on another host: mpiexec itself, with one private option.
 *
 *   ssh     COMMAND -x -T -o .. HOST 'PATH' OPTION    PATH is quoted for the shell there
 *   rsh     COMMAND HOST 'PATH' OPTION                 the same
 *   slurm   COMMAND .. --nodelist HOST PATH OPTION     a step of an allocation
 *   exec    COMMAND HOST PATH OPTION                   words, for who runs them as they are
 *   fork    PATH OPTION                                here: hosts in name only, for tests
 *
 * That path is the only word of the command line that a user's file name can be in: everything else
 * (programs, arguments, directories, variables) goes through the link. */
#ifndef MPIEXEC_LAUNCH_H
#define MPIEXEC_LAUNCH_H

#include <sys/types.h>
#include "tools/mpiexec/job_plan.h"

#define PROXY_OPTION "--haft-agent"

/* The parent's ends of the agent's stdin, stdout and stderr; close-on-exec. */
struct launched {
	pid_t pid;
	int in, out, err; /* written to; read from; read from */
};

/* Starts the agent of plan->host[host]; here: without a launcher.  Returns 0, or -1 with errno and
 * *stage saying what failed. */
int launch_proxy(const struct plan *p, int host, struct launched *l, const char **stage);

/* What the launcher's command is called, for messages. */
const char *launch_name(const struct plan *p, int host);

/* Finds out what to start: our own path, or that of -prefix. */
void launch_init(struct plan *p);

#endif
