// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 time=120 */
/* RUN np=4 time=120 env="HAFT_RMA=mailbox|msg" */
/* MPI-5.0 12.3.4.3, 12.3.4.4, 12.7.1: fetch-and-op and compare-and-swap of several processes at one
 * place are atomic: some order of them explains all that they returned.
 *
 *      rank 0   add 3 (0)      swap 7->2 (9)
 *      rank 1         set 9 (3)        add 1 (2)        ... each with its result
 *
 * Each process makes a few random operations on one word.  Rank 0 then looks for an order that
 * keeps
 * each process's own order, and in which each operation returns the value that those before it
 * made.  A depth-first search over (progress of each process, value), which remembers visited
 * states. */
#include "tests/check.h"

#include <stdint.h>

enum { OPS = 12, RUNS = 60, VALUES = 4, SEEN = 1 << 18 };
enum kind { ADD, SET, READ, SWAP, KINDS };

struct op {
	int kind, arg, compare, got;
};

static MPI_Win win;
static int *mem;
static unsigned seed;

static int history_dice(int n)
{
	seed = seed * 1103515245u + 12345u;
	return (int)(seed >> 16) % n;
}

static void perform(struct op *o)
{
	static const MPI_Op of[] = {MPI_SUM, MPI_REPLACE, MPI_NO_OP};

	o->kind = history_dice(KINDS);
	o->arg = history_dice(VALUES);
	o->compare = history_dice(VALUES);
	o->got = -1;
	if (o->kind == SWAP)
		OK(MPI_Compare_and_swap(&o->arg, &o->compare, &o->got, MPI_INT, 0, 0, win));
	else
		OK(MPI_Fetch_and_op(&o->arg, &o->got, MPI_INT, 0, 0, of[o->kind], win));
	OK(MPI_Win_flush(0, win));
}

static int history_after(const struct op *o, int value)
{
	switch ((enum kind)o->kind) {
	case ADD: return value + o->arg;
	case SET: return o->arg;
	case SWAP: return value == o->compare ? o->arg : value;
	default: return value;
	}
}

static uint64_t seen[SEEN];

/* Has the search been here?  Remembers it. */
static int history_been(const int *at, int value)
{
	uint64_t key = (uint64_t)(uint32_t)value + 1;
	size_t i;

	for (int r = 0; r < check_size; r++)
		key = key << 5 | (uint64_t)at[r];
	i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SEEN;
	for (; seen[i] != 0; i = (i + 1) % SEEN)
		if (seen[i] == key)
			return 1;
	seen[i] = key;
	return 0;
}

static int explain(struct op (*all)[OPS], int *at, int value, int left)
{
	if (left == 0)
		return value == mem[0];
	if (history_been(at, value))
		return 0;
	for (int r = 0; r < check_size; r++) {
		const struct op *o = &all[r][at[r]];

		if (at[r] == OPS || o->got != value)
			continue;
		at[r]++;
		if (explain(all, at, history_after(o, value), left - 1))
			return 1;
		at[r]--;
	}
	return 0;
}

/* The search itself is tested: a history that nothing explains is found to be one. */
static void search_finds_nothing(struct op (*all)[OPS])
{
	int at[8] = {0}, was = all[1][OPS / 2].got;

	all[1][OPS / 2].got = 1000000;
	memset(seen, 0, sizeof(seen));
	CHECK(!explain(all, at, 0, OPS * check_size));
	all[1][OPS / 2].got = was;
}

static void one_run(int run)
{
	struct op own[OPS], all[8][OPS];
	int at[8] = {0};

	seed = (unsigned)(run * 97 + check_rank * 7919 + 1);
	mem[0] = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < OPS; i++)
		perform(&own[i]);
	OK(MPI_Gather(own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE, 0, MPI_COMM_WORLD));
	if (check_rank == 0) {
		memset(seen, 0, sizeof(seen));
		CHECK(explain(all, at, 0, OPS * check_size));
		search_finds_nothing(all);
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	CHECK(check_size <= 8);
	OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win));
	OK(MPI_Win_lock_all(0, win));
	for (int run = 0; run < RUNS; run++)
		one_run(run);
	OK(MPI_Win_unlock_all(win));
	OK(MPI_Win_free(&win));
	MPI_Finalize();
	return 0;
}
