// SPDX-License-Identifier: BSD-3-Clause
/* abort_scope.c - rank 1 makes an error on an object of MPI_COMM_SELF, whose handler is
 * MPI_ERRORS_ABORT; the others go on with each other: abort_scope.sh. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void err_comm(void)
{
	MPI_Comm c;
	int x = 0;

	MPI_Comm_dup(MPI_COMM_SELF, &c);
	MPI_Comm_set_errhandler(c, MPI_ERRORS_ABORT);
	MPI_Send(&x, 1, MPI_INT, 77, 0, c);
}

static void err_win(void)
{
	int x = 0;
	MPI_Win w;

	MPI_Win_create(&x, sizeof(x), sizeof(x), MPI_INFO_NULL, MPI_COMM_SELF, &w);
	MPI_Win_set_errhandler(w, MPI_ERRORS_ABORT);
	MPI_Win_fence(0, w);
	MPI_Put(&x, 1, MPI_INT, 77, 0, 1, MPI_INT, w);
}

static void err_file(const char *name)
{
	MPI_File f;

	MPI_File_open(MPI_COMM_SELF, name,
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
	MPI_File_set_errhandler(f, MPI_ERRORS_ABORT);
	MPI_File_seek(f, -5, MPI_SEEK_SET);
}

int main(int argc, char **argv)
{
	MPI_Comm others;
	int rank, x = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank == 1, 0, &others);
	if (rank == 1) {
		MPI_Ssend(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		if (strcmp(argv[1], "comm") == 0)
			err_comm();
		else if (strcmp(argv[1], "win") == 0)
			err_win();
		else
			err_file(argv[2]);
	} else if (rank == 0) {
		MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	for (double end = MPI_Wtime() + 0.3; x > 0;) {
		int more = MPI_Wtime() < end;

		MPI_Allreduce(&more, &x, 1, MPI_INT, MPI_MIN, others);
	}
	printf("rank %d lives\n", rank);
	fflush(stdout);
	MPI_Finalize();
	return 0;
}
