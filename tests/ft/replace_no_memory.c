// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 args="whole|dead" env="HAFT_FT=yes HAFT_VIA=auto|net" time=120 */
/* replace_no_memory.c - a survivor has no memory in MPIX_Comm_replace: the call fails in all, and
 * works when they call it again.  Once the others waited. */
#include "tests/failing_malloc.h"
#include "tests/ft/ft.h"

#define SIZE 4

static void starved(bool dead, MPI_Comm *next)
{
	MPI_Comm c;
	int err;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	if (dead && check_rank == SIZE - 1)
		ft_die();
	if (dead)
		ft_await_failures(1);
	if (check_rank == 1)
		failing_arm(0, 0, 1);
	err = MPIX_Comm_replace(c, NULL, NULL, MPI_INFO_NULL, next);
	no_memory.armed = false;
	FAILS(MPI_ERR_NO_MEM, "memory", err);
	OK(MPIX_Comm_replace(c, NULL, NULL, MPI_INFO_NULL, next));
	OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	MPI_Comm next, parent;
	int n, sum, one = 1;

	ft_init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent == MPI_COMM_NULL)
		starved(argv[1][0] == 'd', &next);
	else
		OK(MPIX_Comm_replace(MPI_COMM_NULL, NULL, NULL, MPI_INFO_NULL, &next));
	MPI_Comm_size(next, &n);
	CHECK(n == SIZE);
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, next));
	CHECK(sum == SIZE);
	OK(MPI_Comm_free(&next));
	MPI_Finalize();
	return check_end();
}
