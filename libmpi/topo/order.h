// SPDX-License-Identifier: BSD-3-Clause
/* order.h - rank reordering of grids and graphs.  Pure functions of their arguments: they neither
 * communicate nor know MPI objects. */
#ifndef HAFT_TOPO_ORDER_H
#define HAFT_TOPO_ORDER_H

#include <stdbool.h>

/* A grid of n = product of dims places, numbered row by row.  ndims >= 1, dims >= 1. */
struct order_grid {
	int ndims, n;
	const int *dims, *periods;
};

/* A graph of n places; the neighbors of i are edges[index[i - 1]] to edges[index[i] - 1]. */
struct order_graph {
	int n;
	const int *index, *edges;
};

/* topo_order_grid and topo_order_graph assign the n processes to the n places.
 *
 *   color[r]   in:  domain of process r
 *   order[i]   out: process that takes place i; a permutation of 0..n-1
 *   *better    out: true if fewer pairs of neighbors are in different domains than in the order of
 *              ranks; if false, order is the identity
 *
 * The result depends on the arguments only.  Returns 0, or -1 without memory. */
int topo_order_grid(const struct order_grid *g, const int *color, int *order, bool *better);
int topo_order_graph(const struct order_graph *g, const int *color, int *order, bool *better);

#endif
