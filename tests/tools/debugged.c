// SPDX-License-Identifier: BSD-3-Clause
/* debugged.c - a program that debuggers look at: debugger.sh.  Its argument is the
 * beginning of the name of a file that each rank makes when MPI_Init has returned. */
#include <mpi.h>
#include <stdio.h>

static volatile int done;

__attribute__((noinline)) static void debugged_work(int rank, int size)
{
	done = rank + size;
}

int main(int argc, char **argv)
{
	char name[1024];
	int rank, size;
	FILE *f;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	snprintf(name, sizeof(name), "%s.%d", argc > 1 ? argv[1] : "debugged", rank);
	f = fopen(name, "w");
	if (f == NULL || fclose(f) != 0)
		return 1;
	MPI_Barrier(MPI_COMM_WORLD);
	debugged_work(rank, size);
	if (argc > 2) /* wait for the test, or until mpiexec ends the job */
		MPI_Recv(NULL, 0, MPI_INT, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
