// SPDX-License-Identifier: BSD-3-Clause
/* rank_needs.h - which ranks a rank waits for, as seen from outside.
 *
 *      rank 0: MPI_Recv from rank 1     -->  to = {1}
 *      rank 2: MPI_Recv from any rank   -->  any
 *      rank 3: MPI_Waitany of two       -->  none: either would do */
#ifndef MPIEXEC_NEEDS_H
#define MPIEXEC_NEEDS_H

#include <stdbool.h>
#include <stdint.h>
#include "libshm/shm.h"

struct job;

/* Values of shm_what.kind, as libmpi writes them, and the context id of MPI_COMM_WORLD. */
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

/* The rank cannot continue without all of these. */
struct needs {
	int to[SHM_WHAT_LATE]; /* ranks of the job */
	int n;
	bool any; /* it waits for a message of any rank */
};

/* The needs of rank r as of the last look.  Empty for ranks that do not sleep in MPI, are
 * stopped, or have several waiting threads. */
struct needs rank_needs(const struct job *j, int r);

/* How long rank r has been outside of MPI without using CPU time, in ns, as far as the hang
 * watch knows; 0: it is inside, or has used CPU time. */
uint64_t rank_away_ns(const struct job *j, int r);

#endif
