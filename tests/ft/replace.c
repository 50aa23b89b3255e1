// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4 args="one|two" env="HAFT_FT=yes HAFT_VIA=auto|net" time=120 */
/* replace.c - MPIX_Comm_replace: new processes get the ranks of those that have failed, and all
 * others keep theirs. */
#include "tests/ft/ft.h"

static void replaced_use(MPI_Comm c, int size, int rank)
{
	int n, r, sum, at = rank, from = -1;

	MPI_Comm_size(c, &n);
	MPI_Comm_rank(c, &r);
	CHECK(n == size && (rank < 0 || r == rank));
	at = r;
	OK(MPI_Allreduce(&at, &sum, 1, MPI_INT, MPI_SUM, c));
	CHECK(sum == size * (size - 1) / 2);
	OK(MPI_Sendrecv(&r, 1, MPI_INT, (r + 1) % n, 1, &from, 1, MPI_INT, (r + n - 1) % n, 1, c,
		MPI_STATUS_IGNORE));
	CHECK(from == (r + n - 1) % n);
	OK(MPI_Bcast(&n, 1, MPI_INT, 0, c));
}

int main(int argc, char **argv)
{
	MPI_Comm c, next, parent;
	bool two = strcmp(argv[1], "two") == 0;
	int size = 0;

	ft_init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent == MPI_COMM_NULL) {
		OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
		size = check_size;
		if (check_rank == check_size - 1 || (two && check_rank == 0 && check_size > 2))
			ft_die();
		while (MPI_Barrier(c) == MPI_SUCCESS)
			;
		OK(MPIX_Comm_replace(c, NULL, NULL, MPI_INFO_NULL, &next));
		replaced_use(next, size, check_rank);
		OK(MPI_Comm_free(&c));
	} else {
		MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
		FAILS(MPI_ERR_COMM, "inter",
			MPIX_Comm_replace(parent, NULL, NULL, MPI_INFO_NULL, &next));
		OK(MPIX_Comm_replace(MPI_COMM_NULL, NULL, NULL, MPI_INFO_NULL, &next));
		MPI_Comm_size(next, &size);
		replaced_use(next, size, -1);
	}
	OK(MPI_Comm_free(&next));
	MPI_Finalize();
	return check_end();
}
