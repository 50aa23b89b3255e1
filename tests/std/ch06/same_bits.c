/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,3,7 */
/* MPI-5.0 6.9.1: the same operands give the same bits, in all forms of a call, each time. */
#include "tests/check.h"
#include <mpi.h>
#include <string.h>

#define MAX 40000

static float in[MAX], first[MAX], out[MAX];
static int n, me;

enum coll_call { REDUCE, ALLREDUCE, BLOCK, BLOCKS, SCAN, EXSCAN, CALLS };

#define FORM(big, low, ...)                                 \
	(form == 0          ? MPI_##big(__VA_ARGS__)        \
		: form == 1 ? MPI_I##low(__VA_ARGS__, &req) \
			    : MPI_##big##_init(__VA_ARGS__, MPI_INFO_NULL, &req))

/* `count' elements in n unequal parts, the first of which has none. */
static const int *parts(int count)
{
	static int v[64]; /* members, at most */

	for (int i = 0; i < n; i++)
		v[i] = 2 * count / n / n * i;
	v[1] += count % 7;
	return v;
}

static void bits_call(enum coll_call v, int form, int count, MPI_Op op, float *to)
{
	MPI_Request req = MPI_REQUEST_NULL;
	MPI_Comm c = MPI_COMM_WORLD;
	int err = 0;

	memset(to, 0, sizeof(in));
	switch (v) {
	case REDUCE: err = FORM(Reduce, reduce, in, to, count, MPI_FLOAT, op, n - 1, c); break;
	case ALLREDUCE: err = FORM(Allreduce, allreduce, in, to, count, MPI_FLOAT, op, c); break;
	case BLOCK:
		err = FORM(Reduce_scatter_block, reduce_scatter_block, in, to, count / n, MPI_FLOAT,
			op, c);
		break;
	case BLOCKS:
		err = FORM(Reduce_scatter, reduce_scatter, in, to, parts(count), MPI_FLOAT, op, c);
		break;
	case SCAN: err = FORM(Scan, scan, in, to, count, MPI_FLOAT, op, c); break;
	default: err = FORM(Exscan, exscan, in, to, count, MPI_FLOAT, op, c); break;
	}
	expect_ok(err);
	if (form == 2)
		expect_ok(MPI_Start(&req));
	expect_ok(MPI_Wait(&req, MPI_STATUS_IGNORE));
	if (form == 2)
		expect_ok(MPI_Request_free(&req));
}

int main(int argc, char **argv)
{
	static const int counts[] = {1, 7, 16, 100, 1000, 9000, MAX};
	MPI_Op ops[] = {MPI_SUM, MPI_PROD};

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	srand((unsigned)me + 1);
	for (int i = 0; i < MAX; i++)
		in[i] = ((float)rand() / (float)RAND_MAX - 0.5f) * (rand() % 2 ? 1e6f : 1e-3f);
	for (int i = 0; i < CALLS * 7 * 2; i++) {
		enum coll_call v = (enum coll_call)(i % CALLS);
		int count = counts[i / CALLS % 7];

		bits_call(v, 0, count, ops[i % 2], first);
		for (int form = 0; form < 3; form++) {
			bits_call(v, form, count, ops[i % 2], out);
			if (!expect_eq(memcmp(first, out, sizeof(out)), 0))
				fprintf(stderr, "verb %d, form %d, count %d\n", (int)v, form,
					count);
		}
	}
	MPI_Finalize();
	return check_end();
}
