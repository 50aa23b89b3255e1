// SPDX-License-Identifier: BSD-3-Clause
/*
 * move.c - data moved to and from windows by rank 0, while rank 1 waits in a barrier.
 *
 *	put, get	so many bytes, and a flush
 *	put1m		the same, and memcpy into the same memory; put1m.x: its time through put's
 *	acc, fop	MPI_SUM of one 8-byte integer, and a flush
 *	winnew		MPI_Win_allocate and MPI_Win_free, both ranks
 *
 * On a window of MPI_Win_allocate, or (rows with `mine') one of MPI_Win_create on memory of malloc.
 * Puts are read back and sums are asked for after each batch.
 */
#include "tests/bench/bench.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct bench_unit us = {"us", 1e6, 0};

struct move {
	MPI_Win win;
	void *mem; /* of malloc, or NULL */
	void *own; /* where op_copy copies to: this rank's part of the window */
	uint64_t *buf, *back;
	int bytes;
	uint64_t round;
	int64_t sum; /* at rank 1 */
};

static void move_init(struct bench *b, struct move *x, const struct bench_row *row)
{
	size_t bytes = row->arg < 8 ? 8 : row->arg;
	MPI_Aint len = (MPI_Aint)bytes;
	void *mem;

	memset(x, 0, sizeof(*x));
	x->bytes = (int)bytes;
	x->buf = bench_alloc(b, bytes);
	x->back = bench_alloc(b, bytes);
	memset(x->buf, 0, bytes);
	if (strstr(row->name, "mine") != NULL) {
		mem = x->mem = bench_alloc(b, bytes);
		MPI_Win_create(mem, len, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &x->win);
	} else {
		MPI_Win_allocate(len, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &x->win);
	}
	x->own = mem;
	memset(mem, 0, bytes);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, x->win);
}

static void move_fini(struct move *x)
{
	MPI_Win_unlock_all(x->win);
	MPI_Win_free(&x->win);
	free(x->mem);
	free(x->buf);
	free(x->back);
}

static void move_same(struct bench *b, struct move *x)
{
	memset(x->back, 0xff, (size_t)x->bytes);
	MPI_Get(x->back, x->bytes, MPI_BYTE, 1, 0, x->bytes, MPI_BYTE, x->win);
	MPI_Win_flush(1, x->win);
	if (memcmp(x->back, x->buf, (size_t)x->bytes) != 0)
		bench_fail(b, "round %llu: other bytes are there", (unsigned long long)x->round);
}

static double op_put(struct bench *b, void *ctx, long n)
{
	struct move *x = ctx;
	double start = MPI_Wtime();

	bench_clock_start(start, n);
	for (long i = 0; i < n && b->rank == 0; i++) {
		x->buf[0] = ++x->round;
		MPI_Put(x->buf, x->bytes, MPI_BYTE, 1, 0, x->bytes, MPI_BYTE, x->win);
		MPI_Win_flush(1, x->win);
	}
	start = MPI_Wtime() - start;
	if (b->rank == 0)
		move_same(b, x);
	MPI_Barrier(MPI_COMM_WORLD);
	return start;
}

static double op_get(struct bench *b, void *ctx, long n)
{
	struct move *x = ctx;
	double start;

	op_put(b, ctx, 1);
	start = MPI_Wtime();
	bench_clock_start(start, n);
	for (long i = 0; i < n && b->rank == 0; i++) {
		x->back[0] = 0;
		MPI_Get(x->back, x->bytes, MPI_BYTE, 1, 0, x->bytes, MPI_BYTE, x->win);
		MPI_Win_flush(1, x->win);
		if (x->back[0] != x->round)
			bench_fail(b, "got %llu", (unsigned long long)x->back[0]);
	}
	start = MPI_Wtime() - start;
	MPI_Barrier(MPI_COMM_WORLD);
	return start;
}

static double op_acc(struct bench *b, void *ctx, long n)
{
	struct move *x = ctx;
	int64_t one = 1, all = 0;
	double start = MPI_Wtime();

	bench_clock_start(start, n);
	for (long i = 0; i < n && b->rank == 0; i++) {
		MPI_Accumulate(&one, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, MPI_SUM, x->win);
		MPI_Win_flush(1, x->win);
	}
	start = MPI_Wtime() - start;
	x->sum += n;
	if (b->rank == 0) {
		MPI_Fetch_and_op(NULL, &all, MPI_INT64_T, 1, 0, MPI_NO_OP, x->win);
		MPI_Win_flush(1, x->win);
	}
	if (b->rank == 0 && all != x->sum)
		bench_fail(b, "the sum is %lld, not %lld", (long long)all, (long long)x->sum);
	MPI_Barrier(MPI_COMM_WORLD);
	return start;
}

