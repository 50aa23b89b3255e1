// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 env="HAFT_ERRHANDLER=return" */
/* MPI-5.0 7.7, 9.1.2.1, pitfall 24: attributes in the Sessions Model, without MPI_Init:
 * communicators have MPI_TAG_UB, keys outlive a session, and are none after the last one. */
#include "tests/check.h"

static char order[32];

static int deletes(MPI_Comm c, int key, void *v, void *extra)
{
	(void)c;
	(void)key;
	(void)extra;
	snprintf(order + strlen(order), 8, "d%d", (int)(intptr_t)v);
	return MPI_SUCCESS;
}

static MPI_Comm session_comm_of(MPI_Session s, const char *tag)
{
	MPI_Group g;
	MPI_Comm c;

	OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
	OK(MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	OK(MPI_Group_free(&g));
	return c;
}

int main(int argc, char **argv)
{
	MPI_Session s, t;
	MPI_Comm c, d;
	int key, *ub, flag;
	void *v;

	(void)argc;
	(void)argv;
	OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	c = session_comm_of(s, "keysess.1");
	OK(MPI_Comm_get_attr(c, MPI_TAG_UB, &ub, &flag));
	CHECK(flag && *ub >= 32767);
	OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, deletes, &key, NULL));
	OK(MPI_Comm_set_attr(c, key, (void *)1));
	OK(MPI_Comm_dup(c, &d));
	OK(MPI_Comm_get_attr(d, key, &v, &flag));
	CHECK(flag && v == (void *)1);
	OK(MPI_Comm_free(&c));
	OK(MPI_Comm_free(&d));
	CHECK(strcmp(order, "d1d1") == 0);
	/* the key belongs to no session */
	OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &t));
	OK(MPI_Session_finalize(&s));
	CHECK(s == MPI_SESSION_NULL);
	c = session_comm_of(t, "keysess.2");
	OK(MPI_Comm_set_attr(c, key, (void *)2));
	OK(MPI_Comm_disconnect(&c));
	CHECK(strcmp(order, "d1d1d2") == 0);
	OK(MPI_Session_finalize(&t));
	/* after the last session no error handler is left */
	CHECK(MPI_Comm_free_keyval(&key) != MPI_SUCCESS);
	return 0;
}
