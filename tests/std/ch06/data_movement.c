// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,3,4,7,16 time=120 */
/* RUN np=2,3,4,7,16 env="HAFT_COLL=p2p" time=120 */
/* MPI-5.0 6.4, 6.5, 6.6, 6.7, 6.8: calls that move data without computing, for any root, count, and
 * types with gaps. */
#include "tests/check.h"
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RANKS 64
#define GAP   ((char)-1)

/* Types: dense ones, and one with a gap at the end and one with a gap inside. */
static const struct {
	MPI_Datatype type;
	const char *name;
	int extent;
	int part[2][2]; /* bytes of data: from, to */
} types[] = {
	{MPI_CHAR, "MPI_CHAR", 1, {{0, 1}, {0, 0}}},
	{MPI_INT, "MPI_INT", 4, {{0, 4}, {0, 0}}},
	{MPI_DOUBLE_INT, "MPI_DOUBLE_INT", 16, {{0, 8}, {8, 12}}},
	{MPI_SHORT_INT, "MPI_SHORT_INT", 8, {{0, 2}, {4, 8}}},
};

static int n, me, type;
static char *in, *out;
static int counts[RANKS], displs[RANKS], scounts[RANKS], sdispls[RANKS];

static bool is_data(int b)
{
	return (b >= types[type].part[0][0] && b < types[type].part[0][1]) ||
	       (b >= types[type].part[1][0] && b < types[type].part[1][1]);
}

/* Byte b of element i of block `to' at rank `from'. */
static char movement_byte_of(int from, int to, int64_t i, int b)
{
	return (char)((from * 31 + to * 17 + i * 7 + b * 3) % 127);
}

static void movement_put(char *buf, int64_t at, int from, int to, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		for (int b = 0; b < types[type].extent; b++)
			buf[(at + i) * types[type].extent + b] = movement_byte_of(from, to, i, b);
}

static void clear(char *buf, int64_t count)
{
	memset(buf, GAP, (size_t)(count * types[type].extent));
}

/* The block has arrived, and the gaps are as they were. */
static void movement_check(
	const char *what, const char *buf, int64_t at, int from, int to, int64_t count)
{
	for (int64_t i = 0; i < count; i++) {
		for (int b = 0; b < types[type].extent; b++) {
			char is = buf[(at + i) * types[type].extent + b];

			if (is == (is_data(b) ? movement_byte_of(from, to, i, b) : GAP))
				continue;
			fprintf(stderr,
				"rank %d: %s of %s: block %d to %d, element %lld of %lld, byte "
				"%d\n",
				me, what, types[type].name, from, to, (long long)i,
				(long long)count, b);
			expect(false);
			return;
		}
	}
}

static void rooted(int count, int root)
{
	MPI_Datatype t = types[type].type;
	char *block = out + (int64_t)me * count * types[type].extent;

	if (me == root)
		movement_put(in, 0, root, 0, count);
	else
		clear(in, count);
	expect_ok(MPI_Bcast(in, count, t, root, MPI_COMM_WORLD));
	if (me != root)
		movement_check("bcast", in, 0, root, 0, count);
	movement_put(in, 0, me, root, count);
	clear(out, (int64_t)count * n);
	expect_ok(MPI_Gather(in, count, t, out, count, t, root, MPI_COMM_WORLD));
	for (int i = 0; i < n && me == root; i++)
		movement_check("gather", out, (int64_t)i * count, i, root, count);
	clear(out, (int64_t)count * n);
	if (me == root && count > 0)
		memcpy(block, in, (size_t)count * (size_t)types[type].extent);
	expect_ok(MPI_Gather(
		me == root ? MPI_IN_PLACE : in, count, t, out, count, t, root, MPI_COMM_WORLD));
	for (int i = 0; i < n && me == root; i++)
		if (i != me)
			movement_check("gather in place", out, (int64_t)i * count, i, root, count);
	for (int i = 0; i < n; i++)
		movement_put(in, (int64_t)i * count, root, i, count);
	clear(out, count);
	expect_ok(MPI_Scatter(in, count, t, out, count, t, root, MPI_COMM_WORLD));
	movement_check("scatter", out, 0, root, me, count);
	clear(out, count);
	expect_ok(MPI_Scatter(
		in, count, t, me == root ? MPI_IN_PLACE : out, count, t, root, MPI_COMM_WORLD));
	if (me != root)
		movement_check("scatter in place", out, 0, root, me, count);
}

