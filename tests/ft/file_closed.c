// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=3,4 env="HAFT_FT=yes" */
/* RUN np=3,4 env="HAFT_FT=yes HAFT_VIA=net" */
/* file_closed.c - a process dies, and rank 0 closes a file that others still have open: their
 * questions for the shared pointer, which rank 0 has, get an error.  The job lives on. */
#include "tests/ft/ft.h"
#include "tests/std/ch14/file_name.h"

/* On the host of rank 0 the pointer is in memory. */
static void asked(bool local, int err)
{
	if (local)
		OK(err);
	else
		FAILS(MPIX_ERR_PROC_FAILED, "", err);
}

int main(int argc, char **argv)
{
	bool local;
	MPI_Offset at;
	MPI_Status s;
	MPI_File f;
	int x = 0, flag = 1;

	ft_init(&argc, &argv);
	check_local(0, &local);
	OK(MPI_File_open(MPI_COMM_WORLD, file_name("closed"), MPI_MODE_RDWR | MPI_MODE_CREATE,
		MPI_INFO_NULL, &f));
	OK(MPI_File_write_ordered(f, &x, 1, MPI_INT, &s));
	OK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag)); /* also if it dies before all have returned */
	if (check_rank == 1)
		raise(SIGKILL);
	if (check_rank == 0) {
		OK(MPI_File_close(&f));
		for (int r = 2; r < check_size; r++)
			OK(MPI_Send(&x, 1, MPI_INT, r, 1, MPI_COMM_WORLD));
		for (int r = 2; r < check_size; r++)
			OK(MPI_Recv(&x, 1, MPI_INT, r, 2, MPI_COMM_WORLD, &s));
		OK(MPI_File_delete(file_name("closed"), MPI_INFO_NULL));
	} else {
		OK(MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &s));
		asked(local, MPI_File_get_position_shared(f, &at));
		asked(local, MPI_File_write_shared(f, &x, 1, MPI_INT, &s));
		OK(MPI_File_close(&f));
		OK(MPI_Send(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
	}
	MPI_Finalize();
	return check_end();
}
