/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,4 env="HAFT_CHECK=rma" */
/* MPI-5.0 12.7: HAFT_CHECK=rma finds accesses that meet in one epoch, and names both.  It
 * leaves correct programs alone. */
#include "tests/check.h"

enum { WORDS = 64, OVERLAP = MPI_ERR_RMA_CONFLICT };

static MPI_Win win;
static int *mem, buf[WORDS];

static int checked_put(int n, int at)
{
	return MPI_Put(buf, n, MPI_INT, 0, at, n, MPI_INT, win);
}

static int checked_get(int n, int at)
{
	return MPI_Get(buf, n, MPI_INT, 0, at, n, MPI_INT, win);
}

static int checked_add(int n, int at, MPI_Op op)
{
	return MPI_Accumulate(buf, n, MPI_INT, 0, at, n, MPI_INT, op, win);
}

/* Two puts, a put and a get, in one fence epoch: the second of them is told. */
static void fence(void)
{
	OK(MPI_Win_fence(0, win));
	if (check_rank == 0)
		OK(checked_put(4, 0));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 1) {
		FAILS(OVERLAP,
			"bytes 12 to 15 of rank 0 by rank 1 meets the put of bytes 0 to 15 by "
			"rank 0 in the same fence epoch",
			checked_put(1, 3));
		FAILS(OVERLAP, "flood", checked_get(2, 2));
		FAILS(OVERLAP, "this accumulate", checked_add(1, 0, MPI_SUM));
		OK(checked_put(4, 4));
	}
	OK(MPI_Win_fence(0, win));
	if (check_rank == 1)
		OK(checked_put(4, 0)); /* another epoch */
	OK(MPI_Win_fence(0, win));
	OK(checked_get(4, 0)); /* readers are many */
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
}

/* Accumulates meet if their operations differ; MPI_NO_OP is none. */
static void accumulates(void)
{
	int old, one = 1;

	OK(MPI_Win_fence(0, win));
	OK(checked_add(8, 0, MPI_SUM));
	OK(MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 1, MPI_NO_OP, win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 1)
		FAILS(OVERLAP, "with another operation", checked_add(1, 7, MPI_PROD));
	OK(MPI_Win_fence(0, win));
	if (check_rank == 0)
		OK(checked_add(1, 20, MPI_SUM));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 1)
		FAILS(OVERLAP, "type",
			MPI_Accumulate(buf, 1, MPI_FLOAT, 0, 20, 1, MPI_FLOAT, MPI_SUM, win));
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
}

