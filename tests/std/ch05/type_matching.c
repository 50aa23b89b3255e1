// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4 */
/* MPI-5.0 3.3.1, 5.1.11: the two sides of a message describe different memory with one signature:
 * eager ones, large ones, synchronous ones, to oneself, many at once. */
#include "tests/check.h"

#include <mpi.h>
#include <stdint.h>
#include <string.h>

enum { SHAPES = 7, SIZES = 6, TAG = 3 };

static int me, np;
static const int sizes[SIZES] = {1, 8, 100, 3000, 20000, 200000};

/* A datatype of n doubles, and where the i-th of them is: matching_element_at(shape, i). */
static int matching_element_at(int shape, int n, int i)
{
	switch (shape) {
	case 0: return i;
	case 1: return 2 * i;
	case 2: return i / 4 * 7 + i % 4;
	case 3: return n - 1 - i;
	case 4: return i / 3 * 8 + (i % 3 == 0 ? 1 : 3 + i % 3);
	case 5: return i + i / 10 * 2 + i / 10 % 2;
	default: return i % 2 * n + i / 2 * 2;
	}
}

static MPI_Datatype matching_listed(int shape, int n)
{
	int *displs = malloc((size_t)n * sizeof(int)), *lens = malloc((size_t)n * sizeof(int));
	MPI_Datatype t;
	int k = 0;

	for (int i = 0; i < n; i++) {
		if (k > 0 && matching_element_at(shape, n, i) == displs[k - 1] + lens[k - 1]) {
			lens[k - 1]++;
		} else {
			displs[k] = matching_element_at(shape, n, i);
			lens[k++] = 1;
		}
	}
	expect_ok(MPI_Type_indexed(k, lens, displs, MPI_DOUBLE, &t));
	free(displs);
	free(lens);
	return t;
}

/* Records {gap, double, gaps, double, double, gaps}, and an indexed type for the rest. */
static MPI_Datatype matching_records(int n)
{
	MPI_Datatype simple[2] = {MPI_DOUBLE, MPI_DOUBLE}, both[2], raw, t;
	int last[2] = {n % 3 > 0, n % 3 == 2};
	MPI_Aint at[2] = {8, 32};

	expect_ok(MPI_Type_create_struct(2, (int[]){1, 2}, at, simple, &raw));
	expect_ok(MPI_Type_create_resized(raw, 0, 64, &both[0]));
	expect_ok(MPI_Type_create_hindexed(2, last, at, MPI_DOUBLE, &both[1]));
	expect_ok(MPI_Type_create_struct(
		2, (int[]){n / 3, 1}, (MPI_Aint[]){0, n / 3 * 64}, both, &t));
	expect_ok(MPI_Type_free(&raw));
	expect_ok(MPI_Type_free(&both[0]));
	expect_ok(MPI_Type_free(&both[1]));
	return t;
}

static MPI_Datatype matching_make(int shape, int n)
{
	MPI_Datatype t, inner;

	switch (shape) {
	case 0: expect_ok(MPI_Type_contiguous(n, MPI_DOUBLE, &t)); break;
	case 1: expect_ok(MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &t)); break;
	case 3:
		expect_ok(MPI_Type_create_hvector(n, 1, -8, MPI_DOUBLE, &inner));
		expect_ok(MPI_Type_create_hindexed(
			1, (int[]){1}, (MPI_Aint[]){8 * (n - 1)}, inner, &t));
		expect_ok(MPI_Type_free(&inner));
		break;
	case 4: t = matching_records(n); break;
	default: t = matching_listed(shape, n); break;
	}
	expect_ok(MPI_Type_commit(&t));
	return t;
}

static double *memory(int n)
{
	return calloc((size_t)n * 3 + 100, sizeof(double));
}

static double *filled(int shape, int n, int salt)
{
	double *m = memory(n);

	for (int i = 0; i < n; i++)
		m[matching_element_at(shape, n, i)] = salt + i + 1;
	return m;
}

/* Everything came, and nothing else was touched. */
static void matching_verify(double *m, int shape, int n, int salt)
{
	int wrong = 0;

	for (int i = 0; i < n; i++) {
		wrong += m[matching_element_at(shape, n, i)] != salt + i + 1;
		m[matching_element_at(shape, n, i)] = 0;
	}
	for (int i = 0; i < n * 3 + 100; i++)
		wrong += m[i] != 0;
	expect_eq(wrong, 0);
	free(m);
}

