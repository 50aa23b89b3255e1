// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_VIA=net HAFT_COLL=p2p" args="0|1|2|3|4|5|6" */
/* RUN np=4 env="HAFT_VIA=net HAFT_COLL=p2p" args="never" rc=39 idle */
/* MPI-5.0 9.3, 6.4: the root of a broadcast finds no memory for the frames to a member that it has
 * not talked to.  Memory comes back: all members return, the next broadcast is right.  It does not
 * come back: the job ends with words and MPI_ERR_NO_MEM, and no member waits for ever. */
#include "tests/check.h"
#include "tests/failing_malloc.h"

#define ROOT  3  /* a broadcast from rank 0 has not connected it to rank 1 */
#define TIMES 30 /* allocations that fail */

static int value;

static int bcast(int root, MPI_Comm comm)
{
	value = check_rank;
	return MPI_Bcast(&value, 1, MPI_INT, root, comm);
}

static void starved(int passes, int times)
{
	MPI_Comm comm;
	int err;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	OK(bcast(0, comm));
	if (check_rank == ROOT)
		failing_arm(1, passes, times);
	err = bcast(ROOT, comm);
	no_memory.armed = false;
	CHECK(err == 0 ? value == ROOT : err == MPI_ERR_NO_MEM);
	OK(bcast(ROOT, comm));
	CHECK(value == ROOT);
	OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	_Static_assert(MPI_ERR_NO_MEM == 39, "the RUN line says so");
	if (argc > 1 && strcmp(argv[1], "never") == 0)
		starved(0, FAILING_ALWAYS);
	else
		starved(atoi(argv[1]), TIMES);
	MPI_Finalize();
	return check_end();
}
