// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4,6 */
/* MPI-5.0 8.5.4: distributed graph topologies: creation both ways, inquiry. */
#include "tests/check.h"

#include <limits.h>

#define MANY 4096 /* edges in a test */

struct list {
	int n, rank[MANY], weight[MANY];
};

/* The edges of this process, as MPI returns them. */
static void dist_ask(MPI_Comm c, struct list *in, struct list *out, int want_weighted)
{
	int weighted = -1, kind;

	OK(MPI_Topo_test(c, &kind));
	CHECK(kind == MPI_DIST_GRAPH);
	OK(MPI_Dist_graph_neighbors_count(c, &in->n, &out->n, &weighted));
	CHECK(weighted == want_weighted && in->n <= MANY && out->n <= MANY);
	OK(MPI_Dist_graph_neighbors(c, in->n, in->rank, weighted ? in->weight : MPI_UNWEIGHTED,
		out->n, out->rank, weighted ? out->weight : MPI_UNWEIGHTED));
}

static int dist_same(const struct list *a, const struct list *b, int weighted)
{
	for (int i = 0; i < a->n && a->n == b->n; i++) {
		if (a->rank[i] != b->rank[i] || (weighted && a->weight[i] != b->weight[i]))
			return 0;
	}
	return a->n == b->n;
}

static void dist_add(struct list *l, int rank, int weight)
{
	l->rank[l->n] = rank;
	l->weight[l->n++] = weight;
}

/* A graph of the test: from s to d go (s * 3 + d) % 4 edges, of weights that differ. */
static int edges_between(int s, int d)
{
	return (s * 3 + d) % 4;
}

static int weight_of(int s, int d, int k)
{
	return s * 10000 + d * 100 + k;
}

static struct list in, out, in2, out2;

/* This process's part of the graph; from the highest rank down, to have an order of our own. */
static void adjacency(void)
{
	in.n = out.n = 0;
	for (int r = check_size - 1; r >= 0; r--) {
		for (int k = 0; k < edges_between(r, check_rank); k++)
			dist_add(&in, r, weight_of(r, check_rank, k));
		for (int k = 0; k < edges_between(check_rank, r); k++)
			dist_add(&out, r, weight_of(check_rank, r, k));
	}
}

/* MPI-5.0 8.5.5: adjacent: sources and destinations come back in the order given, with weights */
static void adjacent(void)
{
	MPI_Comm c, dup;
	int me, n;

	adjacency();
	OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in.n, in.rank, in.weight, out.n, out.rank,
		out.weight, MPI_INFO_NULL, 0, &c));
	OK(MPI_Comm_rank(c, &me));
	OK(MPI_Comm_size(c, &n));
	CHECK(me == check_rank && n == check_size);
	dist_ask(c, &in2, &out2, 1);
	CHECK(dist_same(&in, &in2, 1) && dist_same(&out, &out2, 1));
	OK(MPI_Comm_dup(c, &dup));
	OK(MPI_Comm_free(&c));
	dist_ask(dup, &in2, &out2, 1);
	CHECK(dist_same(&in, &in2, 1) && dist_same(&out, &out2, 1));
	OK(MPI_Comm_free(&dup));
}

/* MPI-5.0 8.5.4: MPI_UNWEIGHTED in all processes: no weights, and weighted is false (8.5.5) */
static void unweighted(void)
{
	MPI_Comm c;

	adjacency();
	OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in.n, in.rank, MPI_UNWEIGHTED, out.n,
		out.rank, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c));
	dist_ask(c, &in2, &out2, 0);
	CHECK(dist_same(&in, &in2, 0) && dist_same(&out, &out2, 0));
	/* no weight information is returned, whatever arrays are given */
	if (in.n > 0) {
		in2.weight[0] = -77;
		OK(MPI_Dist_graph_neighbors(
			c, in.n, in2.rank, in2.weight, out.n, out2.rank, out2.weight));
		CHECK(in2.weight[0] == -77);
	}
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.4: processes without edges, with MPI_WEIGHTS_EMPTY in a graph that is weighted */
static void isolated(void)
{
	int other = 1, w = 9, idle = check_rank > 1 || check_size < 2;
	MPI_Comm c;

	other -= check_rank;
	OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, !idle, &other,
		idle ? MPI_WEIGHTS_EMPTY : &w, !idle, &other, idle ? MPI_WEIGHTS_EMPTY : &w,
		MPI_INFO_NULL, 0, &c));
	dist_ask(c, &in2, &out2, 1);
	CHECK(in2.n == !idle && out2.n == !idle);
	CHECK(idle || (in2.rank[0] == other && in2.weight[0] == 9 && out2.weight[0] == 9));
	OK(MPI_Comm_free(&c));
	/* one end only */
	OK(MPI_Dist_graph_create(
		MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &c));
	dist_ask(c, &in2, &out2, 1);
	CHECK(in2.n == 0 && out2.n == 0);
	OK(MPI_Comm_free(&c));
	OK(MPI_Dist_graph_create(
		MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c));
	dist_ask(c, &in2, &out2, 0);
	OK(MPI_Comm_free(&c));
}

