// SPDX-License-Identifier: BSD-3-Clause
/* comm_create.c - communicators made from communicators (MPI-5.0 7.4.2, 7.4.3).
 *
 *     split     allgather of {color, key, offered ids}; the offer of the new rank 0 is taken
 *     create    rank 0 of the new group mints ids and sends them to the group (leader_exchange.h)
 *
 * A new communicator inherits error handler and session, has no name, and holds its group, which
 * communicators of the same processes share.  intercomm.c has the variants for
 * inter-communicators. */
#include "libmpi/comm/world.h"

#include "libmpi/coll/coll_check.h"
#include "libmpi/comm/groups.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/comm/leader_exchange.h"
#include "libmpi/core/err.h"
#include "libmpi/core/event.h"
#include "libmpi/core/attr_name.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/traffic.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdlib.h>

static void comm_set_ids(struct comm *c, struct comm_ids ids)
{
	c->ctx = ids.ctx;
	c->ids = c->ctx + comm_ctx_own(c->remote != NULL);
	c->ids_end = ids.end;
	if (haft_comm_hooks.ids != NULL)
		haft_comm_hooks.ids(c);
}

void comm_set_incomplete(struct comm *c)
{
	c->incomplete = true;
	c->hints |= COMM_REVOKED;
	c->reach = 0;
}

void comm_ready(struct comm *c, struct comm_ids ids)
{
	c->incomplete = false;
	c->hints &= (uint8_t)~COMM_REVOKED;
	c->reach = comm_peers(c)->size;
	coll_state_free(c); /* calls that were too early have left it, in this member alone */
	c->coll_seq = 0;
	c->coll_history = 0;
	comm_set_ids(c, ids);
}