static double op_fop(struct bench *b, void *ctx, long n)
{
	struct move *x = ctx;
	int64_t one = 1, was = 0;
	double start = MPI_Wtime();

	bench_clock_start(start, n);
	for (long i = 0; i < n && b->rank == 0; i++) {
		MPI_Fetch_and_op(&one, &was, MPI_INT64_T, 1, 0, MPI_SUM, x->win);
		MPI_Win_flush(1, x->win);
		if (was != x->sum++)
			bench_fail(b, "the old value is %lld", (long long)was);
	}
	start = MPI_Wtime() - start;
	MPI_Barrier(MPI_COMM_WORLD);
	return start;
}

static double op_new(struct bench *b, void *ctx, long n)
{
	double start = MPI_Wtime();

	(void)b;
	(void)ctx;
	bench_clock_start(start, n);
	for (long i = 0; i < n; i++) {
		MPI_Win win;
		void *mem;

		MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
		MPI_Win_free(&win);
	}
	return MPI_Wtime() - start;
}

static void move_run(struct bench *b, const struct bench_row *row, bench_op *op)
{
	struct move x;

	move_init(b, &x, row);
	bench_measure(b, row->name, &us, op, &x, 0);
	move_fini(&x);
}

void move_put(struct bench *b, const struct bench_row *row)
{
	move_run(b, row, op_put);
}

static double op_copy(struct bench *b, void *ctx, long n)
{
	struct move *x = ctx;
	double start = MPI_Wtime();

	bench_clock_start(start, n);
	for (long i = 0; i < n && b->rank == 0; i++) {
		x->buf[0] = ++x->round;
		memcpy(x->own, x->buf, (size_t)x->bytes);
		__asm__ volatile("" : : "r"(x->own) : "memory");
	}
	start = MPI_Wtime() - start;
	if (b->rank == 0) { /* the caches as after op_put */
		memset(x->back, 0xff, (size_t)x->bytes);
		memcpy(x->back, x->own, (size_t)x->bytes);
		if (memcmp(x->back, x->buf, (size_t)x->bytes) != 0)
			bench_fail(b, "memcpy does not copy");
	}
	MPI_Barrier(MPI_COMM_WORLD);
	return start;
}

/* Rank 1's part of the window, where it is mapped here; NULL if the library does not say.  To ask
 * for that of other windows than shared ones is new in MPI 5.0. */
static void *theirs(MPI_Win win)
{
	void *base = NULL;
	MPI_Aint len;
	int unit;

	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	if (MPI_Win_shared_query(win, 1, &len, &unit, &base) != MPI_SUCCESS)
		base = NULL;
	MPI_Win_set_errhandler(win, MPI_ERRORS_ARE_FATAL);
	return base;
}

/* As above, beside memcpy into that very memory: turn by turn, twice.  And memcpy into this
 * rank's own part, which has nothing to do with a library: x_name.own. */
void move_copy(struct bench *b, const struct bench_row *row)
{
	char put_name[40], copy_name[40], x_name[40], own_name[40];
	double put = 0, copy = 0, own;
	struct move x;
	void *there;

	snprintf(put_name, sizeof(put_name), "%s.again", row->name);
	snprintf(copy_name, sizeof(copy_name), "%s.bare", row->name);
	snprintf(x_name, sizeof(x_name), "%s.x", row->name);
	snprintf(own_name, sizeof(own_name), "%s.own", row->name);
	move_init(b, &x, row);
	own = bench_measure(b, own_name, &us, op_copy, &x, 0);
	there = theirs(x.win);
	if (there != NULL)
		x.own = there;
	copy += bench_measure(b, copy_name, &us, op_copy, &x, 0);
	put += bench_measure(b, row->name, &us, op_put, &x, 0);
	put += bench_measure(b, put_name, &us, op_put, &x, 0);
	copy += bench_measure(b, copy_name, &us, op_copy, &x, 0);
	bench_print(b, x_name, "x", copy / put);
	snprintf(own_name, sizeof(own_name), "%s.own.x", row->name);
	bench_print(b, own_name, "x", 2 * own / copy);
	move_fini(&x);
}

void move_get(struct bench *b, const struct bench_row *row)
{
	move_run(b, row, op_get);
}

void move_acc(struct bench *b, const struct bench_row *row)
{
	move_run(b, row, op_acc);
}

void move_fop(struct bench *b, const struct bench_row *row)
{
	move_run(b, row, op_fop);
}

void move_new(struct bench *b, const struct bench_row *row)
{
	bench_measure(b, row->name, &us, op_new, NULL, 0);
}
