// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* RUN np=2 env="HAFT_EAGER=64" */
/* RUN np=2 env="HAFT_COLL=p2p" */
/* RUN np=2 env="HAFT_VIA=net" */
/* MPI-5.0 6.4, 6.5: a member that gets more data than it expects, or less, has MPI_ERR_COUNT with
 * the two numbers, whichever way the call goes; or, if it has waited for long, with the calls. */
#include "tests/check.h"

enum { LONG = 1000, LAST = 1 };

static int in[LONG], out[2 * LONG];

static void comm_begin(MPI_Comm *c)
{
	OK(MPI_Comm_dup(MPI_COMM_WORLD, c));
	OK(MPI_Comm_set_errhandler(*c, MPI_ERRORS_RETURN));
}

/* blocking: the members are compared, and no number need be said.  So are those of any call that
 * has waited for long. */
static void expect_count(int err, bool blocking)
{
	char words[MPI_MAX_ERROR_STRING];
	int class, len;

	MPI_Error_class(err, &class);
	expect_eq(class, MPI_ERR_COUNT);
	MPI_Error_string(err, words, &len);
	if (!blocking)
		expect(strstr(words, " sends 4000 bytes of this call to rank ") != NULL ||
			strstr(words, " which expects 4000") != NULL ||
			strstr(words, " gives another number of bytes to ") != NULL);
}

static int unequal_wait(int err, MPI_Request *r)
{
	return err != 0 ? err : MPI_Wait(r, MPI_STATUS_IGNORE);
}

/* The root gives `mine' elements, the other member `theirs'. */
static void bcasts(int mine, int theirs)
{
	int n = check_rank == 0 ? mine : theirs, err;
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Comm c;

	comm_begin(&c);
	err = MPI_Bcast(out, n, MPI_INT, 0, c);
	if (check_rank == LAST)
		expect_count(err, true);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	comm_begin(&c);
	err = unequal_wait(MPI_Ibcast(out, n, MPI_INT, 0, c, &r), &r);
	if (check_rank == LAST)
		expect_count(err, false);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void gathers(int mine, int theirs)
{
	int n = check_rank == 0 ? mine : theirs, err;
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Comm c;

	comm_begin(&c);
	err = unequal_wait(MPI_Igather(in, n, MPI_INT, out, n, MPI_INT, 0, c, &r), &r);
	if (check_rank == 0)
		expect_count(err, false);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	CHECK(check_size == 2);
	bcasts(LONG, 1);
	bcasts(1, LONG);
	gathers(LONG, 1);
	gathers(1, LONG);
	MPI_Finalize();
	return check_end();
}
