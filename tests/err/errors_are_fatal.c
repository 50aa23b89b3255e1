// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 rc=6 */
/* MPI-5.0 9.3: MPI_ERRORS_ARE_FATAL, the default, ends the job; its exit code is the error's
 * class. */
#include "tests/check.h"

int main(int argc, char **argv)
{
	int x = 0;

	check_init(&argc, &argv);
	if (check_rank == check_size - 1)
		MPI_Send(&x, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_SELF);
	MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* no rank sends */
	return 0;
}
