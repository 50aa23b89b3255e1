// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_FT=yes HAFT_COLL=shm|p2p" */
/* revoked_local.c - an inter-communicator is revoked while one member waits, inside of a call on
 * it, for another one of its own group: that wait is on a communicator of the library's. */
#include "tests/ft/ft.h"

int main(int argc, char **argv)
{
	MPI_Comm half, inter, split;
	int high, err, n;

	ft_init(&argc, &argv);
	high = check_rank >= 2;
	OK(MPI_Comm_split(MPI_COMM_WORLD, high, 0, &half));
	OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, high ? 0 : 2, 5, &inter));
	OK(MPI_Comm_split(inter, 0, 0, &split)); /* the library's communicator is there */
	OK(MPI_Comm_free(&split));
	MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
	if (check_rank == 0) {
		err = MPI_Comm_split(inter, 0, 0, &split);
	} else if (check_rank == 1) {
		usleep(100000); /* rank 0 waits now, for this one */
		err = MPIX_Comm_revoke(inter);
		err = err == 0 ? MPI_Barrier(inter) : err;
	} else {
		err = MPI_Recv(&n, 1, MPI_INT, 0, 3, inter, MPI_STATUS_IGNORE);
	}
	CHECK(err == MPIX_ERR_REVOKED);
	OK(MPI_Comm_free(&inter));
	OK(MPI_Comm_free(&half));
	MPI_Finalize();
	return check_end();
}
