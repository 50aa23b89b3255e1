// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_FT=yes" */
/* RUN np=4 env="HAFT_FT=yes HAFT_VIA=net" */
/* MPI-5.0 9.3: procedures on groups invoke the error handler of the session that the group is from,
 * also if a member has failed. */
#include "tests/ft/ft.h"

static int calls, code;
static MPI_Session session, seen;

static void on_session(MPI_Session *s, int *err, ...)
{
	calls++;
	code = *err;
	seen = *s;
}

int main(void)
{
	MPI_Errhandler h;
	MPI_Group g;
	MPI_Comm c, next;
	int n;

	OK(MPI_Session_create_errhandler(on_session, &h));
	OK(MPI_Session_init(MPI_INFO_NULL, h, &session));
	OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &g));
	OK(MPI_Comm_create_from_group(g, "first", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	ft_root_dies(c);
	n = MPI_Comm_create_from_group(g, "second", MPI_INFO_NULL, MPI_ERRORS_RETURN, &next);
	FAILS(MPIX_ERR_PROC_FAILED, "rank 0", n);
	CHECK(calls == 1 && code == MPIX_ERR_PROC_FAILED && seen == session);
	OK(MPIX_Comm_ack_failed(c, 1, &n));
	OK(MPI_Comm_free(&c));
	OK(MPI_Group_free(&g));
	OK(MPI_Errhandler_free(&h));
	OK(MPI_Session_finalize(&session));
	return check_end();
}
