// SPDX-License-Identifier: BSD-3-Clause
/* calls_c.c - C's side of calls.f90. */
#include <mpi.h>
#include <stdlib.h>

void c_reduce(int comm, int op, int type);
void c_err(int comm);
int c_op(void);

void c_reduce(int comm, int op, int type)
{
	int one = 1, all = 0, n;

	MPI_Comm_size(MPI_Comm_fromint(comm), &n);
	MPI_Allreduce(
		&one, &all, 1, MPI_Type_fromint(type), MPI_Op_fromint(op), MPI_Comm_fromint(comm));
	if (all != n)
		exit(80);
}

void c_err(int comm)
{
	if (MPI_Send(&comm, 1, MPI_INT, 0, -7, MPI_Comm_fromint(comm)) != MPI_ERR_TAG)
		exit(81);
}

static void call_add(void *in, void *inout, int *len, MPI_Datatype *type)
{
	if (*type != MPI_INTEGER)
		exit(82);
	for (int i = 0; i < *len; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

int c_op(void)
{
	MPI_Op op;

	MPI_Op_create(call_add, 1, &op);
	return MPI_Op_toint(op);
}
