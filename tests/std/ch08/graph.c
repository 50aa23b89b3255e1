// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4,5 */
/* MPI-5.0 8.5.3: graph topologies: creation, inquiry, mapping. */
#include "tests/check.h"

#include <limits.h>

/* A ring of n nodes with an edge to oneself; node i has i % 3 further edges to node 0. */
struct ring {
	int n, nedges;
	int index[64], edges[64 * 5];
};

static void ring_make(struct ring *r, int n)
{
	*r = (struct ring){.n = n};
	for (int i = 0; i < n; i++) {
		r->edges[r->nedges++] = (i + n - 1) % n;
		r->edges[r->nedges++] = (i + 1) % n;
		r->edges[r->nedges++] = i;
		for (int k = 0; k < i % 3; k++)
			r->edges[r->nedges++] = 0;
		r->index[i] = r->nedges;
	}
}

static void ring_is(MPI_Comm c, const struct ring *r)
{
	int n = -1, e = -1, index[64], edges[64 * 5], kind = 0;

	OK(MPI_Topo_test(c, &kind));
	CHECK(kind == MPI_GRAPH);
	OK(MPI_Graphdims_get(c, &n, &e));
	CHECK(n == r->n && e == r->nedges);
	OK(MPI_Graph_get(c, n, e, index, edges));
	CHECK(memcmp(index, r->index, sizeof(int) * (size_t)n) == 0);
	CHECK(memcmp(edges, r->edges, sizeof(int) * (size_t)e) == 0);
}

/* MPI-5.0 8.5.3: the graph is as given, ranks stay without reorder */
static void created(void)
{
	struct ring r;
	MPI_Comm c, dup;
	int me, n;

	ring_make(&r, check_size);
	OK(MPI_Graph_create(MPI_COMM_WORLD, r.n, r.index, r.edges, 0, &c));
	OK(MPI_Comm_rank(c, &me));
	OK(MPI_Comm_size(c, &n));
	CHECK(me == check_rank && n == check_size);
	ring_is(c, &r);
	OK(MPI_Comm_dup(c, &dup));
	OK(MPI_Comm_free(&c));
	ring_is(dup, &r);
	OK(MPI_Comm_free(&dup));
}

/* MPI-5.0 8.5.3: fewer nodes than processes: the others get MPI_COMM_NULL; no nodes: all do */
static void smaller(void)
{
	struct ring r;
	MPI_Comm c = MPI_COMM_SELF;

	ring_make(&r, (check_size + 1) / 2);
	OK(MPI_Graph_create(MPI_COMM_WORLD, r.n, r.index, r.edges, 0, &c));
	CHECK((c == MPI_COMM_NULL) == (check_rank >= r.n));
	if (c != MPI_COMM_NULL) {
		ring_is(c, &r);
		OK(MPI_Comm_free(&c));
	}
	c = MPI_COMM_SELF;
	OK(MPI_Graph_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &c));
	CHECK(c == MPI_COMM_NULL);
}

