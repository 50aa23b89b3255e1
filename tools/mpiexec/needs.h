// SPDX-License-Identifier: BSD-3-Clause
/* needs.h - for whom a rank waits, as far as it can be seen from outside.
 *
 *      rank 0: MPI_Recv from rank 1     -->  to = {1}
 *      rank 2: MPI_Recv from any rank   -->  any
 *      rank 3: MPI_Waitany of two       -->  nothing: either would do */
#ifndef MPIEXEC_NEEDS_H
#define MPIEXEC_NEEDS_H

#include <stdbool.h>
#include "libshm/shm.h"

struct job;

/* The numbers that libmpi/p2p writes for what it waits for (enum req_kind), and the context id of
 * MPI_COMM_WORLD. */
enum {
	WAIT_SEND = 1,
	WAIT_RECV,
	WAIT_COLL,
	WAIT_USER,
	WAIT_PSEND,
	WAIT_PRECV,
	WAIT_WIN,
	WAIT_BACK,
	WAIT_LOCK
};
enum { CTX_WORLD = 8 };

/* Without all of them the rank cannot go on. */
struct needs {
	int to[SHM_WHAT_LATE]; /* ranks of the job */
	int n;
	bool any; /* it waits for a message of whoever sends one */
};

/* What rank r needs as of the last look; nothing of one that does not sleep in MPI, is stopped, or
 * has several threads, one of which may help. */
struct needs needs_of(const struct job *j, int r);

#endif
