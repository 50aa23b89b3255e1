// SPDX-License-Identifier: BSD-3-Clause
/*
 * over.c - communication that goes on while the program computes, as OSU's benchmarks measure it.
 *
 *	start, wait			pure time
 *	start, compute as long, wait	total time
 *
 * The part hidden is 1 - (total - computed) / pure.  On two ranks: an exchange of one message each,
 * and MPI_Ialltoall.  In rows of one busy rank, rank 1 does not compute: its processor is idle once
 * it sleeps.  In the pure time two processors copy, so one alone needs more: in long rows the
 * program computes so long that it can do all.
 */
#include "tests/bench/bench.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 60, WARM = 10, KINDS = 8, ONE_BUSY = 1, ALL_TO_ALL = 2, LONG = 4 };

static const double LONGER = 4; /* times the pure time */

struct over {
	const struct bench *b;
	int kind;
	size_t bytes;
	char *out, *in;
	MPI_Request req[2];
};

static void over_start(struct over *o)
{
	int n = (int)o->bytes, other = 1 - o->b->rank;

	o->req[1] = MPI_REQUEST_NULL;
	if (o->kind & ALL_TO_ALL) {
		MPI_Ialltoall(o->out, n, MPI_BYTE, o->in, n, MPI_BYTE, MPI_COMM_WORLD, &o->req[0]);
		return;
	}
	MPI_Irecv(o->in, n, MPI_BYTE, other, BENCH_TAG, MPI_COMM_WORLD, &o->req[0]);
	MPI_Isend(o->out, n, MPI_BYTE, other, BENCH_TAG, MPI_COMM_WORLD, &o->req[1]);
}

/* Computes for so many seconds; returns those that it took. */
static double over_compute(double seconds)
{
	double begin = MPI_Wtime(), now = begin;

	while (now - begin < seconds)
		now = MPI_Wtime();
	return now - begin;
}

static int over_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median time of a round on this rank, less that of its computation. */
static double over_time(struct over *o, double seconds)
{
	double v[ROUNDS];

	for (int i = -WARM; i < ROUNDS; i++) {
		double t0, computed = 0;
		MPI_Barrier(MPI_COMM_WORLD);
		t0 = MPI_Wtime();
		over_start(o);
		if (seconds > 0)
			computed = over_compute(seconds);
		MPI_Waitall(2, o->req, MPI_STATUSES_IGNORE);
		if (i >= 0)
			v[i] = MPI_Wtime() - t0 - computed;
	}
	qsort(v, ROUNDS, sizeof(v[0]), over_compare);
	return v[ROUNDS / 2];
}

void over_part(struct bench *b, const struct bench_row *row)
{
	struct over o = {b, (int)(row->arg % KINDS), row->arg / KINDS * KINDS, NULL, NULL, {0}};
	size_t from = o.kind & ALL_TO_ALL ? (size_t)(1 - b->rank) * o.bytes : 0;
	double pure, computed, rest, hidden;

	o.out = bench_alloc(b, 2 * o.bytes);
	o.in = bench_alloc(b, 2 * o.bytes);
	for (int i = 0; i < 2; i++)
		bench_fill(o.out + (size_t)i * o.bytes, o.bytes, (unsigned)b->rank);
	pure = over_time(&o, 0);
	MPI_Bcast(&pure, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	computed = o.kind & LONG ? LONGER * pure : pure;
	rest = over_time(&o, b->rank == 1 && (o.kind & ONE_BUSY) ? 0 : computed);
	bench_check(b, o.in + from, o.bytes, (unsigned)(1 - b->rank), "overlap");
	hidden = 1 - rest / pure;
	bench_print(b, row->name, "x", hidden > 0 ? hidden : 0);
	if (b->rank == 0)
		printf("= %s.pure us %.6g\n= %s.total us %.6g\n", row->name, 1e6 * pure, row->name,
			1e6 * (computed + rest));
	free(o.out);
	free(o.in);
}
