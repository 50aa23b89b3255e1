// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 args="refused" env="HAFT_FT=yes HAFT_VIA=auto|net" time=120 */
/* RUN np=4 args="dies" env="HAFT_FT=yes HAFT_DIE=1@Comm_replace:1+0|+1|+3|+8|+20" time=120 */
/* replace_fails.c - MPIX_Comm_replace fails in all survivors or in none.  Then they call it again.
 *
 *      refused   the program to start does not exist
 *      dies      another process dies in the call, by HAFT_DIE=1@Comm_replace:1+N, at its start or
 *                in the N-th pass of progress */
#include "tests/ft/ft.h"
#include <stdlib.h>

/* Have all living members of c the same answer? */
static void same_in_all(MPI_Comm c, int err)
{
	int all = err != 0, none = err == 0;

	MPIX_Comm_agree(c, &all);
	MPIX_Comm_agree(c, &none);
	CHECK(all != none);
}

static void whole_use(MPI_Comm c, int size)
{
	int n, sum, one = 1;

	MPI_Comm_size(c, &n);
	CHECK(n == size);
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c));
	CHECK(sum == size);
}

/* Calls until it has worked. */
static void replaced(MPI_Comm c, MPI_Comm *next)
{
	int err;

	do {
		err = MPIX_Comm_replace(c, NULL, NULL, MPI_INFO_NULL, next);
		if (err != MPIX_ERR_PROC_FAILED && err != MPI_ERR_SPAWN)
			OK(err);
		same_in_all(c, err);
	} while (err != 0);
}

static void survivor(const char *how, MPI_Comm *next)
{
	MPI_Comm c;
	int err;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
	if (check_rank == check_size - 1)
		ft_die();
	while (MPI_Barrier(c) == MPI_SUCCESS)
		;
	if (how[0] == 'r') {
		err = MPIX_Comm_replace(c, "/no/such/program", NULL, MPI_INFO_NULL, next);
		FAILS(MPI_ERR_SPAWN, "", err);
		same_in_all(c, err);
	}
	replaced(c, next);
	OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	MPI_Comm next = MPI_COMM_NULL, parent;
	int size = 4;

	ft_init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL)
		MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
	if (parent == MPI_COMM_NULL)
		survivor(argv[1], &next);
	else if (MPIX_Comm_replace(MPI_COMM_NULL, NULL, NULL, MPI_INFO_NULL, &next) != 0)
		next = MPI_COMM_NULL; /* the survivors have failed, and have started others */
	if (next != MPI_COMM_NULL) {
		int err = MPI_SUCCESS;

		if (argv[1][0] == 'r')
			whole_use(next, size);
		else
			err = MPI_Barrier(next); /* the one that dies may do so right here */
		CHECK(err == 0 || err == MPIX_ERR_PROC_FAILED);
		MPI_Comm_free(&next);
	}
	MPI_Finalize();
	return check_end();
}
