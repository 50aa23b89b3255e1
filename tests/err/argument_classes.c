// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 9.3, 9.4: bad arguments of every kind give the right class and words with names and
 * numbers, and harm nothing. */
#include "tests/check.h"
#include <stdint.h>

static int x[4];

static void ranks_and_tags(void)
{
	MPI_Request r;

	FAILS(MPI_ERR_RANK, "2", MPI_Send(x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD));
	FAILS(MPI_ERR_RANK, "-7", MPI_Send(x, 1, MPI_INT, -7, 0, MPI_COMM_WORLD));
	FAILS(MPI_ERR_RANK, "", MPI_Send(x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD));
	FAILS(MPI_ERR_RANK, "99",
		MPI_Recv(x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	FAILS(MPI_ERR_RANK, "2", MPI_Isend(x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &r));
	FAILS(MPI_ERR_RANK, "1", MPI_Send(x, 1, MPI_INT, 1, 0, MPI_COMM_SELF));
	FAILS(MPI_ERR_TAG, "-5", MPI_Send(x, 1, MPI_INT, 1, -5, MPI_COMM_WORLD));
	FAILS(MPI_ERR_TAG, "", MPI_Send(x, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD));
	FAILS(MPI_ERR_TAG, "-9", MPI_Irecv(x, 1, MPI_INT, 1, -9, MPI_COMM_WORLD, &r));
	FAILS(MPI_ERR_ROOT, "5", MPI_Bcast(x, 1, MPI_INT, 5, MPI_COMM_WORLD));
	FAILS(MPI_ERR_ROOT, "-1", MPI_Reduce(x, x + 1, 1, MPI_INT, MPI_SUM, -1, MPI_COMM_WORLD));
}

static void counts_and_pointers(void)
{
	MPI_Request r;
	int n;

	FAILS(MPI_ERR_COUNT, "-1", MPI_Send(x, -1, MPI_INT, 1, 0, MPI_COMM_WORLD));
	FAILS(MPI_ERR_COUNT, "-3", MPI_Bcast(x, -3, MPI_INT, 0, MPI_COMM_WORLD));
	FAILS(MPI_ERR_COUNT, "", MPI_Send_c(x, (MPI_Count)1 << 62, MPI_INT, 1, 0, MPI_COMM_WORLD));
	FAILS(MPI_ERR_ARG, "", MPI_Comm_rank(MPI_COMM_WORLD, NULL));
	FAILS(MPI_ERR_ARG, "", MPI_Isend(x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, NULL));
	FAILS(MPI_ERR_ARG, "", MPI_Waitall(3, NULL, MPI_STATUSES_IGNORE));
	FAILS(MPI_ERR_ARG, "-2", MPI_Waitall(-2, &r, MPI_STATUSES_IGNORE));
	FAILS(MPI_ERR_BUFFER, "", MPI_Send(NULL, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
	OK(MPI_Comm_size(MPI_COMM_WORLD, &n));
	CHECK(n == 2);
}

static void handles(void)
{
	static const uint64_t junk[] = {1, 255, 259, 4095, 4096, 1ULL << 24, 0x7fffffff, 0xffffffff,
		1ULL << 40, 1ULL << 63, 0x5a01000001000001ULL, UINT64_MAX};
	int rank = -1;

	FAILS(MPI_ERR_COMM, "MPI_COMM_NULL", MPI_Send(x, 1, MPI_INT, 1, 0, MPI_COMM_NULL));
	FAILS(MPI_ERR_TYPE, "MPI_DATATYPE_NULL",
		MPI_Send(x, 1, MPI_DATATYPE_NULL, 1, 0, MPI_COMM_WORLD));
	FAILS(MPI_ERR_COMM, "", MPI_Send(x, 1, MPI_INT, 1, 0, (MPI_Comm)MPI_INT));
	FAILS(MPI_ERR_TYPE, "", MPI_Send(x, 1, (MPI_Datatype)MPI_COMM_WORLD, 1, 0, MPI_COMM_WORLD));
	FAILS(MPI_ERR_OP, "", MPI_Allreduce(x, x + 1, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
	for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++) {
		MPI_Request r = (MPI_Request)(uintptr_t)junk[i];

		FAILS(MPI_ERR_COMM, "", MPI_Comm_rank((MPI_Comm)(uintptr_t)junk[i], &rank));
		FAILS(MPI_ERR_REQUEST, "", MPI_Wait(&r, MPI_STATUS_IGNORE));
		CHECK(rank == -1);
	}
}

/* A request handle that has been completed is stale, also when its slot is in use again. */
static void stale(void)
{
	MPI_Request r, old;

	OK(MPI_Irecv(x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r));
	old = r;
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(r == MPI_REQUEST_NULL);
	FAILS(MPI_ERR_REQUEST, "", MPI_Wait(&old, MPI_STATUS_IGNORE));
	for (int i = 0; i < 10000; i++) {
		OK(MPI_Irecv(x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r));
		CHECK(r != old);
		OK(MPI_Request_free(&r));
	}
	FAILS(MPI_ERR_REQUEST, "", MPI_Request_free(&old));
}

/* A message of no elements needs no datatype; one of some does, also to MPI_PROC_NULL. */
static void no_type(void)
{
	MPI_Request r[2];
	MPI_Status s;
	int n = -1;

	OK(MPI_Irecv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[0]));
	OK(MPI_Wait(&r[0], &s));
	CHECK(s.MPI_SOURCE == MPI_PROC_NULL && s.MPI_TAG == MPI_ANY_TAG);
	OK(MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &s));
	OK(MPI_Send_init(NULL, 0, MPI_DATATYPE_NULL, 0, 2, MPI_COMM_SELF, &r[0]));
	OK(MPI_Recv_init(NULL, 0, MPI_DATATYPE_NULL, 0, 2, MPI_COMM_SELF, &r[1]));
	OK(MPI_Startall(2, r));
	OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	OK(MPI_Request_free(&r[0]));
	OK(MPI_Request_free(&r[1]));
	OK(MPI_Irecv(NULL, 0, MPI_DATATYPE_NULL, 0, 3, MPI_COMM_SELF, &r[0]));
	OK(MPI_Send_c(NULL, 0, MPI_DATATYPE_NULL, 0, 3, MPI_COMM_SELF));
	OK(MPI_Wait(&r[0], &s));
	OK(MPI_Get_count(&s, MPI_INT, &n));
	CHECK(n == 0);
	FAILS(MPI_ERR_TYPE, "MPI_DATATYPE_NULL",
		MPI_Recv(x, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &s));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	ranks_and_tags();
	counts_and_pointers();
	handles();
	no_type();
	stale();
	OK(MPI_Barrier(MPI_COMM_WORLD));
	MPI_Finalize();
	return 0;
}
