// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 11.4.3: mpi_memory_alloc_kinds of what comes from a session is the session's. */
#include "tests/check.h"

/* The value of the key in info, which goes. */
static void kinds(MPI_Info info, char *value)
{
	int len = MPI_MAX_INFO_VAL, flag;

	OK(MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &len, value, &flag));
	CHECK(flag);
	OK(MPI_Info_free(&info));
}

static MPI_Comm comm_of(MPI_Session s)
{
	MPI_Group g;
	MPI_Comm c;

	OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
	OK(MPI_Comm_create_from_group(g, "kinds", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	OK(MPI_Group_free(&g));
	return c;
}

int main(void)
{
	char here[MPI_MAX_INFO_VAL], there[MPI_MAX_INFO_VAL];
	MPI_Info ask, info;
	MPI_Session s;
	MPI_Comm c, d;
	MPI_Win w;

	OK(MPI_Info_create(&ask));
	OK(MPI_Info_set(ask, "mpi_memory_alloc_kinds", "system,mpi:alloc_mem"));
	OK(MPI_Session_init(ask, MPI_ERRORS_RETURN, &s));
	OK(MPI_Info_free(&ask));
	OK(MPI_Session_get_info(s, &info));
	kinds(info, here);
	CHECK(strstr(here, "mpi:alloc_mem") != NULL);
	c = comm_of(s);
	OK(MPI_Comm_get_info(c, &info));
	kinds(info, there);
	CHECK(strcmp(here, there) == 0);
	OK(MPI_Comm_dup(c, &d));
	OK(MPI_Comm_get_info(d, &info));
	kinds(info, there);
	CHECK(strcmp(here, there) == 0);
	OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, d, &w));
	OK(MPI_Win_get_info(w, &info));
	kinds(info, there);
	CHECK(strcmp(here, there) == 0);
	OK(MPI_Win_free(&w));
	OK(MPI_Comm_free(&d));
	OK(MPI_Comm_free(&c));
	OK(MPI_Session_finalize(&s));
	return 0;
}
