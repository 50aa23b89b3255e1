// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_FT=yes HAFT_VIA=auto|net" time=60 */
/* point_to_point.c - messages when rank 1 dies: operations that name it fail, receives from any
 * source are pending until the failure is acknowledged, and all others complete. */
#include "tests/ft/ft.h"

#define LONG 300000 /* elements of a message that needs its receiver */

static int buf[LONG];

/* A message that it has sent before can be received; then all fails, by words that name it.
 * local: they share memory. */
static void peer_named(bool local)
{
	int x = 0, flag = 0;
	MPI_Request r;

	if (local) { /* a connection that is reset loses unread data */
		OK(MPI_Recv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(x == 42);
	} else {
		MPI_Recv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	FAILS(MPIX_ERR_PROC_FAILED, "rank 1",
		MPI_Recv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	FAILS(MPIX_ERR_PROC_FAILED, "rank 1", MPI_Ssend(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
	FAILS(MPIX_ERR_PROC_FAILED, "rank 1", MPI_Send(buf, LONG, MPI_INT, 1, 1, MPI_COMM_WORLD));
	FAILS(MPIX_ERR_PROC_FAILED, "rank 1", MPI_Probe(1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	FAILS(MPIX_ERR_PROC_FAILED, "rank 1",
		MPI_Iprobe(1, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
	OK(MPI_Irecv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r));
	FAILS(MPIX_ERR_PROC_FAILED, "rank 1", MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(r == MPI_REQUEST_NULL);
	FAILS(MPIX_ERR_PROC_FAILED, "rank 1",
		MPI_Sendrecv(&x, 1, MPI_INT, 1, 1, buf, 1, MPI_INT, 1, 1, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE));
}

/* Operations that were under way when it died. */
static void in_flight(void)
{
	MPI_Request r[4];
	MPI_Status s[4];
	int x[2];

	OK(MPI_Irecv(&x[0], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &r[0]));
	OK(MPI_Isend(buf, LONG, MPI_INT, 1, 2, MPI_COMM_WORLD, &r[1]));
	OK(MPI_Irecv(&x[1], 1, MPI_INT, 3, 2, MPI_COMM_WORLD, &r[2]));
	OK(MPI_Send_init(buf, LONG, MPI_INT, 1, 2, MPI_COMM_WORLD, &r[3]));
	OK(MPI_Start(&r[3]));
	OK(MPI_Send(buf, 1, MPI_INT, 1, 3, MPI_COMM_WORLD)); /* it dies of this one */
	CHECK(MPI_Waitall(4, r, s) == MPI_ERR_IN_STATUS);
	CHECK(s[0].MPI_ERROR == MPIX_ERR_PROC_FAILED && r[0] == MPI_REQUEST_NULL);
	while (r[1] != MPI_REQUEST_NULL) {
		CHECK(s[1].MPI_ERROR == MPI_ERR_PENDING);
		MPI_Waitall(4, r, s);
	}
	CHECK(s[1].MPI_ERROR == MPIX_ERR_PROC_FAILED);
	if (r[2] != MPI_REQUEST_NULL)
		OK(MPI_Wait(&r[2], MPI_STATUS_IGNORE));
	CHECK(x[1] == 33);
	OK(MPI_Request_free(&r[3]));
}

static void wildcards(void)
{
	int x = 0, flag = 1, n;
	MPI_Request r;

	FAILS(MPIX_ERR_PROC_FAILED, "rank 1",
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &r));
	FAILS(MPIX_ERR_PROC_FAILED_PENDING, "rank 1", MPI_Wait(&r, MPI_STATUS_IGNORE));
	FAILS(MPIX_ERR_PROC_FAILED_PENDING, "rank 1", MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
	CHECK(r != MPI_REQUEST_NULL);
	OK(MPIX_Comm_ack_failed(MPI_COMM_WORLD, 1, &n));
	CHECK(n == 1);
	OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
	CHECK(!flag);
	OK(MPI_Send(&x, 1, MPI_INT, 3, 5, MPI_COMM_WORLD));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(x == 44);
	OK(MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	CHECK(x == 45);
	OK(MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &r));
	OK(MPI_Cancel(&r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
}

/* A message that comes to a pending receive ends it. */
static void pending_matched(void)
{
	int x = 0;
	MPI_Request r;

	OK(MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &r));
	FAILS(MPIX_ERR_PROC_FAILED_PENDING, "rank 1", MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_Send(&x, 1, MPI_INT, 0, 6, MPI_COMM_WORLD));
	while (MPI_Wait(&r, MPI_STATUS_IGNORE) == MPIX_ERR_PROC_FAILED_PENDING)
		;
	CHECK(x == 46);
}

static void peer_victim(void)
{
	int x = 42;

	OK(MPI_Send(&x, 1, MPI_INT, 2, 1, MPI_COMM_WORLD));
	OK(MPI_Recv(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	ft_die();
}

static void helper(void)
{
	int x = 33;

	OK(MPI_Send(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
	ft_await_failures(1);
	OK(MPI_Recv(&x, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	for (x = 44; x <= 45; x++)
		OK(MPI_Send(&x, 1, MPI_INT, 0, 4, MPI_COMM_WORLD));
	OK(MPI_Send(&x, 1, MPI_INT, 2, 7, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	bool local;
	int x;

	ft_init(&argc, &argv);
	check_local(1, &local);
	switch (check_rank) {
	case 0:
		in_flight();
		wildcards();
		OK(MPI_Recv(&x, 1, MPI_INT, 2, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		x = 46;
		OK(MPI_Send(&x, 1, MPI_INT, 2, 6, MPI_COMM_WORLD));
		break;
	case 1: peer_victim(); break;
	case 2:
		peer_named(local);
		OK(MPI_Recv(&x, 1, MPI_INT, 3, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		pending_matched();
		break;
	default: helper(); break;
	}
	MPI_Finalize();
	return check_end();
}
