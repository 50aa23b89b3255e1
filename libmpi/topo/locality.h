// SPDX-License-Identifier: BSD-3-Clause
/* locality.h - domains of locality: which processes of a communicator run close to each other. */
#ifndef HAFT_TOPO_LOCALITY_H
#define HAFT_TOPO_LOCALITY_H

#include "libmpi/core/comm_object.h"
#include "libmpi/topo/order.h"

/* Finds the domain of locality of each process of c: colors[r] becomes the lowest rank in the
 * domain of rank r.  *several is false if there is one domain only; then colors is not written.
 * Collective over c and blocking; all members get equal results.  0 or an MPI error class. */
int topo_locality(struct comm *c, int *colors, bool *several);

/* Finds an order of the ranks of c for a grid or a graph (the other is NULL) that puts neighbors
 * into one domain.  *order[i] is the rank of c that takes place i; the caller frees it.  NULL: keep
 * the order of ranks.  Collective as topo_locality. */
int topo_reorder(struct comm *c, const struct order_grid *grid, const struct order_graph *graph,
	int **order);

#endif
