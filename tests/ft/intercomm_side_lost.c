// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4,6 env="HAFT_FT=yes HAFT_COLL=auto|p2p" time=60 */
/* MPI-5.0 7.4.2: MPI_Comm_split of an inter-communicator gives MPI_COMM_NULL to a color that one
 * side does not have.  ULFM: a shrink is such a split by those that live.
 *
 * intercomm_side_lost.c - all members of one group of an inter-communicator die.  Once a shrink
 * gave a communicator with an empty remote group, whose collective calls sent to rank 0 of the
 * job.
 *
 *      rank 0 is no member      ranks 1 and 2, which live ──── the rest, which dies */
#include "tests/ft/ft.h"

static void side_shrink(MPI_Comm inter)
{
	MPI_Comm next = MPI_COMM_SELF;
	MPI_Request r;
	int n;

	OK(MPIX_Comm_shrink(inter, &next));
	CHECK(next == MPI_COMM_NULL);
	OK(MPIX_Comm_ishrink(inter, &next, &r));
	FAILS(MPI_ERR_COMM, "all members of the remote group", MPI_Wait(&r, MPI_STATUS_IGNORE));
	FAILS(MPI_ERR_COMM, "not made", MPI_Recv(&n, 1, MPI_INT, 0, 0, next, MPI_STATUS_IGNORE));
	OK(MPI_Comm_free(&next));
}

int main(int argc, char **argv)
{
	MPI_Comm half, inter, next;
	int side, n, r, live, flag = 1;

	ft_init(&argc, &argv);
	live = check_rank < 3;
	side = check_rank == 0 ? MPI_UNDEFINED : live;
	OK(MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half));
	if (half != MPI_COMM_NULL) {
		OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, live ? 3 : 1, 5, &inter));
		MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
	}
	OK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag)); /* also if some die before all have returned */
	if (!live)
		ft_die();
	ft_await_failures(check_size - 3);
	if (check_rank != 0) {
		side_shrink(inter);
		OK(MPI_Comm_free(&inter));
		OK(MPI_Comm_free(&half));
	}
	OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &next));
	MPI_Comm_size(next, &n);
	OK(MPI_Allreduce(&check_rank, &r, 1, MPI_INT, MPI_SUM, next));
	CHECK(n == 3 && r == 3);
	OK(MPI_Comm_free(&next));
	MPI_Finalize();
	return check_end();
}
