// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4,5 */
/* MPI-5.0 8.3: which constructors of communicators hand a topology on, and which have none. */
#include "tests/check.h"

static int inherited_kind(MPI_Comm c)
{
	int status = 12345;

	OK(MPI_Topo_test(c, &status));
	return status;
}

static MPI_Comm inherited_ring(void)
{
	int periods[1] = {1};
	MPI_Comm c;

	OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &check_size, periods, 0, &c));
	return c;
}

static void ring_is(MPI_Comm c)
{
	int n = -1, p = -1, at = -1, from, to;

	CHECK(inherited_kind(c) == MPI_CART);
	OK(MPI_Cart_get(c, 1, &n, &p, &at));
	CHECK(n == check_size && p == 1 && at == check_rank);
	OK(MPI_Cart_shift(c, 0, 1, &from, &to));
	CHECK(to == (check_rank + 1) % check_size);
	CHECK(from == (check_rank + check_size - 1) % check_size);
}

/* A constructor's result has no topology. */
static void simple(MPI_Comm c)
{
	CHECK(inherited_kind(c) == MPI_UNDEFINED);
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 7.4.2: copies of a communicator have its topology, also after it is gone */
static void inherited_copies(void)
{
	MPI_Comm c = inherited_ring(), d;
	MPI_Request r;
	MPI_Info info;

	OK(MPI_Comm_dup(c, &d));
	ring_is(d);
	OK(MPI_Comm_free(&c));
	ring_is(d);
	OK(MPI_Info_create(&info));
	OK(MPI_Comm_dup_with_info(d, info, &c));
	OK(MPI_Info_free(&info));
	ring_is(c);
	OK(MPI_Comm_free(&d));
	ring_is(c);
	OK(MPI_Comm_idup(c, &d, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	ring_is(d);
	OK(MPI_Comm_free(&d));
	OK(MPI_Comm_idup_with_info(c, MPI_INFO_NULL, &d, &r));
	OK(MPI_Comm_free(&c)); /* while its copy is under way */
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	ring_is(d);
	OK(MPI_Comm_free(&d));
}

/* MPI-5.0 7.4.2: communicators of some of the processes have none */
static void selections(void)
{
	MPI_Comm c = inherited_ring(), d;
	MPI_Group g;

	OK(MPI_Comm_split(c, 0, check_rank, &d));
	simple(d);
	OK(MPI_Comm_split_type(c, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &d));
	simple(d);
	OK(MPI_Comm_group(c, &g));
	OK(MPI_Comm_create(c, g, &d));
	simple(d);
	OK(MPI_Comm_create_group(c, g, 3, &d));
	simple(d);
	OK(MPI_Comm_create_from_group(g, "tests/carry", MPI_INFO_NULL, MPI_ERRORS_RETURN, &d));
	simple(d);
	OK(MPI_Group_free(&g));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.1: an inter-communicator has no topology and cannot be given one; its merger has
 * none */
static void between_groups(void)
{
	int half = check_rank % 2, one = 1, index = 0, x, y, z;
	MPI_Comm c = inherited_ring(), side, inter, d = MPI_COMM_SELF;

	OK(MPI_Comm_split(c, half, check_rank, &side));
	OK(MPI_Intercomm_create(side, 0, c, !half, 5, &inter));
	CHECK(inherited_kind(inter) == MPI_UNDEFINED);
	OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
	FAILS(MPI_ERR_COMM, "inter-communicator", MPI_Cart_create(inter, 1, &one, &one, 0, &d));
	FAILS(MPI_ERR_COMM, "inter-communicator", MPI_Cart_map(inter, 1, &one, &one, &x));
	FAILS(MPI_ERR_COMM, "inter-communicator", MPI_Graph_create(inter, 1, &index, NULL, 0, &d));
	FAILS(MPI_ERR_COMM, "inter-communicator", MPI_Graph_map(inter, 1, &index, NULL, &x));
	FAILS(MPI_ERR_COMM, "inter-communicator",
		MPI_Dist_graph_create(
			inter, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &d));
	FAILS(MPI_ERR_COMM, "inter-communicator",
		MPI_Dist_graph_create_adjacent(inter, 0, NULL, MPI_UNWEIGHTED, 0, NULL,
			MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &d));
	FAILS(MPI_ERR_TOPOLOGY, "no topology", MPI_Cartdim_get(inter, &x));
	FAILS(MPI_ERR_TOPOLOGY, "no topology", MPI_Dist_graph_neighbors_count(inter, &x, &y, &z));
	CHECK(d == MPI_COMM_NULL);
	OK(MPI_Intercomm_merge(inter, half, &d));
	simple(d);
	OK(MPI_Comm_free(&inter));
	OK(MPI_Comm_free(&side));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.3: a topology made from a communicator that has one replaces it in the new one only */
static void over_another(void)
{
	MPI_Comm c = inherited_ring(), d;
	int index[64], n;

	for (int i = 0; i < check_size; i++)
		index[i] = 0;
	OK(MPI_Graph_create(c, check_size, index, NULL, 0, &d));
	CHECK(inherited_kind(d) == MPI_GRAPH);
	ring_is(c);
	OK(MPI_Comm_free(&d));
	OK(MPI_Dist_graph_create_adjacent(
		c, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &d));
	CHECK(inherited_kind(d) == MPI_DIST_GRAPH);
	OK(MPI_Comm_free(&d));
	OK(MPI_Cart_create(c, 0, NULL, NULL, 0, &d));
	if (d != MPI_COMM_NULL) {
		OK(MPI_Cartdim_get(d, &n));
		CHECK(n == 0);
		OK(MPI_Comm_free(&d));
	}
	ring_is(c);
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.4: constructors are collective: messages of the old communicator do not meet theirs */
static void with_messages_in_flight(void)
{
	MPI_Comm c, grid;
	MPI_Request r;
	int in = -1, out = check_rank, next = (check_rank + 1) % check_size;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c, &r));
	OK(MPI_Cart_create(c, 1, &check_size, &check_size, 1, &grid));
	OK(MPI_Comm_free(&grid));
	OK(MPI_Dist_graph_create(
		c, 1, &out, (int[]){1}, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &grid));
	OK(MPI_Send(&out, 1, MPI_INT, next, 0, c));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(in == (check_rank + check_size - 1) % check_size);
	OK(MPI_Comm_free(&grid));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.7: many sub-grids, made and freed again and again */
static void again_and_again(void)
{
	int dims[2] = {1, check_size}, periods[2] = {0, 1}, remain[2] = {0, 1};
	MPI_Comm c, sub;

	OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &c));
	for (int i = 0; i < 2000; i++) {
		remain[0] = i & 1;
		OK(MPI_Cart_sub(c, remain, &sub));
		OK(MPI_Comm_free(&sub));
	}
	OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	inherited_copies();
	selections();
	between_groups();
	over_another();
	with_messages_in_flight();
	again_and_again();
	MPI_Finalize();
	return 0;
}
