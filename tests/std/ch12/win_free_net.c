/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=6 env="HAFT_VIA=net" */
/* MPI-5.0 12.2.5: a window that is freed leaves nothing: no message about its locks comes later and
 * is kept for a window that never will be. */
#include "tests/check.h"

#include <malloc.h>

enum { WINDOWS = 400, ENOUGH = 16384 /* bytes: a message kept is some 70 */ };

static void net_windows(int n)
{
	MPI_Win win;
	char *mem;

	for (int i = 0; i < n; i++) {
		OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win));
		OK(MPI_Win_lock_all(0, win));
		OK(MPI_Win_unlock_all(win));
		OK(MPI_Win_free(&win));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	size_t before;

	check_init(&argc, &argv);
	net_windows(WINDOWS / 4);
	before = mallinfo2().uordblks;
	net_windows(WINDOWS);
	CHECK(mallinfo2().uordblks < before + ENOUGH);
	MPI_Finalize();
	return 0;
}
