// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4 */
/* MPI-5.0 20.4.1, 6.9.2: logical operations on MPI_LOGICAL take and give the literals of
 * MPI_Abi_set_fortran_booleans. */
#include "tests/check.h"
#include <stdint.h>

/* Some members say yes. */
static void logical_try(MPI_Op op, bool mine, bool want)
{
	const int32_t yes = -1, no = 5;
	const int64_t yes8 = -1, no8 = 5;
	int32_t in = mine ? yes : no, out = 77;
	int64_t in8 = mine ? yes8 : no8, out8 = 77;
	int8_t in1 = mine ? -1 : 5, out1 = 77;

	OK(MPI_Allreduce(&in, &out, 1, MPI_LOGICAL, op, MPI_COMM_WORLD));
	CHECK(out == (want ? yes : no));
	if (MPI_LOGICAL8 != MPI_DATATYPE_NULL) {
		OK(MPI_Allreduce(&in8, &out8, 1, MPI_LOGICAL8, op, MPI_COMM_WORLD));
		CHECK(out8 == (want ? yes8 : no8));
	}
	if (MPI_LOGICAL1 != MPI_DATATYPE_NULL) {
		OK(MPI_Allreduce(&in1, &out1, 1, MPI_LOGICAL1, op, MPI_COMM_WORLD));
		CHECK(out1 == (want ? -1 : 5));
	}
}

int main(int argc, char **argv)
{
	int32_t yes = -1, no = 5;
	int one = 3, all = 0;

	OK(MPI_Abi_set_fortran_booleans(sizeof(yes), &yes, &no));
	check_init(&argc, &argv);
	logical_try(MPI_LOR, check_rank == 0, true);
	logical_try(MPI_LOR, false, false);
	logical_try(MPI_LAND, true, true);
	logical_try(MPI_LAND, check_rank == 0, check_size == 1);
	logical_try(MPI_LXOR, true, check_size % 2 != 0);
	OK(MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
	CHECK(all == 1 || check_size == 1); /* integers of C stay unchanged */
	MPI_Finalize();
	return 0;
}
