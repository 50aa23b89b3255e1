// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4,9 env="HAFT_FT=yes HAFT_COLL=shm|p2p" args="idle|receive|forgotten|collective" */
/* RUN np=4,9 env="HAFT_FT=yes HAFT_VIA=net" args="idle|receive|forgotten|collective" */
/* MPI-5.0 7.4.3: MPI_Comm_free marks the communicator; pending operations complete normally.
 *
 * revoked_freed.c - a communicator is revoked that most members have freed.  Each other member
 * learns of it all the same, as do the operations that are under way on the freed one.  The member
 * that revokes frees it at once. */
#include "tests/ft/ft.h"

/* The last member waits; all between it and rank 0 have freed it. */
static void revoke_one(MPI_Comm c, const char *kind)
{
	MPI_Request r = MPI_REQUEST_NULL;
	static int x; /* a forgotten receive needs it to the end */
	int err;

	if (check_rank > 0 && check_rank < check_size - 1) {
		if (kind[0] == 'r' || kind[0] == 'f')
			OK(MPI_Irecv(&x, 1, MPI_INT, 0, 1, c, &r));
		else if (kind[0] == 'c')
			OK(MPI_Ibarrier(c, &r));
		if (kind[0] == 'f')
			OK(MPI_Request_free(&r));
		OK(MPI_Comm_free(&c));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0) {
		OK(MPIX_Comm_revoke(c));
		OK(MPI_Comm_free(&c));
	} else if (check_rank == check_size - 1) {
		FAILS(MPIX_ERR_REVOKED, "revoke",
			MPI_Recv(&x, 1, MPI_INT, 0, 1, c, MPI_STATUS_IGNORE));
		OK(MPI_Comm_free(&c));
	} else if (r != MPI_REQUEST_NULL) {
		err = MPI_Wait(&r, MPI_STATUS_IGNORE);
		FAILS(MPIX_ERR_REVOKED, "revoke", err);
	}
}

int main(int argc, char **argv)
{
	MPI_Comm c, odd;

	ft_init(&argc, &argv);
	for (int i = 0; i < 20; i++) {
		OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
		if (i % 2 == 1) {
			OK(MPI_Comm_split(c, 0, 0, &odd));
			OK(MPI_Comm_free(&c));
			c = odd;
		}
		revoke_one(c, argv[1]);
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	MPI_Finalize();
	return check_end();
}
