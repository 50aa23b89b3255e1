// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,3,4,7,16 */
/* RUN np=2,4,7 env="HAFT_COLL=p2p" */
/* RUN np=3 env="HAFT_PROGRESS=thread" */
/* RUN np=4 env="HAFT_VIA=net" */
/* MPI-5.0 6.12.1: a barrier with a request is complete at no rank before all have begun it.  Many
 * are under way, with other calls in between and in any order of their completions, and their
 * communicator is freed meanwhile. */
#include "tests/check.h"
#include <mpi.h>
#include <time.h>

#define MANY   40 /* more than a block of shared memory has counters */
#define ROUNDS 20

static int n, me;

/* All ranks say when they came, before the call that a rank has left now. */
static void check_left(double come)
{
	double gone = MPI_Wtime(), last; /* one clock for the node */

	expect_ok(MPI_Allreduce(&come, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
	expect(gone >= last);
}

static void one_by_one(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Request request;
		int done = 0;

		if (i % n == me) /* one is late: others sleep */
			nanosleep(&(struct timespec){0, 2000000}, NULL);
		double come = MPI_Wtime();
		expect_ok(MPI_Ibarrier(MPI_COMM_WORLD, &request));
		if (i % 2 == 0)
			expect_ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
		while (i % 2 != 0 && !done)
			expect_ok(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
		check_left(come);
	}
}

/* The last one is waited for first. */
static void many_at_once(void)
{
	MPI_Request request[MANY];
	double come;

	if (me == n - 1)
		nanosleep(&(struct timespec){0, 2000000}, NULL);
	for (int i = 0; i < MANY; i++) {
		come = MPI_Wtime();
		expect_ok(MPI_Ibarrier(MPI_COMM_WORLD, &request[i]));
	}
	for (int i = MANY - 1; i >= 0; i--)
		expect_ok(MPI_Wait(&request[i], MPI_STATUS_IGNORE));
	check_left(come);
}

/* Calls of all kinds between begin and end. */
static void with_others(void)
{
	MPI_Request request[MANY], bcast;
	int sum, word = me == 0 ? 4711 : 0;

	for (int i = 0; i < MANY; i++) {
		expect_ok(MPI_Ibarrier(MPI_COMM_WORLD, &request[i]));
		if (i % 5 == 0)
			expect_ok(MPI_Barrier(MPI_COMM_WORLD));
		if (i % 7 != 0)
			continue;
		expect_ok(MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &bcast));
		expect_ok(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
		expect(sum == n * (n - 1) / 2);
		expect_ok(MPI_Wait(&bcast, MPI_STATUS_IGNORE));
		expect(word == 4711);
	}
	expect_ok(MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE));
}

/* Rank 0 begins after a message that the others send after they have begun. */
static void begun_only(void)
{
	MPI_Request request;

	for (int i = 1; i < n && me == 0; i++)
		expect_ok(MPI_Recv(NULL, 0, MPI_BYTE, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	expect_ok(MPI_Ibarrier(MPI_COMM_WORLD, &request));
	if (me != 0)
		expect_ok(MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD));
	expect_ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Rank 0 begins many while the others begin none: not one is complete. */
static void begun_alone(void)
{
	MPI_Request request[MANY];
	int done;

	if (me != 0)
		expect_ok(MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	for (int i = 0; i < MANY; i++)
		expect_ok(MPI_Ibarrier(MPI_COMM_WORLD, &request[i]));
	for (int i = 0; i < MANY && me == 0 && n > 1; i++) {
		expect_ok(MPI_Request_get_status(request[i], &done, MPI_STATUS_IGNORE));
		expect(!done);
	}
	for (int i = 1; i < n && me == 0; i++)
		expect_ok(MPI_Send(NULL, 0, MPI_BYTE, i, 0, MPI_COMM_WORLD));
	expect_ok(MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE));
}

/* joins: a blocking call comes first. */
static void freed(int joins)
{
	MPI_Request request[MANY];
	MPI_Comm comm;

	expect_ok(MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &comm));
	if (joins)
		expect_ok(MPI_Barrier(comm));
	for (int i = 0; i < MANY; i++)
		expect_ok(MPI_Ibarrier(comm, &request[i]));
	expect_ok(MPI_Comm_free(&comm));
	expect_ok(MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE));
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	one_by_one();
	many_at_once();
	with_others();
	begun_only();
	begun_alone();
	for (int i = 0; i < ROUNDS; i++)
		freed(i % 2);
	MPI_Finalize();
	return check_end();
}
