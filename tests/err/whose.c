/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2 */
/* MPI-5.0 9.3: which error handler is called, with which handle and code, and that the call goes on
 * when it comes back. */
#include "tests/t.h"

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

/* Errors of a communicator come to its handler; those of nobody's to MPI_COMM_SELF's. */
static void whose(void)
{
	int x = 0, n;

	reset();
	t_eq(MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
	t_eq(world.calls, 1);
	t_true(world.comm == MPI_COMM_WORLD);
	t_eq(world.code, MPI_ERR_COUNT);
	t_eq(self.calls, 0);
	t_eq(MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
	t_eq(MPI_Type_size(MPI_DATATYPE_NULL, &n), MPI_ERR_TYPE);
	t_eq(self.calls, 2);
	t_true(self.comm == MPI_COMM_SELF);
	t_eq(self.code, MPI_ERR_TYPE);
	t_eq(world.calls, 1);
}

/* An error found when the request ends is one of the communicator it was started on. */
static void request(int rank)
{
	int x[2] = {1, 2}, other = 1 - rank;
	MPI_Request r;

	reset();
	t_ok(MPI_Irecv(x, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &r));
	t_ok(MPI_Send(x, 2, MPI_INT, other, 1, MPI_COMM_WORLD));
	t_eq(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
	t_true(r == MPI_REQUEST_NULL);
	t_eq(world.calls, 1);
	t_eq(world.code, MPI_ERR_TRUNCATE);
	t_eq(self.calls, 0);
}

static void called(void)
{
	reset();
	t_ok(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER));
	t_eq(world.calls, 1);
	t_eq(world.code, MPI_ERR_OTHER);
}

static void kinds(MPI_Errhandler mine)
{
	MPI_Errhandler e = MPI_ERRHANDLER_NULL;
	int x = 0;

	t_ok(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &e));
	t_true(e == mine);
	t_ok(MPI_Errhandler_free(&e));
	t_true(e == MPI_ERRHANDLER_NULL);
	/* the communicator still holds the handler */
	reset();
	t_eq(MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
	t_eq(world.calls, 1);
	t_ok(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	t_ok(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &e));
	t_true(e == MPI_ERRORS_RETURN);
	t_ok(MPI_Errhandler_free(&e));
	t_true(e == MPI_ERRHANDLER_NULL);
}

int main(int argc, char **argv)
{
	MPI_Errhandler w, s;
	int rank;

	t_ok(MPI_Init(&argc, &argv));
	t_ok(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	t_ok(MPI_Comm_create_errhandler(on_world, &w));
	t_ok(MPI_Comm_create_errhandler(on_self, &s));
	t_ok(MPI_Comm_set_errhandler(MPI_COMM_WORLD, w));
	t_ok(MPI_Comm_set_errhandler(MPI_COMM_SELF, s));
	t_ok(MPI_Errhandler_free(&s));
	whose();
	request(rank);
	called();
	kinds(w);
	MPI_Finalize();
	return t_end();
}
