// SPDX-License-Identifier: BSD-3-Clause
/* topo.h - the virtual topology of a communicator (MPI-5.0 chapter 8): data only.
 *
 *     struct comm ──topo──> struct topo     one allocation: the header, then all arrays in room[]
 *     a duplicate ──topo──────┘ refs        neighbors {kind nin in[] nout out[]}, and all that a
 *                                           grid, a graph or a distributed graph has besides
 *
 * libmpi/topo makes it; MPI_Comm_dup and its variants share it (topo_hold); other communicators
 * have none.  Invariant: it is constant once a communicator has it, so reading needs no lock. */
#ifndef HAFT_CORE_TOPO_H
#define HAFT_CORE_TOPO_H

#include "libmpi/core/err.h"
#include "libmpi/core/comm_object.h"
#include <stdatomic.h>
#include <stdlib.h>

/* The neighbours of this process in the order of MPI-5.0 8.6: block i of a neighbourhood
 * collective's receive buffer comes from in[i], block i of its send buffer goes to out[i].
 *
 *   grid              2 * ndims each, in == out: dimension by dimension, first the neighbour at -1,
 *                     then that at +1; MPI_PROC_NULL beyond an edge.  A message sent to out[i]
 *                     arrives there as in[i ^ 1]: in a ring of 1 or 2 both neighbours are the same
 *                     rank, and only that tells the two messages apart (8.6.2).
 *   graph             in == out, as in MPI_Graph_create
 *   distributed graph sources and destinations; of several edges between two processes the k-th
 *                     in out[] at the one belongs to the k-th in in[] at the other */
struct topo_neighbors {
	int kind; /* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
	int nin, nout;
	const int *in, *out; /* live as long as the topology; never NULL */
};

struct topo {
	atomic_int refs;
	struct topo_neighbors neighbors;
	int ndims;                    /* grid */
	int *dims, *periods, *coords; /* [ndims]; coords are this process's own */
	int nnodes, nedges;           /* graph */
	int *index, *edges;           /* [nnodes], [nedges], as MPI_Graph_create got them */
	bool weighted;                /* distributed graph */
	int *inw, *outw;              /* [nin], [nout] if weighted */
	int room[];
};

static inline struct topo *topo_hold(struct topo *t)
{
	if (t != NULL)
		atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
	return t;
}

static inline void topo_drop(struct topo *t)
{
	if (t != NULL && atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) == 1)
		free(t);
}

/* The neighbours of this process in c: `out' points into the topology, so c must be held as long
 * as it is used (or topo_hold(c->topo)).  0, or MPI_ERR_TOPOLOGY: c has none. */
static inline int topo_neighbors(const struct comm *c, struct topo_neighbors *out)
{
	if (c->topo == NULL)
		return haft_err(MPI_ERR_TOPOLOGY, "the communicator has no topology");
	*out = c->topo->neighbors;
	return 0;
}

#endif
