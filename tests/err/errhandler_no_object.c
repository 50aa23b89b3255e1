/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 9.3: errors of calls without an object: MPI_COMM_SELF's handler; MPI_COMM_WORLD's, as
 * before MPI 4.0, in a program that has set only that one. */
#include "tests/check.h"

static int world, self;

static void on_world(MPI_Comm *c, int *code, ...)
{
	CHECK(*c == MPI_COMM_WORLD && *code == MPI_ERR_ARG);
	world++;
}

static void on_self(MPI_Comm *c, int *code, ...)
{
	CHECK(*c == MPI_COMM_SELF && *code == MPI_ERR_ARG);
	self++;
}

int main(int argc, char **argv)
{
	MPI_Errhandler handler[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_create_errhandler(on_world, &handler[0]);
	MPI_Comm_create_errhandler(on_self, &handler[1]);

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler[0]);
	CHECK(MPI_Type_size(MPI_INT, NULL) == MPI_ERR_ARG && world == 1 && self == 0);

	MPI_Comm_set_errhandler(MPI_COMM_SELF, handler[1]);
	CHECK(MPI_Type_size(MPI_INT, NULL) == MPI_ERR_ARG && world == 1 && self == 1);

	MPI_Errhandler_free(&handler[0]);
	MPI_Errhandler_free(&handler[1]);
	MPI_Finalize();
	return 0;
}
