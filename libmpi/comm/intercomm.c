// SPDX-License-Identifier: BSD-3-Clause
/* intercomm.c - inter-communicators (MPI-5.0 7.6), and communicators made from them (7.4.2).
 *
 *      group A                           group B
 *        a0 a1 a2                          b0 b1
 *        leader <──── exchange ────>       leader         {my group, ids I offer}
 *        │ bcast                           │ bcast
 *        v                                 v
 *      all: {own offer, hello of B}      all: {own offer, hello of A}
 *
 * The smaller of the two offered ids is taken, and its group is the low one: both sides know that
 * without another message.  Members hold both groups; messages go to ranks of the remote group.
 *
 * The local group also has an intra-communicator, comm_local, for messages inside one side.  Its
 * context id follows that of the inter-communicator. */
#include "libmpi/comm/intercomm.h"

#include "libmpi/comm/world.h"
#include "libmpi/comm/cards.h"
#include "libmpi/comm/groups.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/core/err.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

/* A leader's message about its side.  `items' elements follow, of a size that both sides know. */
struct inter_hello {
	struct comm_ids ids;   /* offered by the sender */
	struct comm_ids other; /* offered by the receiver's side; its leader fills it in */
	int32_t value;         /* any number of the caller: MPI_Intercomm_merge's high */
	int32_t items;
	int32_t mixed; /* not all members of both sides are of one universe: the items are cards */
	int32_t pad;
};