/* The general form: rank `giver' gives all edges; -1: each rank its own outgoing ones, -2: its
 * incoming ones, -3: edge k of s to d is given by (s + d + k) % size. */
static int gives(int giver, int s, int d, int k)
{
	if (giver >= 0)
		return check_rank == giver;
	return check_rank == (giver == -1 ? s : giver == -2 ? d : (s + d + k) % check_size);
}

/* This process's list of its edges: an entry of sources for each pair with edges. */
struct edges {
	int n, sources[MANY], degrees[MANY];
	struct list dest;
};

static void dist_give(struct edges *g, int giver, int s, int d)
{
	int before = g->dest.n;

	for (int k = 0; k < edges_between(s, d); k++) {
		if (gives(giver, s, d, k))
			dist_add(&g->dest, d, weight_of(s, d, k));
	}
	if (g->dest.n > before) { /* the same source may come several times */
		g->sources[g->n] = s;
		g->degrees[g->n++] = g->dest.n - before;
	}
}

static MPI_Comm general(int giver, int weighted)
{
	static struct edges g;
	MPI_Comm c;

	g.n = g.dest.n = 0;
	for (int s = check_size - 1; s >= 0; s--) {
		for (int d = 0; d < check_size; d++)
			dist_give(&g, giver, s, d);
	}
	OK(MPI_Dist_graph_create(MPI_COMM_WORLD, g.n, g.sources, g.degrees, g.dest.rank,
		weighted ? g.dest.weight : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c));
	return c;
}

/* All edges of the graph are there, whatever the order: number and sum of weights for each rank. */
static void complete(const struct list *l, int incoming, int weighted)
{
	for (int r = 0; r < check_size; r++) {
		int s = incoming ? r : check_rank, d = incoming ? check_rank : r;
		long n = 0, sum = 0, want = 0;

		for (int i = 0; i < l->n; i++) {
			n += l->rank[i] == r;
			sum += l->rank[i] == r && weighted ? l->weight[i] : 0;
		}
		for (int k = 0; k < edges_between(s, d); k++)
			want += weighted ? weight_of(s, d, k) : 0;
		CHECK(n == edges_between(s, d) && sum == want);
	}
}

/* MPI-5.0 8.5.4: any process may give any edge, several times and in any order; the graph is the
 * sum */
static void given_by_any(void)
{
	for (int giver = -3; giver < check_size; giver++) {
		for (int weighted = 0; weighted < 2; weighted++) {
			MPI_Comm c = general(giver, weighted);

			dist_ask(c, &in2, &out2, weighted);
			complete(&in2, 1, weighted);
			complete(&out2, 0, weighted);
			OK(MPI_Comm_free(&c));
		}
	}
}

/* MPI-5.0 8.5.5: two inquiries give the same sequence; here two creations do as well */
static void same_order(void)
{
	MPI_Comm a = general(-3, 1), b = general(-3, 1);

	dist_ask(a, &in, &out, 1);
	dist_ask(a, &in2, &out2, 1);
	CHECK(dist_same(&in, &in2, 1) && dist_same(&out, &out2, 1));
	dist_ask(b, &in2, &out2, 1);
	CHECK(dist_same(&in, &in2, 1) && dist_same(&out, &out2, 1));
	OK(MPI_Comm_free(&a));
	OK(MPI_Comm_free(&b));
}

/* MPI-5.0 8.6: of several edges between two processes the k-th of one is the k-th of the other, or
 * neighbourhood collectives would mix them up: seen by the weights */
