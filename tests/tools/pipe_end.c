// SPDX-License-Identifier: BSD-3-Clause
/* pipe_end.c - opens the pipe argv[1] to read or to write, by argv[2], all ranks: pipe_end.sh. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int direction = argc > 2 && argv[2][0] == 'r' ? MPI_MODE_RDONLY : MPI_MODE_WRONLY;
	MPI_File f;
	char c = 'x';

	MPI_Init(&argc, &argv);
	MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
	MPI_File_open(MPI_COMM_WORLD, argv[1], direction | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &f);
	if (direction == MPI_MODE_RDONLY)
		MPI_File_read_ordered(f, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE);
	else
		MPI_File_write_ordered(f, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
	MPI_Finalize();
	return 0;
}
