/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2,4 */
/* MPI-5.0 12.5, 12.6: calls in the wrong epoch give MPI_ERR_RMA_SYNC with words, change nothing,
 * and the window goes on. */
#include "tests/check.h"

enum { WORDS = 16, SYNC = MPI_ERR_RMA_SYNC };

static MPI_Win win;
static MPI_Group all;
static int *mem;

static int wrong_put(int rank)
{
	static int x;

	return MPI_Put(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
}

/* No epoch: nothing is allowed but to open one. */
static void closed(void)
{
	int in;

	FAILS(SYNC, "sluice", wrong_put(0));
	FAILS(SYNC, "no epoch", wrong_put(check_rank));
	FAILS(SYNC, "no epoch", MPI_Get(&in, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
	FAILS(SYNC, "no epoch", MPI_Accumulate(&in, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
	FAILS(SYNC, "no epoch", MPI_Fetch_and_op(&in, &in, MPI_INT, 0, 0, MPI_SUM, win));
	FAILS(SYNC, "MPI_Win_start", MPI_Win_complete(win));
	FAILS(SYNC, "MPI_Win_post", MPI_Win_wait(win));
	FAILS(SYNC, "MPI_Win_lock", MPI_Win_unlock(0, win));
	FAILS(SYNC, "MPI_Win_lock_all", MPI_Win_unlock_all(win));
	FAILS(SYNC, "MPI_Win_flush", MPI_Win_flush(0, win));
	FAILS(SYNC, "MPI_Win_flush_local", MPI_Win_flush_local(0, win));
	FAILS(SYNC, "MPI_Win_flush_all", MPI_Win_flush_all(win));
	FAILS(SYNC, "MPI_Win_flush_local_all", MPI_Win_flush_local_all(win));
	OK(MPI_Win_sync(win));
}

/* After a fence that promises that nothing follows it is the same. */
static void after_last_fence(void)
{
	OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
	closed();
}

/* A fence epoch begins with the first access. */
static void fenced(void)
{
	OK(MPI_Win_fence(0, win));
	FAILS(SYNC, "flush", MPI_Win_flush(0, win));
	OK(wrong_put(check_rank));
	FAILS(SYNC, "fence epoch", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
	FAILS(SYNC, "fence epoch", MPI_Win_lock_all(0, win));
	FAILS(SYNC, "fence epoch", MPI_Win_start(all, 0, win));
	FAILS(SYNC, "fence epoch", MPI_Win_post(all, 0, win));
	FAILS(SYNC, "fence epoch", MPI_Win_free(&win));
	OK(MPI_Win_fence(0, win)); /* no access follows: a lock may */
	OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
	OK(wrong_put(0));
	OK(MPI_Win_unlock(0, win));
	FAILS(SYNC, "no epoch", wrong_put(0));
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
}

static void started(void)
{
	MPI_Group me;

	OK(MPI_Group_incl(all, 1, &check_rank, &me));
	OK(MPI_Win_post(me, 0, win));
	FAILS(SYNC, "exposure", MPI_Win_post(me, 0, win));
	FAILS(SYNC, "exposure", MPI_Win_fence(0, win));
	FAILS(SYNC, "freed", MPI_Win_free(&win));
	OK(MPI_Win_start(me, 0, win));
	FAILS(SYNC, "MPI_Win_start", MPI_Win_start(me, 0, win));
	FAILS(SYNC, "MPI_Win_start", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
	FAILS(SYNC, "MPI_Win_start", MPI_Win_lock_all(0, win));
	FAILS(SYNC, "MPI_Win_start", MPI_Win_fence(0, win));
	if (check_size > 1)
		FAILS(SYNC, "group of MPI_Win_start", wrong_put((check_rank + 1) % check_size));
	OK(wrong_put(check_rank));
	FAILS(SYNC, "MPI_Win_flush", MPI_Win_flush(check_rank, win));
	FAILS(SYNC, "freed", MPI_Win_free(&win));
	OK(MPI_Win_complete(win));
	FAILS(SYNC, "MPI_Win_start", MPI_Win_complete(win));
	OK(MPI_Win_wait(win));
	FAILS(SYNC, "MPI_Win_post", MPI_Win_wait(win));
	OK(MPI_Group_free(&me));
}

static void wrong_locked(void)
{
	int other = (check_rank + 1) % check_size;

	OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, win));
	FAILS(SYNC, "locked already", MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, win));
	FAILS(SYNC, "locked already",
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check_rank, MPI_MODE_NOCHECK, win));
	FAILS(SYNC, "locked at rank", MPI_Win_lock_all(0, win));
	FAILS(SYNC, "locked at rank", MPI_Win_fence(0, win));
	FAILS(SYNC, "locked at rank", MPI_Win_start(all, 0, win));
	FAILS(SYNC, "locked at rank", MPI_Win_free(&win));
	FAILS(SYNC, "MPI_Win_lock_all", MPI_Win_unlock_all(win));
	if (check_size > 1) {
		FAILS(SYNC, "not locked", wrong_put(other));
		FAILS(SYNC, "MPI_Win_flush", MPI_Win_flush(other, win));
		FAILS(SYNC, "MPI_Win_unlock", MPI_Win_unlock(other, win));
	}
	OK(wrong_put(check_rank));
	OK(MPI_Win_flush_all(win));
	OK(MPI_Win_unlock(check_rank, win));
	FAILS(SYNC, "MPI_Win_unlock", MPI_Win_unlock(check_rank, win));
}

static void all_locked(void)
{
	OK(MPI_Win_lock_all(0, win));
	FAILS(SYNC, "MPI_Win_lock_all", MPI_Win_lock_all(0, win));
	FAILS(SYNC, "MPI_Win_lock_all", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
	FAILS(SYNC, "MPI_Win_lock_all", MPI_Win_unlock(0, win));
	FAILS(SYNC, "MPI_Win_lock_all", MPI_Win_fence(0, win));
	FAILS(SYNC, "MPI_Win_lock_all", MPI_Win_free(&win));
	OK(wrong_put(0));
	OK(MPI_Win_unlock_all(win));
}

/* Arguments that mean nothing. */
static void arguments(void)
{
	FAILS(MPI_ERR_LOCKTYPE, "99", MPI_Win_lock(99, 0, 0, win));
	FAILS(MPI_ERR_ASSERT, "0x1", MPI_Win_lock(MPI_LOCK_SHARED, 0, 1, win));
	FAILS(MPI_ERR_ASSERT, "0x1", MPI_Win_fence(1, win));
	FAILS(MPI_ERR_ASSERT, "0x1", MPI_Win_start(all, 1, win));
	FAILS(MPI_ERR_ASSERT, "0x1", MPI_Win_post(all, 1, win));
	FAILS(MPI_ERR_ASSERT, "0x1", MPI_Win_lock_all(1, win));
	FAILS(MPI_ERR_RANK, "", MPI_Win_lock(MPI_LOCK_SHARED, check_size, 0, win));
	FAILS(MPI_ERR_RANK, "", MPI_Win_lock(MPI_LOCK_SHARED, -7, 0, win));
	FAILS(MPI_ERR_RANK, "", MPI_Win_unlock(check_size, win));
	FAILS(MPI_ERR_RANK, "", MPI_Win_flush(check_size, win));
}

/* A group with a rank that is not of the window. */
static void strangers(void)
{
	MPI_Win own;

	if (check_size == 1)
		return;
	OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &own));
	OK(MPI_Win_set_errhandler(own, MPI_ERRORS_RETURN));
	FAILS(MPI_ERR_GROUP, "not one of its", MPI_Win_start(all, 0, own));
	FAILS(MPI_ERR_GROUP, "not one of its", MPI_Win_post(all, 0, own));
	OK(MPI_Win_free(&own));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Win_allocate(WORDS * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL,
		MPI_COMM_WORLD, &mem, &win));
	OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	OK(MPI_Win_set_name(win, "sluice"));
	OK(MPI_Win_get_group(win, &all));
	closed();
	after_last_fence();
	fenced();
	started();
	wrong_locked();
	all_locked();
	arguments();
	strangers();
	OK(MPI_Group_free(&all));
	OK(MPI_Win_free(&win));
	MPI_Finalize();
	return 0;
}
