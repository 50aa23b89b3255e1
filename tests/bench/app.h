// SPDX-License-Identifier: BSD-3-Clause
/*
 * app.h - kernels after well-known patterns of programs, and the time that messages cost them.
 *
 *	app.c		the measurement
 *	app_cg.c	conjugate gradients: halo of a block, two sums an iteration
 *	app_fft.c	a transposing FFT: MPI_Alltoall
 *	app_sort.c	a sorting exchange: MPI_Alltoallv
 *	app_wave.c	a pipelined wavefront: MPI_Send and MPI_Recv, block by block
 *	app_halo.c	a stencil whose halo travels while the inner part is computed
 *	app_task.c	a master with workers and wildcards; a pool of tasks on MPI_Fetch_and_op
 *
 * The problem of a kernel does not grow with the ranks.  Three things are measured:
 *
 *	one	rank 0 alone, on MPI_COMM_SELF; the others sleep in the kernel
 *	all	all ranks
 *	bare	all ranks without messages: each computes its part, with whatever data it has, and
 *		where it would wait for another one it yields the processor once
 *
 *	ideal = one / CPUs that can compute      figure NAME = all - ideal, NAME.bare = bare - ideal
 *
 * Invariants: a run gives the same checksum on any number of ranks; every run is compared with that
 * of rank 0 alone, which the kernel has checked by itself.
 */
#ifndef BENCH_APP_H
#define BENCH_APP_H

#include "tests/bench/bench.h"

#include <mpi.h>
#include <sched.h>

/* The ranks that run a kernel.  Changed by app.c between runs only. */
struct app {
	const struct bench *b;
	MPI_Comm comm;
	int rank, size;
	int silent;             /* a bare run: no messages */
	struct app_desk *desks; /* for sums of bare runs */
};

struct app_kernel {
	/* Memory and data for `a', which outlives them.  Collective over a->comm. */
	void *(*make)(const struct app *a);
	/* One run.  Returns the checksum on rank 0, anything elsewhere and when silent. */
	double (*run)(void *state);
	void (*drop)(void *state);
	int master; /* rank 0 of several hands out work and does none */
};

/* Measures a kernel and prints its figures.  Collective. */
void app_measure(struct bench *b, const struct bench_row *row, const struct app_kernel *kernel);

/* The first of n things that part i of `parts' has; that of i + 1 is where it ends. */
static inline int app_part(int n, int i, int parts)
{
	return (int)((long)n * i / parts);
}

/* In a silent run: the least cost of a wait for another rank. */
static inline void app_wait_bare(const struct app *a)
{
	if (a->size > 1)
		sched_yield();
}

/* The sum of a value over all ranks of a run. */
double app_sum(const struct app *a, double mine);
double app_sum_bare(const struct app *a, double mine);              /* ... of a bare one */
struct app_desk *app_desks_make(const struct app *a, MPI_Win *win); /* collective */

/* Messages of bare runs, in memory of a->comm: `slots' for each rank, of one sender at a time, and
 * of at most `message' bytes.  A rank that sends receives from the same rank in that step. */
struct app_mailboxes;
struct app_mailboxes *app_mailboxes_make(
	const struct app *a, int slots, size_t message); /* collective */
void app_mailboxes_drop(struct app_mailboxes *b);        /* likewise */
double *app_mailbox_open(
	struct app_mailboxes *b, int to, int slot);               /* where the next message goes */
void app_mailbox_give(struct app_mailboxes *b, int to, int slot); /* it is there now */
/* Waits for the next message; it is good until the rank sends in the next step but one. */
const double *app_mailbox_take(struct app_mailboxes *b, int slot);

#endif
