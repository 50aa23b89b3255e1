// SPDX-License-Identifier: BSD-3-Clause
/* topo_object.h - inside the topologies: making a struct topo, and the communicator that carries it. */
#ifndef HAFT_TOPO_TOPO_OBJECT_H
#define HAFT_TOPO_TOPO_OBJECT_H

#include "libmpi/core/comm_object.h"
#include "libmpi/core/group_object.h"
#include "libmpi/core/topo.h"

/* topo_new gives a topology of a kind, all zero, with `ints' integers of room, under one reference.
 * NULL: no memory, and haft_err has been told. */
struct topo *topo_new(int kind, int64_t ints);

/* topo_expect gives the topology of c if it is of this kind.  0 or MPI_ERR_TOPOLOGY. */
int topo_expect(const struct comm *c, int kind, const struct topo **t);

/* topo_check_intra checks that c may be given a topology.  0, or MPI_ERR_COMM: an inter-communicator. */
int topo_check_intra(const struct comm *c);

/* topo_group makes the group of n of the processes of c: its rank i is rank order[i] of c, or i if
 * order is NULL.  n is in 1..size, order has n different ranks.  The caller ends it with
 * obj_free_obj.  0 or MPI_ERR_NO_MEM. */
int topo_group(struct comm *c, int n, const int *order, struct group **g);

/* topo_attach makes a communicator over g, without attributes, that carries t: *newcomm, NULL
 * outside the group (then t is NULL).  Takes t and g, on failure too.  Every member of c calls it,
 * members of one g with the same g; waits for them.  0 or an MPI error class. */
int topo_attach(struct comm *c, struct group *g, struct topo *t, struct comm **newcomm);

#endif
