// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_COLL=p2p HAFT_PROFILE=-" */
/* MPI-5.0 6.14: a member may be in the next call when its message of this one is received.  The
 * comparison of calls took such a pair for two different calls, where a profile asked for whom a
 * wait was as it ended. */
#include "tests/check.h"

#define CALLS 20000
#define BURST 2 /* calls that the root makes without a pause */

/* Returns when the receiver waits, or nearly so: the wait is to be a short one. */
static void root_pause(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}

int main(int argc, char **argv)
{
	int rank;

	check_init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < CALLS; i++) {
		int x = rank == 0 ? i : -1;

		if (rank == 0 && i % BURST == 0)
			root_pause(i % 997);
		OK(MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD));
		CHECK(x == i);
	}
	MPI_Finalize();
	return check_end();
}
