/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,4 env="HAFT_RMA=msg HAFT_PROGRESS=thread" time=120 */
/* MPI-5.0 12.7.3: with HAFT_PROGRESS=thread a target that makes no call is accessed all the same.
 */
#include "tests/check.h"

#include <unistd.h>

enum { ROUNDS = 20 };

int main(int argc, char **argv)
{
	int *mem, one = 1, old, last = 0, level, isthread;
	MPI_Win win;

	check_init(&argc, &argv);
	OK(MPI_Query_thread(&level));
	CHECK(level == MPI_THREAD_SINGLE || level == MPI_THREAD_FUNNELED);
	OK(MPI_Is_thread_main(&isthread));
	CHECK(isthread);
	OK(MPI_Win_create(&last, sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	mem = &last;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0) {
		volatile int *count = mem;

		/* No call of MPI until all have done their work here. */
		while (*count < ROUNDS * (check_size - 1))
			usleep(1000);
	} else {
		for (int i = 0; i < ROUNDS; i++) {
			OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
			OK(MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, win));
			OK(MPI_Win_unlock(0, win));
		}
	}
	OK(MPI_Win_free(&win));
	MPI_Finalize();
	return 0;
}
