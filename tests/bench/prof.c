// SPDX-License-Identifier: BSD-3-Clause
/*
 * prof.c - cost of a profile and of a trace for a call: the same calls with it and without it, by
 * turns.
 *
 * The script starts the row profcall with HAFT_PROFILE, and tracecall with HAFT_TRACE; other
 * libraries ignore these, and MPI_Pcontrol.  A round is a message to oneself in three calls:
 * MPI_Isend, MPI_Recv, MPI_Wait. */
#include "tests/bench/bench.h"

#include <mpi.h>

enum { CALLS = 3 }; /* of a round */

static double prof_rounds(long n)
{
	double t0 = MPI_Wtime(), from = 1, to;
	MPI_Request r;

	for (long i = 0; i < n; i++) {
		MPI_Isend(&from, 1, MPI_DOUBLE, 0, BENCH_TAG, MPI_COMM_SELF, &r);
		MPI_Recv(&to, 1, MPI_DOUBLE, 0, BENCH_TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	return MPI_Wtime() - t0;
}

static double prof_op(struct bench *b, void *ctx, long n)
{
	double without, with;

	(void)b;
	(void)ctx;
	MPI_Pcontrol(0);
	without = prof_rounds(n);
	MPI_Pcontrol(1);
	with = prof_rounds(n);
	return (with - without) / CALLS;
}

void prof_call(struct bench *b, const struct bench_row *row)
{
	static const struct bench_unit ns = {"ns", 1e9, 0};

	bench_measure(b, row->name, &ns, prof_op, NULL, 0);
}
