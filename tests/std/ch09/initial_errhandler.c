// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0,2 env="HAFT_ERRHANDLER=return" */
/* MPI-5.0 9.3, 11.2.1: the initial error handler serves before MPI_Init, is that of MPI_COMM_WORLD
 * and MPI_COMM_SELF at first, and serves again after MPI_Finalize. */
#include "tests/check.h"

int main(int argc, char **argv)
{
	char value[64] = "";
	int n, len = sizeof(value), flag;
	MPI_Errhandler e;
	MPI_Session s = MPI_SESSION_NULL;

	/* nothing of this ends the process */
	CHECK(MPI_Comm_size(MPI_COMM_WORLD, &n) == MPI_ERR_OTHER);
	CHECK(MPI_Info_get_nkeys(MPI_INFO_NULL, &n) == MPI_ERR_INFO);
	CHECK(MPI_Session_call_errhandler(s, MPI_ERR_OTHER) == MPI_ERR_SESSION);
	check_init(&argc, &argv);
	OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &e));
	CHECK(e == MPI_ERRORS_RETURN);
	OK(MPI_Comm_get_errhandler(MPI_COMM_SELF, &e));
	CHECK(e == MPI_ERRORS_RETURN);
	CHECK(MPI_Send(&n, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
	CHECK(MPI_Type_size(MPI_DATATYPE_NULL, &n) == MPI_ERR_TYPE);
	OK(MPI_Info_get_string(MPI_INFO_ENV, "mpi_initial_errhandler", &len, value, &flag));
	CHECK(flag && strcmp(value, "mpi_errors_return") == 0);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
	MPI_Finalize();
	CHECK(MPI_Comm_size(MPI_COMM_WORLD, &n) == MPI_ERR_OTHER);
	CHECK(MPI_Info_get_nkeys(MPI_INFO_NULL, &n) == MPI_ERR_INFO);
	return 0;
}
