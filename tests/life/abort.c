// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,5 rc=42 */
/* MPI-5.0 9.7: MPI_Abort ends all ranks, also those that wait or compute, with the code given. */
#include "tests/check.h"

int main(int argc, char **argv)
{
	int x;

	check_init(&argc, &argv);
	if (check_rank == check_size - 1)
		MPI_Abort(MPI_COMM_WORLD, 42);
	for (volatile long i = 0; check_rank == 1; i++) {
	}
	MPI_Recv(&x, 1, MPI_INT, check_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return 0;
}
