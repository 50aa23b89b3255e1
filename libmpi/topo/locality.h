// SPDX-License-Identifier: BSD-3-Clause
/* locality.h - where the processes of a communicator run. */
#ifndef HAFT_TOPO_LOCALITY_H
#define HAFT_TOPO_LOCALITY_H

#include "libmpi/core/comm_object.h"
#include "libmpi/topo/order.h"

/* topo_locality finds out in which domain of locality each process of c runs: colors[r] is the first
 * rank of its domain.  *several is false if all are in one; then colors is not written. Collective
 * over c, waits; the same result in all members.  0 or an MPI error class. */
int topo_locality(struct comm *c, int *colors, bool *several);

/* topo_reorder finds the order of ranks of c that suits the grid, or the graph (the other is NULL),
 * where they run: *order, which the caller frees, or NULL: ranks stay.  Collective as above. */
int topo_reorder(struct comm *c, const struct order_grid *grid, const struct order_graph *graph,
	int **order);

#endif
