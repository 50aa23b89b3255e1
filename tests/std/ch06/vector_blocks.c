// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,3,5,9 env="HAFT_COLL=shm|p2p" */
/* RUN np=4 env="HAFT_VIA=net" */
/* MPI-5.0 6.7, 6.8: allgatherv, alltoallv, alltoallw and reduce_scatter with blocks of all lengths,
 * one after the other: none, a few bytes, many, and in place; and blocks of another length than
 * their receiver expects. */
#include "tests/check.h"
#include <stdlib.h>

enum { LONGEST = 60000, ROUNDS = 48 };

static int n, me, *out, *in, *counts[2], *at[2], *bytes_at[2];
static MPI_Datatype *types;

/* The ints from member i to member j in a round; one rarely has many. */
static int block_size(int round, int i, int j)
{
	static const int sizes[] = {0, 1, 3, 10, 70, 300, 2000, LONGEST};
	int k = (round * 7 + i * 5 + j * 3) % 8;

	if (round % 6 == 0)
		k %= 3; /* short ones, after long ones */
	if (k == 7 && (round + i + j) % 5 != 0)
		k = round % 7;
	return sizes[k];
}

static int block_value(int round, int i, int j, int at)
{
	return round * 1000003 + i * 10007 + j * 101 + at;
}

/* Fills the lists with blocks that lie one behind the other, a gap between them. */
static void blocks_lay(int side, int round, int (*size)(int round, int i, int j))
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		counts[side][i] = side == 0 ? size(round, me, i) : size(round, i, me);
		at[side][i] = sum;
		bytes_at[side][i] = sum * (int)sizeof(int);
		sum += counts[side][i] + i % 3;
	}
}

static void blocks_fill(int *v, int side, int round, bool from_me)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < counts[side][i]; k++)
			v[at[side][i] + k] = from_me ? block_value(round, me, i, k)
						     : block_value(round, i, me, k);
}

static bool blocks_came(int round, bool to_all)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < counts[1][i]; k++)
			if (in[at[1][i] + k] != block_value(round, i, to_all ? 0 : me, k))
				return false;
	return true;
}

static void alltoalls(int round)
{
	blocks_lay(0, round, block_size);
	blocks_lay(1, round, block_size);
	blocks_fill(out, 0, round, true);
	OK(MPI_Alltoallv(
		out, counts[0], at[0], MPI_INT, in, counts[1], at[1], MPI_INT, MPI_COMM_WORLD));
	CHECK(blocks_came(round, false));
	memset(in, 0, 4 * sizeof(int));
	OK(MPI_Alltoallw(out, counts[0], bytes_at[0], types, in, counts[1], bytes_at[1], types,
		MPI_COMM_WORLD));
	CHECK(blocks_came(round, false));
}

static int symmetric_size(int round, int i, int j)
{
	return block_size(round, i < j ? i : j, i < j ? j : i);
}

static void alltoall_in_place(int round)
{
	blocks_lay(1, round, symmetric_size);
	blocks_fill(in, 1, round, true);
	OK(MPI_Alltoallv(
		MPI_IN_PLACE, NULL, NULL, MPI_INT, in, counts[1], at[1], MPI_INT, MPI_COMM_WORLD));
	CHECK(blocks_came(round, false));
}

static int gathered_size(int round, int i, int j)
{
	(void)j;
	return block_size(round, i, 0);
}

static void allgathers(int round)
{
	int mine = gathered_size(round, me, 0);

	blocks_lay(1, round, gathered_size);
	for (int k = 0; k < mine; k++)
		out[k] = in[at[1][me] + k] = block_value(round, me, 0, k);
	OK(MPI_Allgatherv(
		MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts[1], at[1], MPI_INT, MPI_COMM_WORLD));
	CHECK(blocks_came(round, true));
	memset(in, 0, 4 * sizeof(int));
	OK(MPI_Allgatherv(out, mine, MPI_INT, in, counts[1], at[1], MPI_INT, MPI_COMM_WORLD));
	CHECK(blocks_came(round, true));
}

/* The sum of all operands: element k of member i is i + k. */
static void reduce_scatters(int round, bool in_place)
{
	int sum = 0, first = 0, *from = in_place ? in : out, wrong = 0;

	for (int i = 0; i < n; i++) {
		counts[0][i] = block_size(round, i, 0);
		first = i == me ? sum : first;
		sum += counts[0][i];
	}
	for (int k = 0; k < sum; k++)
		from[k] = me + k;
	OK(MPI_Reduce_scatter(
		in_place ? MPI_IN_PLACE : out, in, counts[0], MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	for (int k = 0; k < counts[0][me]; k++)
		wrong += in[k] != n * (first + k) + n * (n - 1) / 2;
	CHECK(wrong == 0);
}

/* Member 0 sends `sent' ints to all others, which expect `expected'. */
static void unequal(int sent, int expected, int class)
{
	MPI_Comm c;
	int err;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	for (int i = 0; i < n; i++) {
		counts[0][i] = me == 0 && i != 0 ? sent : 0;
		counts[1][i] = me != 0 && i == 0 ? expected : 0;
		at[0][i] = at[1][i] = 0;
	}
	err = MPI_Alltoallv(out, counts[0], at[0], MPI_INT, in, counts[1], at[1], MPI_INT, c);
	if (me != 0)
		FAILS(class, "", err);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (n == 2)
		OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	size_t most;

	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	n = check_size;
	me = check_rank;
	most = (size_t)n * (LONGEST + 3) * sizeof(int);
	out = calloc(1, most);
	in = calloc(1, most);
	types = malloc((size_t)n * sizeof(MPI_Datatype));
	for (int i = 0; i < n; i++)
		types[i] = MPI_INT;
	for (int side = 0; side < 2; side++) {
		counts[side] = malloc((size_t)n * sizeof(int));
		at[side] = malloc((size_t)n * sizeof(int));
		bytes_at[side] = malloc((size_t)n * sizeof(int));
	}
	for (int round = 0; round < ROUNDS; round++) {
		alltoalls(round);
		alltoall_in_place(round);
		allgathers(round);
		reduce_scatters(round, false);
		reduce_scatters(round, true);
	}
	unequal(5, 3, MPI_ERR_TRUNCATE);
	unequal(3, 5, MPI_ERR_COUNT);
	unequal(3000, 5, MPI_ERR_TRUNCATE);
	MPI_Finalize();
	return check_end();
}
