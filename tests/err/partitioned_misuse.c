// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 4.2: forbidden uses of partitioned operations */
#include "tests/check.h"

static int buf[64];

/* To itself: one rank sees both sides. */
static void misuse_uses(void)
{
	int flag, list[] = {0, 4}, twice[] = {1, 1};
	MPI_Request s, r, simple;

	expect_eq(MPI_Psend_init(buf, 0, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_INFO_NULL, &s),
		MPI_ERR_ARG);
	expect(error_says(MPI_ERR_ARG, "at least 1"));
	expect_eq(MPI_Precv_init(buf, -1, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_INFO_NULL, &r),
		MPI_ERR_ARG);
	expect_eq(MPI_Precv_init(
			  buf, 1, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, MPI_INFO_NULL, &r),
		MPI_ERR_RANK);
	expect_eq(MPI_Precv_init(
			  buf, 1, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, MPI_INFO_NULL, &r),
		MPI_ERR_TAG);
	expect_eq(MPI_Psend_init(buf, 1, -1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_INFO_NULL, &s),
		MPI_ERR_COUNT);
	expect_eq(MPI_Psend_init(
			  buf, 1 << 30, 1LL << 40, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_INFO_NULL, &s),
		MPI_ERR_COUNT);
	expect_ok(MPI_Psend_init(buf, 4, 2, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_INFO_NULL, &s));
	expect_ok(MPI_Precv_init(buf + 32, 2, 4, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_INFO_NULL, &r));
	expect_ok(MPI_Irecv(&flag, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &simple));
	expect_eq(MPI_Pready(0, s), MPI_ERR_REQUEST);
	expect(error_says(MPI_ERR_REQUEST, "not been started"));
	expect_ok(MPI_Start(&s));
	expect_ok(MPI_Start(&r));
	expect_eq(MPI_Pready(0, r), MPI_ERR_REQUEST);
	expect_eq(MPI_Pready(0, simple), MPI_ERR_REQUEST);
	expect_eq(MPI_Pready(4, s), MPI_ERR_ARG);
	expect(error_says(MPI_ERR_ARG, "0..3"));
	expect_eq(MPI_Pready(-1, s), MPI_ERR_ARG);
	expect_ok(MPI_Pready(0, s));
	expect_eq(MPI_Pready(0, s), MPI_ERR_ARG);
	expect(error_says(MPI_ERR_ARG, "ready already"));
	expect_eq(MPI_Pready_list(2, list, s), MPI_ERR_ARG);
	expect_eq(MPI_Pready_list(2, twice, s), MPI_ERR_ARG);
	expect_eq(MPI_Pready_range(3, 2, s), MPI_ERR_ARG);
	expect_eq(MPI_Pready_range(3, 4, s), MPI_ERR_ARG);
	expect_eq(MPI_Parrived(s, 0, &flag), MPI_ERR_REQUEST);
	expect_eq(MPI_Parrived(r, 2, &flag), MPI_ERR_ARG);
	expect_eq(MPI_Start(&s), MPI_ERR_REQUEST);
	expect_eq(MPI_Request_free(&s), MPI_ERR_REQUEST);
	expect_eq(MPI_Cancel(&r), MPI_ERR_REQUEST);
	expect_ok(MPI_Pready(2, s));
	expect_ok(MPI_Wait(&s, MPI_STATUS_IGNORE));
	expect_ok(MPI_Wait(&r, MPI_STATUS_IGNORE));
	expect_ok(MPI_Request_free(&s));
	expect_ok(MPI_Request_free(&r));
	expect_ok(MPI_Cancel(&simple));
	expect_ok(MPI_Wait(&simple, MPI_STATUS_IGNORE));
}

/* Buffers that differ in size: both sides learn it, at every start. */
static void misuse_sizes(int rank, int bytes)
{
	MPI_Request r;
	int err;

	if (rank == 0)
		expect_ok(MPI_Psend_init(
			buf, 2, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
	else
		expect_ok(MPI_Precv_init(
			buf, 1, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
	for (int round = 0; round < 2; round++) {
		expect_ok(MPI_Start(&r));
		if (rank == 0)
			expect_ok(MPI_Pready_range(0, 1, r));
		err = MPI_Wait(&r, MPI_STATUS_IGNORE);
		expect_eq(err, rank == 1 && bytes < 16 ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT);
		expect(error_says(err, "16 bytes"));
	}
	expect_ok(MPI_Request_free(&r));
	expect_ok(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	misuse_uses();
	misuse_sizes(rank, 12);
	misuse_sizes(rank, 20);
	MPI_Finalize();
	return check_end();
}
