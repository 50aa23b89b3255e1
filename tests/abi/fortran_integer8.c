/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2 */
/* MPI-5.0 20.4.1: a Fortran of 8-byte INTEGERs and REALs, without half precision, says so: the
 * predefined types follow. */
#include "tests/check.h"

#include <mpi.h>
#include <stdint.h>

static int integer8_size_of(MPI_Datatype t)
{
	int size = -1;

	expect_ok(MPI_Type_size(t, &size));
	return size;
}

/* MPI-5.0 20.4.1: facts that cannot be are refused, and then nothing has been said */
static void integer8_refused(void)
{
	MPI_Info info;

	expect_ok(MPI_Info_create(&info));
	expect_ok(MPI_Info_set(info, "mpi_real_size", "8"));
	expect_ok(MPI_Info_set(info, "mpi_integer_size", "3"));
	expect_eq(MPI_Abi_set_fortran_info(info), MPI_ERR_INFO_VALUE);
	expect_ok(MPI_Info_set(info, "mpi_integer_size", "8"));
	expect_ok(MPI_Info_set(info, "mpi_real2_supported", "maybe"));
	expect_eq(MPI_Abi_set_fortran_info(info), MPI_ERR_INFO_VALUE);
	expect_ok(MPI_Info_free(&info));
	expect_ok(MPI_Abi_get_fortran_info(&info));
	expect(info == MPI_INFO_NULL);
}

static void integer8_say(void)
{
	static const char *const facts[][2] = {{"mpi_integer_size", "8"}, {"mpi_real_size", "8"},
		{"mpi_logical_size", "8"}, {"mpi_double_precision_size", "16"},
		{"mpi_real2_supported", "false"}, {"mpi_complex4_supported", "false"},
		{"mpi_real16_supported", "true"}, {"some_other_key", "17"}};
	MPI_Info info;

	expect_ok(MPI_Info_create(&info));
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		expect_ok(MPI_Info_set(info, facts[i][0], facts[i][1]));
	expect_ok(MPI_Abi_set_fortran_info(info));
	expect_ok(MPI_Info_free(&info));
}

/* MPI-5.0 20.4: the sizes are the compiler's */
static void integer8_sizes(void)
{
	expect_eq(integer8_size_of(MPI_INTEGER), 8);
	expect_eq(integer8_size_of(MPI_REAL), 8);
	expect_eq(integer8_size_of(MPI_COMPLEX), 16);
	expect_eq(integer8_size_of(MPI_LOGICAL), 8);
	expect_eq(integer8_size_of(MPI_DOUBLE_PRECISION), 16);
	expect_eq(integer8_size_of(MPI_DOUBLE_COMPLEX), 32);
	expect_eq(integer8_size_of(MPI_2INTEGER), 16);
	expect_eq(integer8_size_of(MPI_2REAL), 16);
	expect_eq(integer8_size_of(MPI_2DOUBLE_PRECISION), 32);
	expect_eq(integer8_size_of(MPI_REAL16), 16);
	expect_eq(integer8_size_of(MPI_INT), 4);
}

/* MPI-5.0 20.4: a type that is not there has size MPI_UNDEFINED, and is of no use */
static void absent(void)
{
	MPI_Datatype t = MPI_REAL2;
	char x[4] = "";
	int err;

	expect_eq(integer8_size_of(MPI_REAL2), MPI_UNDEFINED);
	expect_eq(integer8_size_of(MPI_COMPLEX4), MPI_UNDEFINED);
	err = MPI_Send(x, 1, MPI_REAL2, 0, 0, MPI_COMM_SELF);
	expect_eq(err, MPI_ERR_TYPE);
	expect(error_says(err, "MPI_REAL2 is not a type of this Fortran compiler"));
	expect_eq(MPI_Type_commit(&t), MPI_ERR_TYPE);
	expect_eq(MPI_Type_contiguous(2, MPI_REAL2, &t), MPI_ERR_TYPE);
	expect_ok(MPI_Type_get_value_index(MPI_REAL2, MPI_INT, &t));
	expect(t == MPI_DATATYPE_NULL);
}

/* MPI-5.0 6.9.2, 6.9.4: reductions compute with the new sizes */
static void integer8_reductions(int rank)
{
	int64_t one = (int64_t)1 << 40, sum, pair[2] = {10 - rank, rank}, least[2];
	double real[2] = {rank, 7}, most[2];

	expect_ok(MPI_Allreduce(&one, &sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD));
	expect_eq(sum, (int64_t)1 << 41);
	expect_ok(MPI_Allreduce(pair, least, 1, MPI_2INTEGER, MPI_MINLOC, MPI_COMM_WORLD));
	expect(least[0] == 9 && least[1] == 1);
	expect_ok(MPI_Allreduce(real, most, 1, MPI_2REAL, MPI_MAXLOC, MPI_COMM_WORLD));
	expect(most[0] == 1 && most[1] == 7);
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	integer8_refused();
	integer8_say();
	integer8_sizes();
	absent();
	integer8_reductions(rank);
	MPI_Finalize();
	return check_end();
}
