// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3,4,7,16 time=120 */
/* RUN np=2,3,4,7,16 env="HAFT_COLL=p2p" time=120 */
/* RUN np=4 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 6.2.1, 6.14: a sequence of different collective calls, with roots and lengths that
 * change, late ranks, and messages between them: no call sees the data of another. */
#include "tests/check.h"
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CALLS    3000
#define LONG_MAX 60000 /* longs */

static int n, me;
static uint64_t common = 1, own;
static long *in, *out;

static uint64_t random_of(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Mostly short, sometimes long. */
static int sequence_length(void)
{
	static const int max[] = {1, 2, 7, 8, 100, 1000, 9000, LONG_MAX};
	uint64_t r = random_of(&common) % 64;

	r = r > 59 ? 7 : r > 55 ? 6 : r % 6;
	return 1 + (int)(random_of(&common) % (uint64_t)max[r]);
}

static long sequence_value(int call, int rank, int64_t i)
{
	return (long)call * 1000003 + rank * 1009 + i;
}

static void sequence_fill(int call, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		in[i] = sequence_value(call, me, i);
}

static void sequence_same(int call, const char *what, int64_t i, long want)
{
	if (out[i] != want) {
		fprintf(stderr, "rank %d, call %d, %s: [%lld] = %ld, not %ld\n", me, call, what,
			(long long)i, out[i], want);
		expect(false);
	}
}

static void sequence_late(void)
{
	uint64_t r = random_of(&own) % 16;

	for (uint64_t i = 0; r == 0 && i < random_of(&own) % 20; i++)
		sched_yield();
}

static long sequence_sum(int call, int upto, int64_t i)
{
	return (long)upto * sequence_value(call, 0, i) + 1009L * upto * (upto - 1) / 2;
}

static void sequence_one(int call)
{
	int count = sequence_length(), root = (int)(random_of(&common) % (uint64_t)n);
	int what = (int)(random_of(&common) % 9), block = count / n;

	sequence_fill(call, count);
	sequence_late();
	switch (what) {
	case 0: expect_ok(MPI_Barrier(MPI_COMM_WORLD)); break;
	case 1:
		memcpy(out, in, sizeof(*in) * (size_t)count);
		expect_ok(MPI_Bcast(out, count, MPI_LONG, root, MPI_COMM_WORLD));
		for (int i = 0; i < count; i++)
			sequence_same(call, "bcast", i, sequence_value(call, root, i));
		break;
	case 2:
		expect_ok(MPI_Reduce(in, out, count, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD));
		for (int i = 0; i < count && me == root; i++)
			sequence_same(call, "reduce", i, sequence_sum(call, n, i));
		break;
	case 3:
	case 4:
		expect_ok(MPI_Allreduce(in, out, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
		for (int i = 0; i < count; i++)
			sequence_same(call, "allreduce", i, sequence_sum(call, n, i));
		break;
	case 5:
		expect_ok(MPI_Gather(
			in, block, MPI_LONG, out, block, MPI_LONG, root, MPI_COMM_WORLD));
		for (int i = 0; i < n * block && me == root; i++)
			sequence_same(
				call, "gather", i, sequence_value(call, i / block, i % block));
		break;
	case 6:
		expect_ok(MPI_Scatter(
			in, block, MPI_LONG, out, block, MPI_LONG, root, MPI_COMM_WORLD));
		for (int i = 0; i < block; i++)
			sequence_same(
				call, "scatter", i, sequence_value(call, root, me * block + i));
		break;
	case 7:
		expect_ok(MPI_Alltoall(in, block, MPI_LONG, out, block, MPI_LONG, MPI_COMM_WORLD));
		for (int i = 0; i < n * block; i++)
			sequence_same(call, "alltoall", i,
				sequence_value(call, i / block, me * block + i % block));
		break;
	default:
		expect_ok(MPI_Scan(in, out, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
		for (int i = 0; i < count; i++)
			sequence_same(call, "scan", i, sequence_sum(call, me + 1, i));
	}
}

/* A message that is under way while collective calls go on: its tag is no collective's. */
static void sequence_ring(int call)
{
	static long big_in[20000], big_out[20000];
	MPI_Request req[2];
	int count = call % 2 ? 3 : 20000;

	for (int i = 0; i < count; i++)
		big_out[i] = sequence_value(call, me, i);
	MPI_Irecv(big_in, count, MPI_LONG, (me + n - 1) % n, call, MPI_COMM_WORLD, &req[0]);
	MPI_Isend(big_out, count, MPI_LONG, (me + 1) % n, call, MPI_COMM_WORLD, &req[1]);
	sequence_one(call + 1);
	sequence_one(call + 2);
	MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	for (int i = 0; i < count; i++)
		if (big_in[i] != sequence_value(call, (me + n - 1) % n, i))
			expect(false);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	own = (uint64_t)me + 77;
	in = malloc(sizeof(*in) * LONG_MAX);
	out = malloc(sizeof(*out) * LONG_MAX);
	for (int call = 0; call < CALLS * 4 / (n + 2); call++) {
		sequence_one(call);
		if (call % 32 == 31)
			sequence_ring(call);
	}
	MPI_Finalize();
	return check_end();
}
