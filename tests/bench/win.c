// SPDX-License-Identifier: BSD-3-Clause
/*
 * win.c - synchronization of windows.
 *
 *	fence	put 8 bytes to the right neighbour, fence
 *	pscw	post to the left, start to the right, put 8 bytes, complete, wait
 *	lock	rank 0 locks rank 1, puts 8 bytes, unlocks; rank 1 waits in MPI_Recv
 *	queue	all ranks do so with rank 0, at the same time
 *
 * Every put says its round; arrivals are looked at after each epoch where the target may look,
 * and at the end everywhere.  `queue' adds up instead (get, add, put under the lock), so that a
 * lock that let two in would show.
 */
#include "tests/bench/bench.h"

#include <mpi.h>
#include <stdint.h>

static const struct bench_unit us = {"us", 1e6, 0};

/* One word is used.  MPICH 4.0.2 tells members of windows of less than a page an address at which
 * puts to them do not arrive. */
#define WIN_BYTES 4096

struct win {
	MPI_Win win;
	volatile uint64_t *mem; /* of this rank */
	int left, right;
	MPI_Group from, to; /* these */
	uint64_t round;
};

static void win_init(const struct bench *b, struct win *x)
{
	MPI_Group all;

	x->left = (b->rank + b->size - 1) % b->size;
	x->right = (b->rank + 1) % b->size;
	x->round = 0;
	MPI_Win_allocate(WIN_BYTES, sizeof(uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD,
		(void *)&x->mem, &x->win);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &x->left, &x->from);
	MPI_Group_incl(all, 1, &x->right, &x->to);
	MPI_Group_free(&all);
	*x->mem = 0;
	MPI_Barrier(MPI_COMM_WORLD);
}

static void win_fini(struct win *x)
{
	MPI_Win_free(&x->win);
	MPI_Group_free(&x->from);
	MPI_Group_free(&x->to);
}

static void expect(const struct bench *b, const struct win *x, uint64_t want)
{
	if (*x->mem != want)
		bench_fail(b, "round %llu: the window has %llu, not %llu",
			(unsigned long long)x->round, (unsigned long long)*x->mem,
			(unsigned long long)want);
}

static double op_fence(struct bench *b, void *ctx, long n)
{
	struct win *x = ctx;
	double start;

	MPI_Win_fence(0, x->win);
	start = MPI_Wtime();
	bench_clock_start(start, n);
	for (long i = 0; i < n; i++) {
		x->round++;
		MPI_Put(&x->round, 1, MPI_UINT64_T, x->right, 0, 1, MPI_UINT64_T, x->win);
		MPI_Win_fence(0, x->win);
		expect(b, x, x->round);
		MPI_Win_fence(0, x->win); /* the left one may write again */
	}
	return (MPI_Wtime() - start) / 2;
}

static double op_pscw(struct bench *b, void *ctx, long n)
{
	struct win *x = ctx;
	double start;

	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	bench_clock_start(start, n);
	for (long i = 0; i < n; i++) {
		x->round++;
		MPI_Win_post(x->from, 0, x->win);
		MPI_Win_start(x->to, 0, x->win);
		MPI_Put(&x->round, 1, MPI_UINT64_T, x->right, 0, 1, MPI_UINT64_T, x->win);
		MPI_Win_complete(x->win);
		MPI_Win_wait(x->win);
		expect(b, x, x->round);
	}
	return MPI_Wtime() - start;
}

static double op_lock(struct bench *b, void *ctx, long n)
{
	struct win *x = ctx;
	double start = MPI_Wtime();

	bench_clock_start(start, n);
	for (long i = 0; i < n; i++) {
		x->round++;
		if (b->rank > 0)
			continue;
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, x->win);
		MPI_Put(&x->round, 1, MPI_UINT64_T, 1, 0, 1, MPI_UINT64_T, x->win);
		MPI_Win_unlock(1, x->win);
	}
	start = MPI_Wtime() - start;
	if (b->rank == 0) {
		MPI_Send(NULL, 0, MPI_BYTE, 1, BENCH_TAG, MPI_COMM_WORLD);
	} else if (b->rank == 1) {
		MPI_Recv(NULL, 0, MPI_BYTE, 0, BENCH_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, x->win);
		expect(b, x, x->round);
		MPI_Win_unlock(1, x->win);
	}
	MPI_Barrier(MPI_COMM_WORLD); /* it has looked: the next batch may begin */
	return start;
}

static double op_queue(struct bench *b, void *ctx, long n)
{
	struct win *x = ctx;
	uint64_t value;
	double start;

	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	bench_clock_start(start, n);
	for (long i = 0; i < n; i++) {
		x->round++;
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, x->win);
		MPI_Get(&value, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T, x->win);
		MPI_Win_flush(0, x->win);
		value++;
		MPI_Put(&value, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T, x->win);
		MPI_Win_unlock(0, x->win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime() - start;
	if (b->rank == 0) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, x->win);
		expect(b, x, x->round * (uint64_t)b->size);
		MPI_Win_unlock(0, x->win);
	}
	return start;
}

static void win_run(struct bench *b, const struct bench_row *row, bench_op *op)
{
	struct win x;

	win_init(b, &x);
	bench_measure(b, row->name, &us, op, &x, 0);
	win_fini(&x);
}

void win_fence(struct bench *b, const struct bench_row *row)
{
	win_run(b, row, op_fence);
}

void win_pscw(struct bench *b, const struct bench_row *row)
{
	win_run(b, row, op_pscw);
}

void win_lock(struct bench *b, const struct bench_row *row)
{
	win_run(b, row, op_lock);
}

void win_queue(struct bench *b, const struct bench_row *row)
{
	win_run(b, row, op_queue);
}
