// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_CHECK=strict" */
/* MPI-5.0 6.9.2: MPI_CHAR is not for reductions, which HAFT_CHECK=strict says. */
#include "tests/check.h"

static void strict_first(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	memcpy(inout, in, (size_t)*n);
}

int main(int argc, char **argv)
{
	char a = 1, b = 0;
	MPI_Op op;

	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	CHECK(MPI_Allreduce(&a, &b, 1, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD) == MPI_ERR_OP);
	CHECK(MPI_Reduce_local(&a, &b, 1, MPI_CHAR, MPI_SUM) == MPI_ERR_OP);
	OK(MPI_Allreduce(&a, &b, 1, MPI_SIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD));
	CHECK(b == 1);
	OK(MPI_Op_create(strict_first, 0, &op)); /* a user's operation may take any type */
	OK(MPI_Allreduce(&a, &b, 1, MPI_CHAR, op, MPI_COMM_WORLD));
	OK(MPI_Op_free(&op));
	MPI_Finalize();
	return 0;
}
