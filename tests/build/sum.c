// SPDX-License-Identifier: BSD-3-Clause
/* sum.c - a program that is valid as C and as C++, built against an installed tree: lib.sh. */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("sum %d\n", sum);
	MPI_Finalize();
	return 0;
}
