// SPDX-License-Identifier: BSD-3-Clause
/* proxy.h - mpiexec on another host: runs the ranks of that host for the mpiexec that the user has
 * started, and starts the agents of the hosts behind it in the tree.
 *
 *      hello --> FRAME_CONF: sockets for the ranks, UP_READY --> FRAME_WORLD: segment, ranks, and
 * so on until FRAME_BYE
 *
 * An agent that loses its parent ends its ranks and itself.  It is the user's own process, started
 * by the user's own ssh or whatever he has: it listens nowhere, and does nothing that he could not
 * do by hand there. */
#ifndef HAFT_TOOLS_MPIEXEC_PROXY_H
#define HAFT_TOOLS_MPIEXEC_PROXY_H

#include <signal.h>

/* Is an agent on stdin and stdout, until it is over; returns the exit code of its process.  sigfd
 * and mask: as main has made them. */
int proxy_main(int sigfd, const sigset_t *mask);

#endif
