// SPDX-License-Identifier: BSD-3-Clause
/* fork_client.h - a fork server starts the many ranks of one program on this host.
 *
 *     fork_unfit?  --NULL-->  fork_client_open ──> fork_client_ask, each rank ──> fork_client_end
 *         | why                  | failed        |──> fork_client_try: the first
 *         '--> rank_start  <─────'               '──> fork_client_pid: has it been forked?
 *
 * The server is the program, stopped in the constructor of libmpi_abi before anything else of it
 * runs: libmpi/boot/fork_server.h.  It is started as a rank would be, by rank_start, so what all
 * ranks inherit from mpiexec they inherit from it. */
#ifndef HAFT_TOOLS_MPIEXEC_FORK_CLIENT_H
#define HAFT_TOOLS_MPIEXEC_FORK_CLIENT_H

#include <stdbool.h>
#include <sys/types.h>
#include "libmpi/boot/fork_server.h"
#include "tools/mpiexec/rank_start.h"

/* Linker and server together have so long to begin; they take 3 ms, on a slow file system more.
 * With the second of fork_client_try this is less than what a proxy may be silent (SILENT_MS), and
 * than the 5 s in which each of its hosts obeys a signal. */
#define FORK_BEGIN_S 3

struct fork_client {
	pid_t pid; /* of the server; 0: there is none */
	int sock;
	int end;         /* becomes readable when the server has ended */
	fork_pid *table; /* shared with it */
	int rows;
	size_t room[FORK_OWN]; /* bytes of each variable of a rank, at most */
};

/* Waits until a file can be read or written, or has ended.  False: it cannot until then, or the job
 * is to end. */
bool fork_await(int fd, short events, uint64_t until_ns);

/* Why can no fork server start a program with this environment here?  NULL: one can.  Runs the
 * dynamic linker once, to see which libraries it loads.  From until_ns on it is late. */
const char *fork_unfit(
	const struct rank_common *s, const struct app *a, char *const *envp, uint64_t until_ns);

/* Starts the server of a program.  envp: the environment of one of its ranks, of which the first
 * `own' variables differ from rank to rank.  NULL, or why it did not start until
 * until_ns. */
const char *fork_client_open(struct fork_client *f, const struct rank_common *s,
	const struct app *a, char **envp, int own, int rows, uint64_t cookie, uint64_t until_ns);

/* Asks for the rank of a row, with the first `own' variables of e->envp.  The files of `e' may be
 * closed then.  False: the server does not take it any more. */
bool fork_client_ask(struct fork_client *f, int row, const struct rank_ends *e, int own);

/* Waits until the first rank that was asked for is forked.  0, or -errno: the kernel does not let
 * the server fork; -ECHILD: it has ended.  Where there may be no process more: 0. */
int fork_client_try(const struct fork_client *f, int row);

/* The pid of the rank of a row; -errno: it could not be forked; 0: it is not, or not yet. */
pid_t fork_client_pid(const struct fork_client *f, int row);

/* Ends the server now: fork_client_pid is final. */
void fork_client_kill(struct fork_client *f);

/* Waits until the server has forked all that it was asked for, and has ended or, where there may be
 * no process more, is the last rank itself.  From then on fork_client_pid is final. */
void fork_client_end(struct fork_client *f);

/* Forgets the table. */
void fork_client_close(struct fork_client *f);

#endif
