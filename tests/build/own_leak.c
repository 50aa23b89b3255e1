// SPDX-License-Identifier: BSD-3-Clause
/* own_leak.c - a program with a leak of its own if it has an argument: asan.sh. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	MPI_Datatype type;
	MPI_Comm comm;
	int rank, sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_rank(comm, &rank);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
	MPI_Type_vector(3, 2, 5, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Type_set_name(type, "a name");
	if (argc > 1)
		*(void *volatile *)&comm = malloc(1234); /* the program's own leak */
	comm = MPI_COMM_NULL;
	MPI_Finalize();
	return 0;
}
