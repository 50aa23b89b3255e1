/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2 */
/* MPI-5.0 9.3: which error handler is called, with which handle and code, and that the call goes on
 * when it comes back. */
#include "tests/check.h"

#include <mpi.h>
#include <string.h>

static struct {
	int calls, code;
	MPI_Comm comm;
} world, self;

static void on_world(MPI_Comm *comm, int *code, ...)
{
	world.calls++;
	world.comm = *comm;
	world.code = *code;
}

static void on_self(MPI_Comm *comm, int *code, ...)
{
	self.calls++;
	self.comm = *comm;
	self.code = *code;
}

static void reset(void)
{
	memset(&world, 0, sizeof(world));
	memset(&self, 0, sizeof(self));
}

/* Errors of a communicator come to its handler; errors without an object to MPI_COMM_SELF's. */
static void whose(void)
{
	int x = 0, n;

	reset();
	expect_eq(MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
	expect_eq(world.calls, 1);
	expect(world.comm == MPI_COMM_WORLD);
	expect_eq(world.code, MPI_ERR_COUNT);
	expect_eq(self.calls, 0);
	expect_eq(MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
	expect_eq(MPI_Type_size(MPI_DATATYPE_NULL, &n), MPI_ERR_TYPE);
	expect_eq(self.calls, 2);
	expect(self.comm == MPI_COMM_SELF);
	expect_eq(self.code, MPI_ERR_TYPE);
	expect_eq(world.calls, 1);
}

/* An error found when the request ends is one of the communicator it was started on. */
static void request(int rank)
{
	int x[2] = {1, 2}, other = 1 - rank;
	MPI_Request r;

	reset();
	expect_ok(MPI_Irecv(x, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &r));
	expect_ok(MPI_Send(x, 2, MPI_INT, other, 1, MPI_COMM_WORLD));
	expect_eq(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
	expect(r == MPI_REQUEST_NULL);
	expect_eq(world.calls, 1);
	expect_eq(world.code, MPI_ERR_TRUNCATE);
	expect_eq(self.calls, 0);
}

static void called(void)
{
	reset();
	expect_ok(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER));
	expect_eq(world.calls, 1);
	expect_eq(world.code, MPI_ERR_OTHER);
}

static void object_kinds(MPI_Errhandler mine)
{
	MPI_Errhandler e = MPI_ERRHANDLER_NULL;
	int x = 0;

	expect_ok(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &e));
	expect(e == mine);
	expect_ok(MPI_Errhandler_free(&e));
	expect(e == MPI_ERRHANDLER_NULL);
	/* the communicator still holds the handler */
	reset();
	expect_eq(MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
	expect_eq(world.calls, 1);
	expect_ok(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	expect_ok(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &e));
	expect(e == MPI_ERRORS_RETURN);
	expect_ok(MPI_Errhandler_free(&e));
	expect(e == MPI_ERRHANDLER_NULL);
}

int main(int argc, char **argv)
{
	MPI_Errhandler w, s;
	int rank;

	expect_ok(MPI_Init(&argc, &argv));
	expect_ok(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	expect_ok(MPI_Comm_create_errhandler(on_world, &w));
	expect_ok(MPI_Comm_create_errhandler(on_self, &s));
	expect_ok(MPI_Comm_set_errhandler(MPI_COMM_WORLD, w));
	expect_ok(MPI_Comm_set_errhandler(MPI_COMM_SELF, s));
	expect_ok(MPI_Errhandler_free(&s));
	whose();
	request(rank);
	called();
	object_kinds(w);
	MPI_Finalize();
	return check_end();
}
