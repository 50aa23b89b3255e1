// SPDX-License-Identifier: BSD-3-Clause
/* profile.c - programs with a culprit, by name: profile.sh looks whether -profile names it. */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 8
#define LATE   20000   /* us */
#define LONG   4000000 /* bytes: more than eager */

static int rank, size;
static char *buf;

/* Rank 1 is late with its messages. */
static void profile_sender(void)
{
	const MPI_Comm world = MPI_COMM_WORLD;
	MPI_Status status;

	for (int i = 0; i < ROUNDS; i++) {
		int from = i % 2 == 0 ? 1 : MPI_ANY_SOURCE;

		if (rank == 1)
			usleep(LATE);
		for (int to = 0; rank == 1 && to < size; to++)
			if (to != 1)
				MPI_Send(buf, 100, MPI_INT, to, 7, MPI_COMM_WORLD);
		if (rank != 1)
			MPI_Recv(buf, 100, MPI_INT, from, 7, world, &status); /* line-recv */
	}
}

/* Rank 1 is late to receive what does not fit into a buffer. */
static void receiver(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (rank == 0)
			MPI_Ssend(buf, LONG, MPI_BYTE, 1, 7, MPI_COMM_WORLD); /* line-ssend */
		if (rank == 1) {
			usleep(LATE);
			MPI_Recv(buf, LONG, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	}
}

/* Each rank computes longer than the one before it; or only the last one computes. */
static void profile_loop(bool all)
{
	double x = rank, y;

	for (int i = 0; i < ROUNDS; i++) {
		if (all || rank == size - 1)
			usleep((useconds_t)(rank * LATE / 2));
		MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* line-reduce */
	}
}

/* Rank 1 holds a lock for long. */
static void profile_lock(void)
{
	int *base;
	MPI_Win win;

	MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	for (int i = 0; i < ROUNDS; i++) {
		if (rank == 1)
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == 1)
			usleep(LATE);
		else
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win); /* line-lock */
		MPI_Win_unlock(0, win);
	}
	MPI_Win_free(&win);
}

/* Rank 1 holds a lock, and is late to receive, each for long. */
static void profile_busy(void)
{
	int *base;
	MPI_Win win;

	MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	if (rank == 1)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		usleep(3300000);
	else
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Win_unlock(0, win);
	MPI_Win_free(&win);
	if (rank == 1)
		usleep(3300000);
	if (rank == 1)
		MPI_Recv(buf, LONG, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0)
		MPI_Send(buf, LONG, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
}

/* Rank 1 sleeps for long, while the others are at a barrier. */
static void asleep(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		usleep(3300000);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 2 waits for rank 1 before it sends to rank 3. */
static void chain(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (rank == 1)
			usleep(LATE);
		if (rank > 1)
			MPI_Recv(buf, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank > 0 && rank + 1 < size)
			MPI_Send(buf, 1, MPI_INT, rank + 1, 7, MPI_COMM_WORLD);
	}
}

/* Rank 1 ends before the others can go on: by a signal, by MPI_Abort, or not at all. */
static void profile_dies(const char *how)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1) {
		usleep(10 * LATE);
		if (strcmp(how, "kill") == 0)
			raise(SIGKILL);
		if (strcmp(how, "abort") == 0)
			MPI_Abort(MPI_COMM_WORLD, 3);
		pause();
	}
	MPI_Recv(buf, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* line-dies */
}

/* The parts of a program that MPI_Pcontrol switches off and names. */
static void profile_parts(void)
{
	MPI_Pcontrol(0);
	for (int i = 0; i < 100; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Pcontrol(1);
	MPI_Pcontrol(1000, "solver");
	MPI_Barrier(MPI_COMM_WORLD); /* line-part */
	MPI_Pcontrol(-1000);
	MPI_Pcontrol(7);
}

/* Twice the profile while the job runs: after 10 calls of MPI_Barrier, and after 20 more. */
static void snapshots(void)
{
	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < 10 * (k + 1); i++)
			MPI_Barrier(MPI_COMM_WORLD); /* line-barrier */
		MPI_Pcontrol(2);
		usleep(2500000);
	}
}

