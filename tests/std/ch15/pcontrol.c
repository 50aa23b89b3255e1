// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 15.2.7: MPI_Pcontrol takes any level and any arguments after it, and without a profiler
 * does nothing. */
#include "tests/check.h"

int main(int argc, char **argv)
{
	int x = 1, sum = 0;

	check_init(&argc, &argv);
	for (int level = -1; level <= 3; level++)
		OK(MPI_Pcontrol(level));
	OK(MPI_Pcontrol(1, "words", 3.5, &x));
	OK(PMPI_Pcontrol(0));
	OK(MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	CHECK(sum == 1);
	MPI_Finalize();
	return 0;
}
