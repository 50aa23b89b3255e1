// SPDX-License-Identifier: BSD-3-Clause
/* order.h - which process takes which place of a grid or a graph, so that neighbours are near each
 * other.  No communication, no MPI: numbers in, numbers out. */
#ifndef HAFT_TOPO_ORDER_H
#define HAFT_TOPO_ORDER_H

#include <stdbool.h>

/* A grid of n = product of dims places, numbered row by row.  ndims >= 1, dims >= 1. */
struct order_grid {
	int ndims, n;
	const int *dims, *periods;
};

/* A graph of n places; neighbours of i are edges[index[i - 1]] to edges[index[i] - 1]. */
struct order_graph {
	int n;
	const int *index, *edges;
};

/* topo_order_grid and topo_order_graph say in order[i] which of the n processes, of which process r
 * is in domain color[r], takes place i: a permutation of 0..n-1 with fewer neighbours in different
 * domains than the identity has.  *better is false if none was found: then order is the identity.
 * The result depends on the arguments only.  0, or -1: no memory. */
int topo_order_grid(const struct order_grid *g, const int *color, int *order, bool *better);
int topo_order_graph(const struct order_graph *g, const int *color, int *order, bool *better);

#endif