/* Collective calls whose blocks have counts of their own: bytes in all. */
static void profile_blocks(void)
{
	int n[8], got[8], at[8], m[2] = {3, 3}, atm[2] = {0, 8};
	MPI_Aint where[2] = {0, 64};
	MPI_Datatype types[8], two[2] = {MPI_DOUBLE, MPI_DOUBLE};
	MPI_Comm ring;
	MPI_Request r;

	for (int i = 0; i < size; i++) {
		n[i] = i + 1;
		got[i] = rank + 1;
		at[i] = i * 16;
		types[i] = MPI_DOUBLE;
	}
	MPI_Alltoallv(buf, n, at, MPI_INT, buf + 1000, got, at, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		n[i] = 2;
	MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, buf, n, at, MPI_DOUBLE,
		MPI_COMM_WORLD);
	MPI_Ialltoallw(buf, n, at, types, buf + 1000, n, at, types, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Reduce_scatter(buf, buf + 1000, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &ring);
	MPI_Neighbor_alltoallv(buf, m, atm, MPI_INT, buf + 1000, m, atm, MPI_INT, ring);
	MPI_Neighbor_alltoallw(buf, m, where, two, buf + 1000, m, where, two, ring);
	MPI_Comm_free(&ring);
}

static void started(MPI_Request *r)
{
	MPI_Start(r);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	MPI_Request_free(r);
}

/* MPI_<name> and, started once, MPI_<name>_init, with the same arguments. */
#define BOTH(name, ...)                                                  \
	do {                                                             \
		MPI_Request request;                                     \
		MPI_##name(__VA_ARGS__);                                 \
		MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
		started(&request);                                       \
	} while (0)

/* Collective calls at once, and persistent: as many bytes. */
static void profile_both(void)
{
	MPI_Comm world = MPI_COMM_WORLD;
	char *to = buf + 4000;
	int n[8], at[8];
	MPI_Datatype types[8];

	for (int i = 0; i < size; i++) {
		n[i] = i + 1;
		at[i] = i * 16;
		types[i] = MPI_INT;
	}
	BOTH(Barrier, world);
	BOTH(Bcast, buf, 5, MPI_INT, 0, world);
	BOTH(Gather, buf, 3, MPI_INT, to, 3, MPI_INT, 0, world);
	BOTH(Gatherv, buf, n[rank], MPI_INT, to, n, at, MPI_INT, 0, world);
	BOTH(Scatter, buf, 7, MPI_INT, to, 7, MPI_INT, 0, world);
	BOTH(Scatterv, buf, n, at, MPI_INT, to, n[rank], MPI_INT, 0, world);
	BOTH(Allgather, buf, 11, MPI_INT, to, 11, MPI_INT, world);
	BOTH(Allgatherv, buf, n[rank], MPI_INT, to, n, at, MPI_INT, world);
	BOTH(Alltoall, buf, 13, MPI_INT, to, 13, MPI_INT, world);
	BOTH(Alltoall, MPI_IN_PLACE, 0, MPI_INT, to, 17, MPI_INT, world);
	for (int i = 0; i < size; i++)
		n[i] = 2;
	BOTH(Alltoallv, buf, n, at, MPI_INT, to, n, at, MPI_INT, world);
	BOTH(Alltoallw, buf, n, at, types, to, n, at, types, world);
	BOTH(Reduce, buf, to, 19, MPI_INT, MPI_SUM, 0, world);
	BOTH(Allreduce, buf, to, 23, MPI_INT, MPI_SUM, world);
	BOTH(Allreduce, MPI_IN_PLACE, to, 29, MPI_INT, MPI_SUM, world);
	BOTH(Reduce_scatter, buf, to, n, MPI_INT, MPI_SUM, world);
	BOTH(Reduce_scatter_block, buf, to, 31, MPI_INT, MPI_SUM, world);
	BOTH(Scan, buf, to, 37, MPI_INT, MPI_SUM, world);
	BOTH(Exscan, buf, to, 41, MPI_INT, MPI_SUM, world);
}

/* Persistent requests, a self message, none at all, and a collective call in place. */
static void profile_sums(void)
{
	MPI_Request r[2];
	int all[8] = {0};

	MPI_Send_init(buf, 10, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, &r[0]);
	MPI_Recv_init(buf, 10, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &r[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, r); /* line-startall */
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	MPI_Send(buf, 3, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
	MPI_Sendrecv(buf, 2, MPI_DOUBLE, rank, 5, all, 8, MPI_INT, rank, 5, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
	MPI_Allreduce(MPI_IN_PLACE, all, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	buf = calloc(1, LONG);
	if (strcmp(what, "sender") == 0)
		profile_sender();
	else if (strcmp(what, "receiver") == 0)
		receiver();
	else if (strcmp(what, "loop") == 0)
		profile_loop(true);
	else if (strcmp(what, "last") == 0)
		profile_loop(false);
	else if (strcmp(what, "lock") == 0)
		profile_lock();
	else if (strcmp(what, "asleep") == 0)
		asleep();
	else if (strcmp(what, "busy") == 0)
		profile_busy();
	else if (strcmp(what, "chain") == 0)
		chain();
	else if (strcmp(what, "parts") == 0)
		profile_parts();
	else if (strcmp(what, "snapshots") == 0)
		snapshots();
	else if (strcmp(what, "blocks") == 0)
		profile_blocks();
	else if (strcmp(what, "both") == 0)
		profile_both();
	else if (strcmp(what, "sums") == 0)
		profile_sums();
	else
		profile_dies(what);
	free(buf);
	MPI_Finalize();
	return 0;
}
