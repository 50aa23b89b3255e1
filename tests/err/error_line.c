// SPDX-License-Identifier: BSD-3-Clause
/* error_line.c - one error, which the argument names: one_line.sh reads the line. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	int x = 0, rank;
	const char *how = argc > 1 ? argv[1] : "";

	printf("said earlier\n");
	if (strcmp(how, "before") == 0)
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(how, "abort") == 0)
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT);
	if (strcmp(how, "stale") == 0) {
		MPI_Comm c, d;

		MPI_Comm_dup(MPI_COMM_WORLD, &c); /* line MADE */
		d = c;
		MPI_Comm_free(&c); /* line FREED */
		MPI_Barrier(d);
	}
	if (strcmp(how, "after") != 0 && rank == 0)
		MPI_Send(&x, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
	if (strcmp(how, "after") != 0)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return 0;
}
