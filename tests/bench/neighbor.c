// SPDX-License-Identifier: BSD-3-Clause
/*
 * neighbor.c - exchange with neighbours, on any number of ranks.
 *
 *	ring	each rank sends 8 bytes, then 1 KiB to the right and receives from the left
 *	halo	a periodic grid, as square as it can be: 1 KiB to and from all four neighbours
 *
 * No rank can run more than a few steps ahead of the others, so rank 0's clock around a batch tells
 * the time of a step.  The first and last words of each message say the step, the sender and the
 * direction; every byte is checked before and after.  On a small grid one rank is several
 * neighbours: the tag is the direction.
 */
#include "tests/bench/bench.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 4, RING_SHORT = 8, CHECK_ROUNDS = 2 };

static const struct bench_unit us = {"us", 1e6, 0};

/* A message to side d comes from the other end's side d: from from[d]. */
struct neighbor_state {
	int n; /* sides */
	int to[SIDES], from[SIDES];
	size_t bytes;
	char *out[SIDES], *in[SIDES];
	uint64_t round;
};

static void neighbor_init(struct bench *b, struct neighbor_state *x, int n, size_t bytes)
{
	x->n = n;
	x->bytes = bytes;
	x->round = 0;
	for (int d = 0; d < n; d++) {
		x->out[d] = bench_alloc(b, bytes);
		x->in[d] = bench_alloc(b, bytes);
	}
}

static void neighbor_fini(struct neighbor_state *x)
{
	for (int d = 0; d < x->n; d++) {
		free(x->out[d]);
		free(x->in[d]);
	}
}

static void neighbor_stamp(const struct bench *b, struct neighbor_state *x, int d, size_t bytes)
{
	uint64_t word = (x->round * (uint64_t)b->size + (uint64_t)b->rank) * SIDES + (uint64_t)d;

	memcpy(x->out[d], &word, sizeof(word));
	memcpy(x->out[d] + bytes - sizeof(word), &word, sizeof(word));
}

static void neighbor_verify(
	const struct bench *b, const struct neighbor_state *x, int d, size_t bytes)
{
	uint64_t want = (x->round * (uint64_t)b->size + (uint64_t)x->from[d]) * SIDES + (uint64_t)d;
	uint64_t first, last;

	memcpy(&first, x->in[d], sizeof(first));
	memcpy(&last, x->in[d] + bytes - sizeof(last), sizeof(last));
	if (first != want || last != want)
		bench_fail(b, "side %d, step %llu: got %llu .. %llu from %d", d,
			(unsigned long long)x->round, (unsigned long long)first,
			(unsigned long long)last, x->from[d]);
}

/* All sides at once. */
static void neighbor_exchange(struct neighbor_state *x, size_t bytes)
{
	MPI_Request r[2 * SIDES];

	for (int d = 0; d < x->n; d++)
		MPI_Irecv(x->in[d], (int)bytes, MPI_BYTE, x->from[d], BENCH_TAG + d, MPI_COMM_WORLD,
			&r[d]);
	for (int d = 0; d < x->n; d++)
		MPI_Isend(x->out[d], (int)bytes, MPI_BYTE, x->to[d], BENCH_TAG + d, MPI_COMM_WORLD,
			&r[x->n + d]);
	MPI_Waitall(2 * x->n, r, MPI_STATUSES_IGNORE);
}

static void neighbor_step(const struct bench *b, struct neighbor_state *x, size_t bytes)
{
	x->round++;
	for (int d = 0; d < x->n; d++)
		neighbor_stamp(b, x, d, bytes);
	neighbor_exchange(x, bytes);
	for (int d = 0; d < x->n; d++)
		neighbor_verify(b, x, d, bytes);
}

/* Every byte of every side. */
static void neighbor_check(struct bench *b, struct neighbor_state *x)
{
	for (unsigned seed = 1; seed <= CHECK_ROUNDS; seed++) {
		for (int d = 0; d < x->n; d++) {
			bench_fill(x->out[d], x->bytes, seed + (unsigned)(b->rank * SIDES + d));
			memset(x->in[d], 0, x->bytes);
		}
		neighbor_exchange(x, x->bytes);
		for (int d = 0; d < x->n; d++)
			bench_check(b, x->in[d], x->bytes,
				seed + (unsigned)(x->from[d] * SIDES + d), "neighbour's data");
	}
}

static double ring_op(struct bench *b, void *ctx, long n)
{
	struct neighbor_state *x = ctx;
	double t0 = MPI_Wtime();

	for (long i = 0; i < n; i++) {
		neighbor_step(b, x, RING_SHORT);
		neighbor_step(b, x, x->bytes);
	}
	return MPI_Wtime() - t0;
}

void neighbor_ring(struct bench *b, const struct bench_row *row)
{
	struct neighbor_state x;

	neighbor_init(b, &x, 1, row->arg);
	x.to[0] = (b->rank + 1) % b->size;
	x.from[0] = (b->rank + b->size - 1) % b->size;
	neighbor_check(b, &x);
	bench_measure(b, row->name, &us, ring_op, &x, 0);
	neighbor_check(b, &x);
	neighbor_fini(&x);
}

static double halo_op(struct bench *b, void *ctx, long n)
{
	struct neighbor_state *x = ctx;
	double t0 = MPI_Wtime();

	for (long i = 0; i < n; i++)
		neighbor_step(b, x, x->bytes);
	return MPI_Wtime() - t0;
}

/* The grid's width: the greatest divisor up to the root. */
static int width(int size)
{
	int w = 1;

	for (int i = 2; i * i <= size; i++)
		if (size % i == 0)
			w = i;
	return w;
}

void neighbor_halo(struct bench *b, const struct bench_row *row)
{
	int w = width(b->size), h = b->size / w, i = b->rank % w, j = b->rank / w;
	struct neighbor_state x;

	neighbor_init(b, &x, SIDES, row->arg);
	x.to[0] = x.from[1] = j * w + (i + 1) % w;
	x.to[1] = x.from[0] = j * w + (i + w - 1) % w;
	x.to[2] = x.from[3] = (j + 1) % h * w + i;
	x.to[3] = x.from[2] = (j + h - 1) % h * w + i;
	neighbor_check(b, &x);
	bench_measure(b, row->name, &us, halo_op, &x, 0);
	neighbor_check(b, &x);
	neighbor_fini(&x);
}
