// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3,9 env="HAFT_COLL=shm" */
/* MPI-5.0 6.1: members of one host that are in different calls, say different roots, or reduce
 * different counts, are named without HAFT_CHECK. */
#include "tests/check.h"

/* Each case on a communicator of its own, whose state is undefined afterwards. */
static void member_mismatch(int which)
{
	int in[40] = {0}, out[40], class = MPI_SUCCESS, told;
	bool me = check_rank == 1;
	MPI_Comm c;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	OK(MPI_Barrier(c));
	switch (which) {
	case 0:
		class = me ? MPI_Barrier(c) : MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, c);
		CHECK(class == MPI_SUCCESS || class == MPI_ERR_OTHER);
		break;
	case 1:
		class = MPI_Reduce(in, out, me ? 1 : 2, MPI_INT, MPI_SUM, 0, c);
		CHECK(class == MPI_SUCCESS || class == MPI_ERR_COUNT);
		break;
	case 2:
		class = MPI_Allreduce(in, out, me ? 2 : 1, MPI_INT, MPI_SUM, c);
		CHECK(class == MPI_SUCCESS || class == MPI_ERR_COUNT);
		break;
	case 3:
		class = MPI_Bcast(in, 1, MPI_INT, me ? 1 : 0, c);
		CHECK(class == MPI_SUCCESS || class == MPI_ERR_ROOT);
		break;
	}
	if (which == 0 || which == 3) { /* every member is told by its next call, if not by this */
		class = class != MPI_SUCCESS ? class : MPI_Barrier(c);
		CHECK(class == MPI_ERR_OTHER || class == MPI_ERR_ROOT);
		CHECK(error_says(class, "call"));
	}
	told = class != MPI_SUCCESS;
	OK(MPI_Allreduce(MPI_IN_PLACE, &told, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	CHECK(told > 0);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	if (!check_has_remote())
		for (int i = 0; i < 4; i++)
			member_mismatch(i);
	MPI_Finalize();
	return 0;
}
