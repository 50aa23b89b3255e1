// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 9.3: user's handlers get communicator and code; get, set, free; a handler freed while it
 * is in use goes on working. */
#include "tests/check.h"

static int calls, code;
static MPI_Comm where;

static void handler(MPI_Comm *comm, int *err, ...)
{
	calls++;
	code = *err;
	where = *comm;
}

int main(int argc, char **argv)
{
	MPI_Errhandler h, old, got;
	int x = 0, class;

	check_init(&argc, &argv);
	OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &old));
	CHECK(old == MPI_ERRORS_ARE_FATAL);
	OK(MPI_Comm_create_errhandler(handler, &h));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, h));
	OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got));
	CHECK(got == h);
	OK(MPI_Errhandler_free(&got));
	CHECK(got == MPI_ERRHANDLER_NULL);
	OK(MPI_Errhandler_free(&h));
	CHECK(MPI_Send(&x, 1, MPI_INT, check_size, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
	CHECK(calls == 1 && where == MPI_COMM_WORLD);
	OK(MPI_Error_class(code, &class));
	CHECK(class == MPI_ERR_RANK);
	/* its handle has gone, but get_errhandler returns one that works */
	OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, got));
	OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &h));
	CHECK(h == got);
	OK(MPI_Errhandler_free(&h));
	OK(MPI_Errhandler_free(&got));
	CHECK(MPI_Send(&x, 1, MPI_INT, check_size, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
	CHECK(calls == 2);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Errhandler_free(&old));
	FAILS(MPI_ERR_ERRHANDLER, "", MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL));
	CHECK(calls == 2);
	MPI_Finalize();
	return 0;
}
