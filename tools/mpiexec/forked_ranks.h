// SPDX-License-Identifier: BSD-3-Clause
/* forked_ranks.h - the ranks of a start that a fork server starts.
 *
 *     row:      0 1 2 ..................... 255 | 256 257
 *     program:  a, many: forked_begin           | b, few: forked_begin, no server
 *     asked:    0 1 2 ...... | not yet          |
 *     taken:    0 1 .. | not forked yet         |
 *
 * One server at a time: ranks of a program are neighbors. */
#ifndef HAFT_TOOLS_MPIEXEC_FORKED_RANKS_H
#define HAFT_TOOLS_MPIEXEC_FORKED_RANKS_H

#include "tools/mpiexec/fork_client.h"

struct local_rank;
struct local_ranks;
struct world;

struct forked_ranks {
	struct fork_client server;
	const struct world *world; /* whose program it is; NULL: none was looked at */
	int app;
	const struct local_ranks *ranks;
	int own;        /* variables that differ from rank to rank */
	bool ended;     /* the server has */
	bool *asked;    /* by row: it is to be forked, and not taken yet */
	int first, end; /* rows that may be asked for */
	bool late;      /* a server or its linker did not begin in time: no other is tried */
};

/* Has forked_begin been called for the program of a row? */
bool forked_serves(const struct forked_ranks *s, const struct local_rank *m);

/* Starts a fork server for the program of row i, if its ranks here are enough and it can be done.
 * The one before has ended: forked_wait, forked_end. */
void forked_begin(struct forked_ranks *s, struct local_ranks *c, int i);

/* Asks the server for the rank of a row, of whose variables the first `own' are its own.  False:
 * there is no server, and the caller starts the rank. */
bool forked_ask(struct forked_ranks *s, int row, const struct rank_ends *e, int own);

/* The next row whose rank has been forked, with its pid, or could not be, with -errno (-ECHILD: the
 * server had ended).  -1: there is none now. */
int forked_next(struct forked_ranks *s, pid_t *pid);

/* Waits until the server has forked all ranks that it was asked for, and has ended. */
void forked_wait(struct forked_ranks *s);

/* Forgets the server: after it forked_begin may be called. */
void forked_end(struct forked_ranks *s);

#endif
