// SPDX-License-Identifier: BSD-3-Clause
/* unfinished.c - an end of MPI that is not as it should be: unfinished.sh names it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int unfinished_fails(MPI_Comm c, int key, void *value, void *extra)
{
	return MPI_ERR_OTHER;
}

int main(int argc, char **argv)
{
	MPI_Session s;
	MPI_Group g;
	int rank, size, key;

	if (strcmp(argv[1], "scope") == 0) {
		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ABORT, &s);
		MPI_Group_from_session_pset(s, "mpi://WORLD", &g);
		MPI_Group_rank(g, &rank);
		MPI_Group_free(&g);
		if (rank == 1)
			MPI_Group_from_session_pset(s, "no such set", &g);
		sleep(1);
		MPI_Session_finalize(&s);
		printf("rank %d lives\n", rank);
		return 0;
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size == 3 && rank != 2) {
		MPI_Finalize();
		return 0;
	}
	if (strcmp(argv[1], "session") == 0) {
		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
	} else {
		MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, unfinished_fails, &key, NULL);
		MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	}
	MPI_Finalize();
	return 0;
}
