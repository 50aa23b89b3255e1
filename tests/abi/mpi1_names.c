/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 17.1.2 to 17.1.5: names of MPI-1 that old programs still use. */
#define MPI_NO_DEPRECATED_WARNINGS
#include "tests/check.h"

#include <mpi.h>

static int calls;

static void mpi1_handler(MPI_Comm *comm, int *code, ...)
{
	calls += *comm == MPI_COMM_SELF && *code == MPI_ERR_COUNT;
}

/* The old constructors make the same types as the ones that replaced them. */
static void mpi1_made(MPI_Datatype *t, int combiner, int size)
{
	int ni, na, nd, c, s;

	expect_ok(MPI_Type_get_envelope(*t, &ni, &na, &nd, &c));
	expect_eq(c, combiner);
	expect_ok(MPI_Type_size(*t, &s));
	expect_eq(s, size);
	expect_ok(MPI_Type_free(t));
}

static void constructors(void)
{
	int lens[] = {1, 2};
	MPI_Aint at[] = {0, 8};
	MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE}, t;

	expect_ok(MPI_Type_hvector(3, 1, 16, MPI_INT, &t));
	mpi1_made(&t, MPI_COMBINER_HVECTOR, 12);
	expect_ok(MPI_Type_hindexed(2, lens, at, MPI_INT, &t));
	mpi1_made(&t, MPI_COMBINER_HINDEXED, 12);
	expect_ok(MPI_Type_struct(2, lens, at, types, &t));
	mpi1_made(&t, MPI_COMBINER_STRUCT, 20);
}

int main(int argc, char **argv)
{
	MPI_Handler_function *fn = mpi1_handler;
	MPI_Errhandler e, again;
	MPI_Aint a, b, extent, lb, ub;
	int x[2];

	expect_ok(MPI_Init(&argc, &argv));
	expect_ok(MPI_Errhandler_create(fn, &e));
	expect_ok(MPI_Errhandler_set(MPI_COMM_SELF, e));
	expect_ok(MPI_Errhandler_get(MPI_COMM_SELF, &again));
	expect(again == e);
	expect_eq(MPI_Send(x, -1, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_ERR_COUNT);
	expect_eq(calls, 1);
	expect_ok(MPI_Address(&x[0], &a));
	expect_ok(MPI_Get_address(&x[1], &b));
	expect_eq(MPI_Aint_diff(b, a), sizeof(int));
	expect_eq(MPI_Aint_add(a, (MPI_Aint)sizeof(int)), b);
	expect_ok(MPI_Type_extent(MPI_DOUBLE_INT, &extent));
	expect_ok(MPI_Type_lb(MPI_DOUBLE_INT, &lb));
	expect_ok(MPI_Type_ub(MPI_DOUBLE_INT, &ub));
	expect_eq(extent, 16);
	expect_eq(lb, 0);
	expect_eq(ub, 16);
	constructors();
	MPI_Finalize();
	return check_end();
}
