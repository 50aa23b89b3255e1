// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4 */
/* MPI-5.0 11.3: sessions before, beside and after the World Model; its handles come and go with
 * it. */
#include "tests/check.h"

#include <mpi.h>

static MPI_Session s;

static void world_exchange(const char *tag)
{
	MPI_Group g;
	MPI_Comm c;
	int n, one = 1, sum;

	expect_ok(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
	expect_ok(MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	expect_ok(MPI_Comm_size(c, &n));
	expect_ok(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c));
	expect_eq(sum, n);
	expect_ok(MPI_Comm_free(&c));
	expect_ok(MPI_Group_free(&g));
}

/* MPI-5.0 11.8.2: a process that a launcher started has no parent. */
static void no_parent(void)
{
	MPI_Comm parent = MPI_COMM_WORLD;

	expect_ok(MPI_Comm_get_parent(&parent));
	expect(parent == MPI_COMM_NULL);
}

static void world_is(int initialized, int finalized)
{
	int flag;

	expect_ok(MPI_Initialized(&flag));
	expect_eq(flag, initialized);
	expect_ok(MPI_Finalized(&flag));
	expect_eq(flag, finalized);
}

/* 11.3.1: a session does not free its objects, and ends all the same; 2.5.1: its handle
 * is dead. */
static void left_behind(void)
{
	MPI_Session old;
	MPI_Group g;
	MPI_Comm c;
	int n;

	expect_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	old = s;
	expect_ok(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
	expect_ok(MPI_Comm_create_from_group(g, "left", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	expect_ok(MPI_Session_finalize(&s));
	expect(MPI_Session_get_num_psets(old, MPI_INFO_NULL, &n) == MPI_ERR_SESSION);
	expect_ok(MPI_Comm_free(&c)); /* while the World Model is there: a courtesy */
	expect_ok(MPI_Group_free(&g));
}

/* 11.2.4: MPI_Init comes once in a life. */
static void world_once(void)
{
	expect(MPI_Init(NULL, NULL) == MPI_ERR_OTHER);
	no_parent();
}

int main(int argc, char **argv)
{
	MPI_Group g;
	int n, *v, flag;

	expect_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	world_exchange("before");
	world_is(0, 0);
	expect_ok(MPI_Init(&argc, &argv));
	world_is(1, 0);
	world_exchange("beside");
	expect_ok(MPI_Comm_size(MPI_COMM_WORLD, &n));
	expect_ok(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &v, &flag));
	expect(!flag || *v >= n); /* mpiexec may not know it */
	expect_ok(MPI_Session_finalize(&s));
	expect_ok(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	world_once();
	left_behind();
	expect_ok(MPI_Barrier(MPI_COMM_WORLD));
	expect_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	world_exchange("again");
	expect_ok(MPI_Finalize());
	world_is(1, 1);
	world_exchange("after"); /* the session goes on */
	expect_ok(MPI_Session_finalize(&s));
	for (int i = 0; i < 100; i++) {
		expect_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
		world_exchange("later");
		expect_ok(MPI_Session_finalize(&s));
	}
	expect_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	expect_ok(MPI_Group_from_session_pset(s, "mpi://SELF", &g));
	expect_ok(MPI_Group_free(&g));
	expect_ok(MPI_Session_finalize(&s));
	return check_end();
}
