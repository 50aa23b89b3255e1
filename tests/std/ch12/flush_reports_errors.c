/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=3 env="HAFT_VIA=net" */
/* MPI-5.0 12.6.1: an error that only the target can see is said by the next flush of that
 * target: which operation, where, and why. */
#include "tests/check.h"

static int x[8], y[8], mem[8];
static MPI_Aint at[3];
static MPI_Win win;

/* Rank 1 has attached memory, ranks 0 and 2 have none. */
static void flush_one(int rank)
{
	char words[64];

	snprintf(words, sizeof(words), "of rank %d in window `mine'", rank);
	OK(MPI_Put(x, 2, MPI_INT, rank, at[rank], 2, MPI_INT, win));
	FAILS(MPI_ERR_RMA_RANGE, "a put of 8 bytes at displacement", MPI_Win_flush(rank, win));
	OK(MPI_Win_flush(rank, win));
	OK(MPI_Get(x, 3, MPI_INT, rank, at[rank], 3, MPI_INT, win));
	FAILS(MPI_ERR_RMA_RANGE, "a get of 12 bytes", MPI_Win_flush(rank, win));
	OK(MPI_Accumulate(x, 1, MPI_INT, rank, at[rank], 1, MPI_INT, MPI_SUM, win));
	FAILS(MPI_ERR_RMA_RANGE, "an accumulate of 4 bytes", MPI_Win_flush_all(win));
	OK(MPI_Compare_and_swap(x, x, y, MPI_INT, rank, at[rank], win));
	FAILS(MPI_ERR_RMA_RANGE, "a compare-and-swap of 4 bytes", MPI_Win_flush(rank, win));
	OK(MPI_Fetch_and_op(x, y, MPI_INT, rank, at[rank], MPI_SUM, win));
	FAILS(MPI_ERR_RMA_RANGE, words, MPI_Win_flush(rank, win));
}

/* A request that brings something says itself that it has failed, and the flush does not say it
 * again; also among others, and where the flush comes first. */
static void request(int rank)
{
	MPI_Status s[2];
	MPI_Request q, two[2];

	OK(MPI_Rget(x, 1, MPI_INT, rank, at[rank], 1, MPI_INT, win, &q));
	FAILS(MPI_ERR_RMA_RANGE, "a get of 4 bytes", MPI_Wait(&q, MPI_STATUS_IGNORE));
	CHECK(q == MPI_REQUEST_NULL);
	OK(MPI_Win_flush_local(rank, win));
	OK(MPI_Win_flush(rank, win));
	OK(MPI_Rget(x, 1, MPI_INT, 1, at[1], 1, MPI_INT, win, &two[0]));
	OK(MPI_Rget_accumulate(NULL, 0, MPI_INT, y, 2, MPI_INT, rank, at[rank], 2, MPI_INT,
		MPI_NO_OP, win, &two[1]));
	OK(MPI_Win_flush_all(win));
	FAILS(MPI_ERR_IN_STATUS, "request 1 of 2", MPI_Waitall(2, two, s));
	CHECK(s[0].MPI_ERROR == MPI_SUCCESS && s[1].MPI_ERROR == MPI_ERR_RMA_RANGE);
}

/* Among others, and others at other targets. */
static void flush_several(void)
{
	OK(MPI_Put(x, 1, MPI_INT, 1, at[1], 1, MPI_INT, win));
	OK(MPI_Put(x, 1, MPI_INT, 2, at[2], 1, MPI_INT, win));
	OK(MPI_Put(x, 2, MPI_INT, 2, at[2], 2, MPI_INT, win));
	OK(MPI_Put(x, 3, MPI_INT, 2, at[2], 3, MPI_INT, win));
	OK(MPI_Put(x, 1, MPI_INT, 1, at[1] + 4, 1, MPI_INT, win));
	OK(MPI_Win_flush(1, win));
	FAILS(MPI_ERR_RMA_RANGE, "a put of 4 bytes", MPI_Win_flush_all(win));
	OK(MPI_Put(x, 2, MPI_INT, 2, at[2], 2, MPI_INT, win));
	OK(MPI_Put(x, 3, MPI_INT, 2, at[2], 3, MPI_INT, win));
	FAILS(MPI_ERR_RMA_RANGE, "(and 1 more operation)", MPI_Win_flush(2, win));
	OK(MPI_Win_flush_all(win));
	OK(MPI_Put(x, 1, MPI_INT, 2, at[2], 1, MPI_INT, win));
}

int main(int argc, char **argv)
{
	MPI_Aint mine;

	check_init(&argc, &argv);
	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	OK(MPI_Win_set_name(win, "mine"));
	if (check_rank == 1)
		OK(MPI_Win_attach(win, mem, sizeof(mem)));
	OK(MPI_Get_address(mem, &mine));
	OK(MPI_Allgather(&mine, 1, MPI_AINT, at, 1, MPI_AINT, MPI_COMM_WORLD));
	if (check_rank == 0) {
		OK(MPI_Win_lock_all(0, win));
		flush_one(2);
		request(2);
		x[0] = 5;
		flush_several();
		FAILS(MPI_ERR_RMA_RANGE, "rank 2", MPI_Win_unlock_all(win));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 1) {
		CHECK(mem[0] == 5 && mem[1] == 5 && mem[2] == 0);
		OK(MPI_Win_detach(win, mem));
	}
	OK(MPI_Win_free(&win));
	MPI_Finalize();
	return 0;
}
