// SPDX-License-Identifier: BSD-3-Clause
/* both_outputs.c - each rank writes a line to both outputs, in MPI.  output.sh makes them fail. */
#include <mpi.h>
#include <stdio.h>

int main(void)
{
	MPI_Init(NULL, NULL);
	printf("out\n");
	fprintf(stderr, "err\n");
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
}
