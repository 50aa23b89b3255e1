// SPDX-License-Identifier: BSD-3-Clause
/* serve.h - mpiexec as the service of a program that was started without it.
 *
 *   ./a.out ── its first MPI_Comm_spawn ──> mpiexec --haft-serve SOCKET,SEGMENT,PID
 *      |                                       |     (leaves its session, has no parent)
 *      '──── socket: requests, answers ────────'── starts the spawned processes, as always
 *
 * The program is world 0, with one rank, in the segment that it has made itself.  When it has
 * ended, the service ends the worlds connected to it, waits for the rest, and ends.  Nothing else
 * stays.
 *
 * SEGMENT is a descriptor, or a number of enum boot_service (libmpi/boot/mpiexec_words.h):
 * BOOT_SERVICE_FOREIGN: the processes share none with the program (hydra and mpirun have started
 * it).  BOOT_SERVICE_OTHER_HOSTS: they are on hosts that the spawns name, each under a proxy.  The
 * program is on a host of its own then, the first of the plan, where nothing is started. */
#ifndef HAFT_TOOLS_MPIEXEC_SERVE_H
#define HAFT_TOOLS_MPIEXEC_SERVE_H

#include <signal.h>

struct job;

/* Leaves the caller's session, as a process without parent.  `what': the word behind
 * BOOT_SERVE_OPTION.
 * Then signals may be blocked, and serve_start makes the job. */
void serve_detach(const char *what);
void serve_start(struct job *j, const sigset_t *mask);

/* An fd that is readable once the program has ended; -1: this mpiexec is no service. */
int serve_fd(void);

/* To be called when serve_fd is readable. */
void serve_work(struct job *j);

#endif
