// SPDX-License-Identifier: BSD-3-Clause
/* own_threads.c - a user's program of MPI_THREAD_MULTIPLE: messages and collectives in four
 * threads, each with a communicator of its own, and a window.  argv[1]: two threads race for a
 * variable. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 100, LEN = 64, LONG = 100000 };

static int rank, size, raced;
static int data[THREADS][LONG];
static MPI_Comm comms[THREADS];

static void *own_work(void *arg)
{
	int t = (int)(long)arg, x[LEN], y[LEN], sum, next = (rank + 1) % size;
	int last = (rank + size - 1) % size;
	MPI_Request r[2];

	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < LEN; k++)
			x[k] = rank * ROUNDS + i;
		MPI_Irecv(y, LEN, MPI_INT, last, t, MPI_COMM_WORLD, &r[0]);
		MPI_Isend(x, LEN, MPI_INT, next, t, MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comms[t]);
		if (y[LEN - 1] != last * ROUNDS + i || sum != i * size)
			abort();
	}
	MPI_Sendrecv_replace(data[t], LONG, MPI_INT, next, 9, last, 9, comms[t], MPI_STATUS_IGNORE);
	return NULL;
}

static void *own_race(void *arg)
{
	raced++;
	return arg;
}

static void own_both(void *(*fn)(void *), int n)
{
	pthread_t threads[THREADS];

	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, fn, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	int level, *base, value;
	MPI_Win w;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
	own_both(argc > 1 ? own_race : own_work, argc > 1 ? 2 : THREADS);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_free(&comms[i]);
	value = rank;
	MPI_Win_allocate(
		sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&base, &w);
	MPI_Win_fence(0, w);
	MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, w);
	MPI_Win_fence(0, w);
	if (*base != (rank + size - 1) % size)
		abort();
	MPI_Win_free(&w);
	MPI_Finalize();
	return 0;
}
