/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 20.2, 20.4.1: facts about the ABI, and about Fortran's values, at any time. */
#include "tests/check.h"

#include <mpi.h>
#include <stdint.h>
#include <string.h>

static void abi_sizes(void)
{
	MPI_Info info;
	char value[16];
	int major, minor, flag, len = sizeof(value);

	expect_ok(MPI_Abi_get_version(&major, &minor));
	expect_eq(major, MPI_ABI_VERSION);
	expect_eq(minor, MPI_ABI_SUBVERSION);
	expect_ok(MPI_Abi_get_info(&info));
	expect_ok(MPI_Info_get_string(info, "mpi_count_size", &len, value, &flag));
	expect(flag && strcmp(value, "8") == 0);
	expect_ok(MPI_Info_free(&info));
}

static void abi_types(void)
{
	MPI_Info info = 0, again;
	char value[16];
	int flag, len = sizeof(value);

	expect_ok(MPI_Abi_get_fortran_info(&info));
	expect(info == MPI_INFO_NULL);
	expect_ok(MPI_Info_create(&info));
	expect_ok(MPI_Info_set(info, "mpi_integer_size", "4"));
	expect_ok(MPI_Abi_set_fortran_info(info));
	expect_ok(MPI_Info_set(info, "mpi_integer_size", "8"));
	expect_ok(MPI_Abi_get_fortran_info(&again));
	expect_ok(MPI_Info_get_string(again, "mpi_integer_size", &len, value, &flag));
	expect(flag && strcmp(value, "4") == 0);
	expect_ok(MPI_Info_free(&again));
	expect_eq(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
	expect_ok(MPI_Info_free(&info));
}

static void booleans(void)
{
	int32_t yes = -1, no = 0;
	int64_t wide_yes = 5, wide_no = 5;
	int8_t small_yes = 0, small_no = 5;
	int is_set = 5;

	expect_ok(MPI_Abi_get_fortran_booleans(4, &yes, &no, &is_set));
	expect_eq(is_set, 0);
	expect_eq(MPI_Abi_set_fortran_booleans(3, &yes, &no), MPI_ERR_ARG);
	expect_ok(MPI_Abi_set_fortran_booleans(4, &yes, &no));
	expect_eq(MPI_Abi_set_fortran_booleans(4, &yes, &no), MPI_ERR_ABI);
	expect_ok(MPI_Abi_get_fortran_booleans(8, &wide_yes, &wide_no, &is_set));
	expect(is_set && wide_yes == -1 && wide_no == 0);
	expect_ok(MPI_Abi_get_fortran_booleans(1, &small_yes, &small_no, &is_set));
	expect(is_set && small_yes == -1 && small_no == 0);
}

int main(int argc, char **argv)
{
	abi_sizes(); /* before MPI_Init */
	expect_ok(MPI_Init(&argc, &argv));
	expect_ok(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	abi_types();
	booleans();
	MPI_Finalize();
	abi_sizes();
	return check_end();
}
