// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=3,5 env="HAFT_FT=yes|auto" args="live|die" */
/* MPI-5.0 6.14: collective operations must be called in the same order by all members.
 *
 * replace_order.c - rank 0 shrinks where the others replace.  Both calls raise in all of them, with
 * words that name both, and none waits; then equal calls work. */
#include "tests/ft/ft.h"

static MPI_Comm next;

static int call_shrink(void)
{
	return MPIX_Comm_shrink(MPI_COMM_WORLD, &next);
}

static int call_replace(void)
{
	return MPIX_Comm_replace(MPI_COMM_WORLD, NULL, MPI_ARGV_NULL, MPI_INFO_NULL, &next);
}

static void order_refused(int (*call)(void))
{
	int err = call();

	FAILS(MPI_ERR_OTHER, "MPIX_Comm_shrink", err);
	FAILS(MPI_ERR_OTHER, "MPIX_Comm_replace", err);
}

int main(int argc, char **argv)
{
	int size, flag = 1;

	ft_init(&argc, &argv);
	OK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag)); /* HAFT_FT=auto: failures are survived */
	if (argv[1][0] == 'd' && check_rank == 2)
		ft_die();
	order_refused(check_rank == 0 ? call_shrink : call_replace);
	OK(call_shrink());
	MPI_Comm_size(next, &size);
	CHECK(size == check_size - (argv[1][0] == 'd'));
	OK(MPI_Comm_free(&next));
	MPI_Finalize();
	return check_end();
}
