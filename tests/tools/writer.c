// SPDX-License-Identifier: BSD-3-Clause
/* writer.c - the last rank writes to stdout until it cannot, and the others wait for it:
 * output.sh. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	const char line[] = "a line that is lost\n";
	int rank, size;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	while (rank == size - 1 && write(STDOUT_FILENO, line, strlen(line)) > 0)
		;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
