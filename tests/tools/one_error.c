// SPDX-License-Identifier: BSD-3-Clause
/* one_error.c - an argument is wrong in rank 1 only, which goes on: settings_agree.sh. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char text[MPI_MAX_ERROR_STRING];
	int rank, x = 0, err, len;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	err = MPI_Bcast(&x, 1, MPI_INT, rank == 1 ? 99 : 0, MPI_COMM_WORLD);
	MPI_Error_string(err, text, &len);
	printf("%s\n", text);
	fflush(stdout);
	if (rank == 1) {
		MPI_Barrier(MPI_COMM_WORLD);
		for (;;)
			pause(); /* rank 0 has the last word */
	}
	MPI_Abort(MPI_COMM_WORLD, 3);
	return 0;
}
