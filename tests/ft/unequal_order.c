// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,5 env="HAFT_FT=yes" args="agree|iagree shrink|ishrink live|die" */
/* RUN np=5 env="HAFT_FT=yes HAFT_VIA=net" args="agree|iagree shrink|ishrink live|die" */
/* MPI-5.0 6.14: collective operations must be called in the same order by all members.
 *
 * unequal_order.c - some agree first and then shrink, the others the other way round.  Each call
 * raises in all of them, with words that name both calls; then equal calls work.  A communicator
 * that MPIX_Comm_ishrink has failed to make raises, and can be freed. */
#include "tests/ft/ft.h"

static const char *agree, *shrink;

static void order_refused(int err)
{
	FAILS(MPI_ERR_OTHER, agree, err);
	FAILS(MPI_ERR_OTHER, shrink, err);
}

static void agree_fails(void)
{
	MPI_Request r;
	int flag = 1, err;

	if (agree[0] == 'a') {
		order_refused(MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
		return;
	}
	OK(MPIX_Comm_iagree(MPI_COMM_WORLD, &flag, &r));
	err = MPI_Wait(&r, MPI_STATUS_IGNORE);
	order_refused(err);
}

static void shrink_fails(void)
{
	MPI_Comm c = MPI_COMM_NULL;
	MPI_Request r;
	int err;

	if (shrink[0] == 's') {
		order_refused(MPIX_Comm_shrink(MPI_COMM_WORLD, &c));
		return;
	}
	OK(MPIX_Comm_ishrink(MPI_COMM_WORLD, &c, &r));
	err = MPI_Wait(&r, MPI_STATUS_IGNORE);
	order_refused(err);
	CHECK(c != MPI_COMM_NULL);
	MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
	FAILS(MPI_ERR_COMM, "has failed", MPI_Barrier(c));
	OK(MPI_Comm_free(&c));
}

/* Rank 1 alone calls it; the others are in MPI_Finalize (agree_in_finalize.sh). */
static void order_alone(void)
{
	MPI_Comm c;
	int flag;

	if (check_rank == 1 && shrink[0] == 's')
		MPIX_Comm_shrink(MPI_COMM_WORLD, &c);
	else if (check_rank == 1)
		MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
	MPI_Finalize();
}

int main(int argc, char **argv)
{
	int flag = 1, sum = 0, one = 1, size;
	MPI_Comm c;

	ft_init(&argc, &argv);
	agree = argv[1];
	shrink = argv[2];
	if (argv[3][0] == 'd' && check_size > 2 && check_rank == 2)
		ft_die();
	if (argv[3][0] == 'e') {
		order_alone();
		return 0;
	}
	if (check_rank % 2 == 1)
		agree_fails();
	shrink_fails();
	if (check_rank % 2 == 0)
		agree_fails();
	MPIX_Comm_agree(MPI_COMM_WORLD, &flag); /* raises if a member has failed */
	OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &c));
	MPI_Comm_size(c, &size);
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c));
	CHECK(sum == size);
	OK(MPI_Comm_free(&c));
	MPI_Finalize();
	return check_end();
}
