// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 env="HAFT_ERRHANDLER=return" */
/* MPI-5.0 9.3.4: error handlers of sessions, and the one that is called without MPI_COMM_SELF. */
#include "tests/check.h"

static struct {
	int calls, code;
	MPI_Session session;
} saw;

static void session_on_session(MPI_Session *s, int *code, ...)
{
	saw.calls++;
	saw.code = *code;
	saw.session = *s;
}

static void on_comm(MPI_Comm *c, int *code, ...)
{
	(void)c;
	(void)code;
}

int main(int argc, char **argv)
{
	MPI_Errhandler h, of_comm, got;
	MPI_Session s, none;
	MPI_Group g, sub;
	MPI_Comm c;
	int n, rank = 1000;

	(void)argc;
	(void)argv;
	OK(MPI_Session_create_errhandler(session_on_session, &h));
	OK(MPI_Session_init(MPI_INFO_NULL, h, &s));
	/* MPI-5.0 9.3.4: the handler of MPI_Session_init is the session's */
	OK(MPI_Session_get_errhandler(s, &got));
	CHECK(got == h);
	OK(MPI_Errhandler_free(&got));
	OK(MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n));
	CHECK(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, -5, &n, NULL) != MPI_SUCCESS);
	CHECK(saw.calls == 1 && saw.session == s);
	OK(MPI_Session_call_errhandler(s, MPI_ERR_OTHER));
	CHECK(saw.calls == 2 && saw.code == MPI_ERR_OTHER);
	OK(MPI_Comm_create_errhandler(on_comm, &of_comm));
	CHECK(MPI_Session_set_errhandler(s, of_comm) == MPI_ERR_ERRHANDLER);
	CHECK(saw.calls == 3 && saw.code == MPI_ERR_ERRHANDLER);
	CHECK(MPI_Session_init(MPI_INFO_NULL, of_comm, &none) == MPI_ERR_ERRHANDLER);
	/* MPI-5.0 9.3: an error of a group is raised on the session that it came from */
	OK(MPI_Group_from_session_pset(s, "mpi://SELF", &g));
	saw.calls = 0;
	CHECK(MPI_Group_incl(g, 1, &rank, &sub) == MPI_ERR_RANK);
	CHECK(saw.calls == 1 && saw.code == MPI_ERR_RANK && saw.session == s);
	CHECK(MPI_Comm_create_from_group(g, "a", MPI_INFO_NULL, h, &c) == MPI_ERR_ERRHANDLER);
	CHECK(MPI_Intercomm_create_from_groups(g, 0, g, 0, "a", MPI_INFO_NULL, h, &c) ==
		MPI_ERR_ERRHANDLER);
	saw.calls = 1;
	OK(MPI_Session_set_errhandler(s, MPI_ERRORS_RETURN));
	CHECK(MPI_Group_incl(g, 1, &rank, &sub) == MPI_ERR_RANK);
	CHECK(saw.calls == 1);
	OK(MPI_Session_set_errhandler(s, h));
	OK(MPI_Errhandler_free(&h));
	/* MPI-5.0 9.3: calls without an object ask the initial error handler: MPI_COMM_SELF is not
	 * there */
	CHECK(MPI_Type_size(MPI_DATATYPE_NULL, &n) == MPI_ERR_TYPE);
	CHECK(saw.calls == 1);
	OK(MPI_Group_free(&g));
	OK(MPI_Errhandler_free(&of_comm));
	OK(MPI_Session_finalize(&s));
	CHECK(MPI_Session_call_errhandler(s, MPI_ERR_OTHER) == MPI_ERR_SESSION);
	return 0;
}
