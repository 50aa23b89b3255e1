/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2 */
/* MPI-5.0 6.1: the members of a reduction give as much each.  One that wrongly gives less
 * causes an error, not a signal. */
#include "tests/check.h"

enum { SHORT = 10, LONG = 20 }; /* one fits into a line of shared memory, the other does not */

int main(int argc, char **argv)
{
	int in[LONG] = {0}, out[LONG], class = 0, told;
	MPI_Comm c;

	check_init(&argc, &argv);
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	MPI_Error_class(MPI_Allreduce(in, out, check_rank == 0 ? LONG : SHORT, MPI_INT, MPI_SUM, c),
		&class);
	CHECK(class == MPI_SUCCESS || class == MPI_ERR_COUNT);
	told = class != MPI_SUCCESS;
	OK(MPI_Allreduce(MPI_IN_PLACE, &told, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	CHECK(told > 0);
	MPI_Finalize();
	return 0;
}