static int comm_build(const struct comm_spec *how, struct comm **newcomm)
{
	struct comm *c = obj_new(&haft_comm_class, NULL);
	struct obj *errh;

	if (c == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a communicator");
	obj_hold(how->group);
	c->group = how->group;
	c->rank = c->group->rank;
	c->size = c->group->size;
	c->remote = how->remote;
	c->low = how->low;
	c->session = how->parent != NULL    ? how->parent->session
		     : how->session != NULL ? how->session
					    : how->group->session;
	if (c->session != NULL)
		obj_hold(c->session);
	if (c->remote != NULL)
		obj_hold(c->remote);
	c->reach = comm_peers(c)->size;
	c->hints = haft_traffic_hints();
	comm_set_ids(c, how->ids);
	errh = how->parent != NULL ? obj_errh_get(how->parent) : NULL;
	if (errh != NULL) {
		obj_errh_set(c, errh);
		obj_drop(errh);
	}
	if (haft_comm_hooks.made != NULL)
		haft_comm_hooks.made(c);
	*newcomm = c;
	return 0;
}

int comm_make(const struct comm_spec *how, struct comm **newcomm)
{
	int err = comm_build(how, newcomm);

	if (err == 0 && haft_event_wanted(EVENT_COMM_CREATED))
		haft_event(EVENT_COMM_CREATED, NULL, haft_event_handle(*newcomm), (*newcomm)->size,
			(*newcomm)->rank, (*newcomm)->reach);
	return err;
}

int comm_make_internal(const struct comm_spec *how, struct comm **newcomm)
{
	int err = comm_build(how, newcomm);

	if (err != 0)
		return err;
	obj_hold(*newcomm);
	obj_free_obj(*newcomm);
	return 0;
}

static int comm_check_call(struct comm *c, enum coll_maker maker, bool join)
{
	if (unlikely((c->hints & COMM_REVOKED) != 0))
		return p2p_comm_error(c);
	return likely(!coll_check_wanted) ? coll_run_constructor(c, maker, join)
					  : coll_check_constructor(c, maker);
}

HAFT_START int comm_check(struct comm *c, enum coll_maker maker)
{
	return comm_check_call(c, maker, false);
}

int comm_check_joined(struct comm *c, enum coll_maker maker)
{
	return comm_check_call(c, maker, true);
}

/* --- split ---------------------------------------------------------------------------------- */

static int split_by_key(const void *a, const void *b)
{
	const struct split_entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->rank < y->rank ? -1 : 1;
}

int comm_split_select(struct split_entry *all, int n, int color)
{
	int k = 0;

	for (int i = 0; i < n; i++) {
		all[i].rank = i;
		if (all[i].color == color)
			all[k++] = all[i];
	}
	qsort(all, (size_t)k, sizeof(*all), split_by_key);
	return k;
}

int comm_split_group(
	const struct group *from, const struct split_entry *mine, int n, struct group **group)
{
	int32_t *peers = malloc(((size_t)n + 1) * sizeof(*peers));

	if (peers == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a group of %d processes", n);
	for (int i = 0; i < n; i++)
		peers[i] = group_peer(from, mine[i].rank);
	return group_make(n, peers, group);
}

static int split_make(struct comm *c, const struct split_entry *mine, int n, struct comm **newcomm)
{
	struct comm_spec how = {.parent = c, .ids = mine[0].ids};
	int err = comm_split_group(c->group, mine, n, &how.group);

	if (err != 0)
		return err;
	err = comm_make(&how, newcomm);
	obj_free_obj(how.group); /* the communicator holds it */
	return err;
}

int comm_split(struct comm *c, int color, int key, struct comm **newcomm)
{
	struct split_entry me = {.color = color, .key = key, .ids = comm_ctx_mint(CTX_FEW)};
	struct type *byte = type_predefined(MPI_BYTE);
	struct split_entry *all;
	int err;

	if (color < 0 && color != MPI_UNDEFINED)
		return haft_err(MPI_ERR_ARG, "color is %d; it must not be negative", color);
	err = comm_check(c, COLL_COMM_SPLIT);
	if (err != 0)
		return err;
	if (c->remote != NULL)
		return comm_inter_split(c, &me, newcomm);
	all = malloc((size_t)c->size * sizeof(*all));
	if (all == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to split %d ranks", c->size);
	err = coll_allgather(&me, sizeof(me), byte, all, sizeof(me), byte, c);
	*newcomm = NULL;
	if (err == 0 && color != MPI_UNDEFINED)
		err = split_make(c, all, comm_split_select(all, c->size, color), newcomm);
	if (err == 0 && (color == MPI_UNDEFINED || (*newcomm)->rank != 0))
		comm_ctx_unmint(me.ids);
	free(all);
	return err;
}

/* --- create --------------------------------------------------------------------------------- */

/* Makes a communicator of g: its rank 0 mints ids and sends them to the others. */
static int comm_create_on(const struct leader_path *path, struct group *g, struct comm **newcomm)
{
	struct comm_spec how = {.parent = path->c, .group = g};
	int err;

	for (int i = 0; i < g->size; i++) {
		if (group_rank_of(path->c->group, group_peer(g, i)) < 0)
			return haft_err(MPI_ERR_GROUP,
				"rank %d of the group is not in the communicator", i);
	}
	*newcomm = NULL;
	if (g->rank == MPI_UNDEFINED)
		return 0;
	if (g->rank == 0)
		how.ids = comm_ctx_mint(CTX_FEW);
	err = comm_leader_bcast(path, g, 0, &how.ids, sizeof(how.ids));
	return err != 0 ? err : comm_make(&how, newcomm);
}

int comm_create(struct comm *c, struct group *group, struct comm **newcomm)
{
	struct leader_path path = {.c = c, .plane = CTX_MAKE};
	int err = comm_check_joined(c, COLL_COMM_CREATE);

	if (err != 0)
		return err;
	return c->remote != NULL ? comm_inter_subset(c, group, newcomm)
				 : comm_create_on(&path, group, newcomm);
}

int comm_create_group(struct comm *c, struct group *group, int tag, struct comm **newcomm)
{
	struct leader_path path = {.c = c, .plane = CTX_GROUP, .tag = tag};

	if (c->remote != NULL)
		return haft_err(MPI_ERR_COMM, "the communicator must not be an inter-communicator");
	if ((c->hints & COMM_REVOKED) != 0)
		return p2p_comm_error(c);
	return comm_create_on(&path, group, newcomm);
}

/* --- end and comparison --------------------------------------------------------------------- */

/* A communicator whose members made other calls is not freed at the first attempt: it has the error
 * handler. */
static int comm_end(struct comm **comm, enum coll_maker maker)
{
	obj_h h = obj_handle(*comm);
	int err = coll_calls_end(*comm, maker);

	if (err == 0)
		err = haft_obj_free(*comm, MPI_ERR_COMM, "communicator");
	if (err != 0)
		return err;
	*comm = NULL;
	haft_event(EVENT_COMM_FREED, h, (int64_t)(intptr_t)h, 0, 0, 0);
	return 0;
}

int comm_free(struct comm **comm)
{
	return comm_end(comm, COLL_COMM_FREE);
}

/* Is some member of the group of another job than this process? */
static bool comm_leaves_job(const struct group *g)
{
	int first = haft_life.peer - haft_life.rank;

	for (int i = 0; i < g->size; i++) {
		int peer = group_peer(g, i);

		if (peer < first || peer >= first + haft_life.size)
			return true;
	}
	return false;
}

/* One that has ended already is no error. */
static void disconnect_barrier(struct comm *c)
{
	if (coll_barrier(c) != 0)
		haft_err_clear();
	p2p_flush();
}

/* Waits for the operations of the communicator that have no request any more: those whose requests
 * were freed, and buffered sends (MPI-5.0 11.10.4).  Members of other jobs may end as soon as they
 * are disconnected, so all wait for each other. */
int comm_disconnect(struct comm **comm)
{
	struct comm *c = *comm;

	p2p_complete_freed(c);
	p2p_flush();
	if (comm_leaves_job(c->group) || (c->remote != NULL && comm_leaves_job(c->remote))) {
		disconnect_barrier(c);
		if (haft_comm_hooks.end != NULL)
			haft_comm_hooks.end(c);
		disconnect_barrier(c); /* then no failure of one job ends the other */
	}
	return comm_end(comm, COLL_COMM_DISCONNECT);
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
	return group_copy(c->group, c->session, group);
}

int comm_remote_group(struct comm *c, struct group **group)
{
	if (c->remote == NULL)
		return haft_err(MPI_ERR_COMM, "not an inter-communicator: it has no remote group");
	return group_copy(c->remote, c->session, group);
}
