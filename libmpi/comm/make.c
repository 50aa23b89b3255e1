// SPDX-License-Identifier: BSD-3-Clause
/* make.c - communicators made from communicators (MPI-5.0 7.4.2, 7.4.3).
 *
 *     dup       the parent's next context id: nothing is said                  (ctx.h)
 *     split     everybody's color, key and candidate id are gathered; the new rank 0's candidate is
 * taken create    the new rank 0 mints and tells the group along a binomial tree, on the parent's
 * collective plane
 *
 * A new communicator has its parent's error handler (dup: attributes too), no name, and holds its
 * group, which communicators of the same processes share. */
#include "libmpi/comm/comm.h"

#include "libmpi/comm/ctx.h"
#include "libmpi/comm/group.h"
#include "libmpi/core/err.h"
#include "libmpi/core/hang.h"
#include "libmpi/core/topo.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdlib.h>

#define TAG_GROUP \
	0x40000000 /* create_group's tags on the collective plane: above those of collectives */

/* A communicator over g (held by it) with id ctx; its own dups may take (ctx, ids_end). */
static int make(
	struct comm *parent, struct group *g, uint64_t ctx, uint64_t ids_end, struct comm **newcomm)
{
	struct comm *c = obj_new(&haft_comm_class, NULL);
	struct obj *errh;

