// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 18.1.1, 18.2.1: MPI_Comm_dup and MPI_Comm_idup hand on no hints; errors without an object
 * go to MPI_COMM_SELF; MPI_Wtime and the conversions of handles are functions. */
#include "tests/check.h"
#include "tests/info_says.h"

static int heard;

static void mpi4_line(MPI_Comm *comm, int *code, ...)
{
	int same;

	(void)code;
	PMPI_Comm_compare(*comm, MPI_COMM_SELF, &same);
	heard += same == MPI_IDENT;
}

static int has_hint(MPI_Comm comm)
{
	MPI_Info info;

	OK(MPI_Comm_get_info(comm, &info));
	return info_says(info, "mpi_assert_no_any_tag", "true");
}

static void mpi4_hints(void)
{
	MPI_Comm hinted, dup, later;
	MPI_Request r;
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
	OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &hinted));
	OK(MPI_Info_free(&info));
	CHECK(has_hint(hinted));
	OK(MPI_Comm_dup(hinted, &dup));
	OK(MPI_Comm_idup(hinted, &later, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(!has_hint(dup) && !has_hint(later));
	OK(MPI_Comm_free(&hinted));
	OK(MPI_Comm_free(&dup));
	OK(MPI_Comm_free(&later));
}

int main(int argc, char **argv)
{
	double (*clock)(void) = MPI_Wtime, (*tick)(void) = MPI_Wtick;
	MPI_Fint (*number)(MPI_Comm) = MPI_Comm_c2f;
	MPI_Errhandler h;
	MPI_Info none = MPI_INFO_NULL;

	check_init(&argc, &argv);
	mpi4_hints();
	OK(MPI_Comm_create_errhandler(mpi4_line, &h));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, h));
	CHECK(MPI_Info_free(&none) != MPI_SUCCESS && heard == 1);
	OK(MPI_Errhandler_free(&h));
	CHECK(clock() > 0 && tick() > 0 && MPI_Comm_f2c(number(MPI_COMM_SELF)) == MPI_COMM_SELF);
	MPI_Finalize();
	return 0;
}
