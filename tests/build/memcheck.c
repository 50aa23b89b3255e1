// SPDX-License-Identifier: BSD-3-Clause
/* memcheck.c - messages of all protocols, for memcheck: valgrind.sh. */
#include <mpi.h>
#include <stdlib.h>

enum { LONG = 300000 };

int main(int argc, char **argv)
{
	int *buf = calloc(LONG, sizeof(*buf)), rank, sum = 0;
	MPI_Comm comm;

	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_rank(comm, &rank);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
	for (int n = 1; n <= LONG; n *= 10) {
		if (rank == 0)
			MPI_Send(buf, n, MPI_INT, 1, 0, comm);
		else
			MPI_Recv(buf, n, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
	}
	MPI_Comm_free(&comm);
	MPI_Finalize();
	free(buf);
	return sum != 1;
}
