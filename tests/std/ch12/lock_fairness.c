/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=8 time=120 */
/* RUN np=4 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 12.5.3: every rank gets a lock in the end, however often the others take it. */
#include "tests/check.h"

enum { ROUNDS = 200 };

static MPI_Win win;
static int *mem;

/* The number of those who have had all their turns. */
static int finished(int add)
{
	int n;

	OK(MPI_Fetch_and_op(&add, &n, MPI_INT, 0, 1, MPI_SUM, win));
	OK(MPI_Win_flush(0, win));
	return n + add;
}

/* All ranks lock until all have had ROUNDS turns: a starved rank stops the test. */
static void fair_rounds(int type)
{
	int n = 0, done = 0;

	mem[0] = mem[1] = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	while (done < check_size) {
		OK(MPI_Win_lock(type, 0, 0, win));
		done = finished(++n == ROUNDS);
		OK(MPI_Win_unlock(0, win));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* One writer among readers that always overlap. */
static void writer_among_readers(void)
{
	int n = 0, done = 0;

	mem[0] = mem[1] = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	while (done == 0) {
		int writes = check_rank == 1;

		OK(MPI_Win_lock(writes ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, win));
		done = finished(writes && ++n == ROUNDS / 10);
		OK(MPI_Win_unlock(0, win));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* MPI_Win_lock_all among those who lock one after the other. */
static void all_among_ones(void)
{
	int n = 0, done = 0;

	mem[0] = mem[1] = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	while (done == 0) {
		if (check_rank == 1) {
			OK(MPI_Win_lock_all(0, win));
			done = finished(++n == ROUNDS / 10);
			OK(MPI_Win_unlock_all(win));
			continue;
		}
		for (int t = check_size - 1; t >= 0; t--) {
			OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, win));
			if (t == 0)
				done = finished(0);
			OK(MPI_Win_unlock(t, win));
		}
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* MPI_Win_lock_all among those who hold the lock of one target while they wait for the next. */
static void all_among_some(int first, int second)
{
	for (int i = 0; i < ROUNDS / 2; i++) {
		if (check_rank % 2 == 1) {
			OK(MPI_Win_lock_all(0, win));
			OK(MPI_Win_unlock_all(win));
			continue;
		}
		OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, first, 0, win));
		OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, second, 0, win));
		OK(MPI_Win_unlock(second, win));
		OK(MPI_Win_unlock(first, win));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Win_allocate(
		2 * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win));
	fair_rounds(MPI_LOCK_EXCLUSIVE);
	fair_rounds(MPI_LOCK_SHARED);
	writer_among_readers();
	all_among_ones();
	all_among_some(0, check_size - 1);
	all_among_some(check_size - 1, 0);
	OK(MPI_Win_free(&win));
	MPI_Finalize();
	return 0;
}
