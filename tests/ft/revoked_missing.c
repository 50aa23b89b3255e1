// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=9 env="HAFT_FT=yes HAFT_COLL=shm|p2p" args="blocking|nonblocking" */
/* RUN np=9 env="HAFT_FT=yes HAFT_VIA=net" args="blocking|nonblocking" */
/* MPI-5.0 6.1: a collective operation needs all members of the group.
 *
 * revoked_missing.c - rank 0 does not take part in a collective call, and revokes.  The call fails
 * in each other member, also in one that gets messages of members which know of the revocation
 * before it does: these lack rank 0's data. */
#include "tests/ft/ft.h"

enum { BARRIER, ALLREDUCE, ALLGATHER, CALLS };

static int all[64];

static int missing_blocking(int call, int *one, int *sum, MPI_Comm c)
{
	switch (call) {
	case BARRIER: return MPI_Barrier(c);
	case ALLREDUCE: return MPI_Allreduce(one, sum, 1, MPI_INT, MPI_SUM, c);
	default: return MPI_Allgather(one, 1, MPI_INT, all, 1, MPI_INT, c);
	}
}

static int missing_nonblocking(int call, int *one, int *sum, MPI_Comm c)
{
	MPI_Request r;

	switch (call) {
	case BARRIER: OK(MPI_Ibarrier(c, &r)); break;
	case ALLREDUCE: OK(MPI_Iallreduce(one, sum, 1, MPI_INT, MPI_SUM, c, &r)); break;
	default: OK(MPI_Iallgather(one, 1, MPI_INT, all, 1, MPI_INT, c, &r)); break;
	}
	OK(MPI_Barrier(MPI_COMM_WORLD)); /* the call has begun everywhere */
	return MPI_Wait(&r, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Comm c;

	ft_init(&argc, &argv);
	for (int i = 0; i < 40 * CALLS; i++) {
		int one = 1, sum = 0, err;

		OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
		if (check_rank > 0) {
			err = (argv[1][0] == 'b' ? missing_blocking : missing_nonblocking)(
				i % CALLS, &one, &sum, c);
			FAILS(MPIX_ERR_REVOKED, "revoke", err);
		} else {
			if (argv[1][0] == 'n')
				OK(MPI_Barrier(MPI_COMM_WORLD));
			OK(MPIX_Comm_revoke(c));
		}
		OK(MPI_Comm_free(&c));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	MPI_Finalize();
	return check_end();
}
