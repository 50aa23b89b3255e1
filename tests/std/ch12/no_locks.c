/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2 */
/* RUN np=2 env="HAFT_CHECK=strict" */
/* MPI-5.0 12.2.1: no_locks promises a window without locks.  Programs lock it all the same:
 * their locks work, and HAFT_CHECK=strict refuses them. */
#include "tests/check.h"
#include "tests/info_says.h"

#include <stdlib.h>

static int mine;

static MPI_Win unlocked(void)
{
	MPI_Info info;
	MPI_Win win;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "no_locks", "true"));
	OK(MPI_Win_create(&mine, sizeof(mine), sizeof(mine), info, MPI_COMM_WORLD, &win));
	OK(MPI_Info_free(&info));
	OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	return win;
}

static void says_true(MPI_Win win)
{
	MPI_Info info;

	OK(MPI_Win_get_info(win, &info));
	CHECK(info_says(info, "no_locks", "true"));
}

static void locks_work(MPI_Win win)
{
	int one = 1, sum = 0;

	OK(MPI_Win_lock_all(0, win));
	OK(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
	OK(MPI_Win_unlock_all(win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
	OK(MPI_Get(&sum, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
	OK(MPI_Win_unlock(0, win));
	CHECK(sum == check_size);
}

static void locks_refused(MPI_Win win)
{
	FAILS(MPI_ERR_RMA_SYNC, "no_locks", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
	FAILS(MPI_ERR_RMA_SYNC, "no_locks", MPI_Win_lock_all(0, win));
}

int main(int argc, char **argv)
{
	MPI_Win win;

	check_init(&argc, &argv);
	win = unlocked();
	says_true(win);
	if (getenv("HAFT_CHECK") == NULL)
		locks_work(win);
	else
		locks_refused(win);
	OK(MPI_Win_free(&win));
	MPI_Finalize();
	return 0;
}
