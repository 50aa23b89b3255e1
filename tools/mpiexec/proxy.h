// SPDX-License-Identifier: BSD-3-Clause
/* proxy.h - mpiexec on another host: runs the ranks of that host and starts the proxies below it.
 *
 *      hello --> FRAME_CONF: open sockets, UP_READY --> FRAME_WORLD: segment, ranks --> ...
 *      FRAME_BYE
 *
 * A proxy that loses its parent ends its ranks and exits.  It is a process of the user, started by
 * the user's own ssh or other command.  It listens nowhere. */
#ifndef HAFT_TOOLS_MPIEXEC_PROXY_H
#define HAFT_TOOLS_MPIEXEC_PROXY_H

#include <signal.h>

/* Runs a proxy on stdin and stdout until the job is over; returns its exit code.  sigfd and mask
 * are those of signals_init in main.c. */
int proxy_main(int sigfd, const sigset_t *mask);

#endif
