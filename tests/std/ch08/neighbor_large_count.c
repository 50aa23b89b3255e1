/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2,3,5 */
/* MPI-5.0 8.6: neighbourhood collectives with large counts, on a ring: left and right. */
#include "tests/check.h"

enum { LEFT, RIGHT, SIDES, EACH = 3 };

static MPI_Comm ring;
static int out[SIDES * EACH], in[SIDES * EACH];
static const MPI_Count counts[SIDES] = {EACH, EACH};
static const MPI_Aint displs[SIDES] = {0, EACH};
static const MPI_Aint bytes[SIDES] = {0, EACH * sizeof(int)};
static const MPI_Datatype types[SIDES] = {MPI_INT, MPI_INT};

static void neighbor_fill(void)
{
	for (int i = 0; i < SIDES * EACH; i++) {
		out[i] = check_rank * 10 + i;
		in[i] = -1;
	}
}

/* The value that the left rank sends to the right, and the right one to the left. */
static void neighbor_look(int gathers)
{
	int left = (check_rank + check_size - 1) % check_size;
	int right = (check_rank + 1) % check_size;

	for (int i = 0; i < EACH; i++) {
		CHECK(in[i] == left * 10 + i + (gathers ? 0 : EACH));
		CHECK(in[EACH + i] == right * 10 + i);
	}
	neighbor_fill();
}

static void neighbor_over(MPI_Request *req, int persists, int gathers)
{
	for (int turn = 0; turn < 1 + persists; turn++) {
		if (persists)
			OK(MPI_Start(req));
		OK(MPI_Wait(req, MPI_STATUS_IGNORE));
		neighbor_look(gathers);
	}
	if (persists)
		OK(MPI_Request_free(req));
}

/* MPI-5.0 8.6.1: neighbourhood gather. */
static void gather(void)
{
	OK(MPI_Neighbor_allgather_c(out, EACH, MPI_INT, in, EACH, MPI_INT, ring));
	neighbor_look(1);
	OK(MPI_Neighbor_allgatherv_c(out, EACH, MPI_INT, in, counts, displs, MPI_INT, ring));
	neighbor_look(1);
}

/* MPI-5.0 8.6.2: neighbourhood all-to-all. */
static void alltoall(void)
{
	OK(MPI_Neighbor_alltoall_c(out, EACH, MPI_INT, in, EACH, MPI_INT, ring));
	neighbor_look(0);
	OK(MPI_Neighbor_alltoallv_c(
		out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, ring));
	neighbor_look(0);
	OK(MPI_Neighbor_alltoallw_c(out, counts, bytes, types, in, counts, bytes, types, ring));
	neighbor_look(0);
}

/* MPI-5.0 8.7.1: nonblocking neighbourhood gather. */
static void igather(void)
{
	MPI_Request r;

	OK(MPI_Ineighbor_allgather_c(out, EACH, MPI_INT, in, EACH, MPI_INT, ring, &r));
	neighbor_over(&r, 0, 1);
	OK(MPI_Ineighbor_allgatherv_c(out, EACH, MPI_INT, in, counts, displs, MPI_INT, ring, &r));
	neighbor_over(&r, 0, 1);
}

/* MPI-5.0 8.7.2: nonblocking neighbourhood all-to-all. */
static void ialltoall(void)
{
	MPI_Request r;

	OK(MPI_Ineighbor_alltoall_c(out, EACH, MPI_INT, in, EACH, MPI_INT, ring, &r));
	neighbor_over(&r, 0, 0);
	OK(MPI_Ineighbor_alltoallv_c(
		out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, ring, &r));
	neighbor_over(&r, 0, 0);
	OK(MPI_Ineighbor_alltoallw_c(
		out, counts, bytes, types, in, counts, bytes, types, ring, &r));
	neighbor_over(&r, 0, 0);
}

/* MPI-5.0 8.8.1: persistent neighbourhood gather. */
static void gather_init(void)
{
	MPI_Info none = MPI_INFO_NULL;
	MPI_Request r;

	OK(MPI_Neighbor_allgather_init_c(out, EACH, MPI_INT, in, EACH, MPI_INT, ring, none, &r));
	neighbor_over(&r, 1, 1);
	OK(MPI_Neighbor_allgatherv_init_c(
		out, EACH, MPI_INT, in, counts, displs, MPI_INT, ring, none, &r));
	neighbor_over(&r, 1, 1);
}

