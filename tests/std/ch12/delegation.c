/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,4 env="HAFT_RMA=mailbox" time=120 */
/* MPI-5.0 12.3, 12.5.3, 12.7: small operations on private memory are done by its process where it
 * is in MPI and by their origin where it is not; both give one result. */
#include "tests/check.h"

#include <stdint.h>

enum { ROUNDS = 400, WORDS = 64, SPAN = 8 };

static MPI_Win win;
static int64_t *mem; /* of malloc */

static unsigned seed;

static unsigned delegated_draw(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

static void delegated_begin(void)
{
	memset(mem, 0, WORDS * sizeof(*mem));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_lock_all(0, win));
}

static void delegated_end(void)
{
	OK(MPI_Win_unlock_all(win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Sums of 1 to SPAN elements at the same places: those that fit into a box and those that do not
 * are atomic against each other.  All ranks add to all, themselves included; every other round rank
 * 0 is only at a barrier. */
static void sums_collide(void)
{
	int64_t ones[SPAN], old, mine[WORDS] = {0}, all[WORDS];

	for (int i = 0; i < SPAN; i++)
		ones[i] = 1;
	delegated_begin();
	for (int i = 0; i < ROUNDS; i++) {
		int n = 1 + (int)delegated_draw(SPAN), at = (int)delegated_draw(WORDS - SPAN + 1);

		if (i % 2 == 1 && check_rank == 0)
			continue;
		for (int r = 0; r < check_size; r++) {
			if (n == 1)
				OK(MPI_Fetch_and_op(ones, &old, MPI_INT64_T, r, at, MPI_SUM, win));
			else
				OK(MPI_Accumulate(
					ones, n, MPI_INT64_T, r, at, n, MPI_INT64_T, MPI_SUM, win));
		}
		for (int k = 0; k < n; k++)
			mine[at + k]++;
	}
	delegated_end();
	OK(MPI_Allreduce(mine, all, WORDS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
	OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, win));
	CHECK(memcmp(all, mem, sizeof(all)) == 0);
	OK(MPI_Win_unlock(check_rank, win));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* A lock made of MPI_Compare_and_swap guards words that are put and got. */
static void swaps_guard(void)
{
	const int64_t none = 0, me = check_rank + 1;
	int64_t old, two[2];

	delegated_begin();
	for (int i = 0; i < ROUNDS / 4; i++) {
		do {
			OK(MPI_Compare_and_swap(&me, &none, &old, MPI_INT64_T, 0, 0, win));
			OK(MPI_Win_flush(0, win));
		} while (old != 0);
		OK(MPI_Get(two, 2, MPI_INT64_T, 0, 1, 2, MPI_INT64_T, win));
		OK(MPI_Win_flush(0, win));
		CHECK(two[0] == two[1]);
		two[0]++;
		two[1]++;
		OK(MPI_Put(two, 2, MPI_INT64_T, 0, 1, 2, MPI_INT64_T, win));
		OK(MPI_Win_flush(0, win));
		OK(MPI_Fetch_and_op(&none, &old, MPI_INT64_T, 0, 0, MPI_REPLACE, win));
		OK(MPI_Win_flush(0, win));
		CHECK(old == me);
	}
	delegated_end();
	if (check_rank == 0) {
		OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
		CHECK(mem[1] == (int64_t)check_size * (ROUNDS / 4) && mem[2] == mem[1]);
		OK(MPI_Win_unlock(0, win));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Does a thread of the library serve others while its process computes? */
static bool thread_serves(void)
{
	const char *s = getenv("HAFT_PROGRESS");

	return s != NULL && strcmp(s, "thread") == 0;
}

/* Rank 0 is not in MPI at all until a word of its window says that all have done their work.  Where
 * it shares no memory with them it would have to be. */
static void nobody_calls(void)
{
	const int64_t one = 1;
	volatile int64_t *done = &mem[0];

	delegated_begin();
	if (check_rank == 0) {
		while (*done < check_size - 1)
			;
	} else {
		for (int i = 0; i < 100; i++)
			OK(MPI_Accumulate(
				&one, 1, MPI_INT64_T, 0, 1, 1, MPI_INT64_T, MPI_SUM, win));
		OK(MPI_Win_flush(0, win));
		OK(MPI_Accumulate(&one, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_SUM, win));
	}
	delegated_end();
	if (check_rank == 0) {
		OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
		CHECK(mem[1] == 100 * (int64_t)(check_size - 1));
		OK(MPI_Win_unlock(0, win));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Operations of one process on one place are done in order, however long each is. */
static void order_stays(void)
{
	int right = (check_rank + 1) % check_size;
	int64_t row[SPAN], back[SPAN];

	delegated_begin();
	for (int i = 0; i < ROUNDS; i++) {
		int n = 1 + (int)delegated_draw(SPAN), m = 1 + (int)delegated_draw(SPAN);

		for (int k = 0; k < SPAN; k++)
			row[k] = 2 * i;
		OK(MPI_Accumulate(row, n, MPI_INT64_T, right, 0, n, MPI_INT64_T, MPI_REPLACE, win));
		for (int k = 0; k < SPAN; k++)
			row[k] = 2 * i + 1;
		OK(MPI_Accumulate(row, m, MPI_INT64_T, right, 0, m, MPI_INT64_T, MPI_REPLACE, win));
		OK(MPI_Get_accumulate(NULL, 0, MPI_INT64_T, back, n, MPI_INT64_T, right, 0, n,
			MPI_INT64_T, MPI_NO_OP, win));
		OK(MPI_Win_flush(right, win));
		for (int k = 0; k < n; k++)
			CHECK(back[k] == 2 * i + (k < m));
	}
	delegated_end();
}

/* Memory of a dynamic window is private memory too; so are bytes, and unaligned data. */
static void attached(void)
{
	static char page[256];
	MPI_Win dyn;
	MPI_Aint at[8];
	char bytes[9] = "bytes of", back[9] = "";
	int right = (check_rank + 1) % check_size;

	CHECK(check_size <= 8);
	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dyn));
	OK(MPI_Win_attach(dyn, page, sizeof(page)));
	OK(MPI_Get_address(page, &at[check_rank]));
	OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_AINT, at, 1, MPI_AINT, MPI_COMM_WORLD));
	OK(MPI_Win_lock_all(0, dyn));
	for (int i = 0; i < 9; i++) {
		OK(MPI_Put(bytes, 9, MPI_CHAR, right, at[right] + 3 + 9 * i, 9, MPI_CHAR, dyn));
		OK(MPI_Win_flush(right, dyn));
		OK(MPI_Get(back, 9, MPI_CHAR, right, at[right] + 3 + 9 * i, 9, MPI_CHAR, dyn));
		OK(MPI_Win_flush(right, dyn));
		CHECK(memcmp(bytes, back, 9) == 0);
		memset(back, 0, sizeof(back));
		OK(MPI_Get_accumulate(bytes, 9, MPI_BYTE, back, 9, MPI_BYTE, right,
			at[right] + 3 + 9 * i, 9, MPI_BYTE, MPI_REPLACE, dyn));
		OK(MPI_Win_flush(right, dyn));
		CHECK(memcmp(bytes, back, 9) == 0);
	}
	OK(MPI_Win_unlock_all(dyn));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Win_detach(dyn, page));
	OK(MPI_Win_free(&dyn));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	seed = (unsigned)check_rank * 7919 + 1;
	mem = malloc(WORDS * sizeof(*mem));
	CHECK(mem != NULL);
	OK(MPI_Win_create(
		mem, WORDS * sizeof(*mem), sizeof(*mem), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	sums_collide();
	swaps_guard();
	if (!check_has_remote() || thread_serves())
		nobody_calls();
	order_stays();
	attached();
	OK(MPI_Win_free(&win));
	free(mem);
	MPI_Finalize();
	return 0;
}