static void movement_all_to_all(int count)
{
	MPI_Datatype t = types[type].type;
	int64_t ext = types[type].extent;

	movement_put(in, 0, me, 0, count);
	clear(out, (int64_t)count * n);
	expect_ok(MPI_Allgather(in, count, t, out, count, t, MPI_COMM_WORLD));
	for (int i = 0; i < n; i++)
		movement_check("allgather", out, (int64_t)i * count, i, 0, count);
	clear(out, (int64_t)count * n);
	movement_put(out, (int64_t)me * count, me, 0, count);
	expect_ok(MPI_Allgather(MPI_IN_PLACE, 0, t, out, count, t, MPI_COMM_WORLD));
	for (int i = 0; i < n; i++)
		if (i != me)
			movement_check("allgather in place", out, (int64_t)i * count, i, 0, count);
	for (int i = 0; i < n; i++)
		movement_put(in, (int64_t)i * count, me, i, count);
	clear(out, (int64_t)count * n);
	expect_ok(MPI_Alltoall(in, count, t, out, count, t, MPI_COMM_WORLD));
	for (int i = 0; i < n; i++)
		movement_check("alltoall", out, (int64_t)i * count, i, me, count);
	for (int64_t i = 0; i < (int64_t)n * count * ext; i++)
		if (!is_data((int)(i % ext)))
			in[i] = GAP;
	expect_ok(MPI_Alltoall(MPI_IN_PLACE, 0, t, in, count, t, MPI_COMM_WORLD));
	for (int i = 0; i < n; i++)
		if (i != me)
			movement_check("alltoall in place", in, (int64_t)i * count, i, me, count);
}

/* Block i of a rank's buffer has (i + turn) % 3 * count elements; blocks lie in descending
 * order. */
static int64_t layout(int turn, int count, int c[], int d[])
{
	int at = 0;

	for (int i = n - 1; i >= 0; i--) {
		c[i] = (i + turn) % 3 * count;
		d[i] = at;
		at += c[i] + 1;
	}
	return at;
}

static void movement_vectors(int count, int root)
{
	MPI_Datatype t = types[type].type;
	int64_t room = layout(0, count, counts, displs);

	movement_put(in, 0, me, root, counts[me]);
	clear(out, room);
	expect_ok(MPI_Gatherv(in, counts[me], t, out, counts, displs, t, root, MPI_COMM_WORLD));
	for (int i = 0; i < n && me == root; i++)
		movement_check("gatherv", out, displs[i], i, root, counts[i]);
	clear(out, room);
	expect_ok(MPI_Allgatherv(in, counts[me], t, out, counts, displs, t, MPI_COMM_WORLD));
	for (int i = 0; i < n; i++)
		movement_check("allgatherv", out, displs[i], i, root, counts[i]);
	for (int i = 0; i < n; i++)
		movement_put(in, displs[i], root, i, counts[i]);
	clear(out, counts[me]);
	expect_ok(MPI_Scatterv(in, counts, displs, t, out, counts[me], t, root, MPI_COMM_WORLD));
	movement_check("scatterv", out, 0, root, me, counts[me]);
	room = layout(
		me, count, scounts, sdispls); /* from me to i: (me + i) % 3, the same both ways */
	for (int i = 0; i < n; i++)
		movement_put(in, sdispls[i], me, i, scounts[i]);
	clear(out, room);
	expect_ok(MPI_Alltoallv(in, scounts, sdispls, t, out, scounts, sdispls, t, MPI_COMM_WORLD));
	for (int i = 0; i < n; i++)
		movement_check("alltoallv", out, sdispls[i], i, me, scounts[i]);
}

static void mixed_types(int count)
{
	MPI_Datatype t[RANKS];
	int ext = types[type].extent;

	layout(me, count, scounts, sdispls);
	for (int i = 0; i < n; i++) {
		t[i] = types[type].type;
		movement_put(in, sdispls[i], me, i, scounts[i]);
		displs[i] = sdispls[i] * ext;
	}
	clear(out, (int64_t)(2 * count + 1) * n);
	expect_ok(MPI_Alltoallw(in, scounts, displs, t, out, scounts, displs, t, MPI_COMM_WORLD));
	for (int i = 0; i < n; i++)
		movement_check("alltoallw", out, sdispls[i], i, me, scounts[i]);
}

int main(int argc, char **argv)
{
	static const int some[] = {0, 1, 3, 14, 15, 60, 700, 5000, 40000};
	size_t room;

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	room = (size_t)(n + 1) * 2 * 40001 * 16;
	in = malloc(room);
	out = malloc(room);
	for (type = 0; type < (int)(sizeof(types) / sizeof(types[0])); type++) {
		for (int c = 0; c < (int)(sizeof(some) / sizeof(some[0])); c++) {
			if (some[c] * n > 130000)
				break;
			rooted(some[c], (c + type) % n);
			movement_all_to_all(some[c]);
			movement_vectors(some[c], (c + type + 1) % n);
			mixed_types(some[c]);
		}
	}
	free(in);
	free(out);
	MPI_Finalize();
	return check_end();
}
