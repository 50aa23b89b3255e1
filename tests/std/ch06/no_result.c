// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* RUN np=2 env="HAFT_COLL=p2p" */
/* MPI-5.0 6.14: a nonblocking call whose order differs among the members fails: it calls no user's
 * function, and writes no result, whenever it learns of that. */
#include "tests/check.h"

enum { UNTOUCHED = -77 };

static int applied;

static void op_count(void *in, void *inout, int *len, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)len, (void)type;
	applied++;
}

/* Rank `who' starts a reduction before the barrier, and the other does not. */
static void differ(int who)
{
	int in = 3, out = 0, class;
	MPI_Request request;
	MPI_Comm c;
	MPI_Op op;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	OK(MPI_Op_create(op_count, 1, &op));
	if (check_rank == who && who == 0)
		OK(MPI_Iallreduce(&in, &out, 1, MPI_INT, op, c, &request));
	else if (check_rank == who) /* it needs the data of rank 0 */
		OK(MPI_Iscan(&in, &out, 1, MPI_INT, op, c, &request));
	class = MPI_Barrier(c);
	CHECK(class == MPI_ERR_OTHER && error_says(class, "MPI_Barrier"));
	if (check_rank == who) {
		out = UNTOUCHED;
		class = MPI_Wait(&request, MPI_STATUS_IGNORE);
		CHECK(class == MPI_ERR_OTHER && error_says(class, "MPI_Barrier"));
		CHECK(out == UNTOUCHED && applied == 0);
	}
	OK(MPI_Op_free(&op));
	MPI_Comm_free(&c);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	differ(0);
	differ(1);
	MPI_Finalize();
	return check_end();
}
