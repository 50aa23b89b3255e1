// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4,8 time=120 */
/* RUN np=1,2,4,8 env="HAFT_RMA=vm|box|msg" time=120 */
/* RUN np=2,4 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 12.5, 12.5.1, 12.5.2, 12.5.3, 12.5.4, 12.5.5: the promises of each kind of epoch,
 * with every transport of RMA. */
#include "tests/check.h"

#include <sched.h>

enum { ROUNDS = 50, WORDS = 64 };

static MPI_Win win;
static int *mem; /* WORDS of this process */
static int right, left;

static void promise_window(void)
{
	right = (check_rank + 1) % check_size;
	left = (check_rank + check_size - 1) % check_size;
	OK(MPI_Win_allocate(WORDS * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL,
		MPI_COMM_WORLD, &mem, &win));
	OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	for (int i = 0; i < WORDS; i++)
		mem[i] = -1;
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* 12.5.1: accesses between two fences have happened at both ends after the second. */
static void fence_completes(void)
{
	int out[WORDS], in[WORDS];

	OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < WORDS; i++)
			out[i] = 1000 * check_rank + round + i;
		OK(MPI_Put(out, WORDS, MPI_INT, right, 0, WORDS, MPI_INT, win));
		OK(MPI_Win_fence(0, win));
		for (int i = 0; i < WORDS; i++)
			CHECK(mem[i] == 1000 * left + round + i);
		OK(MPI_Get(in, WORDS, MPI_INT, right, 0, WORDS, MPI_INT, win));
		OK(MPI_Win_fence(MPI_MODE_NOPUT, win));
		for (int i = 0; i < WORDS; i++)
			CHECK(in[i] == out[i]);
	}
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, win));
}

/* 12.5.1: accumulates of all add up. */
static void fence_adds(void)
{
	int one = 1;

	mem[0] = 0;
	OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
	for (int round = 0; round < ROUNDS; round++)
		for (int t = 0; t < check_size; t++)
			OK(MPI_Accumulate(&one, 1, MPI_INT, t, 0, 1, MPI_INT, MPI_SUM, win));
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
	CHECK(mem[0] == ROUNDS * check_size);
}

/* 12.5.1: stores before a fence are seen by gets after it. */
static void fence_shows_stores(void)
{
	int in;

	for (int round = 0; round < ROUNDS; round++) {
		mem[0] = round;
		OK(MPI_Win_fence(0, win));
		OK(MPI_Get(&in, 1, MPI_INT, right, 0, 1, MPI_INT, win));
		OK(MPI_Win_fence(0, win));
		CHECK(in == round);
	}
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
}

static void group_of(int rank, MPI_Group *group)
{
	MPI_Group all;

	OK(MPI_Win_get_group(win, &all));
	OK(MPI_Group_incl(all, 1, &rank, group));
	OK(MPI_Group_free(&all));
}

/* 12.5.2: post, start, complete, wait between neighbours. */
static void pscw_ring(void)
{
	MPI_Group to, from;
	int out;

	group_of(right, &to);
	group_of(left, &from);
	for (int round = 0; round < ROUNDS; round++) {
		out = 100 * check_rank + round;
		OK(MPI_Win_post(from, 0, win));
		OK(MPI_Win_start(to, 0, win));
		OK(MPI_Put(&out, 1, MPI_INT, right, 1, 1, MPI_INT, win));
		OK(MPI_Win_complete(win));
		OK(MPI_Win_wait(win));
		CHECK(mem[1] == 100 * left + round);
	}
	OK(MPI_Group_free(&to));
	OK(MPI_Group_free(&from));
}

