// SPDX-License-Identifier: BSD-3-Clause
/* traffic.c - messages of every kind, for a time, each checked: tests/tools/hostile_system.sh
 * stops, kills and starves it.
 *
 *     storm [SECONDS [BYTES]]     (0.5; large messages have BYTES, 256 KiB)
 *
 * Every rank first prints `rank N pid P'.  A round does each kind once, between neighbours in a
 * ring or among all; rank 0 looks at the clock and all do as it says.  At the end rank 0 prints
 * `storm over'. */
/* RUN np=1,2,4 time=60 */
/* MPI-5.0 3.5: progress; 3.2, 3.7, 4.2, 6.3 to 6.14: data arrive as sent */
#include "tests/check.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMALL 40 /* messages of a burst */
#define PARTS 8

static int rank, size, left, right, turn;
static size_t large = 1 << 18;
static unsigned char *mine, *theirs, *shared, *shared2;

static unsigned char traffic_byte_of(int from, size_t i)
{
	return (unsigned char)(from * 37 + turn * 11 + (int)(i >> 8) * 5 + (int)i);
}

static void traffic_fill(unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = traffic_byte_of(rank, i);
}

static void check_from(const unsigned char *p, size_t n, int from)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != traffic_byte_of(from, i)) {
			fprintf(stderr, "rank %d, round %d: byte %zu of %zu from %d is wrong\n",
				rank, turn, i, n, from);
			MPI_Abort(MPI_COMM_WORLD, 99);
		}
}

static void traffic_small(void)
{
	int out[SMALL], in[SMALL], any;
	MPI_Request r[2 * SMALL];
	MPI_Status s;

	for (int i = 0; i < SMALL; i++) {
		out[i] = turn * SMALL + i + rank;
		MPI_Irecv(&in[i], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &r[i]);
	}
	for (int i = 0; i < SMALL; i++)
		MPI_Isend(&out[i], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &r[SMALL + i]);
	MPI_Waitall(2 * SMALL, r, MPI_STATUSES_IGNORE);
	for (int i = 0; i < SMALL; i++)
		CHECK(in[i] == turn * SMALL + i + left);
	MPI_Isend(&out[0], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &r[0]);
	for (int i = 0; rank == 0 && i < size; i++) {
		MPI_Recv(&any, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &s);
		CHECK(any == turn * SMALL + s.MPI_SOURCE);
	}
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}

static void traffic_pass(unsigned char *from, unsigned char *to, size_t n)
{
	MPI_Request r;

	traffic_fill(from, n);
	memset(to, 0xa5, n);
	MPI_Irecv(to, (int)n, MPI_BYTE, left, 3, MPI_COMM_WORLD, &r);
	MPI_Send(from, (int)n, MPI_BYTE, right, 3, MPI_COMM_WORLD);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	check_from(to, n, left);
}

/* Every other byte of the large buffer. */
static void traffic_derived(void)
{
	size_t n = large / 2;
	MPI_Datatype t;
	MPI_Request r;

	MPI_Type_vector((int)n, 1, 2, MPI_BYTE, &t);
	MPI_Type_commit(&t);
	for (size_t i = 0; i < n; i++)
		mine[2 * i] = traffic_byte_of(rank, i);
	MPI_Irecv(theirs, (int)n, MPI_BYTE, left, 4, MPI_COMM_WORLD, &r);
	MPI_Ssend(mine, 1, t, right, 4, MPI_COMM_WORLD);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	check_from(theirs, n, left);
	MPI_Type_free(&t);
}

static void collective(void)
{
	int one = rank + turn, sum, root = turn % size;
	size_t n = large / (size_t)size;

	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(sum == size * (size - 1) / 2 + turn * size);
	traffic_fill(mine, large);
	MPI_Bcast(mine, (int)large, MPI_BYTE, root, MPI_COMM_WORLD);
	check_from(mine, large, root);
	for (int i = 0; i < size; i++)
		memset(mine + (size_t)i * n, traffic_byte_of(rank, (size_t)i), n);
	MPI_Alltoall(mine, (int)n, MPI_BYTE, theirs, (int)n, MPI_BYTE, MPI_COMM_WORLD);
	for (int i = 0; n > 0 && i < size; i++)
		CHECK(theirs[(size_t)i * n] == traffic_byte_of(i, (size_t)rank) &&
			theirs[(size_t)(i + 1) * n - 1] == traffic_byte_of(i, (size_t)rank));
}

static void traffic_nonblocking(void)
{
	int one = rank, sum = 0, root = (turn + 1) % size, flag = 0;
	MPI_Request r[3];

	traffic_fill(mine, large);
	MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[0]);
	MPI_Ibcast(mine, (int)large, MPI_BYTE, root, MPI_COMM_WORLD, &r[1]);
	MPI_Ibarrier(MPI_COMM_WORLD, &r[2]);
	traffic_pass(shared, shared2, 3000);
	while (!flag)
		MPI_Testall(3, r, &flag, MPI_STATUSES_IGNORE);
	CHECK(sum == size * (size - 1) / 2);
	check_from(mine, large, root);
}

static void partitioned(void)
{
	MPI_Count n = (MPI_Count)(large / PARTS);
	MPI_Request r[2];

	MPI_Psend_init(mine, PARTS, n, MPI_BYTE, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Precv_init(theirs, PARTS, n, MPI_BYTE, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
	traffic_fill(mine, large);
	memset(theirs, 0, large);
	MPI_Startall(2, r);
	for (int i = PARTS - 1; i >= 0; i--)
		MPI_Pready(i, r[0]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	check_from(theirs, (size_t)n * PARTS, left);
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}

static void comms(void)
{
	MPI_Comm dup, half;
	int n;

	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_split(dup, rank % 2, rank, &half);
	MPI_Comm_size(half, &n);
	CHECK(n == (size + 1 - rank % 2) / 2);
	MPI_Barrier(half);
	MPI_Comm_free(&half);
	MPI_Comm_free(&dup);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0.5, start;
	int more;

	check_init(&argc, &argv);
	rank = check_rank;
	size = check_size;
	printf("rank %d pid %d\n", rank, (int)getpid());
	fflush(stdout);
	if (argc > 2)
		large = strtoul(argv[2], NULL, 10);
	left = (rank + size - 1) % size;
	right = (rank + 1) % size;
	mine = malloc(large);
	theirs = malloc(large);
	CHECK(mine != NULL && theirs != NULL);
	MPI_Alloc_mem((MPI_Aint)large, MPI_INFO_NULL, &shared);
	MPI_Alloc_mem((MPI_Aint)large, MPI_INFO_NULL, &shared2);
	start = MPI_Wtime();
	do {
		turn++;
		traffic_small();
		traffic_pass(mine, theirs, large);
		traffic_pass(shared, shared2, large);
		traffic_pass(mine, shared2, 5000 < large ? 5000 : large);
		traffic_derived();
		collective();
		traffic_nonblocking();
		partitioned();
		comms();
		more = MPI_Wtime() - start < seconds;
		MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
	} while (more);
	MPI_Free_mem(shared);
	MPI_Free_mem(shared2);
	free(mine);
	free(theirs);
	MPI_Finalize();
	if (rank == 0)
		printf("storm over after %d rounds\n", turn);
	return 0;
}
