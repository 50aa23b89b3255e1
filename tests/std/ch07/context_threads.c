// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 time=120 */
/* MPI-5.0 7.4.2, 11.6: threads that make communicators from two communicators, in whatever order
 * the processes come to them, neither wait for each other nor mix up their contexts.
 *
 * An argument is the number of rounds. */
#include "tests/check.h"
#include <pthread.h>

static int rounds = 1000;
static MPI_Comm parent[2];

/* A ring in the new communicator, with a number that only this one has. */
static void context_ring(MPI_Comm c, int mark)
{
	int me, n, in = -1;

	OK(MPI_Comm_rank(c, &me));
	OK(MPI_Comm_size(c, &n));
	OK(MPI_Sendrecv(&mark, 1, MPI_INT, (me + 1) % n, 0, &in, 1, MPI_INT, (me + n - 1) % n, 0, c,
		MPI_STATUS_IGNORE));
	CHECK(in == mark);
}

static void *context_worker(void *arg)
{
	int t = *(int *)arg;
	MPI_Comm c, d;
	MPI_Group g;
	MPI_Request r[2];

	OK(MPI_Comm_group(parent[t], &g));
	for (int i = 0; i < rounds; i++) {
		switch ((i + t * 2) % 4) {
		case 0: OK(MPI_Comm_dup(parent[t], &c)); break;
		case 1:
			OK(MPI_Comm_idup(parent[t], &c, &r[0]));
			OK(MPI_Comm_idup(parent[t], &d, &r[1]));
			OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
			OK(MPI_Comm_free(&d));
			break;
		case 2: OK(MPI_Comm_split(parent[t], 0, 0, &c)); break;
		case 3: OK(MPI_Comm_create_group(parent[t], g, 7, &c)); break;
		}
		context_ring(c, 2 * i + t);
		OK(MPI_Comm_free(&c));
	}
	OK(MPI_Group_free(&g));
	return NULL;
}

int main(int argc, char **argv)
{
	int level, number[2] = {0, 1};
	pthread_t thread;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &check_size);
	if (level != MPI_THREAD_MULTIPLE) {
		MPI_Finalize();
		return 77;
	}
	if (argc > 1)
		rounds = atoi(argv[1]);
	for (int t = 0; t < 2; t++)
		OK(MPI_Comm_split(
			MPI_COMM_WORLD, 0, t == 0 ? check_rank : -check_rank, &parent[t]));
	/* the main thread has another communicator in each process */
	if (pthread_create(&thread, NULL, context_worker, &number[check_rank % 2]) != 0)
		return 1;
	context_worker(&number[1 - check_rank % 2]);
	pthread_join(thread, NULL);
	for (int t = 0; t < 2; t++)
		OK(MPI_Comm_free(&parent[t]));
	MPI_Finalize();
	return 0;
}
