// SPDX-License-Identifier: BSD-3-Clause
/* topo_object.h - what all kinds of topologies share: object, group, communicator. */
#ifndef HAFT_TOPO_TOPO_OBJECT_H
#define HAFT_TOPO_TOPO_OBJECT_H

#include "libmpi/core/comm_object.h"
#include "libmpi/core/group_object.h"
#include "libmpi/coll/coll_args.h"
#include "libmpi/core/topo.h"

/* Allocates a topology of a kind (MPI_CART ..) with one reference and `ints' integers in room[],
 * all zero.  NULL: MPI_ERR_NO_MEM, with words. */
struct topo *topo_new(int kind, int64_t ints);

/* Sets *t to the topology of c.  0, or MPI_ERR_TOPOLOGY if c has none or one of another kind. */
int topo_expect(const struct comm *c, int kind, const struct topo **t);

/* 0, or MPI_ERR_COMM if c is an inter-communicator, which cannot have a topology. */
int topo_check_intra(const struct comm *c);

/* Makes a group of n processes of c: rank i of the group is rank order[i] of c, or rank i if order
 * is NULL.  n is in 1..size; order has n different ranks.  The caller ends the group with
 * obj_free_obj.  0 or MPI_ERR_NO_MEM. */
int topo_group(struct comm *c, int n, const int *order, struct group **g);

/* Makes *newcomm, a communicator over g with topology t and without attributes.  A process outside
 * g passes t == NULL and gets NULL.  Consumes t and g, also on failure.  Collective over c and
 * blocking; members of one group pass equal groups.  0 or an MPI error class. */
int topo_attach(struct comm *c, enum coll_variant variant, struct group *g, struct topo *t,
	struct comm **newcomm);

#endif