static int hello_new(int items, size_t size, struct blob *b)
{
	struct inter_hello *h;

	b->bytes = (int64_t)(sizeof(*h) + (size_t)items * size);
	b->data = h = calloc(1, (size_t)b->bytes);
	if (h == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to describe %d processes", items);
	h->ids = comm_ctx_mint(CTX_FEW);
	h->items = items;
	return 0;
}

static void *hello_items(const struct inter_hello *h)
{
	return (char *)(uintptr_t)h + sizeof(*h);
}

/* A hello that describes a group: in order of ranks its peers, or their ranks in `in', not NULL. */
static int hello_group(const struct group *g, const struct group *in, struct blob *b)
{
	int err = hello_new(g->size, sizeof(int32_t), b);
	int32_t *items;

	if (err != 0)
		return err;
	items = hello_items(b->data);
	for (int i = 0; i < g->size; i++) {
		items[i] = group_peer(g, i);
		if (in != NULL)
			items[i] = group_rank_of(in, items[i]);
	}
	return 0;
}

/* --- connecting ----------------------------------------------------------------------------- */

/* The leaders exchange their hellos, and all members get *theirs, which the caller frees.  Consumes
 * the leader's `mine'.  err: an error of this process, of which the others hear. */
static int inter_exchange(
	const struct inter_connect *m, int err, struct blob *mine, struct inter_hello **theirs)
{
	struct blob b = {0};
	int told;

	*theirs = NULL;
	if (m->group->rank == m->leader) {
		if (err != 0)
			mine->bytes = -err;
		if (!m->mute) {
			told = comm_leader_exchange(&m->between, m->remote_leader, mine, &b);
			err = err != 0 ? err : told;
		}
		if (err == 0) {
			((struct inter_hello *)b.data)->other =
				((struct inter_hello *)mine->data)->ids;
			((struct inter_hello *)b.data)->mixed |=
				((struct inter_hello *)mine->data)->mixed;
		} else
			b.bytes = -err;
		free(mine->data);
	}
	told = comm_leader_bcast_blob(&m->inside, m->group, m->leader, &b);
	if (err != 0)
		return err;
	if (told != 0)
		free(b.data);
	else
		*theirs = b.data;
	return told;
}

/* The connection of all members of an inter-communicator. */
static int inter_connect_of(struct comm *c, struct inter_connect *m)
{
	struct comm *l = comm_local(c);

	if (l == NULL)
		return MPI_ERR_NO_MEM;
	*m = (struct inter_connect){.between = {.c = c, .plane = CTX_MAKE},
		.inside = {.c = l, .plane = CTX_MAKE},
		.group = c->group};
	return 0;
}

static bool inter_low(const struct inter_hello *theirs)
{
	return theirs->other.ctx < theirs->ids.ctx;
}

static struct comm_ids inter_ids(const struct inter_hello *theirs)
{
	return inter_low(theirs) ? theirs->other : theirs->ids;
}

/* Makes the group that the other side has described: by cards, by ranks in `in', or by peers. */
static int inter_remote_group(
	const struct inter_hello *theirs, const struct group *in, struct group **group)
{
	size_t bytes = (size_t)theirs->items * sizeof(int32_t);
	int32_t *peers;

	if (theirs->mixed)
		return comm_cards_group(hello_items(theirs), theirs->items, group);
	peers = malloc(bytes + 1);
	if (peers == NULL)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory for a group of %d processes", theirs->items);
	memcpy(peers, hello_items(theirs), bytes);
	for (int i = 0; in != NULL && i < theirs->items; i++)
		peers[i] = group_peer(in, peers[i]);
	return group_make(theirs->items, peers, group);
}

static int inter_disjoint(const struct group *a, const struct group *b)
{
	for (int i = 0; i < a->size; i++) {
		int r = group_rank_of(b, group_peer(a, i));

		if (r >= 0)
			return haft_err(MPI_ERR_COMM,
				"rank %d of the local group is rank %d of the remote one: the "
				"groups must be disjoint",
				i, r);
	}
	return 0;
}

/* Makes the inter-communicator of `group' and of the group that the other side has described, by
 * ranks in `in' if that is not NULL. */
static int inter_bind(const struct comm *parent, struct group *group, const struct group *in,
	const struct inter_hello *theirs, struct comm **newcomm)
{
	struct comm_spec how = {.parent = parent,
		.group = group,
		.low = inter_low(theirs),
		.ids = inter_ids(theirs)};
	int err = inter_remote_group(theirs, in, &how.remote);

	if (err != 0)
		return err;
	err = inter_disjoint(group, how.remote);
	if (err == 0)
		err = comm_make(&how, newcomm);
	obj_free_obj(how.remote);
	return err;
}

/* --- MPI_Intercomm_create ------------------------------------------------------------------- */

static int inter_leader_check(struct comm *local, struct comm *peer, int remote_leader)
{
	int n = peer != NULL ? comm_peers(peer)->size : 0;

	if (peer == NULL)
		return haft_err(MPI_ERR_COMM, "peer_comm is MPI_COMM_NULL at the leader");
	if ((peer->hints & COMM_REVOKED) != 0)
		return p2p_comm_error(peer);
	if (remote_leader < 0 || remote_leader >= n)
		return haft_err(MPI_ERR_RANK,
			"remote_leader %d is not a rank of peer_comm, which has 0 to %d",
			remote_leader, n - 1);
	if (group_rank_of(local->group, group_peer(comm_peers(peer), remote_leader)) >= 0)
		return haft_err(MPI_ERR_RANK,
			"remote_leader %d is a member of the local communicator", remote_leader);
	return 0;
}

/* Do both leaders and all of this side have one universe? */
static bool inter_mixed(const struct inter_connect *m)
{
	const struct group *others = comm_peers(m->between.c);

	return comm_group_mixed(m->group) || via_is_alias(group_peer(others, m->remote_leader));
}

/* The sides are of several universes: they exchange their members' cards, in place of *theirs. */
static int inter_cards(const struct inter_connect *m, struct inter_hello **theirs)
{
	bool leads = m->group->rank == m->leader;
	struct blob mine = {0};
	struct inter_hello *h = NULL;
	int err = leads ? hello_new(m->group->size, sizeof(struct via_card), &mine) : 0, bad;

	free(*theirs);
	*theirs = NULL;
	if (leads && err == 0) {
		h = mine.data;
		h->ids = comm_ctx_mint_mixed(CTX_FEW);
		h->mixed = true;
	}
	bad = comm_cards_gather(&m->inside, m->group, m->leader, h != NULL ? hello_items(h) : NULL);
	if (err == 0)
		err = bad;
	err = inter_exchange(m, leads ? err : 0, &mine, theirs);
	return bad != 0 ? bad : err;
}

int comm_inter_connect(const struct inter_connect *m, int err, struct comm **newcomm)
{
	struct inter_connect own = *m;
	struct blob mine = {0};
	struct inter_hello *theirs;

	own.mute = err != 0;
	if (m->group->rank == m->leader && err == 0)
		err = hello_group(m->group, NULL, &mine);
	if (m->group->rank == m->leader && err == 0)
		((struct inter_hello *)mine.data)->mixed = inter_mixed(m);
	err = inter_exchange(&own, err, &mine, &theirs);
	if (err == 0 && theirs->mixed)
		err = inter_cards(m, &theirs);
	if (err == 0)
		err = inter_bind(m->parent, m->group, NULL, theirs, newcomm);
	free(theirs);
	return err;
}

int comm_inter_create(struct comm *local, int local_leader, struct comm *peer, int remote_leader,
	int tag, struct comm **newcomm)
{
	struct inter_connect m = {.between = {.c = peer, .plane = CTX_INTER, .tag = tag},
		.remote_leader = remote_leader,
		.inside = {.c = local, .plane = CTX_MAKE},
		.group = local->group,
		.leader = local_leader,
		.parent = local};
	int err;

	if (local->remote != NULL)
		return haft_err(MPI_ERR_COMM, "local_comm must not be an inter-communicator");
	err = comm_check(local, COLL_INTERCOMM_CREATE);
	if (err != 0)
		return err;
	if (local->rank == local_leader)
		err = inter_leader_check(local, peer, remote_leader);
	return comm_inter_connect(&m, err, newcomm);
}

struct comm *comm_local(struct comm *c)
{
	struct comm_spec how = {.parent = c, .group = c->group};

	if (c->local != NULL)
		return c->local;
	how.ids.ctx = c->ctx + (c->low ? CTX_STEP : 2 * CTX_STEP);
	how.ids.end = how.ids.ctx + CTX_STEP;
	return comm_make_internal(&how, &c->local) == 0 ? c->local : NULL;
}

/* --- made from inter-communicators ---------------------------------------------------------- */

/* Makes the union of both groups, the local one first or last. */
static int inter_union(
	const struct group *local, const struct group *remote, bool first, struct group **group)
{
	const struct group *a = first ? local : remote, *b = first ? remote : local;
	int32_t *peers = malloc(((size_t)a->size + (size_t)b->size) * sizeof(*peers));

	if (peers == NULL)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory for a group of %d processes", a->size + b->size);
	for (int i = 0; i < a->size; i++)
		peers[i] = group_peer(a, i);
	for (int i = 0; i < b->size; i++)
		peers[a->size + i] = group_peer(b, i);
	return group_make(a->size + b->size, peers, group);
}

int comm_inter_merge(struct comm *c, int high, struct comm **newcomm)
{
	struct comm_spec how = {.parent = c};
	struct blob mine = {0};
	struct inter_connect m;
	struct inter_hello *theirs;
	int err;

	if (c->remote == NULL)
		return haft_err(
			MPI_ERR_COMM, "not an inter-communicator: there is nothing to merge");
	err = comm_check(c, COLL_INTERCOMM_MERGE);
	if (err == 0)
		err = inter_connect_of(c, &m);
	if (err != 0)
		return err;
	if (c->rank == 0) {
		err = hello_new(0, 0, &mine);
		if (err == 0)
			((struct inter_hello *)mine.data)->value = high != 0;
	}
	err = inter_exchange(&m, err, &mine, &theirs);
	if (err != 0)
		return err;
	how.ids = inter_ids(theirs);
	err = inter_union(c->group, c->remote,
		theirs->value == (high != 0) ? inter_low(theirs) : high == 0, &how.group);
	free(theirs);
	if (err != 0)
		return err;
	err = comm_make(&how, newcomm);
	obj_free_obj(how.group);
	return err;
}

int comm_inter_subset(struct comm *c, struct group *group, struct comm **newcomm)
{
	struct blob mine = {0};
	struct inter_connect m;
	struct inter_hello *theirs;
	int err = inter_connect_of(c, &m);

	if (err != 0)
		return err;
	for (int i = 0; i < group->size && err == 0; i++) {
		if (group_rank_of(c->group, group_peer(group, i)) < 0)
			err = haft_err(MPI_ERR_GROUP,
				"rank %d of the group is not in the local group of the "
				"inter-communicator",
				i);
	}
	if (c->rank == 0 && err == 0)
		err = hello_group(group, c->group, &mine);
	err = inter_exchange(&m, err, &mine, &theirs);
	if (err != 0)
		return err;
	*newcomm = NULL;
	if (group->rank != MPI_UNDEFINED && theirs->items > 0)
		err = inter_bind(c, group, c->remote, theirs, newcomm);
	free(theirs);
	return err;
}

/* Makes the inter-communicator of one color; MPI_COMM_NULL if a side has no member of it. */
static int inter_split_color(struct comm *c, int color, struct split_entry *ours,
	struct inter_hello *theirs, struct comm **newcomm)
{
	struct split_entry *others = hello_items(theirs);
	int n = comm_split_select(ours, c->size, color),
	    k = comm_split_select(others, theirs->items, color);
	struct comm_spec how = {.parent = c, .low = c->low};
	int err;

	if (n == 0 || k == 0)
		return 0;
	how.ids = c->low ? ours[0].ids : others[0].ids;
	err = comm_split_group(c->group, ours, n, &how.group);
	if (err != 0)
		return err;
	err = comm_split_group(c->remote, others, k, &how.remote);
	if (err == 0) {
		err = comm_make(&how, newcomm);
		obj_free_obj(how.remote);
	}
	obj_free_obj(how.group);
	return err;
}

int comm_inter_split(struct comm *c, const struct split_entry *me, struct comm **newcomm)
{
	struct type *byte = type_predefined(MPI_BYTE);
	struct split_entry *ours = malloc((size_t)c->size * sizeof(*ours));
	struct blob mine = {0};
	struct inter_connect m;
	struct inter_hello *theirs = NULL;
	int err = inter_connect_of(c, &m);

	if (err == 0 && ours == NULL)
		err = haft_err(MPI_ERR_NO_MEM, "no memory to split %d ranks", c->size);
	if (err == 0)
		err = coll_allgather(me, sizeof(*me), byte, ours, sizeof(*ours), byte, m.inside.c);
	if (err == 0 && c->rank == 0)
		err = hello_new(c->size, sizeof(*ours), &mine);
	if (err == 0 && c->rank == 0)
		memcpy(hello_items(mine.data), ours, (size_t)c->size * sizeof(*ours));
	if (err == 0)
		err = inter_exchange(&m, err, &mine, &theirs);
	*newcomm = NULL;
	if (err == 0 && me->color != MPI_UNDEFINED)
		err = inter_split_color(c, me->color, ours, theirs, newcomm);
	free(theirs);
	free(ours);
	return err;
}
