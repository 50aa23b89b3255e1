// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 */
/* RUN np=2 env="HAFT_VIA=net" */
/* MPI-5.0 7.6.2, 7.6.3, 9.3: the first allocation of a leader of MPI_Intercomm_create, or of
 * MPI_Intercomm_merge, fails: both sides return, and one that has lacked memory says so. */
#include "tests/failing_malloc.h"
#include "tests/check.h"

enum { ALLOCATIONS = 1 }; /* later ones may be those of messages that have come: fatal */

/* True if all members of WORLD have succeeded. */
static int all_well(int err)
{
	int worst = err, class = 0;

	no_memory.armed = false;
	if (err != 0)
		OK(MPI_Error_class(err, &class));
	expect(err == 0 || class == MPI_ERR_NO_MEM);
	OK(MPI_Allreduce(&err, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
	return worst == 0;
}

static void create_and_merge(int side, MPI_Comm local, int no_memory_rank, int nth)
{
	MPI_Comm inter = MPI_COMM_NULL, all = MPI_COMM_NULL;
	int one = 1;

	if (check_rank == no_memory_rank)
		failing_arm(0, nth, 1);
	if (all_well(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - side, 3, &inter))) {
		OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
		if (check_rank == no_memory_rank)
			failing_arm(0, nth, 1);
		if (all_well(MPI_Intercomm_merge(inter, side, &all)))
			OK(MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, all));
	}
	if (one > 1)
		expect_eq(one, check_size);
	if (all != MPI_COMM_NULL)
		OK(MPI_Comm_free(&all));
	if (inter != MPI_COMM_NULL)
		OK(MPI_Comm_free(&inter));
}

int main(int argc, char **argv)
{
	MPI_Comm local;

	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, check_rank, &local));
	for (int who = 0; who < 2; who++)
		for (int nth = 0; nth < ALLOCATIONS; nth++)
			create_and_merge(check_rank % 2, local, who, nth);
	OK(MPI_Comm_free(&local));
	MPI_Finalize();
	return check_end();
}
