/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 5.1.3, 5.1.4: which elements of an array are in a part of it. */
#include "tests/check.h"

#include <mpi.h>
#include <string.h>

#define N 256

/* The elements of an int array that t holds, in order, and how many. */
static int array_elements(MPI_Datatype t, int *out)
{
	int all[N], at = 0;

	for (int i = 0; i < N; i++)
		all[i] = i;
	expect_ok(MPI_Type_commit(&t));
	expect_ok(MPI_Pack(all, 1, t, out, N * (int)sizeof(int), &at, MPI_COMM_SELF));
	return at / (int)sizeof(int);
}

static void array_has(MPI_Datatype t, int n, const int *want)
{
	int got[N], k = array_elements(t, got);

	expect_eq(k, n);
	for (int i = 0; i < n && i < k; i++)
		expect_eq(got[i], want[i]);
}

static long long array_extent(MPI_Datatype t)
{
	MPI_Aint lb, extent;

	expect_ok(MPI_Type_get_extent(t, &lb, &extent));
	expect_eq(lb, 0);
	return extent;
}

/* MPI-5.0 5.1.3: rows and columns in C's order and in Fortran's */
static void subarray(void)
{
	int sizes[] = {4, 5}, subs[] = {2, 3}, starts[] = {1, 2};
	MPI_Datatype t;

	expect_ok(MPI_Type_create_subarray(2, sizes, subs, starts, MPI_ORDER_C, MPI_INT, &t));
	array_has(t, 6, (int[]){7, 8, 9, 12, 13, 14});
	expect_eq(array_extent(t), 80);
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Type_create_subarray(2, sizes, subs, starts, MPI_ORDER_FORTRAN, MPI_INT, &t));
	array_has(t, 6, (int[]){9, 10, 13, 14, 17, 18});
	expect_eq(array_extent(t), 80);
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Type_create_subarray(1, sizes, sizes, (int[]){0}, MPI_ORDER_C, MPI_INT, &t));
	array_has(t, 4, (int[]){0, 1, 2, 3});
	expect_ok(MPI_Type_free(&t));
}

/* MPI-5.0 5.1.3: a part of an array that would fill no memory on earth is made at once */
static void array_huge(void)
{
	MPI_Count sizes[] = {1000000000, 1000000000}, subs[] = {500000000, 500000000};
	MPI_Count starts[] = {1, 1}, size;
	MPI_Datatype t;

	expect_ok(MPI_Type_create_subarray_c(2, sizes, subs, starts, MPI_ORDER_C, MPI_CHAR, &t));
	expect_ok(MPI_Type_commit(&t));
	expect_ok(MPI_Type_size_c(t, &size));
	expect_eq(size, 250000000000000000LL);
	expect_ok(MPI_Type_free(&t));
	sizes[0] = 1LL << 40;
	sizes[1] = 1LL << 40;
	expect_eq(MPI_Type_create_subarray_c(2, sizes, subs, starts, MPI_ORDER_C, MPI_CHAR, &t),
		MPI_ERR_ARG);
}

static void darray_at(
	int line, int gsize, int dist, int darg, int psize, int r, int n, const int *want)
{
	MPI_Datatype t;
	int before = check_failed;

	expect_ok(MPI_Type_create_darray(
		psize, r, 1, &gsize, &dist, &darg, &psize, MPI_ORDER_C, MPI_INT, &t));
	array_has(t, n, want);
	expect_eq(array_extent(t), gsize * 4);
	expect_ok(MPI_Type_free(&t));
	if (before != check_failed)
		fprintf(stderr, "... of line %d\n", line);
}
#define darray(...) darray_at(__LINE__, __VA_ARGS__)

/* MPI-5.0 5.1.4: blocks, the last one short, and ranks without any */
static void block(void)
{
	darray(10, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, 3, 0, 4, (int[]){0, 1, 2, 3});
	darray(10, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, 3, 2, 2, (int[]){8, 9});
	darray(10, MPI_DISTRIBUTE_BLOCK, 5, 3, 1, 5, (int[]){5, 6, 7, 8, 9});
	darray(10, MPI_DISTRIBUTE_BLOCK, 5, 3, 2, 0, NULL);
	darray(5, MPI_DISTRIBUTE_NONE, 0, 1, 0, 5, (int[]){0, 1, 2, 3, 4});
}

