/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2,4 */
/* MPI-5.0 6.12, 6.13: references of calls with a request, their end, and refusals. */
#include "tests/check.h"
#include <mpi.h>

#define MANY 500

static int n, me;

/* 6.12: several outstanding operations on one communicator, ended in any order, between blocking
 * ones. */
static void request_many(MPI_Comm comm)
{
	static int in[MANY], out[MANY];
	MPI_Request reqs[MANY];
	int index, sum = 0;

	for (int i = 0; i < MANY; i++) {
		in[i] = i + me;
		if (i % 3 == 0)
			expect_ok(MPI_Iallreduce(
				&in[i], &out[i], 1, MPI_INT, MPI_SUM, comm, &reqs[i]));
		else if (i % 3 == 1)
			expect_ok(MPI_Ibarrier(comm, &reqs[i]));
		else
			expect_ok(MPI_Ibcast(&in[i], 1, MPI_INT, i % n, comm, &reqs[i]));
		if (i % 100 == 50)
			expect_ok(MPI_Allreduce(&in[i], &sum, 1, MPI_INT, MPI_SUM, comm));
	}
	for (int i = 0; i < MANY / 2; i++)
		expect_ok(MPI_Waitany(MANY, reqs, &index, MPI_STATUS_IGNORE));
	expect_ok(MPI_Waitall(MANY, reqs, MPI_STATUSES_IGNORE));
	for (int i = 0; i < MANY; i++) {
		if (i % 3 == 0)
			expect_eq(out[i], n * i + n * (n - 1) / 2);
		else if (i % 3 == 2)
			expect_eq(in[i], i + i % n);
	}
}

static void request_sum(void *in, void *inout, int *len, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < 2 * *len; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

/* 2.4.2, 6.13: communicator, type and operation may be freed at once. */
static void request_freed(int persistent)
{
	int in[4] = {1, 2, me, 4}, out[4] = {0};
	MPI_Request req;
	MPI_Datatype two;
	MPI_Comm comm;
	MPI_Op op;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Type_contiguous(2, MPI_INT, &two);
	MPI_Type_commit(&two);
	MPI_Op_create(request_sum, 1, &op);
	if (persistent)
		expect_ok(MPI_Allreduce_init(in, out, 2, two, op, comm, MPI_INFO_NULL, &req));
	else
		expect_ok(MPI_Iallreduce(in, out, 2, two, op, comm, &req));
	MPI_Type_free(&two);
	MPI_Op_free(&op);
	MPI_Comm_free(&comm);
	for (int i = 0; i < (persistent ? 3 : 1); i++) {
		if (persistent)
			expect_ok(MPI_Start(&req));
		expect_ok(MPI_Wait(&req, MPI_STATUS_IGNORE));
		expect_eq(out[1], 2 * n);
		expect_eq(out[2], n * (n - 1) / 2);
		out[1] = out[2] = 0;
	}
	if (persistent)
		expect_ok(MPI_Request_free(&req));
	expect(req == MPI_REQUEST_NULL);
}

/* 6.12, 6.13: erroneous are cancelling, freeing or starting while active. */
static void request_refused(void)
{
	MPI_Request req, keep;

	expect_ok(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &req));
	expect_ok(MPI_Start(&req));
	if (n > 1 && me == 0)
		expect_eq(MPI_Start(&req), MPI_ERR_REQUEST);
	expect_eq(MPI_Cancel(&req), MPI_ERR_REQUEST);
	expect_ok(MPI_Barrier(MPI_COMM_WORLD));
	expect_eq(MPI_Request_free(&req), MPI_ERR_REQUEST); /* complete, but still active */
	expect_ok(MPI_Wait(&req, MPI_STATUS_IGNORE));
	expect(req != MPI_REQUEST_NULL);
	expect_ok(MPI_Request_free(&req));
	expect_ok(MPI_Ibarrier(MPI_COMM_WORLD, &req));
	expect_ok(MPI_Barrier(MPI_COMM_WORLD));
	expect_eq(MPI_Request_free(&req), MPI_ERR_REQUEST);
	expect_ok(MPI_Wait(&req, MPI_STATUS_IGNORE));
	if (n == 1)
		return;
	if (me == 0) {
		expect_ok(MPI_Ibarrier(MPI_COMM_WORLD, &req));
		keep = req;
		expect_eq(MPI_Request_free(&req), MPI_ERR_REQUEST);
		expect(req == keep);
		MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else {
		if (me == 1)
			MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_ok(MPI_Ibarrier(MPI_COMM_WORLD, &req));
	}
	expect_ok(MPI_Wait(&req, MPI_STATUS_IGNORE));
}

/* 6.12: a call that is refused has not happened: a correct one takes its place. */
static void request_again(void)
{
	int x = 1, y = 0;
	MPI_Request req;

	if (me == 0)
		expect_eq(MPI_Ireduce(&x, &x, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &req),
			MPI_ERR_BUFFER);
	expect_ok(MPI_Ireduce(&x, &y, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &req));
	expect_ok(MPI_Wait(&req, MPI_STATUS_IGNORE));
	expect_eq(y, me == 0 ? n : 0);
}

int main(int argc, char **argv)
{
	MPI_Comm comm;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	request_many(comm);
	MPI_Comm_free(&comm);
	request_freed(0);
	request_freed(1);
	request_refused();
	request_again();
	MPI_Finalize();
	return check_end();
}
