// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,5 env="HAFT_FT=auto HAFT_COLL=shm|p2p" */
/* RUN np=3 env="HAFT_FT=auto HAFT_CHECK=coll" */
/* RUN np=3 env="HAFT_FT=auto HAFT_VIA=net" */
/* auto_some.c - only rank 0 asks for failures, of which there are none: MPI_Finalize is the same
 * call in all members. */
#include "tests/ft/ft.h"

int main(int argc, char **argv)
{
	MPI_Group failed;

	ft_init(&argc, &argv);
	if (check_rank == 0) {
		OK(MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed));
		OK(MPI_Group_free(&failed));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Finalize());
	return check_end();
}
