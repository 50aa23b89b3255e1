// SPDX-License-Identifier: BSD-3-Clause
/* starved_root.c - a broadcast whose root has no memory for its steps: bcast_root_no_memory.sh. */
#include "tests/failing_malloc.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BIG  1000 /* bytes: steps, not the envelope of a message */
#define HELD 9    /* calls that keep all schedules that Haft has in store */

int main(int argc, char **argv)
{
	int rank, value, err, len;
	char words[MPI_MAX_ERROR_STRING];
	MPI_Request held[HELD];
	MPI_Comm other;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	value = rank == 0 ? 7 : -1;
	MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	value = rank == 0 ? 7 : -1;
	for (int i = 0; i < HELD && rank == 0; i++)
		MPI_Ibarrier(other, &held[i]);
	failing_arm(BIG, 0, 1); /* the schedule */
	no_memory.armed = rank == 0;
	err = MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	no_memory.armed = false;
	MPI_Error_string(err, words, &len);
	printf("rank %d: %s\n", rank, words);
	for (int i = 0; i < HELD && rank != 0; i++)
		MPI_Ibarrier(other, &held[i]);
	MPI_Waitall(HELD, held, MPI_STATUSES_IGNORE);
	value = rank == 0 ? 8 : -1;
	if (MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS)
		printf("rank %d has %d\n", rank, value);
	MPI_Finalize();
	return 0;
}
