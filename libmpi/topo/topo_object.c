// SPDX-License-Identifier: BSD-3-Clause
/* topo_object.c - what all kinds of topologies share: memory, group, communicator.
 *
 *     arguments ──> struct topo (complete) ──┐
 *               ──> struct group ────────────┴─ comm_create ──> struct comm ──topo──> struct topo
 *
 * Invariants
 *  - A topology is complete before its communicator exists, and constant afterwards.
 *  - Each member computes an equal group, so a creation exchanges a context id and nothing else. */
#include "libmpi/topo/topo_object.h"

#include <engine.h>

struct topo *topo_new(int kind, int64_t ints)
{
	struct topo *t = calloc(1, sizeof(*t) + (size_t)ints * sizeof(t->room[0]));

	if (t == NULL) {
		haft_err(MPI_ERR_NO_MEM, "no memory for a topology of %lld numbers",
			(long long)ints);
		return NULL;
	}
	atomic_init(&t->refs, 1);
	t->neighbors.kind = kind;
	t->neighbors.in = t->room;
	t->neighbors.out = t->room;
	return t;
}

static const char *kind_name(int kind)
{
	switch (kind) {
	case MPI_CART: return "Cartesian";
	case MPI_GRAPH: return "graph";
	}
	return "distributed graph";
}

int topo_expect(const struct comm *c, int kind, const struct topo **t)
{
	if (c->topo == NULL)
		return haft_err(MPI_ERR_TOPOLOGY,
			"the communicator has no topology; a %s one is expected", kind_name(kind));
	if (c->topo->neighbors.kind != kind)
		return haft_err(MPI_ERR_TOPOLOGY,
			"the communicator has a %s topology; a %s one is expected",
			kind_name(c->topo->neighbors.kind), kind_name(kind));
	*t = c->topo;
	return 0;
}

int topo_check_intra(const struct comm *c)
{
	if (c->remote != NULL)
		return haft_err(MPI_ERR_COMM, "an inter-communicator cannot have a topology");
	return 0;
}

int topo_group(struct comm *c, int n, const int *order, struct group **g)
{
	int first[1][3] = {{0, n - 1, 1}};

	if (order != NULL)
		return group_incl(c->group, n, order, g);
	return group_range_incl(c->group, 1, first, g);
}

int topo_attach(struct comm *c, enum coll_variant variant, struct group *g, struct topo *t,
	struct comm **newcomm)
{
	int err;

	coll_calls_variant(c, variant);
	err = comm_create(c, g, newcomm);
	obj_free_obj(g); /* the communicator holds it */
	if (err != 0)
		topo_drop(t);
	else if (*newcomm != NULL)
		(*newcomm)->topo = t;
	return err;
}

int topo_test(struct comm *c, int *status)
{
	*status = c->topo == NULL ? MPI_UNDEFINED : c->topo->neighbors.kind;
	return 0;
}
