// SPDX-License-Identifier: BSD-3-Clause
/*
 * comm.c - cost of a communicator: a copy of MPI_COMM_WORLD, made and freed.
 */
#include "tests/bench/bench.h"

#include <mpi.h>

static const struct bench_unit us = {"us", 1e6, 0};

static double dup_op(struct bench *b, void *ctx, long n)
{
	double t0 = MPI_Wtime();

	(void)b;
	(void)ctx;
	for (long i = 0; i < n; i++) {
		MPI_Comm c;

		MPI_Comm_dup(MPI_COMM_WORLD, &c);
		MPI_Comm_free(&c);
	}
	return MPI_Wtime() - t0;
}

void comm_dup(struct bench *b, const struct bench_row *row)
{
	bench_measure(b, row->name, &us, dup_op, NULL, 1);
}
