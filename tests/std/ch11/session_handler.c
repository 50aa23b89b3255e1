// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 11.3.1: an error of MPI_Session_init goes to the handler that it is given. */
#include "tests/check.h"

static int called;

static void own_on_session(MPI_Session *s, int *code, ...)
{
	CHECK(*s == MPI_SESSION_NULL && *code == MPI_ERR_INFO_VALUE);
	called++;
}

int main(void)
{
	MPI_Errhandler mine;
	MPI_Session s;
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "thread_level", "MPI_THREAD_SOMETIMES"));
	OK(MPI_Session_create_errhandler(own_on_session, &mine));
	CHECK(MPI_Session_init(info, mine, &s) == MPI_ERR_INFO_VALUE);
	CHECK(called == 1 && s == MPI_SESSION_NULL);
	CHECK(MPI_Session_init(info, MPI_ERRORS_RETURN, &s) == MPI_ERR_INFO_VALUE);
	CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL) == MPI_ERR_ARG);
	OK(MPI_Errhandler_free(&mine));
	OK(MPI_Info_free(&info));
	return 0;
}
