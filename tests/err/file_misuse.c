// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 14.7: a function on files without one raises its errors on MPI_FILE_NULL, whose handler
 * returns at first; MPI_COMM_SELF's, which is given to MPI_File_open, is not asked. */
#include "tests/check.h"

static int called;

static void on_file(MPI_File *f, int *code, ...)
{
	CHECK(*f == MPI_FILE_NULL && *code != MPI_SUCCESS);
	called++;
}

int main(int argc, char **argv)
{
	MPI_Errhandler e;
	MPI_File f;

	MPI_Init(&argc, &argv);
	CHECK(MPI_File_open(MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &f) !=
		MPI_SUCCESS);
	CHECK(MPI_File_delete("/no/such/file", MPI_INFO_NULL) != MPI_SUCCESS);
	OK(MPI_File_create_errhandler(on_file, &e));
	OK(MPI_File_set_errhandler(MPI_FILE_NULL, e));
	CHECK(MPI_File_open(MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &f) !=
		MPI_SUCCESS);
	CHECK(called == 1);
	CHECK(MPI_File_delete("/no/such/file", MPI_INFO_NULL) != MPI_SUCCESS);
	CHECK(called == 2);
	OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
	OK(MPI_Errhandler_free(&e));
	MPI_Finalize();
	return 0;
}
