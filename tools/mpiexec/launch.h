// SPDX-License-Identifier: BSD-3-Clause
/* launch.h - starts a proxy on another host: mpiexec itself, with one private option.
 *
 *   ssh     COMMAND -x -T -o .. HOST 'PATH' OPTION    PATH is quoted for the remote shell
 *   rsh     COMMAND HOST 'PATH' OPTION                as ssh, without its options
 *   slurm   COMMAND .. --nodelist HOST PATH OPTION     a step of an allocation
 *   exec    COMMAND HOST PATH OPTION                   words, for commands that run them unchanged
 *   fork    PATH OPTION                                locally: hosts in name only, for tests
 *
 * PATH is the only word that can contain a user's file name.  Programs, arguments, directories and
 * variables go through the link. */
#ifndef MPIEXEC_LAUNCH_H
#define MPIEXEC_LAUNCH_H

#include <sys/types.h>
#include "tools/mpiexec/job_plan.h"

#define PROXY_OPTION "--haft-proxy"

/* The parent's ends of the proxy's stdin, stdout and stderr; close-on-exec. */
struct launch_ends {
	pid_t pid;
	int in, out, err; /* written to; read from; read from */
};

/* Starts the proxy of plan->host[host].  Returns 0, or -1 with errno and *stage naming the failed
 * step. */
int launch_proxy(const struct plan *p, int host, struct launch_ends *l, const char **step);

/* The name of the launcher's command, for messages. */
const char *launch_name(const struct plan *p, int host);

/* Sets the path of the proxy's executable: our own, or that of -prefix. */
void launch_init(struct plan *p);

#endif