/* MPI-5.0 8.8.2: persistent neighbourhood all-to-all. */
static void alltoall_init(void)
{
	MPI_Info none = MPI_INFO_NULL;
	MPI_Request r;

	OK(MPI_Neighbor_alltoall_init_c(out, EACH, MPI_INT, in, EACH, MPI_INT, ring, none, &r));
	neighbor_over(&r, 1, 0);
	OK(MPI_Neighbor_alltoallv_init_c(
		out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, ring, none, &r));
	neighbor_over(&r, 1, 0);
	OK(MPI_Neighbor_alltoallw_init_c(
		out, counts, bytes, types, in, counts, bytes, types, ring, none, &r));
	neighbor_over(&r, 1, 0);
}

/* These calls with counts of int. */
static void neighbor_small(void)
{
	int n[SIDES] = {EACH, EACH}, at[SIDES] = {0, EACH};
	MPI_Info none = MPI_INFO_NULL;
	MPI_Request r;

	OK(MPI_Neighbor_allgather(out, EACH, MPI_INT, in, EACH, MPI_INT, ring));
	neighbor_look(1);
	OK(MPI_Neighbor_allgatherv(out, EACH, MPI_INT, in, n, at, MPI_INT, ring));
	neighbor_look(1);
	OK(MPI_Neighbor_alltoall(out, EACH, MPI_INT, in, EACH, MPI_INT, ring));
	neighbor_look(0);
	OK(MPI_Neighbor_alltoallv(out, n, at, MPI_INT, in, n, at, MPI_INT, ring));
	neighbor_look(0);
	OK(MPI_Neighbor_alltoallw(out, n, bytes, types, in, n, bytes, types, ring));
	neighbor_look(0);
	OK(MPI_Ineighbor_allgather(out, EACH, MPI_INT, in, EACH, MPI_INT, ring, &r));
	neighbor_over(&r, 0, 1);
	OK(MPI_Ineighbor_allgatherv(out, EACH, MPI_INT, in, n, at, MPI_INT, ring, &r));
	neighbor_over(&r, 0, 1);
	OK(MPI_Ineighbor_alltoall(out, EACH, MPI_INT, in, EACH, MPI_INT, ring, &r));
	neighbor_over(&r, 0, 0);
	OK(MPI_Ineighbor_alltoallv(out, n, at, MPI_INT, in, n, at, MPI_INT, ring, &r));
	neighbor_over(&r, 0, 0);
	OK(MPI_Ineighbor_alltoallw(out, n, bytes, types, in, n, bytes, types, ring, &r));
	neighbor_over(&r, 0, 0);
	OK(MPI_Neighbor_allgather_init(out, EACH, MPI_INT, in, EACH, MPI_INT, ring, none, &r));
	neighbor_over(&r, 1, 1);
	OK(MPI_Neighbor_allgatherv_init(out, EACH, MPI_INT, in, n, at, MPI_INT, ring, none, &r));
	neighbor_over(&r, 1, 1);
	OK(MPI_Neighbor_alltoall_init(out, EACH, MPI_INT, in, EACH, MPI_INT, ring, none, &r));
	neighbor_over(&r, 1, 0);
	OK(MPI_Neighbor_alltoallv_init(out, n, at, MPI_INT, in, n, at, MPI_INT, ring, none, &r));
	neighbor_over(&r, 1, 0);
	OK(MPI_Neighbor_alltoallw_init(out, n, bytes, types, in, n, bytes, types, ring, none, &r));
	neighbor_over(&r, 1, 0);
}

int main(int argc, char **argv)
{
	int round = 1;

	check_init(&argc, &argv);
	OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &check_size, &round, 0, &ring));
	neighbor_fill();
	gather();
	alltoall();
	igather();
	ialltoall();
	gather_init();
	alltoall_init();
	neighbor_small();
	OK(MPI_Comm_free(&ring));
	MPI_Finalize();
	return 0;
}
