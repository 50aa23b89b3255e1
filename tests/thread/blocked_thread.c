// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4 time=120 */
/* MPI-5.0 11.6.1: a blocked thread does not keep the others of its process from making progress */
#include "tests/thread/threads.h"

enum { MANY = 10000, SWAPS = 2000 };

/* Thread 1 of each rank is blocked in a receive that only ends after the others' 10^4 messages. */
static void blocked(int id)
{
	int right = (check_rank + 1) % check_size;
	int left = (check_rank + check_size - 1) % check_size, in = -1;

	if (id == 1) {
		MPI_Recv(&in, 1, MPI_INT, left, 999, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CHECK(in == MANY);
		return;
	}
	for (int i = 0; i < MANY; i++) {
		MPI_Sendrecv(&i, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		CHECK(in == i);
	}
	in = MANY;
	MPI_Send(&in, 1, MPI_INT, right, 999, MPI_COMM_WORLD);
}

/* Two threads that wait for each other's messages to the own process. */
static void selves(int id)
{
	int in = -1;

	for (int i = 0; i < SWAPS; i++) {
		if (id == 0)
			MPI_Ssend(&i, 1, MPI_INT, 0, 10, MPI_COMM_SELF);
		MPI_Recv(&in, 1, MPI_INT, 0, 10 + (id == 0), MPI_COMM_SELF, MPI_STATUS_IGNORE);
		CHECK(in == i);
		if (id == 1)
			MPI_Ssend(&i, 1, MPI_INT, 0, 11, MPI_COMM_SELF);
	}
}

/* One thread waits for an act of another of its process: every way of waiting. */
static MPI_Request user_done;

static int blocked_query(void *extra, MPI_Status *status)
{
	(void)extra;
	MPI_Status_set_elements(status, MPI_INT, 0);
	MPI_Status_set_cancelled(status, 0);
	return MPI_SUCCESS;
}

static int forget(void *extra)
{
	(void)extra;
	return MPI_SUCCESS;
}

static int blocked_cancel(void *extra, int complete)
{
	(void)extra;
	(void)complete;
	return MPI_SUCCESS;
}

static _Atomic int first_seen; /* MPI_Waitany has returned: only then may the other be sent */

static void calls(int id)
{
	int in = -1, out = 5, flag = 0, index;
	MPI_Request r[2];
	MPI_Message m;

	if (id == 0) {
		MPI_Wait(&user_done, MPI_STATUS_IGNORE);
		MPI_Probe(MPI_ANY_SOURCE, 20, MPI_COMM_SELF, MPI_STATUS_IGNORE);
		MPI_Recv(&in, 1, MPI_INT, 0, 20, MPI_COMM_SELF, MPI_STATUS_IGNORE);
		MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_SELF, &m, MPI_STATUS_IGNORE);
		MPI_Mrecv(&in, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
		MPI_Irecv(&in, 1, MPI_INT, 0, 22, MPI_COMM_SELF, &r[0]);
		MPI_Irecv(&in, 1, MPI_INT, 0, 23, MPI_COMM_SELF, &r[1]);
		MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
		CHECK(index == 1);
		first_seen = 1;
		while (!flag)
			MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
		return;
	}
	for (int tag = 19; tag <= 23; tag++) {
		struct timespec nap = {0, 20000000};

		do
			nanosleep(&nap, NULL);
		while (tag == 23 && !first_seen);
		if (tag == 19)
			MPI_Grequest_complete(user_done);
		else
			MPI_Ssend(&out, 1, MPI_INT, 0,
				tag == 22   ? 23
				: tag == 23 ? 22
					    : tag,
				MPI_COMM_SELF);
	}
}

int main(int argc, char **argv)
{
	threads_init(&argc, &argv);
	threads_run(2, blocked);
	threads_run(2, selves);
	MPI_Grequest_start(blocked_query, forget, blocked_cancel, NULL, &user_done);
	threads_run(2, calls);
	MPI_Finalize();
	return 0;
}