/* MPI-5.0 3.3.1: the signatures must match, the layouts need not */
static void different_sides(int n, int from, int to, int sync)
{
	MPI_Datatype out = matching_make(from, n), in = matching_make(to, n);
	int next = (me + 1) % np, prev = (me + np - 1) % np, count;
	double *src = filled(from, n, me), *dst = memory(n);
	MPI_Request r[2];
	MPI_Status st;

	if (sync)
		expect_ok(MPI_Issend(src, 1, out, next, TAG, MPI_COMM_WORLD, &r[0]));
	else
		expect_ok(MPI_Isend(src, 1, out, next, TAG, MPI_COMM_WORLD, &r[0]));
	expect_ok(MPI_Irecv(dst, 1, in, prev, TAG, MPI_COMM_WORLD, &r[1]));
	expect_ok(MPI_Type_free(&out)); /* 5.1.9: its users go on */
	expect_ok(MPI_Wait(&r[1], &st));
	expect_ok(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
	expect_ok(MPI_Get_count(&st, MPI_DOUBLE, &count));
	expect_eq(count, n);
	expect_ok(MPI_Get_count(&st, in, &count));
	expect_eq(count, 1);
	expect_ok(MPI_Type_free(&in));
	free(src);
	matching_verify(dst, to, n, prev);
}

/* MPI-5.0 5.1.11: a message may fill a part of the receive's elements only */
static void half_of_it(int n, int to)
{
	MPI_Datatype in = matching_make(to, n);
	int next = (me + 1) % np, prev = (me + np - 1) % np, half = (n + 1) / 2, count, wrong = 0;
	double *src = filled(0, n, me), *dst = memory(n);
	MPI_Status st;

	expect_ok(MPI_Sendrecv(
		src, half, MPI_DOUBLE, next, TAG, dst, 1, in, prev, TAG, MPI_COMM_WORLD, &st));
	expect_ok(MPI_Get_count(&st, MPI_DOUBLE, &count));
	expect_eq(count, half);
	for (int i = 0; i < n; i++)
		wrong += dst[matching_element_at(to, n, i)] != (i < half ? prev + i + 1 : 0);
	expect_eq(wrong, 0);
	expect_ok(MPI_Type_free(&in));
	free(src);
	free(dst);
}

/* Many messages of different types at once arrive in their receives. */
static void many_at_once(int n)
{
	enum { MANY = 40 };
	MPI_Request r[2 * MANY];
	double *src[MANY], *dst[MANY];
	MPI_Datatype t[SHAPES];
	int next = (me + 1) % np, prev = (me + np - 1) % np;

	for (int s = 0; s < SHAPES; s++)
		t[s] = matching_make(s, n);
	for (int i = 0; i < MANY; i++) {
		src[i] = filled(i % SHAPES, n, me + i);
		dst[i] = memory(n);
		expect_ok(
			MPI_Irecv(dst[i], 1, t[(i + 3) % SHAPES], prev, i, MPI_COMM_WORLD, &r[i]));
	}
	for (int i = 0; i < MANY; i++)
		expect_ok(
			MPI_Isend(src[i], 1, t[i % SHAPES], next, i, MPI_COMM_WORLD, &r[MANY + i]));
	for (int s = 0; s < SHAPES; s++)
		expect_ok(MPI_Type_free(&t[s]));
	expect_ok(MPI_Waitall(2 * MANY, r, MPI_STATUSES_IGNORE));
	for (int i = 0; i < MANY; i++) {
		free(src[i]);
		matching_verify(dst[i], (i + 3) % SHAPES, n, prev + i);
	}
}

/* MPI-5.0 5.1.12: absolute addresses and MPI_BOTTOM */
static void at_bottom(void)
{
	double a[3] = {1, 2, 3}, b[3] = {0, 0, 0};
	int i = me + 1, j = 0, next = (me + 1) % np, prev = (me + np - 1) % np;
	MPI_Aint sat[2], rat[2];
	MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT}, out, in;

	expect_ok(MPI_Get_address(a, &sat[0]));
	expect_ok(MPI_Get_address(&i, &sat[1]));
	expect_ok(MPI_Get_address(b, &rat[0]));
	expect_ok(MPI_Get_address(&j, &rat[1]));
	expect_ok(MPI_Type_create_struct(2, (int[]){3, 1}, sat, types, &out));
	expect_ok(MPI_Type_create_struct(2, (int[]){3, 1}, rat, types, &in));
	expect_ok(MPI_Type_commit(&out));
	expect_ok(MPI_Type_commit(&in));
	expect_ok(MPI_Sendrecv(MPI_BOTTOM, 1, out, next, TAG, MPI_BOTTOM, 1, in, prev, TAG,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	expect_eq(j, prev + 1);
	expect(b[0] == 1 && b[1] == 2 && b[2] == 3);
	expect_ok(MPI_Type_free(&out));
	expect_ok(MPI_Type_free(&in));
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &np);
	for (int s = 0; s < SIZES; s++) {
		for (int from = 0; from < SHAPES; from++)
			for (int k = 0; k < 3; k++)
				different_sides(sizes[s], from, (from + 2 * k) % SHAPES, k == 1);
		for (int to = 0; to < SHAPES; to++)
			half_of_it(sizes[s], to);
	}
	many_at_once(50);
	many_at_once(5000);
	at_bottom();
	MPI_Finalize();
	return check_end();
}
