// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,3,4,7,16 time=120 */
/* RUN np=2,3,4,7,16 env="HAFT_COLL=p2p" time=120 */
/* MPI-5.0 6.9.1, 6.9.2, 6.9.6, 6.9.7, 6.10.1, 6.10.2, 6.11.1, 6.11.2: every operation on every type
 * that it takes, against the naive result. */
#include "tests/std/ch06/values.h"
#include "tests/check.h"
#include <stdbool.h>

#define COUNT_MAX 300

static int n, me;
static char *in, *out, *want, *all; /* COUNT_MAX elements of 32 bytes; all: n times that */

static void ops_fill(const struct kind *k, int op, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		k->put(in + i * k->extent, op, me, i);
}

/* The result of ranks 0 .. upto-1 for elements first .. first+count-1. */
static void expected_make(const struct kind *k, int op, int upto, int64_t first, int64_t count)
{
	_Alignas(16) char x[32];

	for (int64_t i = 0; i < count; i++) {
		k->put(want + i * k->extent, op, 0, first + i);
		for (int r = 1; r < upto; r++) {
			k->put(x, op, r, first + i);
			k->fold(op, want + i * k->extent, x);
		}
	}
}

static void ops_check(const struct kind *k, int op, const char *call, int64_t count)
{
	for (int64_t i = 0; i < count; i++) {
		if (k->same(out + i * k->extent, want + i * k->extent))
			continue;
		fprintf(stderr, "%s %s %s: element %lld of %lld\n", call, ops[op].name, k->name,
			(long long)i, (long long)count);
		expect(false);
		return;
	}
}

static void result_and_scan(const struct kind *k, int op, int count, int root)
{
	MPI_Op o = ops[op].op;

	expected_make(k, op, n, 0, count);
	expect_ok(MPI_Allreduce(in, out, count, k->type, o, MPI_COMM_WORLD));
	ops_check(k, op, "allreduce", count);
	memcpy(out, in, (size_t)(count * k->extent));
	expect_ok(MPI_Allreduce(MPI_IN_PLACE, out, count, k->type, o, MPI_COMM_WORLD));
	ops_check(k, op, "allreduce in place", count);
	memset(out, 85, (size_t)(count * k->extent));
	expect_ok(MPI_Reduce(in, out, count, k->type, o, root, MPI_COMM_WORLD));
	if (me == root)
		ops_check(k, op, "reduce", count);
	memcpy(out, in, (size_t)(count * k->extent));
	expect_ok(MPI_Reduce(me == root ? MPI_IN_PLACE : in, me == root ? out : NULL, count,
		k->type, o, root, MPI_COMM_WORLD));
	if (me == root)
		ops_check(k, op, "reduce in place", count);
	expected_make(k, op, me + 1, 0, count);
	expect_ok(MPI_Scan(in, out, count, k->type, o, MPI_COMM_WORLD));
	ops_check(k, op, "scan", count);
	expected_make(k, op, me, 0, count);
	memcpy(out, in, (size_t)(count * k->extent));
	expect_ok(MPI_Exscan(MPI_IN_PLACE, out, count, k->type, o, MPI_COMM_WORLD));
	if (me > 0)
		ops_check(k, op, "exscan in place", count);
}

static void ops_blocks(const struct kind *k, int op, int count)
{
	MPI_Op o = ops[op].op;
	int counts[64], at = 0;

	for (int64_t i = 0; i < (int64_t)count * n; i++)
		k->put(all + i * k->extent, op, me, i);
	expected_make(k, op, n, (int64_t)me * count, count);
	expect_ok(MPI_Reduce_scatter_block(all, out, count, k->type, o, MPI_COMM_WORLD));
	ops_check(k, op, "reduce_scatter_block", count);
	for (int i = 0; i < n; i++) {
		counts[i] = i % 3 * count / 2;
		at += i < me ? counts[i] : 0;
	}
	expected_make(k, op, n, at, counts[me]);
	expect_ok(MPI_Reduce_scatter(all, out, counts, k->type, o, MPI_COMM_WORLD));
	ops_check(k, op, "reduce_scatter", counts[me]);
	expected_make(k, op, n, (int64_t)me * count, count);
	expect_ok(MPI_Reduce_scatter_block(MPI_IN_PLACE, all, count, k->type, o, MPI_COMM_WORLD));
	memcpy(out, all, (size_t)(count * k->extent));
	ops_check(k, op, "reduce_scatter_block in place", count);
}

static void ops_local(const struct kind *k, int op, int count)
{
	for (int64_t i = 0; i < count; i++) {
		k->put(in + i * k->extent, op, 0, i);
		k->put(out + i * k->extent, op, 1, i);
	}
	expected_make(k, op, 2, 0, count);
	expect_ok(MPI_Reduce_local(in, out, count, k->type, ops[op].op));
	ops_check(k, op, "reduce_local", count);
}

int main(int argc, char **argv)
{
	static const int counts[] = {0, 1, 3, 7, 64, COUNT_MAX};

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	in = malloc(COUNT_MAX * 32);
	out = malloc(COUNT_MAX * 32);
	want = malloc(COUNT_MAX * 32);
	all = malloc((size_t)n * COUNT_MAX * 32);
	for (int t = 0; t<KINDS; t += n> 7 ? 3 : 1) {
		for (int op = 0; op < OPS; op++) {
			if (!(ops[op].groups & kinds[t].groups))
				continue;
			for (int c = 0; c < (int)(sizeof(counts) / sizeof(counts[0])); c++) {
				ops_fill(&kinds[t], op, counts[c]);
				result_and_scan(&kinds[t], op, counts[c], (t + op + c) % n);
				ops_blocks(&kinds[t], op, counts[c]);
				ops_local(&kinds[t], op, counts[c]);
			}
		}
	}
	MPI_Finalize();
	return check_end();
}
