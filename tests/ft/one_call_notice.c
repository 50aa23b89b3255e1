// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=3 env="HAFT_FT=yes HAFT_VIA=auto|net" args="ack|get|failure_ack|parrived" time=60 */
/* one_call_notice.c - a loop over one call that waits for nothing ends when a process has died: no
 * other call is needed for the notice, nor for the end of its connection. */
#include "tests/ft/ft.h"

static bool noticed(const char *how, MPI_Request r)
{
	MPI_Group g = MPI_GROUP_NULL;
	int n = 0;

	switch (how[0]) {
	case 'a': return MPIX_Comm_ack_failed(MPI_COMM_WORLD, 1, &n) == MPI_SUCCESS && n == 1;
	case 'g': OK(MPIX_Comm_get_failed(MPI_COMM_WORLD, &g)); break;
	case 'f':
		OK(MPIX_Comm_failure_ack(MPI_COMM_WORLD));
		OK(MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &g));
		break;
	default: return MPI_Parrived(r, 1, &n) == MPIX_ERR_PROC_FAILED;
	}
	MPI_Group_size(g, &n);
	if (g != MPI_GROUP_EMPTY)
		MPI_Group_free(&g);
	return n == 1;
}

int main(int argc, char **argv)
{
	MPI_Request r = MPI_REQUEST_NULL;
	int x[2];

	ft_init(&argc, &argv);
	if (check_rank == 1)
		OK(MPI_Psend_init(x, 2, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
	if (check_rank == 0)
		OK(MPI_Precv_init(x, 2, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
	if (r != MPI_REQUEST_NULL)
		OK(MPI_Start(&r));
	if (check_rank == 1)
		OK(MPI_Pready(0, r));
	MPI_Barrier(MPI_COMM_WORLD); /* it may die before all have left it */
	if (check_rank == 1)
		ft_die();
	if (check_rank == 2 && argv[1][0] == 'p')
		ft_await_failures(1);
	else
		while (!noticed(argv[1], r))
			usleep(1000);
	if (r != MPI_REQUEST_NULL) {
		FAILS(MPIX_ERR_PROC_FAILED, "rank 1", MPI_Wait(&r, MPI_STATUS_IGNORE));
		OK(MPI_Request_free(&r));
	}
	MPI_Finalize();
	return check_end();
}
