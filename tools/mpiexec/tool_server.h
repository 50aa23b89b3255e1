// SPDX-License-Identifier: BSD-3-Clause
/* tool_server.h - the server of a tool on a host: a process beside the ranks (mpir.h).
 *
 * A tool that starts mpiexec may name a program, MPIR_executable_path, and its arguments.  mpiexec
 * starts one on each host that has ranks, before the tool is told that they are there. */
#ifndef MPIEXEC_TOOL_SERVER_H
#define MPIEXEC_TOOL_SERVER_H

#include <signal.h>
#include <sys/types.h>

/* Starts the server of this host, with the terminal's files of mpiexec.  NULL, or malloc'ed words:
 * it cannot be started. */
char *tool_server_start(char *const *argv, const sigset_t *mask);

/* The job is over: SIGTERM to the server. */
void tool_server_end(void);

#endif
