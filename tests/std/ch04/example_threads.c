// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 time=120 */
/* MPI-5.0 4.2.3, 4.3.1: the examples of the chapter with threads: several of them make partitions
 * of one send ready, and several look for partitions of one receive */
#include "tests/thread/threads.h"

enum { THREADS = 8, PARTS = 64, LENGTH = 16, ROUNDS = 20, BIG = 1024 };

static double *message;
static MPI_Request request;
static int length;     /* of a partition of the sender */
static int recv_parts; /* partitions of the receiver */
static int round_now;
static int next_task;

static void produce(int i)
{
	for (int j = i * length; j < (i + 1) * length; j++)
		message[j] = j + round_now;
	MPI_Pready(i, request);
}

/* 4.3.1: each thread its own partitions */
static void example_own(int id)
{
	for (int i = id; i < PARTS; i += THREADS)
		produce(i);
}

/* 4.3.2: tasks that any thread takes */
static void tasks(int id)
{
	(void)id;
	for (;;) {
		int i = __atomic_fetch_add(&next_task, 1, __ATOMIC_RELAXED);

		if (i >= PARTS)
			return;
		produce(i);
	}
}

/* 4.3.3: each thread of the receiver waits for two partitions at a time */
static void consume(int id)
{
	int part = length * PARTS / recv_parts;

	for (int i = id; i < recv_parts; i += THREADS) {
		int flag = 0;

		while (!flag)
			MPI_Parrived(request, i, &flag);
		for (int j = i * part; j < (i + 1) * part; j++)
			CHECK(message[j] == j + round_now);
	}
}

static void example_pair(int parts, int len, void (*work)(int id))
{
	int flag = 0;

	length = len;
	recv_parts = parts;
	message = calloc((size_t)(PARTS * len), sizeof(*message));
	if (check_rank == 0)
		MPI_Psend_init(message, PARTS, len, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
			&request);
	else
		MPI_Precv_init(message, parts, PARTS * len / parts, MPI_DOUBLE, 0, 1,
			MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	for (round_now = 0; round_now < ROUNDS; round_now++) {
		next_task = 0;
		MPI_Start(&request);
		threads_run(THREADS, check_rank == 0 ? work : consume);
		for (flag = 0; !flag;)
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&request);
	free(message);
}

int main(int argc, char **argv)
{
	threads_init(&argc, &argv);
	example_pair(PARTS, LENGTH, example_own);
	example_pair(1, LENGTH, tasks);
	example_pair(2 * PARTS, LENGTH, example_own);
	example_pair(16, BIG, tasks);
	MPI_Finalize();
	return 0;
}