/* 12.5.2: the target is one of all, and only it waits for all. */
static void pscw_many(void)
{
	MPI_Group all, one;

	OK(MPI_Win_get_group(win, &all));
	for (int round = 0; round < ROUNDS; round++) {
		int target = round % check_size, value = round;

		group_of(target, &one);
		if (check_rank == target)
			OK(MPI_Win_post(all, MPI_MODE_NOSTORE, win));
		OK(MPI_Win_start(one, 0, win));
		OK(MPI_Put(&value, 1, MPI_INT, target, 2 + check_rank, 1, MPI_INT, win));
		OK(MPI_Win_complete(win));
		if (check_rank == target) {
			OK(MPI_Win_wait(win));
			for (int i = 0; i < check_size; i++)
				CHECK(mem[2 + i] == round);
		}
		OK(MPI_Group_free(&one));
	}
	OK(MPI_Group_free(&all));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* 12.5.2: MPI_Win_test says no until all have completed, and yes once. */
static void pscw_test(void)
{
	MPI_Group to, from;
	int flag = 1, token = 0;

	group_of(right, &to);
	group_of(left, &from);
	OK(MPI_Win_post(from, 0, win));
	OK(MPI_Win_test(win, &flag));
	CHECK(check_size == 1 || flag == 0 || flag == 1);
	if (check_rank % 2 == 1 && check_size % 2 == 0)
		OK(MPI_Recv(&token, 1, MPI_INT, right, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Win_start(to, 0, win));
	token = 4711;
	OK(MPI_Put(&token, 1, MPI_INT, right, 5, 1, MPI_INT, win));
	if (check_rank % 2 == 0 && check_size % 2 == 0) {
		OK(MPI_Win_test(win, &flag));
		CHECK(flag == 0); /* the left one waits for us */
		OK(MPI_Send(&token, 1, MPI_INT, left, 3, MPI_COMM_WORLD));
	}
	OK(MPI_Win_complete(win));
	while (flag == 0) /* the left one may have been done at the first look */
		OK(MPI_Win_test(win, &flag));
	CHECK(mem[5] == 4711);
	FAILS(MPI_ERR_RMA_SYNC, "MPI_Win_post", MPI_Win_test(win, &flag));
	OK(MPI_Group_free(&to));
	OK(MPI_Group_free(&from));
}

/* 12.5.5: MPI_MODE_NOCHECK promises that there was a post. */
static void pscw_nocheck(void)
{
	MPI_Group to, from;
	int out = check_rank;

	group_of(right, &to);
	group_of(left, &from);
	for (int round = 0; round < ROUNDS; round++) {
		OK(MPI_Win_post(from, MPI_MODE_NOCHECK, win));
		OK(MPI_Barrier(MPI_COMM_WORLD));
		OK(MPI_Win_start(to, MPI_MODE_NOCHECK, win));
		OK(MPI_Put(&out, 1, MPI_INT, right, 6, 1, MPI_INT, win));
		OK(MPI_Win_complete(win));
		OK(MPI_Win_wait(win));
		CHECK(mem[6] == left);
	}
	OK(MPI_Group_free(&to));
	OK(MPI_Group_free(&from));
}

/* 12.5.2: empty groups are groups. */
static void pscw_nobody(void)
{
	OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, win));
	OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, win));
	OK(MPI_Win_complete(win));
	OK(MPI_Win_wait(win));
}

