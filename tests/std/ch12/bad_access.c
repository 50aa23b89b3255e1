/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2 */
/* RUN np=2 env="HAFT_CHECK=strict" */
/* MPI-5.0 12.6.1, 12.6.2: a wrong target, range, type or window is an error with
 * words, and nothing has been moved. */
#include "tests/check.h"

#include <mpi.h>
#include <stdlib.h>

static int x[8];

static void ranges(MPI_Win win, int other)
{
	MPI_Datatype strided;

	OK(MPI_Type_vector(2, 1, 8, MPI_INT, &strided));
	OK(MPI_Type_commit(&strided));
	FAILS(MPI_ERR_RANK, "not in window `mine'",
		MPI_Put(x, 1, MPI_INT, check_size, 0, 1, MPI_INT, win));
	FAILS(MPI_ERR_RMA_RANGE, "rank", MPI_Put(x, 1, MPI_INT, other, 8, 1, MPI_INT, win));
	FAILS(MPI_ERR_RMA_RANGE, "window `mine'",
		MPI_Get(x, 2, MPI_INT, other, 7, 2, MPI_INT, win));
	FAILS(MPI_ERR_RMA_RANGE, "36 bytes", MPI_Put(x, 2, MPI_INT, other, 0, 1, strided, win));
	FAILS(MPI_ERR_RMA_RANGE, "",
		MPI_Accumulate(x, 1, MPI_INT, other, 8, 1, MPI_INT, MPI_SUM, win));
	FAILS(MPI_ERR_RMA_RANGE, "", MPI_Fetch_and_op(x, x + 1, MPI_INT, other, 8, MPI_SUM, win));
	FAILS(MPI_ERR_RMA_RANGE, "", MPI_Compare_and_swap(x, x, x + 1, MPI_INT, other, 100, win));
	FAILS(MPI_ERR_DISP, "-1", MPI_Put(x, 1, MPI_INT, other, -1, 1, MPI_INT, win));
	FAILS(MPI_ERR_TRUNCATE, "8 bytes", MPI_Put(x, 2, MPI_INT, other, 0, 1, MPI_INT, win));
	FAILS(MPI_ERR_TRUNCATE, "8 bytes", MPI_Get(x, 1, MPI_INT, other, 0, 2, MPI_INT, win));
	FAILS(MPI_ERR_BUFFER, "", MPI_Put(NULL, 1, MPI_INT, other, 0, 1, MPI_INT, win));
	OK(MPI_Type_free(&strided));
}

static void bad_add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)in;
	(void)inout;
	(void)n;
	(void)type;
}

/* 12.3.4: MPI_NO_OP is for operations that bring the old values only. */
static void no_op(MPI_Win win, int other)
{
	FAILS(MPI_ERR_OP, "MPI_NO_OP",
		MPI_Accumulate(x, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_NO_OP, win));
	FAILS(MPI_ERR_OP, "MPI_NO_OP",
		MPI_Accumulate(x, 1, MPI_INT, other, 0, 4, MPI_CHAR, MPI_NO_OP, win));
	OK(MPI_Fetch_and_op(NULL, x, MPI_INT, other, 0, MPI_NO_OP, win));
}

