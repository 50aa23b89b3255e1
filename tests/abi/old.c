/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 17.1: names of MPI-1 that old programs still use. */
#define MPI_NO_DEPRECATED_WARNINGS
#include "tests/t.h"

#include <mpi.h>

static int calls;

static void handler(MPI_Comm *comm, int *code, ...)
{
	calls += *comm == MPI_COMM_SELF && *code == MPI_ERR_COUNT;
}

int main(int argc, char **argv)
{
	MPI_Handler_function *fn = handler;
	MPI_Errhandler e, again;
	MPI_Aint a, b, extent, lb, ub;
	int x[2];

	t_ok(MPI_Init(&argc, &argv));
	t_ok(MPI_Errhandler_create(fn, &e));
	t_ok(MPI_Errhandler_set(MPI_COMM_SELF, e));
	t_ok(MPI_Errhandler_get(MPI_COMM_SELF, &again));
	t_true(again == e);
	t_eq(MPI_Send(x, -1, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_ERR_COUNT);
	t_eq(calls, 1);
	t_ok(MPI_Address(&x[0], &a));
	t_ok(MPI_Get_address(&x[1], &b));
	t_eq(MPI_Aint_diff(b, a), sizeof(int));
	t_eq(MPI_Aint_add(a, (MPI_Aint)sizeof(int)), b);
	t_ok(MPI_Type_extent(MPI_DOUBLE_INT, &extent));
	t_ok(MPI_Type_lb(MPI_DOUBLE_INT, &lb));
	t_ok(MPI_Type_ub(MPI_DOUBLE_INT, &ub));
	t_eq(extent, 16);
	t_eq(lb, 0);
	t_eq(ub, 16);
	MPI_Finalize();
	return t_end();
}
