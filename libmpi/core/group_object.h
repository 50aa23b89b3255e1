// SPDX-License-Identifier: BSD-3-Clause
/* group_object.h - struct group: an ordered set of peers.
 *
 * A peer is a process as the transports number it: its rank in MPI_COMM_WORLD; processes that join
 * later get further numbers.  Users say ranks; a communicator's group translates. */
#ifndef HAFT_CORE_GROUP_OBJECT_H
#define HAFT_CORE_GROUP_OBJECT_H

#include <stdbool.h>
#include "libobj/obj.h"
#include <mpi.h>
#include <stdint.h>

struct session;

/* An ordered set of peers.  With map == NULL rank r is peer base + r * stride (MPI_COMM_WORLD,
 * MPI_COMM_SELF, rows and columns of grids, every range): so tables are there only where they say
 * something. */
struct group {
	struct obj o;
	int size;
	int rank;       /* of this process; MPI_UNDEFINED if it is not a member */
	int base;       /* peer of rank 0; with tables the smallest peer */
	int stride;     /* never 0; 1 if size < 2; with tables 1 */
	int span;       /* entries of unmap by peer; 0: by order, or no tables */
	int32_t *map;   /* [size] peer of a rank, or NULL */
	int32_t *unmap; /* there if map is: [span] rank of peer base + i, or -1; where peers are far
			   apart [size]: ranks in the order of their peers */
	struct session *session; /* held: it comes from a process set of it; NULL: from none */
	bool aliases;        /* members are of other universes: the table of aliases counts it */
	struct group *owner; /* held: whose tables map and unmap are; NULL: this group's own */
};

/* The rank of a peer by search, for groups whose unmap is by order; or -1. */
int haft_group_search(const struct group *g, int peer);

extern struct group haft_group_empty; /* MPI_GROUP_EMPTY */

/* Set by the engine that sets `aliases': called when such a group ends, before its tables do. */
extern void (*haft_group_aliases_hook)(const struct group *g);

/* The peer behind a rank of the group.  rank is in 0..size-1. */
static inline int group_peer(const struct group *g, int rank)
{
	return g->map == NULL ? g->base + rank * g->stride : g->map[rank];
}

/* The rank of a peer in the group, or -1. */
static inline int group_rank_of(const struct group *g, int peer)
{
	int i = peer - g->base;

	if (g->map == NULL) {
		if (g->stride != 1) {
			if (i % g->stride != 0)
				return -1;
			i /= g->stride;
		}
		return i >= 0 && i < g->size ? i : -1;
	}
	if (g->span == 0)
		return haft_group_search(g, peer);
	return i >= 0 && i < g->span ? g->unmap[i] : -1;
}

#endif
