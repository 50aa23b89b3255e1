/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2 env="HAFT_CHECK=types" */
/* MPI-5.0 12.3.1: HAFT_CHECK=types says if the datatypes of origin and target do not match. */
#include "tests/check.h"

static double x[4];
static int *mem;
static MPI_Win win;

static void alike(int other)
{
	MPI_Datatype pair;

	OK(MPI_Type_vector(2, 1, 2, MPI_INT, &pair));
	OK(MPI_Type_commit(&pair));
	OK(MPI_Put(x, 2, MPI_INT, other, 0, 2, MPI_INT, win));
	OK(MPI_Put(x, 2, MPI_INT, other, 0, 1, pair, win));
	OK(MPI_Put(x, 1, MPI_INT, other, 0, 2, MPI_INT, win));
	OK(MPI_Put(x, 8, MPI_PACKED, other, 0, 2, MPI_INT, win));
	OK(MPI_Accumulate(x, 1, pair, other, 0, 2, MPI_INT, MPI_SUM, win));
	OK(MPI_Get_accumulate(NULL, 0, MPI_INT, x, 2, MPI_INT, other, 0, 1, pair, MPI_NO_OP, win));
	OK(MPI_Put(x, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, 2, MPI_INT, win));
	OK(MPI_Type_free(&pair));
}

static void different(int other)
{
	FAILS(MPI_ERR_TYPE, "the origin buffer is 1 MPI_DOUBLE",
		MPI_Put(x, 1, MPI_DOUBLE, other, 0, 2, MPI_INT, win));
	FAILS(MPI_ERR_TYPE, "window `mine' is 2 MPI_INT",
		MPI_Put(x, 1, MPI_DOUBLE, other, 0, 2, MPI_INT, win));
	FAILS(MPI_ERR_TYPE, "2 MPI_FLOAT", MPI_Get(x, 2, MPI_FLOAT, other, 0, 2, MPI_INT, win));
	FAILS(MPI_ERR_TYPE, "8 MPI_BYTE", MPI_Put(x, 8, MPI_BYTE, other, 0, 2, MPI_INT, win));
}

static void different_with_request(int other)
{
	MPI_Request r;

	FAILS(MPI_ERR_TYPE, "MPI_FLOAT", MPI_Rput(x, 1, MPI_FLOAT, other, 0, 1, MPI_INT, win, &r));
}

int main(int argc, char **argv)
{
	int other;

	check_init(&argc, &argv);
	other = 1 - check_rank;
	OK(MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win));
	OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	OK(MPI_Win_set_name(win, "mine"));
	mem[0] = 7;
	OK(MPI_Win_fence(0, win));
	different(other);
	OK(MPI_Win_fence(0, win));
	CHECK(mem[0] == 7);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock_all(0, win));
	alike(other);
	different(other);
	different_with_request(other);
	OK(MPI_Win_unlock_all(win));
	OK(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win));
	alike(other);
	different(other);
	OK(MPI_Win_unlock(other, win));
	OK(MPI_Win_free(&win));
	MPI_Finalize();
	return 0;
}