/* MPI-5.0 5.1.4: a cyclic distribution of blocks */
static void cyclic(void)
{
	darray(7, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 3, 0, 3, (int[]){0, 3, 6});
	darray(7, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 3, 2, 2, (int[]){2, 5});
	darray(11, MPI_DISTRIBUTE_CYCLIC, 2, 2, 0, 6, (int[]){0, 1, 4, 5, 8, 9});
	darray(11, MPI_DISTRIBUTE_CYCLIC, 2, 2, 1, 5, (int[]){2, 3, 6, 7, 10});
	darray(2, MPI_DISTRIBUTE_CYCLIC, 2, 4, 3, 0, NULL);
	darray(3, MPI_DISTRIBUTE_CYCLIC, 5, 2, 0, 3, (int[]){0, 1, 2});
}

/* MPI-5.0 5.1.4: the grid of processes is row-major in both orders */
static void array_grid(void)
{
	int gsizes[] = {3, 4}, psizes[] = {2, 2}, args[] = {MPI_DISTRIBUTE_DFLT_DARG, 1};
	int dist[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
	MPI_Datatype t;

	expect_ok(MPI_Type_create_darray(
		4, 1, 2, gsizes, dist, args, psizes, MPI_ORDER_C, MPI_INT, &t));
	array_has(t, 4, (int[]){1, 3, 5, 7}); /* rows 0 and 1, columns 1 and 3 */
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Type_create_darray(
		4, 1, 2, gsizes, dist, args, psizes, MPI_ORDER_FORTRAN, MPI_INT, &t));
	array_has(t, 4, (int[]){3, 4, 9, 10});
	expect_ok(MPI_Type_free(&t));
}

/* MPI-5.0 5.1.3, 5.1.4: errors */
static void array_errors(void)
{
	int sizes[] = {4, 5}, subs[] = {2, 6}, starts[] = {1, 2}, psizes[] = {2, 2};
	int dist[] = {MPI_DISTRIBUTE_BLOCK, 7}, args[] = {1, 1};
	MPI_Datatype t = MPI_DATATYPE_NULL;

	expect_eq(MPI_Type_create_subarray(2, sizes, subs, starts, MPI_ORDER_C, MPI_INT, &t),
		MPI_ERR_ARG);
	subs[1] = 4; /* from 2 on only 3 are left */
	expect_eq(MPI_Type_create_subarray(2, sizes, subs, starts, MPI_ORDER_C, MPI_INT, &t),
		MPI_ERR_ARG);
	subs[1] = 0;
	expect_eq(MPI_Type_create_subarray(2, sizes, subs, starts, MPI_ORDER_C, MPI_INT, &t),
		MPI_ERR_ARG);
	subs[1] = 1;
	expect_eq(MPI_Type_create_subarray(2, sizes, subs, starts, 3, MPI_INT, &t), MPI_ERR_ARG);
	expect_eq(MPI_Type_create_subarray(0, sizes, subs, starts, MPI_ORDER_C, MPI_INT, &t),
		MPI_ERR_ARG);
	expect_eq(MPI_Type_create_subarray(2, sizes, NULL, starts, MPI_ORDER_C, MPI_INT, &t),
		MPI_ERR_ARG);
	expect_eq(MPI_Type_create_darray(
			  4, 1, 2, sizes, dist, args, psizes, MPI_ORDER_C, MPI_INT, &t),
		MPI_ERR_ARG); /* two blocks of one are not four */
	args[0] = 2;
	expect_eq(MPI_Type_create_darray(
			  4, 1, 2, sizes, dist, args, psizes, MPI_ORDER_C, MPI_INT, &t),
		MPI_ERR_ARG); /* 7 is no distribution */
	dist[1] = MPI_DISTRIBUTE_CYCLIC;
	expect_eq(MPI_Type_create_darray(
			  5, 1, 2, sizes, dist, args, psizes, MPI_ORDER_C, MPI_INT, &t),
		MPI_ERR_ARG);
	expect_eq(MPI_Type_create_darray(
			  4, 4, 2, sizes, dist, args, psizes, MPI_ORDER_C, MPI_INT, &t),
		MPI_ERR_ARG);
	expect(t == MPI_DATATYPE_NULL);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	subarray();
	array_huge();
	block();
	cyclic();
	array_grid();
	array_errors();
	MPI_Finalize();
	return check_end();
}
