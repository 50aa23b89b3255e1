// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 */
/* MPI-5.0 6.9.3: MPI_SIGNED_CHAR and MPI_UNSIGNED_CHAR are integers in reductions; a sum of them
 * has the C type's values. */
#include "tests/check.h"

int main(int argc, char **argv)
{
	signed char s = -20, ssum = 0, smin = 0;
	unsigned char u = 80, usum = 0, umax = 0;

	check_init(&argc, &argv);
	s = (signed char)(s - check_rank);
	u = (unsigned char)(u + check_rank);
	OK(MPI_Allreduce(&s, &ssum, 1, MPI_SIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD));
	OK(MPI_Allreduce(&s, &smin, 1, MPI_SIGNED_CHAR, MPI_MIN, MPI_COMM_WORLD));
	OK(MPI_Allreduce(&u, &usum, 1, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD));
	OK(MPI_Allreduce(&u, &umax, 1, MPI_UNSIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD));
	CHECK(ssum == (check_size == 2 ? -41 : -63));
	CHECK(smin == -20 - (check_size - 1));
	CHECK(usum == (check_size == 2 ? 161 : 243));
	CHECK(umax == 80 + check_size - 1);
	MPI_Finalize();
	return 0;
}
