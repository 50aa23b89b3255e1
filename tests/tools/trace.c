// SPDX-License-Identifier: BSD-3-Clause
/* trace.c - programs whose timeline is known, by name: trace.sh looks whether -trace has it. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG 4000000 /* bytes: more than eager */

static int rank, size;
static char *buf, *in;

/* Persistent and partitioned messages. */
static void trace_persistent(int to, int from)
{
	MPI_Comm world = MPI_COMM_WORLD;
	MPI_Request r[2];

	MPI_Send_init(buf, 7, MPI_BYTE, to, 7, world, &r[0]);
	MPI_Recv_init(in, 7, MPI_BYTE, from, 7, world, &r[1]);
	for (int i = 0; i < 2; i++) {
		MPI_Startall(2, r);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	MPI_Psend_init(buf, 2, 4, MPI_BYTE, to, 8, world, MPI_INFO_NULL, &r[0]);
	MPI_Precv_init(in, 4, 2, MPI_BYTE, from, 8, world, MPI_INFO_NULL, &r[1]);
	for (int i = 0; i < 2; i++) {
		MPI_Start(&r[0]);
		MPI_Start(&r[1]);
		MPI_Pready_range(0, 1, r[0]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}

/* Every kind of message: 12 a rank. */
static void trace_messages(void)
{
	int to = (rank + 1) % size, from = (rank + size - 1) % size;
	MPI_Comm dup, world = MPI_COMM_WORLD;
	MPI_Request r[2];
	MPI_Message m;

	MPI_Comm_dup(world, &dup);
	/* two of one tag, received in the other order than they are waited for */
	MPI_Irecv(in, 10, MPI_BYTE, from, 3, world, &r[0]);
	MPI_Irecv(in + 10, 10, MPI_BYTE, from, 3, world, &r[1]);
	MPI_Send(buf, 10, MPI_BYTE, to, 3, world); /* line-send */
	MPI_Send(buf, 10, MPI_BYTE, to, 3, dup);
	MPI_Send(buf, 10, MPI_BYTE, to, 3, world);
	MPI_Wait(&r[1], MPI_STATUS_IGNORE);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Recv(in, 10, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, dup, MPI_STATUS_IGNORE);
	/* long, and synchronous */
	MPI_Isend(buf, LONG, MPI_BYTE, to, 4, world, &r[0]);
	MPI_Recv(in, LONG, MPI_BYTE, from, 4, world, MPI_STATUS_IGNORE);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Issend(buf, 1, MPI_INT, to, 5, world, &r[0]);
	MPI_Mprobe(from, 5, world, &m, MPI_STATUS_IGNORE);
	MPI_Mrecv(in, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Sendrecv(buf, 2, MPI_INT, to, 6, in, 2, MPI_INT, from, 6, world, MPI_STATUS_IGNORE);
	trace_persistent(to, from);
	/* with numbers for which a short record has no room */
	MPI_Sendrecv(buf, 2, MPI_INT, to, 20000, in, 2, MPI_INT, from, MPI_ANY_TAG, world,
		MPI_STATUS_IGNORE);
	/* to itself, and to no process */
	MPI_Sendrecv(buf, 1, MPI_INT, rank, 8, in, 1, MPI_INT, rank, 8, world, MPI_STATUS_IGNORE);
	MPI_Send(buf, 1, MPI_INT, MPI_PROC_NULL, 9, world);
	MPI_Comm_free(&dup);
}

/* More calls than a ring has room for. */
static void trace_many(void)
{
	for (int i = 0; i < 5000; i++)
		if (rank == 0)
			MPI_Send(buf, 8, MPI_BYTE, 1, i % 3, MPI_COMM_WORLD);
		else if (rank == 1)
			MPI_Recv(
				in, 8, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void *thread_run(void *arg)
{
	int tag = (int)(intptr_t)arg, x = tag, y;

	for (int i = 0; i < 50; i++)
		MPI_Sendrecv(&x, 1, MPI_INT, (rank + 1) % size, tag, &y, 1, MPI_INT,
			(rank + size - 1) % size, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

static void trace_threads(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, thread_run, (void *)(intptr_t)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

/* MPI_Pcontrol switches the trace off and on, and names regions. */
static void trace_parts(void)
{
	MPI_Pcontrol(0);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Send(buf, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Recv(in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Pcontrol(1);
	for (int i = 0; i < 3; i++) {
		MPI_Pcontrol(1000, "step");
		MPI_Pcontrol(1000, "inner");
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Pcontrol(-1000);
		MPI_Pcontrol(-1000);
	}
}

/* Rank 1 ends before the others can go on: by a signal, by MPI_Abort, or not at all. */
static void trace_dies(const char *how)
{
	if (rank == 0)
		MPI_Send(buf, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
	if (rank == 1) {
		MPI_Recv(in, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		usleep(200000);
		if (strcmp(how, "kill") == 0)
			raise(SIGKILL);
		if (strcmp(how, "abort") == 0)
			MPI_Abort(MPI_COMM_WORLD, 3);
		pause();
	}
	MPI_Recv(in, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int level;

	MPI_Init_thread(&argc, &argv,
		strcmp(what, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	buf = calloc(1, LONG);
	in = calloc(1, LONG);
	if (strcmp(what, "messages") == 0)
		trace_messages();
	else if (strcmp(what, "many") == 0)
		trace_many();
	else if (strcmp(what, "threads") == 0)
		trace_threads();
	else if (strcmp(what, "parts") == 0)
		trace_parts();
	else
		trace_dies(what);
	free(buf);
	free(in);
	MPI_Finalize();
	return 0;
}