	if (c == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a communicator");
	obj_hold(g);
	c->group = g;
	c->ctx = ctx;
	c->ids = ctx + CTX_STEP;
	c->ids_end = ids_end;
	c->rank = g->rank;
	c->size = g->size;
	errh = obj_errh_get(parent);
	if (errh != NULL) {
		obj_errh_set(c, errh);
		obj_drop(errh);
	}
	*newcomm = c;
	return 0;
}

/* --- dup ---------------------------------------------------------------------------------- */

/* An id for a child of c, with its block; talks only when c's block is used up. */
static int child_id(struct comm *c, uint64_t *ids, uint64_t *ids_end)
{
	uint64_t fresh = 0;
	int err;

	ctx_take(c, ids, ids_end);
	if (*ids != 0)
		return 0;
	if (c->rank == 0)
		fresh = ctx_mint();
	err = coll_bcast(&fresh, sizeof(fresh), type_predefined(MPI_BYTE), 0, c);
	if (err != 0)
		return err;
	ctx_give(c, fresh);
	ctx_take(c, ids, ids_end);
	return 0;
}

int comm_dup(struct comm *c, struct comm **newcomm)
{
	struct comm *n;
	uint64_t ids, ids_end;
	int err;

	if (c->remote != NULL)
		return haft_err(
			MPI_ERR_UNSUPPORTED_OPERATION, "inter-communicators cannot be copied yet");
	err = child_id(c, &ids, &ids_end);
	if (err == 0)
		err = make(c, c->group, ids, ids_end, &n);
	if (err != 0)
		return err;
	n->topo = topo_hold(c->topo);
	err = haft_attr_dup(c, n);
	if (err != 0) {
		obj_free_obj(n);
		return err;
	}
	*newcomm = n;
	return 0;
}

/* Hints do not change anything yet, so there is nothing to keep of them. */
int comm_dup_with_info(struct comm *c, struct info *info, struct comm **newcomm)
{
	(void)info;
	return comm_dup(c, newcomm);
}

/* --- split -------------------------------------------------------------------------------- */

struct offer {
	int32_t color, key, rank, pad;
	uint64_t id; /* to be the new communicator's if this process becomes its rank 0 */
};

static int by_key(const void *a, const void *b)
{
	const struct offer *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->rank < y->rank ? -1 : 1;
}

/* Keeps the offers of one color, in order of the new ranks; returns how many. */
static int same_color(struct offer *all, int n, int color)
{
	int k = 0;

	for (int i = 0; i < n; i++) {
		all[i].rank = i;
		if (all[i].color == color)
			all[k++] = all[i];
	}
	qsort(all, (size_t)k, sizeof(*all), by_key);
	return k;
}

static int of_offers(struct comm *c, const struct offer *mine, int n, struct comm **newcomm)
{
	int32_t *peers = malloc((size_t)n * sizeof(*peers));
	struct group *g;
	int err;

	if (peers == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a group of %d processes", n);
	for (int i = 0; i < n; i++)
		peers[i] = group_peer(c->group, mine[i].rank);
	err = group_make(n, peers, &g);
	if (err != 0)
		return err;
	err = make(c, g, mine[0].id, mine[0].id + CTX_BLOCK, newcomm);
	obj_free_obj(g); /* the communicator holds it */
	return err;
}

int comm_split(struct comm *c, int color, int key, struct comm **newcomm)
{
	struct offer me = {.color = color, .key = key, .id = ctx_mint()};
	struct type *byte = type_predefined(MPI_BYTE);
	struct offer *all;
	int err, n;

	if (color < 0 && color != MPI_UNDEFINED)
		return haft_err(MPI_ERR_ARG, "color is %d; it must not be negative", color);
	if (c->remote != NULL)
		return haft_err(
			MPI_ERR_UNSUPPORTED_OPERATION, "inter-communicators cannot be split yet");
	all = malloc((size_t)c->size * sizeof(*all));
	if (all == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to split %d ranks", c->size);
	err = coll_allgather(&me, sizeof(me), byte, all, sizeof(me), byte, c);
	*newcomm = NULL;
	if (err == 0 && color != MPI_UNDEFINED) {
		n = same_color(all, c->size, color);
		err = of_offers(c, all, n, newcomm);
	}
	free(all);
	return err;
}

/* Every rank is on this node today, so MPI_COMM_TYPE_SHARED is one color; the guided kinds have no
 * resource to name and give MPI_COMM_NULL, as the standard allows where a kind is not known
 * (7.4.2). */
int comm_split_type(
	struct comm *c, int split_type, int key, struct info *info, struct comm **newcomm)
{
	(void)info;
	switch (split_type) {
	case MPI_COMM_TYPE_SHARED: return comm_split(c, 0, key, newcomm);
	case MPI_UNDEFINED:
	case MPI_COMM_TYPE_HW_GUIDED:
	case MPI_COMM_TYPE_HW_UNGUIDED:
	case MPI_COMM_TYPE_RESOURCE_GUIDED: return comm_split(c, MPI_UNDEFINED, key, newcomm);
	}
	return haft_err(MPI_ERR_ARG, "%d is not a kind of split", split_type);
}

/* --- create ------------------------------------------------------------------------------- */

/* The id goes from rank 0 of the group to its members along a binomial tree: rank r hears from r
 * without its lowest set bit.  Ranks are translated to those of c, on whose collective plane the
 * messages are. */
static int tell_id(struct comm *c, const struct group *g, int tag, uint64_t *id)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int bit = 1, err = 0;

	if (g->rank == 0)
		*id = ctx_mint();
	while (bit < g->size && (g->rank & bit) == 0)
		bit <<= 1;
	if (g->rank != 0)
		err = p2p_coll_recv(c, id, sizeof(*id), byte,
			group_rank_of(c->group, group_peer(g, g->rank - bit)), tag);
	for (bit >>= 1; bit > 0 && err == 0; bit >>= 1) {
		if (g->rank + bit < g->size)
			err = p2p_coll_send(c, id, sizeof(*id), byte,
				group_rank_of(c->group, group_peer(g, g->rank + bit)), tag);
	}
	return err;
}

static int create(struct comm *c, struct group *g, int tag, struct comm **newcomm)
{
	uint64_t id = 0;
	int err;

	for (int i = 0; i < g->size; i++) {
		if (group_rank_of(c->group, group_peer(g, i)) < 0)
			return haft_err(MPI_ERR_GROUP,
				"rank %d of the group is not in the communicator", i);
	}
	*newcomm = NULL;
	if (g->rank == MPI_UNDEFINED)
		return 0;
	err = tell_id(c, g, tag, &id);
	return err != 0 ? err : make(c, g, id, id + CTX_BLOCK, newcomm);
}

int comm_create(struct comm *c, struct group *group, struct comm **newcomm)
{
	if (c->remote != NULL)
		return haft_err(MPI_ERR_UNSUPPORTED_OPERATION,
			"communicators cannot be made of inter-communicators yet");
	return create(c, group, TAG_GROUP - 1, newcomm);
}

int comm_create_group(struct comm *c, struct group *group, int tag, struct comm **newcomm)
{
	return create(c, group, TAG_GROUP | tag, newcomm);
}

/* --- the end, and comparing --------------------------------------------------------------- */

int comm_free(struct comm **comm)
{
	int err = haft_obj_free(*comm, MPI_ERR_COMM, "communicator");

	if (err == 0)
		*comm = NULL;
	return err;
}

int comm_compare(struct comm *a, struct comm *b, int *result)
{
	if (a == b) {
		*result = MPI_IDENT;
		return 0;
	}
	if ((a->remote == NULL) != (b->remote == NULL)) {
		*result = MPI_UNEQUAL;
		return 0;
	}
	*result = group_same(a->group, b->group);
	if (a->remote != NULL && *result != MPI_UNEQUAL) {
		int remote = group_same(a->remote, b->remote);

		*result = remote == MPI_IDENT ? *result : remote;
	}
	if (*result == MPI_IDENT)
		*result = MPI_CONGRUENT;
	return 0;
}

int comm_group(struct comm *c, struct group **group)
{
	return group_copy(c->group, group);
}

int comm_remote_group(struct comm *c, struct group **group)
{
	if (c->remote == NULL)
		return haft_err(MPI_ERR_COMM, "not an inter-communicator: it has no remote group");
	return group_copy(c->remote, group);
}
