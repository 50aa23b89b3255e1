// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,3,4,7,16 */
/* RUN np=2,3,4,7,16 env="HAFT_COLL=p2p" */
/* MPI-5.0 6.9.5: the user's operations, commutative and not, with int and with large counts. */
#include "tests/check.h"
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#define COUNT_MAX 20000

/* x -> a x + b: composition is associative and does not commute. */
struct map {
	int32_t a, b;
};

static int n, me;
static struct map in[COUNT_MAX], out[COUNT_MAX];

static struct map user_after(struct map first, struct map then)
{
	struct map m;

	m.a = (int32_t)((uint32_t)then.a * (uint32_t)first.a);
	m.b = (int32_t)((uint32_t)then.a * (uint32_t)first.b + (uint32_t)then.b);
	return m;
}

static void compose(void *invec, void *inoutvec, int *len, MPI_Datatype *type)
{
	struct map *x = invec, *y = inoutvec;

	expect(*type == MPI_2INT);
	for (int i = 0; i < *len; i++)
		y[i] = user_after(x[i], y[i]);
}

static void compose_large(void *invec, void *inoutvec, MPI_Count *len, MPI_Datatype *type)
{
	struct map *x = invec, *y = inoutvec;

	expect(*type == MPI_2INT);
	for (MPI_Count i = 0; i < *len; i++)
		y[i] = user_after(x[i], y[i]);
}

/* Commutative: sums of both parts. */
static void user_add(void *invec, void *inoutvec, int *len, MPI_Datatype *type)
{
	struct map *x = invec, *y = inoutvec;

	(void)type;
	for (int i = 0; i < *len; i++) {
		y[i].a += x[i].a;
		y[i].b += x[i].b;
	}
}

static struct map user_value(int rank, int i)
{
	return (struct map){2 * (rank + i) + 1, rank * 5 + i};
}

static struct map user_want(bool sum, int upto, int i)
{
	struct map m = user_value(0, i);

	for (int r = 1; r < upto; r++) {
		struct map v = user_value(r, i);

		m = sum ? (struct map){m.a + v.a, m.b + v.b} : user_after(m, v);
	}
	return m;
}

static void user_check(const char *what, bool sum, int upto, int first, int count)
{
	for (int i = 0; i < count; i++) {
		struct map m = user_want(sum, upto, first + i);

		if (m.a == out[i].a && m.b == out[i].b)
			continue;
		fprintf(stderr, "rank %d: %s[%d] of %d\n", me, what, i, count);
		expect(false);
		return;
	}
}

static void all_calls(MPI_Op op, bool sum, int count, int root)
{
	int block = count / n;

	for (int i = 0; i < count; i++)
		in[i] = user_value(me, i);
	expect_ok(MPI_Allreduce(in, out, count, MPI_2INT, op, MPI_COMM_WORLD));
	user_check("allreduce", sum, n, 0, count);
	for (int i = 0; i < count; i++)
		out[i] = in[i];
	expect_ok(MPI_Allreduce(MPI_IN_PLACE, out, count, MPI_2INT, op, MPI_COMM_WORLD));
	user_check("allreduce in place", sum, n, 0, count);
	expect_ok(MPI_Reduce(in, out, count, MPI_2INT, op, root, MPI_COMM_WORLD));
	if (me == root)
		user_check("reduce", sum, n, 0, count);
	expect_ok(MPI_Scan(in, out, count, MPI_2INT, op, MPI_COMM_WORLD));
	user_check("scan", sum, me + 1, 0, count);
	expect_ok(MPI_Exscan(in, out, count, MPI_2INT, op, MPI_COMM_WORLD));
	if (me > 0)
		user_check("exscan", sum, me, 0, count);
	expect_ok(MPI_Reduce_scatter_block(in, out, block, MPI_2INT, op, MPI_COMM_WORLD));
	user_check("reduce_scatter_block", sum, n, me * block, block);
	for (int i = 0; i < count; i++)
		out[i] = user_value(1, i);
	for (int i = 0; i < count; i++)
		in[i] = user_value(0, i);
	expect_ok(MPI_Reduce_local(in, out, count, MPI_2INT, op));
	user_check("reduce_local", sum, 2, 0, count);
}

int main(int argc, char **argv)
{
	static const int counts[] = {0, 1, 6, 7, 100, 3000, COUNT_MAX};
	MPI_Op op[3];
	int commute;

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	expect_ok(MPI_Op_create(compose, 0, &op[0]));
	expect_ok(MPI_Op_create_c(compose_large, 0, &op[1]));
	expect_ok(MPI_Op_create(user_add, 1, &op[2]));
	for (int c = 0; c < (int)(sizeof(counts) / sizeof(counts[0])); c++)
		for (int i = 0; i < 3; i++)
			all_calls(op[i], i == 2, counts[c], (c + i) % n);
	for (int i = 0; i < 3; i++) {
		expect_ok(MPI_Op_commutative(op[i], &commute));
		expect_eq(commute, i == 2);
		expect_ok(MPI_Op_free(&op[i]));
		expect(op[i] == MPI_OP_NULL);
	}
	expect_ok(MPI_Op_commutative(MPI_SUM, &commute));
	expect_eq(commute, 1);
	MPI_Finalize();
	return check_end();
}
