// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_ENDED=1" idle */
/* RUN np=2 env="HAFT_ENDED=1 HAFT_VIA=net" idle */
/* MPI-5.0 11.6.2: a thread waits for a message of any process while another thread of its process
 * computes for long, and all other processes are in MPI_Finalize.  The other thread sends the
 * message: the job must not be ended before. */
#include "tests/check.h"
#include <pthread.h>
#include <unistd.h>

#define COMPUTE_S 4 /* longer than HAFT_ENDED, twice */

static void *thread_listen(void *arg)
{
	int got = 0;

	OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	*(int *)arg = got;
	return NULL;
}

int main(int argc, char **argv)
{
	int level, got = 0, sent = 42;
	pthread_t thread;

	OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
	CHECK(level == MPI_THREAD_MULTIPLE);
	OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
	if (check_rank == 1) {
		CHECK(pthread_create(&thread, NULL, thread_listen, &got) == 0);
		sleep(COMPUTE_S);
		OK(MPI_Send(&sent, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
		CHECK(pthread_join(thread, NULL) == 0);
		CHECK(got == sent);
	}
	OK(MPI_Finalize());
	return 0;
}
