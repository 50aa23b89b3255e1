// SPDX-License-Identifier: BSD-3-Clause
/* from_group.c - communicators made from groups, without a parent (MPI-5.0 7.4.2, 7.6.2).
 *
 *      {stringtag, groups} ──hash──> {context id that no process mints, tag}
 *                                         │
 *                a communicator for this call only: rank 0 mints an id and sends it on it
 *
 * Calls with different tags or groups have different hashes (72 bits), so they cannot mix.  Calls
 * with equal ones keep their order, because messages do.
 *
 * Between two groups each side has such a communicator, and the leaders share a third, whose hash
 * does not depend on which group is local. */
#include "libmpi/comm/world.h"

#include "libmpi/env/error_handler.h"
#include "libmpi/comm/cards.h"
#include "libmpi/comm/intercomm.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/comm/leader_exchange.h"
#include "libmpi/core/err.h"
#include <engine.h>
#include <string.h>

/* --- hashes --------------------------------------------------------------------------------- */

/* splitmix64's finalizer: every bit of x changes every bit of the result. */
static uint64_t hash_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static uint64_t hash_text(const char *s)
{
	uint64_t h = 1;

	for (; *s != '\0'; s++)
		h = hash_mix(h * 257 + (unsigned char)*s);
	return h;
}

/* mixed: not all processes of the call are of one universe. */
static uint64_t hash_group(const struct group *g, bool mixed)
{
	uint64_t h = 2;

	for (int i = 0; i < g->size; i++) {
		int peer = group_peer(g, i);

		h = hash_mix(h * 257 + (mixed ? comm_card_identity(peer) : (uint64_t)peer));
	}
	return h;
}

/* --- communicators for one call ------------------------------------------------------------- */

/* Makes a communicator that lives during one call, and the path of messages on it. */
static int from_group_comm(
	uint64_t hash, struct group *group, struct group *remote, struct leader_path *path)
{
	struct comm_spec how = {.group = group, .remote = remote};
	uint64_t number = hash_mix(hash) & ((1ULL << CTX_MINTER_SHIFT) - 1) & -CTX_STEP;

	how.ids.ctx = how.ids.end = CTX_NOBODY | number;
	path->plane = CTX_MAKE;
	path->tag = (int)(hash_mix(hash ^ 3) >> 33);
	return comm_make_internal(&how, &path->c);
}

static int from_group_check(const struct group *g, const char *what, const char *stringtag,
	const struct errh *errhandler)
{
	if (strnlen(stringtag, MPI_MAX_STRINGTAG_LEN) == MPI_MAX_STRINGTAG_LEN)
		return haft_err(MPI_ERR_ARG, "stringtag is longer than %d characters",
			MPI_MAX_STRINGTAG_LEN - 1);
	if (g->size > 0 && g->rank == MPI_UNDEFINED)
		return haft_err(MPI_ERR_GROUP, "the calling process is not a member of %s", what);
	return errh_fits_kind(errhandler, ERRH_COMM);
}

static int from_group_finish(int err, struct comm *c, const struct info *info,
	struct errh *errhandler, struct comm **newcomm)
{
	if (err != 0) {
		haft_err_attach(NULL, err); /* not to the leaders' communicator, which is gone */
		return err;
	}
	comm_set_hints(c, info);
	obj_errh_set(c, errhandler);
	*newcomm = c;
	return 0;
}

int comm_create_from_group(struct group *group, const char *stringtag, struct info *info,
	struct errh *errhandler, struct comm **newcomm)
{
	struct comm_spec how = {.group = group};
	struct leader_path path;
	struct comm *c = NULL;
	int err = from_group_check(group, "the group", stringtag, errhandler);

	*newcomm = NULL;
	if (err != 0 || group->size == 0)
		return err;
	err = from_group_comm(hash_text(stringtag) + hash_group(group, comm_group_mixed(group)),
		group, NULL, &path);
	if (err != 0)
		return err;
	if (group->rank == 0)
		how.ids = comm_ctx_mint(CTX_FEW);
	err = comm_leader_bcast(&path, group, 0, &how.ids, sizeof(how.ids));
	obj_drop(path.c);
	if (err == 0)
		err = comm_make(&how, &c);
	return from_group_finish(err, c, info, errhandler, newcomm);
}

/* --- two groups ----------------------------------------------------------------------------- */

static int from_group_leader(
	const struct group *local, const struct group *remote, int remote_leader)
{
	if (remote_leader < 0 || remote_leader >= remote->size)
		return haft_err(MPI_ERR_RANK,
			"remote_leader %d is not a rank of the remote group, which has 0 to %d",
			remote_leader, remote->size - 1);
	for (int i = 0; i < local->size; i++) {
		if (group_rank_of(remote, group_peer(local, i)) >= 0)
			return haft_err(MPI_ERR_GROUP,
				"rank %d of the local group is in the remote group too", i);
	}
	return 0;
}

/* The communicator of the leaders: its hash is the same on both sides. */
static int from_group_between(
	uint64_t tag, struct group *local, struct group *remote, struct leader_path *path)
{
	bool mixed = comm_group_mixed(local) || comm_group_mixed(remote);

	return from_group_comm(
		tag ^ (hash_group(local, mixed) + hash_group(remote, mixed)), local, remote, path);
}

int comm_inter_create_from_groups(struct group *local, int local_leader, struct group *remote,
	int remote_leader, const char *stringtag, struct info *info, struct errh *errhandler,
	struct comm **newcomm)
{
	uint64_t tag = hash_text(stringtag);
	struct inter_connect m = {
		.group = local, .leader = local_leader, .remote_leader = remote_leader};
	struct comm *c = NULL;
	bool mixed = comm_group_mixed(local);
	int err = from_group_check(local, "local_group", stringtag, errhandler);

	*newcomm = NULL;
	if (err != 0 || local->size == 0 || remote->size == 0)
		return err;
	if (local_leader < 0 || local_leader >= local->size)
		return haft_err(MPI_ERR_RANK,
			"local_leader %d is not a rank of the local group, which has 0 to %d",
			local_leader, local->size - 1);
	err = from_group_comm(hash_mix(tag) + hash_group(local, mixed), local, NULL, &m.inside);
	if (err != 0)
		return err;
	if (local->rank == local_leader) {
		err = from_group_leader(local, remote, remote_leader);
		if (err == 0)
			err = from_group_between(tag, local, remote, &m.between);
	}
	err = comm_inter_connect(&m, err, &c);
	obj_drop(m.inside.c);
	if (m.between.c != NULL)
		obj_drop(m.between.c);
	return from_group_finish(err, c, info, errhandler, newcomm);
}
