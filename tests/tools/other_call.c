// SPDX-License-Identifier: BSD-3-Clause
/* other_call.c - argv[1] names the call of rank 0, argv[2] that of the others, on a communicator
 * that has made collective calls before if there is an argv[3]: other_call.sh. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 16 };

static int x[MANY], y[MANY], zero[MANY], rank, size;

static void call_root(const char *name)
{
	int root = atoi(strchr(name, '=') + 1);

	if (strncmp(name, "bcast", 5) == 0)
		MPI_Bcast(x, 1, MPI_INT, root, MPI_COMM_WORLD);
	else if (strncmp(name, "gather", 6) == 0)
		MPI_Gather(&rank, 1, MPI_INT, y, 1, MPI_INT, root, MPI_COMM_WORLD);
	else if (strncmp(name, "scatter", 7) == 0)
		MPI_Scatter(y, 1, MPI_INT, x, 1, MPI_INT, root, MPI_COMM_WORLD);
	else
		MPI_Reduce(&rank, x, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
}

static void call_comm(const char *name)
{
	MPI_Comm c = MPI_COMM_NULL;
	MPI_Group all, first;
	MPI_Win w;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &(int){0}, &first);
	if (strcmp(name, "create") == 0)
		MPI_Comm_create(MPI_COMM_WORLD, all, &c);
	else if (strcmp(name, "create_first") == 0)
		MPI_Comm_create(MPI_COMM_WORLD, first, &c);
	else if (strcmp(name, "split") == 0)
		MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &c);
	else if (strcmp(name, "win") == 0)
		MPI_Win_create(x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	else
		MPI_Comm_dup(MPI_COMM_WORLD, &c);
}

static void call(const char *name)
{
	if (strchr(name, '=') != NULL)
		call_root(name);
	else if (strcmp(name, "allreduce") == 0)
		MPI_Allreduce(&rank, x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	else if (strcmp(name, "barrier") == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	else if (strcmp(name, "alltoallv") == 0)
		MPI_Alltoallv(x, zero, zero, MPI_INT, y, zero, zero, MPI_INT, MPI_COMM_WORLD);
	else if (strcmp(name, "allgatherv") == 0)
		MPI_Allgatherv(&rank, 0, MPI_INT, y, zero, zero, MPI_INT, MPI_COMM_WORLD);
	else
		call_comm(name);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size > MANY)
		MPI_Abort(MPI_COMM_WORLD, 99);
	if (argc > 3)
		MPI_Barrier(MPI_COMM_WORLD);
	call(argv[rank == 0 ? 1 : 2]);
	MPI_Finalize();
	return 0;
}