/* MPI-5.0 8.5.3: a graph without edges */
static void no_edges(void)
{
	int index[64] = {0}, n = -1, e = -1;
	MPI_Comm c;

	OK(MPI_Graph_create(MPI_COMM_WORLD, check_size, index, NULL, 0, &c));
	OK(MPI_Graphdims_get(c, &n, &e));
	CHECK(n == check_size && e == 0);
	OK(MPI_Graph_neighbors_count(c, check_rank, &n));
	CHECK(n == 0);
	OK(MPI_Graph_neighbors(c, check_rank, 0, NULL));
	OK(MPI_Graph_get(c, check_size, 0, index, NULL));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.5: neighbours of any node, in the order given, several times if given several
 * times */
static void neighbors(void)
{
	struct ring r;
	MPI_Comm c;
	int n, got[8];

	ring_make(&r, check_size);
	OK(MPI_Graph_create(MPI_COMM_WORLD, r.n, r.index, r.edges, 0, &c));
	for (int i = 0; i < r.n; i++) {
		int first = i == 0 ? 0 : r.index[i - 1];

		OK(MPI_Graph_neighbors_count(c, i, &n));
		CHECK(n == r.index[i] - first);
		OK(MPI_Graph_neighbors(c, i, 8, got));
		CHECK(memcmp(got, r.edges + first, sizeof(int) * (size_t)n) == 0);
	}
	FAILS(MPI_ERR_RANK, "rank", MPI_Graph_neighbors_count(c, r.n, &n));
	FAILS(MPI_ERR_RANK, "rank", MPI_Graph_neighbors(c, -1, 8, got));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.5: the example with neighbours listed several times */
static void example(void)
{
	int index[4] = {3, 5, 6, 9}, edges[9] = {1, 1, 3, 0, 0, 3, 0, 2, 2};
	int n, got[3];
	MPI_Comm c;

	if (check_size < 4)
		return;
	OK(MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &c));
	if (c == MPI_COMM_NULL)
		return;
	OK(MPI_Graph_neighbors_count(c, 3, &n));
	OK(MPI_Graph_neighbors(c, 3, 3, got));
	CHECK(n == 3 && got[0] == 0 && got[1] == 2 && got[2] == 2);
	OK(MPI_Graph_neighbors_count(c, 2, &n));
	OK(MPI_Graph_neighbors(c, 2, 3, got));
	CHECK(n == 1 && got[0] == 3);
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.5: arrays with less room get the beginning, and nothing is written behind it */
static void graph_room(void)
{
	struct ring r;
	MPI_Comm c;
	int index[2] = {-7, -7}, edges[3] = {-7, -7, -7};

	ring_make(&r, check_size);
	OK(MPI_Graph_create(MPI_COMM_WORLD, r.n, r.index, r.edges, 0, &c));
	OK(MPI_Graph_get(c, 1, 2, index, edges));
	CHECK(index[0] == r.index[0] && index[1] == -7);
	CHECK(edges[0] == r.edges[0] && edges[1] == r.edges[1] && edges[2] == -7);
	edges[1] = -7;
	OK(MPI_Graph_neighbors(c, 0, 1, edges));
	CHECK(edges[0] == r.edges[0] && edges[1] == -7);
	FAILS(MPI_ERR_ARG, "index is NULL", MPI_Graph_get(c, 1, 2, NULL, edges));
	FAILS(MPI_ERR_ARG, "edges is NULL", MPI_Graph_get(c, 1, 2, index, NULL));
	FAILS(MPI_ERR_ARG, "neighbors is NULL", MPI_Graph_neighbors(c, 0, 1, NULL));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.8: Graph_map gives each process of the graph another rank, the others
 * MPI_UNDEFINED */
static void graph_maps(void)
{
	struct ring r;
	int rank = -9, got[64], seen[64] = {0}, inside = 0;

	ring_make(&r, (check_size + 1) / 2);
	OK(MPI_Graph_map(MPI_COMM_WORLD, r.n, r.index, r.edges, &rank));
	OK(MPI_Allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD));
	for (int i = 0; i < check_size; i++) {
		if (got[i] == MPI_UNDEFINED)
			continue;
		CHECK(got[i] >= 0 && got[i] < r.n && !seen[got[i]]++);
		inside++;
	}
	CHECK(inside == r.n);
	OK(MPI_Graph_map(MPI_COMM_WORLD, 0, NULL, NULL, &rank));
	CHECK(rank == MPI_UNDEFINED);
}

/* MPI-5.0 8.5.3: with reorder ranks may change; the graph does not */
static void reorders(void)
{
	struct ring r;
	MPI_Comm c;
	int n;

	ring_make(&r, check_size);
	OK(MPI_Graph_create(MPI_COMM_WORLD, r.n, r.index, r.edges, 1, &c));
	OK(MPI_Comm_size(c, &n));
	CHECK(n == check_size);
	ring_is(c, &r);
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.3: graphs that are none */
static void wrong_graphs(void)
{
	int index[64] = {0}, edges[2] = {0, 0}, rank;
	MPI_Comm c = MPI_COMM_WORLD;

	FAILS(MPI_ERR_ARG, "process",
		MPI_Graph_create(MPI_COMM_WORLD, check_size + 1, index, edges, 0, &c));
	index[0] = -1;
	FAILS(MPI_ERR_ARG, "index[0] is -1",
		MPI_Graph_create(MPI_COMM_WORLD, 1, index, edges, 0, &c));
	FAILS(MPI_ERR_ARG, "index[0] is -1", MPI_Graph_map(MPI_COMM_WORLD, 1, index, edges, &rank));
	index[0] = 2;
	edges[1] = check_size;
	FAILS(MPI_ERR_ARG, "edges[1] is", MPI_Graph_create(MPI_COMM_WORLD, 1, index, edges, 0, &c));
	edges[1] = -1;
	FAILS(MPI_ERR_ARG, "edges[1] is -1",
		MPI_Graph_create(MPI_COMM_WORLD, 1, index, edges, 0, &c));
	FAILS(MPI_ERR_ARG, "edges is NULL",
		MPI_Graph_create(MPI_COMM_WORLD, 1, index, NULL, 0, &c));
	FAILS(MPI_ERR_ARG, "index is NULL",
		MPI_Graph_create(MPI_COMM_WORLD, 1, NULL, edges, 0, &c));
	FAILS(MPI_ERR_ARG, "nnodes", MPI_Graph_create(MPI_COMM_WORLD, -1, index, edges, 0, &c));
	if (check_size > 1) {
		index[0] = 2, index[1] = 1, edges[1] = 0;
		FAILS(MPI_ERR_ARG, "index[1] is 1",
			MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &c));
	}
	CHECK(c == MPI_COMM_NULL);
}

/* MPI-5.0 8.5.5: questions to a communicator with another topology, or none */
static void graph_wrong_kind(void)
{
	int dims[1] = {1}, x, y, v[2];
	MPI_Comm c;

	FAILS(MPI_ERR_TOPOLOGY, "no topology", MPI_Graphdims_get(MPI_COMM_WORLD, &x, &y));
	OK(MPI_Cart_create(MPI_COMM_SELF, 1, dims, dims, 0, &c));
	FAILS(MPI_ERR_TOPOLOGY, "Cartesian", MPI_Graphdims_get(c, &x, &y));
	FAILS(MPI_ERR_TOPOLOGY, "Cartesian", MPI_Graph_get(c, 1, 1, &x, &y));
	FAILS(MPI_ERR_TOPOLOGY, "Cartesian", MPI_Graph_neighbors_count(c, 0, &x));
	FAILS(MPI_ERR_TOPOLOGY, "Cartesian", MPI_Graph_neighbors(c, 0, 2, v));
	FAILS(MPI_ERR_TOPOLOGY, "Cartesian", MPI_Dist_graph_neighbors_count(c, &x, &y, &v[0]));
	FAILS(MPI_ERR_TOPOLOGY, "Cartesian", MPI_Dist_graph_neighbors(c, 1, v, v, 1, v, v));
	OK(MPI_Comm_free(&c));
	x = 0;
	OK(MPI_Graph_create(MPI_COMM_SELF, 1, &x, NULL, 0, &c));
	FAILS(MPI_ERR_TOPOLOGY, "graph", MPI_Cart_coords(c, 0, 2, v));
	OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	created();
	smaller();
	no_edges();
	neighbors();
	example();
	graph_room();
	graph_maps();
	reorders();
	wrong_graphs();
	graph_wrong_kind();
	MPI_Finalize();
	return 0;
}
