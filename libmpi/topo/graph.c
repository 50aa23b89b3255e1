// SPDX-License-Identifier: BSD-3-Clause
/* graph.c - graph topologies: each member knows the whole graph (MPI-5.0 8.5.3, 8.5.5, 8.5.8).
 *
 *     node 0 1 2 3          index  2   3 4 6          neighbors of node i:
 *          │ │ │ └─ 0 2     edges  1 3│0│3│0 2        edges[index[i - 1]] .. edges[index[i] - 1]
 *          │ │ └─── 3
 *          │ └───── 0       Stored as the user gave it, so inquiries return it as given: several
 *          └─────── 1 3     edges between two nodes, edges to oneself, one-way edges.
 *
 * Invariant: index does not fall, index[nnodes - 1] is nedges, every edge names a node, and nnodes
 * is the size of the communicator. */
#include "libmpi/topo/topo_object.h"

#include "libmpi/topo/locality.h"
#include <engine.h>
#include <string.h>

static int first_edge(const int *index, int node)
{
	return node == 0 ? 0 : index[node - 1];
}

/* Checks the user's description of a graph over c. */
static int graph_check(const struct comm *c, int nnodes, const int *index, const int *edges)
{
	int n = 0;

	if (topo_check_intra(c) != 0)
		return MPI_ERR_COMM;
	if (nnodes > c->size)
		return haft_err(MPI_ERR_ARG,
			"the graph has %d nodes, the communicator %d process%s", nnodes, c->size,
			c->size == 1 ? "" : "es");
	if (nnodes > 0 && index == NULL)
		return haft_err(MPI_ERR_ARG, "index is NULL, and nnodes is %d", nnodes);
	for (int i = 0; i < nnodes; i++) {
		if (index[i] < n)
			return haft_err(MPI_ERR_ARG,
				"index[%d] is %d; it counts the neighbors up to node %d and cannot "
				"be below %d",
				i, index[i], i, n);
		n = index[i];
	}
	if (n > 0 && edges == NULL)
		return haft_err(MPI_ERR_ARG, "edges is NULL, and the graph has %d", n);
	for (int j = 0; j < n; j++) {
		if (edges[j] < 0 || edges[j] >= nnodes)
			return haft_err(MPI_ERR_ARG, "edges[%d] is %d; the nodes are 0 to %d", j,
				edges[j], nnodes - 1);
	}
	return 0;
}

static struct topo *graph_new(int nnodes, const int *index, const int *edges, int me)
{
	int nedges = index[nnodes - 1], first = first_edge(index, me), n = index[me] - first;
	struct topo *t = topo_new(MPI_GRAPH, (int64_t)nnodes + nedges);

	if (t == NULL)
		return NULL;
	t->nnodes = nnodes;
	t->nedges = nedges;
	t->index = t->room;
	t->edges = t->index + nnodes;
	memcpy(t->index, index, (size_t)nnodes * sizeof(*index));
	if (nedges > 0)
		memcpy(t->edges, edges, (size_t)nedges * sizeof(*edges));
	t->neighbors = (struct topo_neighbors){MPI_GRAPH, n, n, t->edges + first, t->edges + first};
	return t;
}

int topo_graph_create(struct comm *c, int nnodes, const int index[], const int edges[], int reorder,
	struct comm **newcomm)
{
	struct order_graph graph = {nnodes, index, edges};
	struct topo *t = NULL;
	int *order = NULL;
	struct group *g;
	int err = graph_check(c, nnodes, index, edges);

	if (err != 0)
		return err;
	*newcomm = NULL;
	if (nnodes == 0)
		return 0;
	if (reorder)
		err = topo_reorder(c, NULL, &graph, &order);
	if (err == 0)
		err = topo_group(c, nnodes, order, &g);
	free(order);
	if (err != 0)
		return err;
	if (g->rank != MPI_UNDEFINED) {
		t = graph_new(nnodes, index, edges, g->rank);
		if (t == NULL) {
			obj_free_obj(g);
			return MPI_ERR_NO_MEM;
		}
	}
	return topo_attach(c, COLL_GRAPH, g, t, newcomm);
}

/* Local, so it does not reorder: see topo_cart_map. */
int topo_graph_map(struct comm *c, int nnodes, const int index[], const int edges[], int *newrank)
{
	int err = graph_check(c, nnodes, index, edges);

	if (err == 0)
		*newrank = c->rank < nnodes ? c->rank : MPI_UNDEFINED;
	return err;
}

/* --- inquiry -------------------------------------------------------------------------------- */

int topo_graphdims_get(struct comm *c, int *nnodes, int *nedges)
{
	const struct topo *t;
	int err = topo_expect(c, MPI_GRAPH, &t);

	if (err != 0)
		return err;
	*nnodes = t->nnodes;
	*nedges = t->nedges;
	return 0;
}

/* Copies as many of the n numbers as `to' has room for.  0, or MPI_ERR_ARG: `to' is NULL. */
static int graph_copy(int *to, int room, const int *from, int n, const char *name)
{
	int k = n < room ? n : room;

	if (k > 0 && to == NULL)
		return haft_err(MPI_ERR_ARG, "%s is NULL, and there are %d to be given", name, k);
	if (k > 0)
		memcpy(to, from, (size_t)k * sizeof(*to));
	return 0;
}

int topo_graph_get(struct comm *c, int maxindex, int maxedges, int index[], int edges[])
{
	const struct topo *t;
	int err = topo_expect(c, MPI_GRAPH, &t);

	if (err == 0)
		err = graph_copy(index, maxindex, t->index, t->nnodes, "index");
	if (err == 0)
		err = graph_copy(edges, maxedges, t->edges, t->nedges, "edges");
	return err;
}

int topo_graph_neighbors_count(struct comm *c, int rank, int *nneighbors)
{
	const struct topo *t;
	int err = topo_expect(c, MPI_GRAPH, &t);

	if (err == 0)
		*nneighbors = t->index[rank] - first_edge(t->index, rank);
	return err;
}

int topo_graph_neighbors(struct comm *c, int rank, int maxneighbors, int neighbors[])
{
	const struct topo *t;
	int first, err = topo_expect(c, MPI_GRAPH, &t);

	if (err != 0)
		return err;
	first = first_edge(t->index, rank);
	return graph_copy(
		neighbors, maxneighbors, t->edges + first, t->index[rank] - first, "neighbors");
}
