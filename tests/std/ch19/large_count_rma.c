// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* RUN np=2 env="HAFT_RMA=vm|box|msg" */
/* MPI-5.0 19.2, 12.2.2, 12.2.3, 12.3.1, 12.3.2, 12.3.4, 12.3.5: the large-count forms of calls for
 * windows and RMA. */
#include "tests/check.h"

enum { N = 6 };

static int *mem, other;
static int out[N], got[N];

static void large_set(int base)
{
	for (int i = 0; i < N; i++) {
		out[i] = base + i;
		got[i] = -1;
	}
}

static void large_is(const int *buf, int base, int step)
{
	for (int i = 0; i < N; i++)
		CHECK(buf[i] == base + step * i);
}

/* Rank 0 works on rank 1's memory under an exclusive lock. */
static void moves(MPI_Win win)
{
	MPI_Request r;

	OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win));
	large_set(10);
	OK(MPI_Put_c(out, N, MPI_INT, other, 0, N, MPI_INT, win));
	OK(MPI_Win_flush(other, win));
	OK(MPI_Get_c(got, N, MPI_INT, other, 0, N, MPI_INT, win));
	OK(MPI_Win_flush(other, win));
	large_is(got, 10, 1);
	large_set(5);
	OK(MPI_Accumulate_c(out, N, MPI_INT, other, 0, N, MPI_INT, MPI_SUM, win));
	OK(MPI_Get_accumulate_c(
		out, N, MPI_INT, got, N, MPI_INT, other, 0, N, MPI_INT, MPI_SUM, win));
	OK(MPI_Win_flush(other, win));
	large_is(got, 15, 2);
	large_set(100);
	OK(MPI_Rput_c(out, N, MPI_INT, other, 0, N, MPI_INT, win, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_Win_flush(other, win));
	OK(MPI_Rget_c(got, N, MPI_INT, other, 0, N, MPI_INT, win, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	large_is(got, 100, 1);
	OK(MPI_Raccumulate_c(out, N, MPI_INT, other, 0, N, MPI_INT, MPI_SUM, win, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_Rget_accumulate_c(
		out, N, MPI_INT, got, N, MPI_INT, other, 0, N, MPI_INT, MPI_NO_OP, win, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	large_is(got, 200, 2);
	OK(MPI_Win_unlock(other, win));
}

static void large_shared(void)
{
	MPI_Aint size, unit;
	MPI_Win win;
	int *at;

	if (check_has_remote())
		return;
	OK(MPI_Win_allocate_shared_c(
		N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win));
	OK(MPI_Win_shared_query_c(win, other, &size, &unit, &at));
	CHECK(size == N * (MPI_Aint)sizeof(int) && unit == sizeof(int) && at != NULL && at != mem);
	OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
	MPI_Win win;

	check_init(&argc, &argv);
	other = 1 - check_rank;
	OK(MPI_Win_allocate_c(
		N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win));
	if (check_rank == 0)
		moves(win);
	OK(MPI_Win_free(&win));
	large_shared();
	MPI_Finalize();
	return 0;
}
