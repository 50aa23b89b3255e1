// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 9.3: user's handlers get communicator and code; get, set, free; a handler freed while it
 * is in use goes on working; the call returns the code that a handler leaves. */
#include "tests/check.h"

static int calls, code;
static MPI_Comm where;

static void user_handler(MPI_Comm *comm, int *err, ...)
{
	calls++;
	code = *err;
	where = *comm;
}

/* The code that the handlers leave. */
static int made;

static void comm_made(MPI_Comm *comm, int *err, ...)
{
	(void)comm;
	*err = made;
}

static void win_made(MPI_Win *win, int *err, ...)
{
	(void)win;
	*err = made;
}

static void file_made(MPI_File *file, int *err, ...)
{
	(void)file;
	*err = made;
}

static void changed_code(void)
{
	MPI_Errhandler h;
	MPI_File file;
	MPI_Win win;
	int x = 0;

	OK(MPI_Comm_create_errhandler(comm_made, &h));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, h));
	OK(MPI_Errhandler_free(&h));
	OK(MPI_Win_create(&x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	OK(MPI_Win_create_errhandler(win_made, &h));
	OK(MPI_Win_set_errhandler(win, h));
	OK(MPI_Errhandler_free(&h));
	OK(MPI_File_create_errhandler(file_made, &h));
	OK(MPI_File_set_errhandler(MPI_FILE_NULL, h));
	OK(MPI_Errhandler_free(&h));
	for (int i = 0; i < 2; i++) {
		made = i == 0 ? MPI_SUCCESS : MPI_ERR_OTHER;
		CHECK(MPI_Send(&x, 1, MPI_INT, check_size, 0, MPI_COMM_WORLD) == made);
		CHECK(MPI_Put(&x, 1, MPI_INT, check_size, 0, 1, MPI_INT, win) == made);
		CHECK(MPI_File_open(MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL,
			      &file) == made);
	}
	OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
	MPI_Errhandler h, old, got;
	int x = 0, class;

	check_init(&argc, &argv);
	OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &old));
	CHECK(old == MPI_ERRORS_ARE_FATAL);
	OK(MPI_Comm_create_errhandler(user_handler, &h));
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
	changed_code();
	MPI_Finalize();
	return 0;
}