/* 12.3.5: request-based operations are valid in a passive target epoch only. */
static void with_request(MPI_Win win, int other)
{
	MPI_Request r;

	FAILS(MPI_ERR_RMA_SYNC, "MPI_Win_lock",
		MPI_Rput(x, 1, MPI_INT, other, 0, 1, MPI_INT, win, &r));
	FAILS(MPI_ERR_RMA_SYNC, "MPI_Win_lock",
		MPI_Rget(x, 1, MPI_INT, other, 0, 1, MPI_INT, win, &r));
	FAILS(MPI_ERR_RMA_SYNC, "MPI_Win_lock",
		MPI_Raccumulate(x, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, win, &r));
	FAILS(MPI_ERR_RMA_SYNC, "MPI_Win_lock",
		MPI_Rget_accumulate(
			x, 1, MPI_INT, x + 1, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, win, &r));
	if (getenv("HAFT_CHECK") != NULL) {
		FAILS(MPI_ERR_RMA_SYNC, "MPI_Win_lock",
			MPI_Rput(x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &r));
		return;
	}
	OK(MPI_Rput(x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
}

static void no_op_with_request(MPI_Win win, int other)
{
	MPI_Request r;

	OK(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win));
	FAILS(MPI_ERR_OP, "MPI_NO_OP",
		MPI_Raccumulate(x, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_NO_OP, win, &r));
	OK(MPI_Win_unlock(other, win));
}

static void bad_types(MPI_Win win, int other)
{
	int lens[] = {1, 1};
	MPI_Aint at[] = {0, 8};
	MPI_Datatype parts[] = {MPI_INT, MPI_FLOAT}, mixed;
	MPI_Op op;

	OK(MPI_Type_create_struct(2, lens, at, parts, &mixed));
	OK(MPI_Type_commit(&mixed));
	OK(MPI_Op_create(bad_add, 1, &op));
	FAILS(MPI_ERR_OP, "predefined",
		MPI_Accumulate(x, 1, MPI_INT, other, 0, 1, MPI_INT, op, win));
	FAILS(MPI_ERR_OP, "MPI_BAND",
		MPI_Accumulate(x, 1, MPI_FLOAT, other, 0, 1, MPI_FLOAT, MPI_BAND, win));
	FAILS(MPI_ERR_TYPE, "one predefined type",
		MPI_Accumulate(x, 1, mixed, other, 0, 1, mixed, MPI_SUM, win));
	FAILS(MPI_ERR_TYPE, "MPI_FLOAT",
		MPI_Accumulate(x, 1, MPI_FLOAT, other, 0, 1, MPI_INT, MPI_SUM, win));
	FAILS(MPI_ERR_TYPE, "predefined", MPI_Fetch_and_op(x, x, mixed, other, 0, MPI_SUM, win));
	FAILS(MPI_ERR_TYPE, "MPI_FLOAT", MPI_Compare_and_swap(x, x, x, MPI_FLOAT, other, 0, win));
	OK(MPI_Op_free(&op));
	OK(MPI_Type_free(&mixed));
}

/* The memory that others attach is seen here if it is shared; else its owner finds the error,
 * and the next synchronization says it. */
static void detached(MPI_Win win, int other, MPI_Aint theirs)
{
	if (check_has_remote()) {
		OK(MPI_Put(x, 1, MPI_INT, other, MPI_Aint_add(theirs, 16), 1, MPI_INT, win));
		OK(MPI_Get(x, 5, MPI_INT, other, theirs, 5, MPI_INT, win));
		FAILS(MPI_ERR_RMA_RANGE, "(and 1 more operation)", MPI_Win_fence(0, win));
		return;
	}
	FAILS(MPI_ERR_RMA_RANGE, "not attached",
		MPI_Put(x, 1, MPI_INT, other, MPI_Aint_add(theirs, 16), 1, MPI_INT, win));
	FAILS(MPI_ERR_RMA_RANGE, "not attached",
		MPI_Get(x, 5, MPI_INT, other, theirs, 5, MPI_INT, win));
	OK(MPI_Win_fence(0, win));
}

static void dynamic(void)
{
	MPI_Aint at, theirs, size;
	int mem[8], unit, other = 1 - check_rank;
	void *p;
	MPI_Win win;

	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	OK(MPI_Win_attach(win, mem, 16));
	FAILS(MPI_ERR_RMA_ATTACH, "already", MPI_Win_attach(win, mem + 3, 4));
	FAILS(MPI_ERR_RMA_ATTACH, "nothing", MPI_Win_detach(win, mem + 1));
	FAILS(MPI_ERR_RMA_FLAVOR, "dynamic", MPI_Win_shared_query(win, 0, &size, &unit, &p));
	OK(MPI_Get_address(mem, &at));
	OK(MPI_Sendrecv(&at, 1, MPI_AINT, other, 0, &theirs, 1, MPI_AINT, other, 0, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE));
	OK(MPI_Win_fence(0, win));
	detached(win, other, theirs);
	OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
	MPI_Win win;
	int *mem;

	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	FAILS(MPI_ERR_BASE, "NULL",
		MPI_Win_create(NULL, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	FAILS(MPI_ERR_SIZE, "", MPI_Win_create(x, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	FAILS(MPI_ERR_DISP, "", MPI_Win_create(x, 8, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	OK(MPI_Win_allocate(32, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win));
	OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	OK(MPI_Win_set_name(win, "mine"));
	for (int i = 0; i < 8; i++)
		mem[i] = i;
	FAILS(MPI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic", MPI_Win_attach(win, x, 4));
	OK(MPI_Win_fence(0, win));
	ranges(win, 1 - check_rank);
	bad_types(win, 1 - check_rank);
	no_op(win, 1 - check_rank);
	with_request(win, 1 - check_rank);
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
	with_request(win, 1 - check_rank);
	no_op_with_request(win, 1 - check_rank);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < 8; i++)
		CHECK(mem[i] == i);
	OK(MPI_Win_free(&win));
	dynamic();
	MPI_Finalize();
	return 0;
}
