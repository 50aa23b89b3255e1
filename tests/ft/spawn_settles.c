// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_FT=yes" */
/* RUN np=5 env="HAFT_FT=yes HAFT_VIA=net" */
/* spawn_settles.c - a parent dies when a spawn begins.  The spawn succeeds in all
 * survivors or fails in all, and then no child is left (MPI-5.0 11.8.2). */
#include "tests/ft/ft.h"

static void settled_child(MPI_Comm parent)
{
	MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
	MPI_Barrier(parent);
	MPI_Comm_disconnect(&parent);
	MPI_Finalize();
	exit(check_end());
}

/* The last member of c dies in a spawn; the others agree on its result.  Returns their new c. */
static MPI_Comm round_one(char *self, MPI_Comm c)
{
	int rank, size, err, same, failed, codes[2] = {-1, -1};
	MPI_Comm children, next;

	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &size);
	if (rank == size - 1)
		ft_die();
	err = MPI_Comm_spawn(self, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, c, &children, codes);
	CHECK(err == MPI_SUCCESS || err == MPIX_ERR_PROC_FAILED || err == MPI_ERR_SPAWN);
	same = err == MPI_SUCCESS;
	failed = err != MPI_SUCCESS;
	ft_await_failures(1);
	OK(MPIX_Comm_shrink(c, &next));
	OK(MPIX_Comm_agree(next, &same));
	OK(MPIX_Comm_agree(next, &failed));
	CHECK(same != failed); /* all, or none */
	if (err == MPI_SUCCESS) {
		MPI_Comm_set_errhandler(children, MPI_ERRORS_RETURN);
		MPI_Barrier(children);
		MPI_Comm_free(&children);
	}
	OK(MPI_Comm_free(&c));
	return next;
}

int main(int argc, char **argv)
{
	MPI_Comm c, parent;
	int flag = 1;

	ft_init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL)
		settled_child(parent);
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	CHECK(ft_failures(c) == 0); /* from now on they are survived */
	OK(MPIX_Comm_agree(c, &flag));
	for (int i = 2; i < check_size; i++)
		c = round_one(argv[0], c);
	OK(MPI_Comm_free(&c));
	MPI_Finalize();
	return check_end();
}
