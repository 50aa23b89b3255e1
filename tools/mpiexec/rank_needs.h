// SPDX-License-Identifier: BSD-3-Clause
/* rank_needs.h - which ranks a rank waits for, as seen from outside.
 *
 *      rank 0: MPI_Recv from rank 1     -->  to = {1}
 *      rank 2: MPI_Recv from any rank   -->  any
 *      rank 3: MPI_Waitany of two       -->  several: either would do */
#ifndef MPIEXEC_NEEDS_H
#define MPIEXEC_NEEDS_H

#include <stdbool.h>
#include <stdint.h>
#include "libmpi/boot/waitrec.h"

struct job;

/* The rank cannot continue without all of these. */
struct needs {
	int to[BOOT_WAIT_LATE]; /* entries */
	int n;
	int forgotten; /* number of one more: its world has ended and is forgotten; 0: none */
	bool any;      /* it waits for a message of any rank */
	struct boot_numbers enders[BOOT_WAIT_ENDERS]; /* `any' or `several', as in struct boot_wait;
						     * n 0: not known */
	bool several;                                 /* or for any of several requests */
	bool closed; /* `any' or `several': if all other ranks have ended it waits for ever */
};

/* The needs of rank r as of the last check.  Empty for ranks that do not sleep in MPI, are
 * stopped, or have several waiting threads. */
struct needs rank_needs(const struct job *j, int r);

/* True if rank r has slept in one call of MPI for ns, woken by timeouts only. */
bool rank_sleeps(const struct job *j, int r, uint64_t now, uint64_t ns);

/* True if another thread of rank r may call MPI, also one that is outside now: with a message, with
 * MPI_Cancel, or in a session that MPI_Finalize does not end. */
bool rank_has_threads(const struct job *j, int r);

/* How long rank r has been outside of MPI without using CPU time, in ns, as far as the hang
 * watch knows; 0: it is inside, or has used CPU time. */
uint64_t rank_away_ns(const struct job *j, int r);

#endif