/* Of strided data only the data. */
static void strides(void)
{
	MPI_Datatype comb;

	OK(MPI_Type_vector(4, 1, 2, MPI_INT, &comb));
	OK(MPI_Type_commit(&comb));
	OK(MPI_Win_fence(0, win));
	if (check_rank < 2)
		OK(MPI_Put(buf, 4, MPI_INT, 0, check_rank, 1, comb, win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 1)
		FAILS(OVERLAP, "bytes 24 to 27", checked_put(1, 6));
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
	OK(MPI_Type_free(&comb));
}

/* Under locks: until a flush or the unlock. */
static void locks(void)
{
	OK(MPI_Win_lock_all(0, win));
	if (check_rank == 0)
		OK(checked_put(1, 0));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 1)
		FAILS(OVERLAP, "lock", checked_get(1, 0));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_flush_all(win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(checked_get(1, 0));
	OK(MPI_Win_flush_local(0, win)); /* completes gets */
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 1)
		OK(checked_put(1, 0));
	OK(MPI_Win_unlock_all(win));
	for (int i = 0; i < 20; i++) {
		OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
		OK(checked_put(4, 0));
		OK(MPI_Win_unlock(0, win));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Accesses that follow the completion of a get's request, by any call, are ordered after it. */
static void checked_requests(void)
{
	enum { WAIT, TEST, STATUS, ALL, ENDS };
	MPI_Request q = MPI_REQUEST_NULL;

	OK(MPI_Win_lock_all(0, win));
	for (int end = 0; end < ENDS; end++) {
		int done = 0;

		if (check_rank == 1)
			OK(MPI_Rget(buf, 4, MPI_INT, 0, 8 * end, 4, MPI_INT, win, &q));
		OK(MPI_Barrier(MPI_COMM_WORLD));
		if (check_rank == 0)
			FAILS(OVERLAP, "meets the get", checked_put(1, 8 * end + 3));
		OK(MPI_Barrier(MPI_COMM_WORLD));
		OK(MPI_Win_flush_all(win));
		OK(MPI_Barrier(MPI_COMM_WORLD));
		OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
		if (check_rank == 1)
			OK(MPI_Rget(buf, 4, MPI_INT, 0, 8 * end, 4, MPI_INT, win, &q));
		while (end == TEST && !done)
			OK(MPI_Test(&q, &done, MPI_STATUS_IGNORE));
		while (end == STATUS && !done)
			OK(MPI_Request_get_status(q, &done, MPI_STATUS_IGNORE));
		if (end == WAIT)
			OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
		if (end == ALL)
			OK(MPI_Waitall(1, &q, MPI_STATUSES_IGNORE));
		OK(MPI_Barrier(MPI_COMM_WORLD));
		if (check_rank == 0)
			OK(checked_put(4, 8 * end));
		OK(MPI_Barrier(MPI_COMM_WORLD));
		OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
		OK(MPI_Win_flush_all(win));
		OK(MPI_Barrier(MPI_COMM_WORLD));
	}
	OK(MPI_Win_unlock_all(win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* The request of a get ends that get alone; those of writing operations end nothing at the
 * target. */
static void origins(void)
{
	MPI_Request q[4];

	OK(MPI_Win_lock_all(0, win));
	if (check_rank == 1) {
		OK(checked_get(1, 0));
		OK(MPI_Rput(buf, 1, MPI_INT, 0, 1, 1, MPI_INT, win, &q[0]));
		OK(MPI_Raccumulate(buf, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, win, &q[1]));
		OK(MPI_Rget_accumulate(buf, 1, MPI_INT, buf + 1, 1, MPI_INT, 0, 3, 1, MPI_INT,
			MPI_SUM, win, &q[2]));
		OK(MPI_Rget(buf, 1, MPI_INT, 0, 4, 1, MPI_INT, win, &q[3]));
		OK(MPI_Waitall(4, q, MPI_STATUSES_IGNORE));
		FAILS(MPI_ERR_RMA_RANGE, "not inside",
			MPI_Rget(buf, 1, MPI_INT, 0, WORDS, 1, MPI_INT, win, &q[3]));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < 4 && check_rank == 0; i++)
		FAILS(OVERLAP, "meets the", checked_put(1, i));
	if (check_rank == 0)
		OK(checked_put(1, 4));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_unlock_all(win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* One process alone can do it, too. */
static void checked_own(void)
{
	OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
	if (check_rank == 0) {
		OK(checked_put(2, 8));
		FAILS(OVERLAP, "by rank 0 meets the put of bytes 32 to 39 by rank 0",
			checked_get(1, 9));
		OK(MPI_Win_flush(0, win));
		OK(checked_get(1, 9));
		OK(checked_add(4, 30, MPI_SUM));
		OK(checked_add(4, 30, MPI_PROD)); /* accumulates of one process are in order */
	}
	OK(MPI_Win_unlock(0, win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* A refused operation is no access: it fails with words, and conflicts with none later. */
static void checked_refused(void)
{
	OK(MPI_Win_fence(0, win));
	if (check_rank == 1) {
		OK(checked_put(4, 0));
		FAILS(MPI_ERR_TRUNCATE, "8 bytes of the origin do not fit",
			MPI_Put(buf, 2, MPI_INT, 0, 0, 1, MPI_INT, win));
		FAILS(MPI_ERR_BUFFER, "origin", MPI_Put(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
		FAILS(MPI_ERR_RMA_RANGE, "not inside", checked_put(WORDS, 1));
		FAILS(MPI_ERR_TRUNCATE, "4 bytes of the origin do not fit",
			MPI_Put(buf, 1, MPI_INT, 0, 40, 1, MPI_SHORT, win));
		OK(checked_put(1, 40));
		OK(checked_put(1, WORDS - 1));
	}
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
}

/* In an exposure epoch, even if the first has completed. */
static void exposure(void)
{
	int token = 0;
	MPI_Group all, target;

	OK(MPI_Win_get_group(win, &all));
	OK(MPI_Group_incl(all, 1, (int[]){0}, &target));
	for (int round = 0; round < 3; round++) {
		if (check_rank == 0)
			OK(MPI_Win_post(all, 0, win));
		OK(MPI_Win_start(target, 0, win));
		if (check_rank == 0)
			OK(checked_put(1, 0));
		if (check_rank == 1) {
			OK(MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
			FAILS(OVERLAP, "exposure", checked_put(1, 0));
		}
		OK(MPI_Win_complete(win));
		if (check_rank == 0) {
			OK(MPI_Send(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
			OK(MPI_Win_wait(win));
		}
	}
	OK(MPI_Group_free(&target));
	OK(MPI_Group_free(&all));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Promises are looked after. */
static void promises(void)
{
	OK(MPI_Win_fence(check_rank == 0 ? MPI_MODE_NOPUT : 0, win));
	FAILS(OVERLAP, "MPI_MODE_NOPUT", checked_put(1, check_rank));
	OK(checked_get(1, 0));
	FAILS(MPI_ERR_RMA_SYNC, "MPI_MODE_NOPRECEDE", MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
	OK(MPI_Win_fence(0, win));
	OK(checked_put(1, check_rank));
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0)
		OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 1)
		FAILS(OVERLAP, "MPI_MODE_NOCHECK",
			MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0)
		OK(MPI_Win_unlock(0, win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win));
	OK(checked_get(1, 0));
	OK(MPI_Win_unlock(0, win));
}

/* A record that is full says so once, and the program goes on. */
static void checked_many(void)
{
	MPI_Win big;
	char *bytes;

	OK(MPI_Win_allocate(20000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &bytes, &big));
	OK(MPI_Win_fence(0, big));
	for (int i = 0; i < 10000 && check_rank == 0; i++)
		OK(MPI_Put(buf, 1, MPI_BYTE, 1, 2 * i, 1, MPI_BYTE, big));
	OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, big));
	OK(MPI_Win_free(&big));
}

/* Only records in memory that all share can be compared. */
static void checked_several(void)
{
	fence();
	accumulates();
	strides();
	locks();
	checked_requests();
	origins();
	exposure();
	promises();
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Win_allocate(WORDS * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL,
		MPI_COMM_WORLD, &mem, &win));
	OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	OK(MPI_Win_set_name(win, "flood"));
	if (!check_has_remote())
		checked_several();
	checked_own();
	checked_refused();
	checked_many();
	OK(MPI_Win_free(&win));
	MPI_Finalize();
	return 0;
}