static void same_edges(void)
{
	static int sent[MANY];
	MPI_Comm c = general(-3, 1);
	MPI_Request r[2 * MANY];
	int n = 0;

	dist_ask(c, &in, &out, 1);
	for (int i = 0; i < in.n; i++)
		OK(MPI_Irecv(&sent[i], 1, MPI_INT, in.rank[i], 0, c, &r[n++]));
	for (int i = 0; i < out.n; i++)
		OK(MPI_Isend(&out.weight[i], 1, MPI_INT, out.rank[i], 0, c, &r[n++]));
	OK(MPI_Waitall(n, r, MPI_STATUSES_IGNORE));
	for (int i = 0; i < in.n; i++)
		CHECK(sent[i] == in.weight[i]);
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.4, 8.5.5: more edges between two processes than a message of the exchange holds, from
 * several givers: in the order of their ranks, and as each gave them */
static void many_edges(void)
{
	static int dest[MANY];
	int each = 1000, sources[2] = {0, check_size - 1}, degrees[2] = {each, each};
	int givers = check_size < 2 ? check_size : 2, n = check_rank < givers ? 2 : 0, at[2];
	MPI_Comm c;

	for (int i = 0; i < 2 * each; i++) {
		dest[i] = check_size - 1;
		in.weight[i] = check_rank * 10000 + i;
	}
	OK(MPI_Dist_graph_create(
		MPI_COMM_WORLD, n, sources, degrees, dest, in.weight, MPI_INFO_NULL, 0, &c));
	dist_ask(c, &in2, &out2, 1);
	CHECK(in2.n == (check_rank == check_size - 1 ? 2 * each * givers : 0));
	for (int i = 0; i < in2.n; i++) {
		at[0] = i / (2 * each), at[1] = i % (2 * each);
		CHECK(in2.rank[i] == sources[at[1] / each]);
		CHECK(in2.weight[i] == at[0] * 10000 + at[1]);
	}
	if (check_rank == 0)
		CHECK(out2.n == (check_size == 1 ? 2 * each : each * givers));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.4: the examples: the graph as a whole given by rank 0, or by each its own edges */
static void examples(void)
{
	int s[4] = {0, 1, 2, 3}, deg[4] = {2, 1, 1, 2}, d[6] = {1, 3, 0, 3, 0, 2};
	int w[6] = {1, 1, 1, 1, 1, 1}, first[5] = {0, 2, 3, 4, 6};
	int mine = check_rank < 4 ? check_rank : 0;
	MPI_Comm c;

	if (check_size < 4)
		return;
	for (int form = 0; form < 2; form++) {
		if (form == 0)
			OK(MPI_Dist_graph_create(MPI_COMM_WORLD, check_rank == 0 ? 4 : 0, s, deg, d,
				w, MPI_INFO_NULL, 0, &c));
		else
			OK(MPI_Dist_graph_create(MPI_COMM_WORLD, check_rank < 4, &s[mine],
				&deg[mine], &d[first[mine]], w, MPI_INFO_NULL, 0, &c));
		dist_ask(c, &in2, &out2, 1);
		CHECK(out2.n == (check_rank < 4 ? deg[mine] : 0));
		for (int i = 0; i < out2.n; i++)
			CHECK(out2.rank[i] == d[first[mine] + i] && out2.weight[i] == 1);
		CHECK(in2.n == out2.n); /* it is symmetric */
		OK(MPI_Comm_free(&c));
	}
}

/* MPI-5.0 8.5.4: the torus with diagonals; reorder and hints are allowed to do nothing */
static void torus(void)
{
	int P = check_size % 2 ? check_size : 2, Q = check_size / P, x = check_rank % P, me, n;
	int y = check_rank / P, source = check_rank, degree = 0, dest[8], w[8];
	MPI_Info info;
	MPI_Comm c;

	for (int dy = -1; dy <= 1; dy++) {
		for (int dx = -1; dx <= 1; dx++) {
			if (dx == 0 && dy == 0)
				continue;
			dest[degree] = (y + Q + dy) % Q * P + (x + P + dx) % P;
			w[degree++] = dx == 0 || dy == 0 ? 2 : 1;
		}
	}
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "no_such_hint", "true"));
	OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, dest, w, info, 1, &c));
	OK(MPI_Info_free(&info));
	OK(MPI_Comm_size(c, &n));
	OK(MPI_Comm_rank(c, &me));
	dist_ask(c, &in2, &out2, 1);
	CHECK(n == check_size && in2.n == 8 && out2.n == 8);
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.5: less room gets the first part; weights are left out where MPI_UNWEIGHTED is
 * given */
static void dist_room(void)
{
	int got[2] = {-7, -7}, w[2] = {-7, -7}, got2[1];
	MPI_Comm c;

	adjacency();
	OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in.n, in.rank, in.weight, out.n, out.rank,
		out.weight, MPI_INFO_NULL, 0, &c));
	OK(MPI_Dist_graph_neighbors(c, 0, NULL, NULL, 0, NULL, NULL));
	OK(MPI_Dist_graph_neighbors(c, 1, got, w, 0, got2, MPI_WEIGHTS_EMPTY));
	CHECK(got[1] == -7 && w[1] == -7);
	CHECK(in.n == 0 || (got[0] == in.rank[0] && w[0] == in.weight[0]));
	OK(MPI_Dist_graph_neighbors(c, 1, got, MPI_UNWEIGHTED, 1, got2, MPI_UNWEIGHTED));
	CHECK(out.n == 0 || got2[0] == out.rank[0]);
	if (in.n > 0) {
		FAILS(MPI_ERR_ARG, "no array",
			MPI_Dist_graph_neighbors(c, 1, NULL, w, 0, NULL, NULL));
		FAILS(MPI_ERR_ARG, "no array",
			MPI_Dist_graph_neighbors(c, 1, got, NULL, 0, NULL, NULL));
	}
	FAILS(MPI_ERR_ARG, "maxindegree", MPI_Dist_graph_neighbors(c, -1, got, w, 0, NULL, NULL));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.4: wrong ranks, weights and degrees; a mistake of one process is an error in all */
