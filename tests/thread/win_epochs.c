// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4 time=240 */
/* MPI-5.0 11.6, 12.5.3: threads of a process in different epochs of one window; each of them waits
 * for locks, and the others go on */
#include "tests/thread/threads.h"

enum { ROUNDS = 150, ADDS = 300 };

static MPI_Win win, other;
static int *mem, *counts;

/* Thread i locks rank i: so a process locks several targets at once, in the order of chance. */
static void own_target(int id)
{
	unsigned seed = (unsigned)(check_rank * 31 + id);
	int pair[2];

	for (int round = 0; round < ROUNDS; round++) {
		int writes = threads_random(&seed) % 3 != 0;

		OK(MPI_Win_lock(writes ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, id, 0, win));
		OK(MPI_Get(pair, 2, MPI_INT, id, 0, 2, MPI_INT, win));
		OK(MPI_Win_flush(id, win));
		CHECK(pair[0] == pair[1]);
		if (writes) {
			pair[0]++, pair[1]++;
			OK(MPI_Put(&pair[0], 1, MPI_INT, id, 0, 1, MPI_INT, win));
			OK(MPI_Put(&pair[1], 1, MPI_INT, id, 1, 1, MPI_INT, win));
		}
		OK(MPI_Win_unlock(id, win));
	}
}

/* All threads in one epoch of all. */
static void one_epoch(int id)
{
	int one = 1, old, last = -1;

	for (int i = 0; i < ADDS; i++) {
		int t = (id + i) % check_size;

		OK(MPI_Fetch_and_op(&one, &old, MPI_INT, t, 0, MPI_SUM, other));
		OK(MPI_Win_flush(t, other));
		if (check_size == 1)
			CHECK(old > last);
		last = old;
		if (i % 16 == 0)
			OK(MPI_Win_flush_all(other));
	}
}

/* A thread waits for a lock that another process has; meanwhile others send messages. */
static void waits_and_talks(int id)
{
	int next = (check_rank + 1) % check_size, last = (check_rank + check_size - 1) % check_size;
	int token = 0;

	for (int round = 0; round < ROUNDS; round++) {
		if (id == 0) {
			OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
			OK(MPI_Win_unlock(0, win));
		} else {
			OK(MPI_Sendrecv_replace(&token, 1, MPI_INT, next, 5, last, 5,
				MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		}
	}
}

int main(int argc, char **argv)
{
	int sum;

	threads_init(&argc, &argv);
	OK(MPI_Win_allocate(
		2 * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win));
	OK(MPI_Win_allocate(
		sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counts, &other));
	mem[0] = mem[1] = counts[0] = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	threads_run(check_size, own_target);
	OK(MPI_Win_lock_all(0, other));
	threads_run(4, one_epoch);
	OK(MPI_Win_unlock_all(other));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Allreduce(counts, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	CHECK(sum == 4 * ADDS * check_size);
	threads_run(2, waits_and_talks);
	OK(MPI_Win_free(&win));
	OK(MPI_Win_free(&other));
	MPI_Finalize();
	return 0;
}
