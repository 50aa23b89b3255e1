// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,5 env="HAFT_FT=auto HAFT_COLL=shm|p2p" */
/* RUN np=3 env="HAFT_FT=auto HAFT_CHECK=coll" */
/* RUN np=3 env="HAFT_FT=auto HAFT_VIA=net" */
/* auto_by_one.c - only rank 0 asks for failures: MPI_Finalize is one call in all members, if there
 * are none. */
#include "tests/ft/ft.h"

int main(int argc, char **argv)
{
	MPI_Group failed;
	int err;

	ft_init(&argc, &argv);
	if (check_rank == 0) {
		OK(MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed));
		OK(MPI_Group_free(&failed));
	}
	err = MPI_Barrier(MPI_COMM_WORLD);
	CHECK(err == MPI_SUCCESS || err == MPIX_ERR_PROC_FAILED); /* finalize_auto.sh */
	OK(MPI_Finalize());
	return check_end();
}
