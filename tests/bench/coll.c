// SPDX-License-Identifier: BSD-3-Clause
/*
 * coll.c - collective operations on all ranks.
 *
 *	barrier, allreduce, alltoall ..	back to back: no rank can run ahead of the others, so
 *					rank 0's clock around a batch tells the time of each
 *	bcast				a barrier after each, outside the clock, and the mean over
 *					the ranks: alone, the root would run ahead
 *
 * Results are checked in every operation by one word, and completely before and after.
 */
#include "tests/bench/bench.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_ROUNDS = 2 };

static const struct bench_unit us = {"us", 1e6, 0};

struct coll {
	double *out, *in;
	size_t bytes;
	int count; /* doubles */
	uint64_t round;
};

static void coll_init(struct bench *b, struct coll *c, size_t bytes, size_t copies)
{
	c->bytes = bytes;
	c->count = (int)(bytes / sizeof(double));
	c->round = 0;
	c->out = bench_alloc(b, bytes * copies);
	c->in = bench_alloc(b, bytes * copies);
}

static void coll_fini(struct coll *c)
{
	free(c->out);
	free(c->in);
}

static double barrier_op(struct bench *b, void *ctx, long n)
{
	double t0 = MPI_Wtime();

	(void)b;
	(void)ctx;
	for (long i = 0; i < n; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Wtime() - t0;
}

void coll_barrier(struct bench *b, const struct bench_row *row)
{
	bench_measure(b, row->name, &us, barrier_op, NULL, 0);
}

static double ibarrier_op(struct bench *b, void *ctx, long n)
{
	double t0 = MPI_Wtime();

	(void)b;
	(void)ctx;
	for (long i = 0; i < n; i++) {
		MPI_Request request;
		MPI_Ibarrier(MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	return MPI_Wtime() - t0;
}

void coll_ibarrier(struct bench *b, const struct bench_row *row)
{
	bench_measure(b, row->name, &us, ibarrier_op, NULL, 0);
}

/* Only the time inside of MPI_Bcast counts. */
static double bcast_op(struct bench *b, void *ctx, long n)
{
	struct coll *c = ctx;
	double sum = 0;

	for (long i = 0; i < n; i++) {
		c->round++;
		if (b->rank == 0)
			c->in[0] = c->in[c->count - 1] = (double)c->round;
		double t0 = MPI_Wtime();
		MPI_Bcast(c->in, c->count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
		sum += MPI_Wtime() - t0;
		if (c->in[0] != (double)c->round || c->in[c->count - 1] != (double)c->round)
			bench_fail(b, "bcast %llu: got %g .. %g", (unsigned long long)c->round,
				c->in[0], c->in[c->count - 1]);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	return sum;
}

static void bcast_check(struct bench *b, struct coll *c)
{
	for (int k = 0; k < CHECK_ROUNDS; k++) {
		int root = k % b->size;
		memset(c->in, 0, c->bytes);
		if (b->rank == root)
			bench_fill(c->in, c->bytes, (unsigned)k + 5);
		MPI_Bcast(c->in, (int)c->bytes, MPI_BYTE, root, MPI_COMM_WORLD);
		bench_check(b, c->in, c->bytes, (unsigned)k + 5, "bcast");
	}
}

void coll_bcast(struct bench *b, const struct bench_row *row)
{
	struct coll c;

	coll_init(b, &c, row->arg, 1);
	bcast_check(b, &c);
	bench_measure(b, row->name, &us, bcast_op, &c, 1);
	bcast_check(b, &c);
	coll_fini(&c);
}

static double allreduce_op(struct bench *b, void *ctx, long n)
{
	struct coll *c = ctx;
	double t0 = MPI_Wtime();

	for (long i = 0; i < n; i++) {
		c->round++;
		c->out[0] = (double)c->round;
		MPI_Allreduce(c->out, c->in, c->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		if (c->in[0] != (double)c->round * b->size)
			bench_fail(b, "allreduce %llu: sum is %g", (unsigned long long)c->round,
				c->in[0]);
	}
	return MPI_Wtime() - t0;
}

/* Small integers in doubles: the sum is exact in any order. */
static void allreduce_check(struct bench *b, struct coll *c)
{
	double ranks = b->size * (b->size + 1) / 2.0;

	for (int i = 0; i < c->count; i++)
		c->out[i] = (b->rank + 1.0) * (i % 1000);
	memset(c->in, 0, c->bytes);
	MPI_Allreduce(c->out, c->in, c->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < c->count; i++)
		if (c->in[i] != ranks * (i % 1000))
			bench_fail(b, "allreduce: element %d is %g, not %g", i, c->in[i],
				ranks * (i % 1000));
}

void coll_allreduce(struct bench *b, const struct bench_row *row)
{
	struct coll c;

	coll_init(b, &c, row->arg, 1);
	allreduce_check(b, &c);
	bench_measure(b, row->name, &us, allreduce_op, &c, 0);
	allreduce_check(b, &c);
	coll_fini(&c);
}

/* The word that rank `from' sends to rank `to' in a round. */
static double parcel(uint64_t round, int from, int to)
{
	return (double)round * 16 + from * 3 + to * 5;
}

static double alltoall_op(struct bench *b, void *ctx, long n)
{
	struct coll *c = ctx;
	int next = (b->rank + 1) % b->size, prev = (b->rank + b->size - 1) % b->size;
	double t0 = MPI_Wtime();

	for (long i = 0; i < n; i++) {
		c->round++;
		c->out[next * c->count] = parcel(c->round, b->rank, next);
		MPI_Alltoall(
			c->out, c->count, MPI_DOUBLE, c->in, c->count, MPI_DOUBLE, MPI_COMM_WORLD);
		if (c->in[prev * c->count] != parcel(c->round, prev, b->rank))
			bench_fail(b, "alltoall %llu: rank %d sent %g",
				(unsigned long long)c->round, prev, c->in[prev * c->count]);
	}
	return MPI_Wtime() - t0;
}

static void alltoall_check(struct bench *b, struct coll *c)
{
	for (int r = 0; r < b->size; r++)
		for (int i = 0; i < c->count; i++)
			c->out[r * c->count + i] = parcel((uint64_t)i + 1, b->rank, r);
	MPI_Alltoall(c->out, c->count, MPI_DOUBLE, c->in, c->count, MPI_DOUBLE, MPI_COMM_WORLD);
	for (int r = 0; r < b->size; r++)
		for (int i = 0; i < c->count; i++)
			if (c->in[r * c->count + i] != parcel((uint64_t)i + 1, r, b->rank))
				bench_fail(b, "alltoall: element %d of rank %d is %g", i, r,
					c->in[r * c->count + i]);
}

void coll_alltoall(struct bench *b, const struct bench_row *row)
{
	struct coll c;

	coll_init(b, &c, row->arg, (size_t)b->size);
	alltoall_check(b, &c);
	bench_measure(b, row->name, &us, alltoall_op, &c, 0);
	alltoall_check(b, &c);
	coll_fini(&c);
}

static double allgather_op(struct bench *b, void *ctx, long n)
{
	struct coll *c = ctx;
	int prev = (b->rank + b->size - 1) % b->size;
	double t0 = MPI_Wtime();

	for (long i = 0; i < n; i++) {
		c->round++;
		c->out[0] = parcel(c->round, b->rank, 0);
		MPI_Allgather(
			c->out, c->count, MPI_DOUBLE, c->in, c->count, MPI_DOUBLE, MPI_COMM_WORLD);
		if (c->in[prev * c->count] != parcel(c->round, prev, 0))
			bench_fail(b, "allgather %llu: rank %d sent %g",
				(unsigned long long)c->round, prev, c->in[prev * c->count]);
	}
	return MPI_Wtime() - t0;
}

void coll_allgather(struct bench *b, const struct bench_row *row)
{
	struct coll c;

	coll_init(b, &c, row->arg, (size_t)b->size);
	bench_measure(b, row->name, &us, allgather_op, &c, 0);
	coll_fini(&c);
}

/* --- calls with lists of counts, here of equal blocks ---------------------------------------- */

static int *counts, *offsets; /* by rank */

static void alltoallv_once(const struct coll *c)
{
	MPI_Alltoallv(c->out, counts, offsets, MPI_DOUBLE, c->in, counts, offsets, MPI_DOUBLE,
		MPI_COMM_WORLD);
}

static void allgatherv_once(const struct coll *c)
{
	MPI_Allgatherv(
		c->out, c->count, MPI_DOUBLE, c->in, counts, offsets, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void reduce_scatter_once(const struct coll *c)
{
	MPI_Reduce_scatter(c->out, c->in, counts, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/* Every block that is given begins with the number of the round: so do those that come. */
static double vector_op(struct bench *b, struct coll *c, long n, void (*once)(const struct coll *c))
{
	double t0 = MPI_Wtime();

	for (long i = 0; i < n; i++) {
		c->round++;
		for (int r = 0; r < b->size; r++)
			c->out[offsets[r]] = (double)c->round;
		once(c);
		if (c->in[0] != (double)c->round)
			bench_fail(b, "%llu: got %g", (unsigned long long)c->round, c->in[0]);
	}
	return MPI_Wtime() - t0;
}

static double alltoallv_op(struct bench *b, void *ctx, long n)
{
	return vector_op(b, ctx, n, alltoallv_once);
}

static double allgatherv_op(struct bench *b, void *ctx, long n)
{
	return vector_op(b, ctx, n, allgatherv_once);
}

static double reduce_scatter_op(struct bench *b, void *ctx, long n)
{
	return vector_op(b, ctx, n, reduce_scatter_once);
}

static void vector_row(struct bench *b, const struct bench_row *row,
	double (*op)(struct bench *b, void *ctx, long n))
{
	struct coll c;

	coll_init(b, &c, row->arg, (size_t)b->size);
	counts = bench_alloc(b, (size_t)b->size * sizeof(int));
	offsets = bench_alloc(b, (size_t)b->size * sizeof(int));
	for (int r = 0; r < b->size; r++) {
		counts[r] = c.count;
		offsets[r] = r * c.count;
	}
	bench_measure(b, row->name, &us, op, &c, 0);
	free(counts);
	free(offsets);
	coll_fini(&c);
}

void coll_alltoallv(struct bench *b, const struct bench_row *row)
{
	vector_row(b, row, alltoallv_op);
}

void coll_allgatherv(struct bench *b, const struct bench_row *row)
{
	vector_row(b, row, allgatherv_op);
}

void coll_reduce_scatter(struct bench *b, const struct bench_row *row)
{
	vector_row(b, row, reduce_scatter_op);
}
