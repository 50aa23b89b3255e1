// SPDX-License-Identifier: BSD-3-Clause
/*
 * life.c - cost of a rank that does nothing: start, waiting, memory.
 *
 *	start	MPI_Init, MPI_Finalize; the script takes the time of the whole job from outside
 *	wait	rank 0 sleeps, rank 1 sits in MPI_Recv: the processor time of rank 1, all threads
 *	memory	the kernel's proportional set size of each rank, mean over the ranks, while all
 *		are alive and after each has talked to all others once by a collective operation and
 *		to its neighbours by messages
 */
#include "tests/bench/bench.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static double timeval_seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* Seconds of processor time of this process so far. */
static double cpu_time(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return timeval_seconds(u.ru_utime) + timeval_seconds(u.ru_stime);
}

void life_start(struct bench *b, const struct bench_row *row)
{
	(void)b;
	(void)row;
}

void life_wait(struct bench *b, const struct bench_row *row)
{
	const struct timespec nap = {(time_t)row->arg, 0};
	int word = 0;
	double used = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	if (b->rank == 0) {
		nanosleep(&nap, NULL);
		word = 42;
		MPI_Send(&word, 1, MPI_INT, 1, BENCH_TAG, MPI_COMM_WORLD);
		MPI_Recv(&used, 1, MPI_DOUBLE, 1, BENCH_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		bench_print(b, row->name, "s", used);
		return;
	}
	double before = cpu_time();
	MPI_Recv(&word, 1, MPI_INT, 0, BENCH_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	used = cpu_time() - before;
	if (word != 42)
		bench_fail(b, "wait: received %d", word);
	MPI_Send(&used, 1, MPI_DOUBLE, 0, BENCH_TAG, MPI_COMM_WORLD);
}

/* The first messages of a job: one way, the mean of row->arg round trips.  One before them waits
 * for the rank that starts later: not each library's MPI_Init does. */
void life_first(struct bench *b, const struct bench_row *row)
{
	int n = (int)row->arg, other = 1 - b->rank;
	double t0 = 0, word = 0;

	for (int i = 0; i <= n; i++) {
		if (i == 1)
			t0 = MPI_Wtime();
		if (b->rank == 0) {
			double sent = i + 1;
			MPI_Send(&sent, 1, MPI_DOUBLE, other, BENCH_TAG, MPI_COMM_WORLD);
		}
		MPI_Recv(&word, 1, MPI_DOUBLE, other, BENCH_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (word != i + 1)
			bench_fail(b, "first: message %d says %g", i + 1, word);
		if (b->rank == 1)
			MPI_Send(&word, 1, MPI_DOUBLE, other, BENCH_TAG, MPI_COMM_WORLD);
	}
	bench_print(b, row->name, "us", 1e6 * (MPI_Wtime() - t0) / (2.0 * n));
}

/* Proportional set size in KiB: shared pages count by their share. */
static double life_pss(const struct bench *b)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[128];
	double kib = -1;

	if (!f)
		bench_fail(b, "cannot read /proc/self/smaps_rollup");
	while (kib < 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "Pss: %lf kB", &kib) != 1)
			kib = -1;
	fclose(f);
	return kib;
}

void life_memory(struct bench *b, const struct bench_row *row)
{
	int next = (b->rank + 1) % b->size, prev = (b->rank + b->size - 1) % b->size;
	int word = -1;
	double mine, sum = 0;

	MPI_Sendrecv(&b->rank, 1, MPI_INT, next, BENCH_TAG, &word, 1, MPI_INT, prev, BENCH_TAG,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (word != prev)
		bench_fail(b, "memory: rank %d said %d", prev, word);
	mine = 1;
	MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (sum != b->size)
		bench_fail(b, "memory: the sum of %d ones is %g", b->size, sum);
	mine = life_pss(b);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	bench_print(b, row->name, "MiB", sum / b->size / 1024);
}
