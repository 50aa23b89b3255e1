/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,4 env="HAFT_RMA=msg HAFT_PROGRESS=thread" time=120 */
/* RUN np=2,4 env="HAFT_VIA=net HAFT_PROGRESS=thread" time=120 */
/* MPI-5.0 12.7.3: with HAFT_PROGRESS=thread a target that makes no call is accessed all the same.
 * It makes none until each of the others has left a file that says that its work is done. */
#include "tests/check.h"

#include <fcntl.h>
#include <unistd.h>

enum { ROUNDS = 20 };

/* The file by which a rank says that it is done. */
static const char *mark_of(int rank)
{
	static char path[1024];
	const char *dir = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%s/helper.%d", dir != NULL ? dir : ".", rank);
	return path;
}

static void progress_mark(void)
{
	int fd = open(mark_of(check_rank), O_CREAT | O_WRONLY, 0600);

	CHECK(fd >= 0);
	close(fd);
}

static void await_marks(void)
{
	for (int r = 1; r < check_size; r++) {
		while (access(mark_of(r), F_OK) != 0)
			usleep(1000);
		unlink(mark_of(r));
	}
}

int main(int argc, char **argv)
{
	int one = 1, old, sum = 0, level, isthread;
	MPI_Win win;

	check_init(&argc, &argv);
	OK(MPI_Query_thread(&level));
	CHECK(level == MPI_THREAD_SINGLE || level == MPI_THREAD_FUNNELED);
	OK(MPI_Is_thread_main(&isthread));
	CHECK(isthread);
	OK(MPI_Win_create(&sum, sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0) {
		await_marks();
		OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
		CHECK(sum == ROUNDS * (check_size - 1));
		OK(MPI_Win_unlock(0, win));
	} else {
		for (int i = 0; i < ROUNDS; i++) {
			OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
			OK(MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, win));
			OK(MPI_Win_unlock(0, win));
		}
		progress_mark();
	}
	OK(MPI_Win_free(&win));
	MPI_Finalize();
	return 0;
}
