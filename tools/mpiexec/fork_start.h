// SPDX-License-Identifier: BSD-3-Clause
/* fork_start.h - the ranks of a start that a fork server starts.
 *
 *     row:      0 1 2 ..................... 255 | 256 257
 *     program:  a, many: fork_start_begin       | b, few: fork_start_begin, no server
 *     asked:    0 1 2 ...... | not yet          |
 *     taken:    0 1 .. | not forked yet         |
 *
 * One server at a time: ranks of a program are neighbors. */
#ifndef HAFT_TOOLS_MPIEXEC_FORK_START_H
#define HAFT_TOOLS_MPIEXEC_FORK_START_H

#include "tools/mpiexec/forks.h"

struct local_rank;
struct local_ranks;
struct world;

struct fork_start {
	struct forks forks;
	const struct world *world; /* whose program it is; NULL: none was looked at */
	int app;
	const struct local_ranks *ranks;
	int own;        /* variables that differ from rank to rank */
	bool ended;     /* the server has */
	bool *asked;    /* by row: it is to be forked, and not taken yet */
	int first, end; /* rows that may be asked for */
};

/* Has fork_start_begin been called for the program of a row? */
bool fork_start_serves(const struct fork_start *s, const struct local_rank *m);

/* Starts a fork server for the program of row i, if its ranks here are enough and it can be done.
 * The one before has ended: fork_start_wait, fork_start_end. */
void fork_start_begin(struct fork_start *s, struct local_ranks *c, int i);

/* Asks the server for the rank of a row, of whose variables the first `own' are its own.  False:
 * there is no server, and the caller starts the rank. */
bool fork_start_ask(struct fork_start *s, int row, const struct rank_ends *e, int own);

/* The next row whose rank has been forked, with its pid, or could not be, with -errno (-ECHILD: the
 * server had ended).  -1: there is none now. */
int fork_start_next(struct fork_start *s, pid_t *pid);

/* Waits until the server has forked all ranks that it was asked for, and has ended. */
void fork_start_wait(struct fork_start *s);

/* Forgets the server: after it fork_start_begin may be called. */
void fork_start_end(struct fork_start *s);

#endif
