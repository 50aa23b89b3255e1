// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4 */
/* MPI-5.0 11.2: the smallest program of MPI: each process says which one it is. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("Hello from rank %d of %d\n", rank, size);
	MPI_Finalize();
	return 0;
}