static void dist_wrong(void)
{
	int s = check_size, d = 0, w = 1, one = 1, minus = -1;
	MPI_Comm c = MPI_COMM_WORLD;

	FAILS(MPI_ERR_RANK, "sources[0] is",
		MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &s, MPI_UNWEIGHTED, 0, NULL,
			MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c));
	FAILS(MPI_ERR_RANK, check_rank == 0 ? "destinations[0] is -1" : "another process",
		MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED,
			check_rank == 0, &minus, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c));
	FAILS(MPI_ERR_ARG, "sourceweights[0] is -1",
		MPI_Dist_graph_create_adjacent(
			MPI_COMM_WORLD, 1, &d, &minus, 1, &d, &w, MPI_INFO_NULL, 0, &c));
	FAILS(MPI_ERR_ARG, "sources is NULL",
		MPI_Dist_graph_create_adjacent(
			MPI_COMM_WORLD, 1, NULL, &w, 1, &d, &w, MPI_INFO_NULL, 0, &c));
	FAILS(MPI_ERR_ARG, "destweights is NULL",
		MPI_Dist_graph_create_adjacent(
			MPI_COMM_WORLD, 1, &d, &w, 1, &d, NULL, MPI_INFO_NULL, 0, &c));
	FAILS(MPI_ERR_ARG, "MPI_WEIGHTS_EMPTY",
		MPI_Dist_graph_create(
			MPI_COMM_WORLD, 1, &d, &one, &d, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &c));
	FAILS(MPI_ERR_RANK, "sources[0] is",
		MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &s, &one, &d, &w, MPI_INFO_NULL, 0, &c));
	FAILS(MPI_ERR_RANK, "destinations[0] is",
		MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &d, &one, &s, &w, MPI_INFO_NULL, 0, &c));
	FAILS(MPI_ERR_ARG, "degrees[0] is -1",
		MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &d, &minus, &d, &w, MPI_INFO_NULL, 0, &c));
	FAILS(MPI_ERR_ARG, "degrees is NULL",
		MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &d, NULL, &d, &w, MPI_INFO_NULL, 0, &c));
	FAILS(MPI_ERR_ARG, "",
		MPI_Dist_graph_create(MPI_COMM_WORLD, -1, &d, &one, &d, &w, MPI_INFO_NULL, 0, &c));
	CHECK(c == MPI_COMM_NULL);
}

/* MPI-5.0 8.5.4: MPI_UNWEIGHTED in some processes, weights in others */
static void half_weighted(void)
{
	int d = 0, one = 1, w = 1;
	MPI_Comm c;

	FAILS(MPI_ERR_ARG, "both",
		MPI_Dist_graph_create_adjacent(
			MPI_COMM_WORLD, 1, &d, &w, 1, &d, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c));
	if (check_size == 1)
		return;
	FAILS(MPI_ERR_ARG, check_rank == 0 ? "gives weights" : "gives MPI_UNWEIGHTED",
		MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &d, &one, &d,
			check_rank == 0 ? &w : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c));
}

/* MPI-5.0 8.5.5: other topologies have no such neighbours, and this one no others */
static void dist_wrong_kind(void)
{
	int x, y, z;
	MPI_Comm c;

	FAILS(MPI_ERR_TOPOLOGY, "no topology",
		MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &x, &y, &z));
	FAILS(MPI_ERR_TOPOLOGY, "no topology",
		MPI_Dist_graph_neighbors(MPI_COMM_WORLD, 1, &x, &x, 1, &y, &y));
	c = general(-1, 0);
	FAILS(MPI_ERR_TOPOLOGY, "distributed graph", MPI_Cartdim_get(c, &x));
	FAILS(MPI_ERR_TOPOLOGY, "distributed graph", MPI_Graphdims_get(c, &x, &y));
	OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	adjacent();
	unweighted();
	isolated();
	given_by_any();
	same_order();
	same_edges();
	many_edges();
	examples();
	torus();
	dist_room();
	dist_wrong();
	half_weighted();
	dist_wrong_kind();
	MPI_Finalize();
	return 0;
}
