// SPDX-License-Identifier: BSD-3-Clause
/* split_type.c - MPI_Comm_split_type: communicators of ranks that share a resource (MPI-5.0 7.4.2).
 *
 *     type               color
 *     SHARED             the host: ranks that can share memory
 *     HW_GUIDED          the instance of the kind of hardware that info names
 *     RESOURCE_GUIDED    as HW_GUIDED, or a process set of the session
 *     HW_UNGUIDED        the instance of the largest kind of hardware around this rank that has
 *                        some of the ranks, but not all; needs an allgather
 *
 * A rank without a color takes part and gets MPI_COMM_NULL. */
#include "libmpi/env/info.h"
#include "libmpi/coll/coll_args.h"
#include "libmpi/comm/cards.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/core/err.h"
#include "libmpi/core/hardware.h"
#include "libmpi/type/type.h"
#include "libmpi/via/via.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A number that is equal in the members of c that are on this process's node, and in no others.
 * Universes number their nodes alike: so where c is of several it is the lowest rank there. */
static int node_color(const struct comm *c)
{
	int r = 0;

	if (!comm_group_mixed(c->group))
		return via_node(via.me);
	while (via_node(group_peer(c->group, r)) != via_node(via.me))
		r++;
	return r;
}

/* Likewise for its machine. */
static int machine_color(const struct comm *c)
{
	int r = 0;

	if (!comm_group_mixed(c->group))
		return via_machine(via.me);
	while (via_machine(group_peer(c->group, r)) != via_machine(via.me))
		r++;
	return r;
}

#define KEY_HW   "mpi_hw_resource_type"
#define KEY_PSET "mpi_pset_name"

/* A color: host, instance, and kind of hardware. */
#define KIND_BITS 5  /* HAFT_HW_KINDS */
#define AT_BITS   12 /* no machine has more instances of a kind */
static_assert(HAFT_HW_KINDS <= 1 << KIND_BITS, "kinds are numbers of so many bits");

static int color_of(const struct comm *c, int kind, int instance)
{
	return (machine_color(c) << AT_BITS | instance) << KIND_BITS | kind;
}

/* The color for a kind of hardware, if this process is bound to one instance; or MPI_UNDEFINED. */
static int hw_color(const struct comm *c, const char *name)
{
	struct haft_hw rows[HAFT_HW_KINDS];
	int n, at;

	if (strcmp(name, "mpi_shared_memory") == 0)
		return node_color(c);
	n = haft_hw_kinds(rows);
	at = haft_hw_find(rows, n, name);
	return at < 0 || rows[at].instance == HAFT_HW_MANY ? MPI_UNDEFINED
							   : color_of(c, at, rows[at].instance);
}

static int pset_color(const struct comm *c, const char *name)
{
	if (c->session == NULL)
		return MPI_UNDEFINED;
	if (strcasecmp(name, "mpi://SELF") == 0)
		return group_peer(c->group, c->rank);
	if (strcasecmp(name, "mpi://SHARED") == 0)
		return node_color(c);
	return strcasecmp(name, "mpi://WORLD") == 0 ? 0 : MPI_UNDEFINED;
}

static int split_guided(
	struct comm *c, int key, const struct info *info, bool psets, struct comm **newcomm)
{
	const char *hw = info != NULL ? env_info_find(info, KEY_HW) : NULL;
	const char *pset = info != NULL && psets ? env_info_find(info, KEY_PSET) : NULL;
	int color = MPI_UNDEFINED;

	if (hw != NULL && pset != NULL)
		return haft_err(MPI_ERR_INFO, "info has both " KEY_HW " and " KEY_PSET
					      ", of which only one may be used at a time");
	if (hw != NULL)
		color = hw_color(c, hw);
	else if (pset != NULL)
		color = pset_color(c, pset);
	return comm_split(c, color, key, newcomm);
}

/* The hardware of a rank: its color for each kind, or HAFT_HW_MANY. */
struct where {
	int32_t at[HAFT_HW_KINDS];
};

/* The number of ranks in instance i of kind k. */
static int kind_members(const struct where *all, int n, int k, int i)
{
	int here = 0;

	for (int r = 0; r < n; r++)
		here += all[r].at[k] == i;
	return here;
}

/* The first kind, largest parts first, whose instance around rank `me' has not all the ranks; -1:
 * none. */
static int kind_narrowing(const struct where *all, int n, int kinds, int me)
{
	for (int k = 0; k < kinds; k++) {
		int i = all[me].at[k];

		if (i != HAFT_HW_MANY && kind_members(all, n, k, i) < n)
			return k;
	}
	return -1;
}

static int split_unguided(struct comm *c, int key, struct info *info, struct comm **newcomm)
{
	struct type *byte = type_predefined(MPI_BYTE);
	struct haft_hw rows[HAFT_HW_KINDS];
	struct where mine, *all = malloc((size_t)c->size * sizeof(*all));
	int kinds = haft_hw_kinds(rows), k, err, color = MPI_UNDEFINED;

	if (all == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to split %d ranks", c->size);
	for (int i = 0; i < HAFT_HW_KINDS; i++)
		mine.at[i] = i < kinds && rows[i].instance != HAFT_HW_MANY
				     ? color_of(c, i, rows[i].instance)
				     : HAFT_HW_MANY;
	err = coll_allgather(&mine, sizeof(mine), byte, all, sizeof(mine), byte, c);
	k = err == 0 ? kind_narrowing(all, c->size, kinds, c->rank) : -1;
	free(all);
	if (k >= 0)
		color = mine.at[k];
	if (err == 0)
		err = comm_split(c, color, key, newcomm);
	if (err == 0 && *newcomm != NULL && info != NULL)
		err = env_info_set(info, KEY_HW, rows[k].name);
	return err;
}

int comm_split_type(
	struct comm *c, int split_type, int key, struct info *info, struct comm **newcomm)
{
	coll_calls_variant(c, COLL_SPLIT_TYPE);
	switch (split_type) {
	case MPI_COMM_TYPE_SHARED: return comm_split(c, node_color(c), key, newcomm);
	case MPI_COMM_TYPE_HW_GUIDED: return split_guided(c, key, info, false, newcomm);
	case MPI_COMM_TYPE_RESOURCE_GUIDED: return split_guided(c, key, info, true, newcomm);
	case MPI_COMM_TYPE_HW_UNGUIDED: return split_unguided(c, key, info, newcomm);
	case MPI_UNDEFINED: return comm_split(c, MPI_UNDEFINED, key, newcomm);
	}
	return haft_err(MPI_ERR_ARG, "%d is not a kind of split", split_type);
}