/* 12.5.3: under an exclusive lock no other rank changes a word between read and write. */
static void lock_excludes(void)
{
	int value, pair[2];

	mem[0] = mem[1] = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int round = 0; round < ROUNDS; round++) {
		int t = round % check_size;

		OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, win));
		OK(MPI_Get(pair, 2, MPI_INT, t, 0, 2, MPI_INT, win));
		OK(MPI_Win_flush(t, win));
		CHECK(pair[0] == pair[1]);
		value = pair[0] + 1;
		OK(MPI_Put(&value, 1, MPI_INT, t, 0, 1, MPI_INT, win));
		if (round % 7 == 0)
			sched_yield();
		OK(MPI_Put(&value, 1, MPI_INT, t, 1, 1, MPI_INT, win));
		OK(MPI_Win_unlock(t, win));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, win));
	value = 0;
	for (int round = 0; round < ROUNDS; round++)
		value += round % check_size == check_rank;
	CHECK(mem[0] == value * check_size && mem[1] == mem[0]);
	OK(MPI_Win_unlock(check_rank, win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* 12.5.3: readers are there together, and never with a writer. */
static void lock_shares(void)
{
	int pair[2];

	mem[0] = mem[1] = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int round = 0; round < 4 * ROUNDS; round++) {
		int writes = round % 4 == check_rank % 4;

		OK(MPI_Win_lock(writes ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, win));
		OK(MPI_Get(pair, 2, MPI_INT, 0, 0, 2, MPI_INT, win));
		OK(MPI_Win_flush(0, win));
		CHECK(pair[0] == pair[1]);
		if (writes) {
			pair[0] = pair[1] = round;
			OK(MPI_Put(pair, 2, MPI_INT, 0, 0, 2, MPI_INT, win));
		}
		OK(MPI_Win_unlock(0, win));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* 12.5.3: two readers meet inside their epochs. */
static void lock_readers_overlap(void)
{
	if (check_rank > 1 || check_size == 1)
		return;
	OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
	OK(MPI_Sendrecv(NULL, 0, MPI_INT, 1 - check_rank, 9, NULL, 0, MPI_INT, 1 - check_rank, 9,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Win_unlock(0, win));
}

/* 12.5.3: locks of several targets at once, in any order. */
static void lock_several(void)
{
	int out = check_rank;

	for (int t = 0; t < check_size; t++)
		OK(MPI_Win_lock(MPI_LOCK_SHARED, t, 0, win));
	for (int t = 0; t < check_size; t++)
		OK(MPI_Put(&out, 1, MPI_INT, t, 10 + check_rank, 1, MPI_INT, win));
	for (int t = check_size - 1; t >= 0; t--)
		OK(MPI_Win_unlock(t, win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < check_size; i++)
		CHECK(mem[10 + i] == i);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* 12.5.3: lock_all is a shared lock of all: it keeps writers out, and they keep it out. */
static void lock_all_and_one(void)
{
	int pair[2], one = 1;

	mem[0] = mem[1] = mem[2] = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int round = 0; round < ROUNDS; round++) {
		int t = round % check_size;

		if (round % 3 == check_rank % 3) {
			OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, win));
			pair[0] = pair[1] = 10 * round + check_rank;
			OK(MPI_Put(&pair[0], 1, MPI_INT, t, 0, 1, MPI_INT, win));
			OK(MPI_Put(&pair[1], 1, MPI_INT, t, 1, 1, MPI_INT, win));
			OK(MPI_Win_unlock(t, win));
			continue;
		}
		OK(MPI_Win_lock_all(0, win));
		OK(MPI_Get(pair, 2, MPI_INT, t, 0, 2, MPI_INT, win));
		OK(MPI_Accumulate(&one, 1, MPI_INT, t, 2, 1, MPI_INT, MPI_SUM, win));
		OK(MPI_Win_flush_all(win));
		CHECK(pair[0] == pair[1]);
		OK(MPI_Win_unlock_all(win));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* 12.5.4: after a flush the target has it, without a call of its own. */
static void flush_completes(void)
{
	int in = -1, out;

	mem[3] = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
	for (int round = 1; round <= ROUNDS; round++) {
		out = round;
		OK(MPI_Put(&out, 1, MPI_INT, right, 3, 1, MPI_INT, win));
		OK(MPI_Win_flush_local(right, win));
		out = -5;
		OK(MPI_Win_flush(right, win));
		OK(MPI_Get(&in, 1, MPI_INT, right, 3, 1, MPI_INT, win));
		OK(MPI_Win_flush_local_all(win));
		CHECK(in == round);
	}
	OK(MPI_Win_sync(win));
	OK(MPI_Win_unlock_all(win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	CHECK(mem[3] == ROUNDS);
}

/* 12.5.4: a flag that another process sets is seen after MPI_Win_sync. */
static void sync_sees(void)
{
	int one = 1;

	mem[4] = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock_all(0, win));
	OK(MPI_Accumulate(&one, 1, MPI_INT, right, 4, 1, MPI_INT, MPI_REPLACE, win));
	OK(MPI_Win_flush(right, win));
	while (((volatile int *)mem)[4] == 0) {
		int flag;

		OK(MPI_Win_sync(win));
		OK(MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
		sched_yield();
	}
	OK(MPI_Win_unlock_all(win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* 12.3.5: a request of an operation ends, and then its buffer is the program's again. */
static void requests_end(void)
{
	MPI_Request r[3];
	int out = check_rank + 7, in = -1, old = -1, one = 1;

	mem[6] = mem[7] = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock_all(0, win));
	OK(MPI_Rput(&out, 1, MPI_INT, right, 6, 1, MPI_INT, win, &r[0]));
	OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
	out = -1;
	OK(MPI_Win_flush(right, win));
	OK(MPI_Rget(&in, 1, MPI_INT, right, 6, 1, MPI_INT, win, &r[0]));
	OK(MPI_Raccumulate(&one, 1, MPI_INT, right, 7, 1, MPI_INT, MPI_SUM, win, &r[1]));
	OK(MPI_Rget_accumulate(
		NULL, 0, MPI_INT, &old, 1, MPI_INT, right, 7, 1, MPI_INT, MPI_NO_OP, win, &r[2]));
	OK(MPI_Waitall(3, r, MPI_STATUSES_IGNORE));
	CHECK(in == check_rank + 7);
	CHECK(old == 1);
	OK(MPI_Win_unlock_all(win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* MPI_PROC_NULL is a target that nothing happens at (12.3). */
static void nobody_is_locked(void)
{
	int x = 0;

	OK(MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, win));
	OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, win));
	OK(MPI_Put(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
	OK(MPI_Win_unlock(check_rank, win));
	OK(MPI_Win_unlock(MPI_PROC_NULL, win));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	promise_window();
	fence_completes();
	fence_adds();
	fence_shows_stores();
	pscw_ring();
	pscw_many();
	pscw_test();
	pscw_nocheck();
	pscw_nobody();
	lock_excludes();
	lock_shares();
	lock_readers_overlap();
	lock_several();
	lock_all_and_one();
	flush_completes();
	sync_sees();
	requests_end();
	nobody_is_locked();
	OK(MPI_Win_free(&win));
	MPI_Finalize();
	return 0;
}
