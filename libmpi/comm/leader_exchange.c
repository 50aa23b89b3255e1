// SPDX-License-Identifier: BSD-3-Clause
/* leader_exchange.c - broadcast by a leader, and exchange between two leaders:
 * leader_exchange.h. */
#include "libmpi/comm/leader_exchange.h"

#include "libmpi/core/err.h"
#include "libmpi/core/num.h"
#include "libmpi/p2p/p2p.h"
#include <stdlib.h>

/* The rank in path->c of the r-th member of g, counted from the root. */
static int leader_rank(const struct leader_path *path, const struct group *g, int root, int r)
{
	return group_rank_of(comm_peers(path->c), group_peer(g, (r + root) % g->size));
}

/* Binomial tree: r receives from r without its lowest set bit, and sends to r plus each smaller
 * power of two.  A member with an error sends that, so no member below it waits. */
static int leader_get(
	const struct leader_path *path, const struct group *g, int root, void *buf, int64_t bytes)
{
	int me = (g->rank - root + g->size) % g->size;

	if (me == 0)
		return 0;
	return p2p_plane_recv(path->c, path->plane, buf, bytes,
		leader_rank(path, g, root, me - num_tree_distance(me, g->size)), path->tag);
}

/* Sends to the members below that are in *open, a set of bits; those that get an error leave it.
 * Returns err, or the first error of a send. */
static int leader_give(const struct leader_path *path, const struct group *g, int root,
	const struct blob *b, int err, uint32_t *open)
{
	int me = (g->rank - root + g->size) % g->size;

	for (int bit = num_tree_distance(me, g->size) >> 1; bit > 0; bit >>= 1) {
		int to = me + bit < g->size ? leader_rank(path, g, root, me + bit) : -1;

		if (to < 0 || (*open & (uint32_t)bit) == 0)
			continue;
		if (err == 0) {
			err = p2p_plane_send(
				path->c, path->plane, b->data, b->bytes, to, path->tag);
			continue;
		}
		*open &= ~(uint32_t)bit;
		p2p_plane_send_error(path->c, path->plane, err, to, path->tag);
	}
	return err;
}

int comm_leader_bcast(
	const struct leader_path *path, const struct group *g, int root, void *buf, int64_t bytes)
{
	uint32_t open = UINT32_MAX;
	int err = leader_get(path, g, root, buf, bytes);

	return leader_give(path, g, root, &(struct blob){buf, bytes}, err, &open);
}

static int blob_alloc(struct blob *b)
{
	b->data = malloc((size_t)b->bytes + 1);
	if (b->data != NULL)
		return 0;
	return haft_err(MPI_ERR_NO_MEM, "no memory for the %lld bytes of a description of a group",
		(long long)b->bytes);
}

int comm_leader_bcast_blob(
	const struct leader_path *path, const struct group *g, int root, struct blob *b)
{
	uint32_t open = UINT32_MAX;
	int err = leader_get(path, g, root, &b->bytes, sizeof(b->bytes)), late;
	bool above = err == 0; /* sends the data, too */

	err = leader_give(path, g, root, &(struct blob){&b->bytes, sizeof(b->bytes)}, err, &open);
	if (err == 0 && b->bytes < 0 && b->data == NULL && g->rank != root)
		err = haft_err((int)-b->bytes, "rank %d, the leader of the group, gave up", root);
	if (b->bytes < 0)
		return err;
	if (err == 0 && b->data == NULL)
		err = blob_alloc(b);
	if (above && b->data != NULL) {
		late = leader_get(path, g, root, b->data, b->bytes);
		err = err != 0 ? err : late;
	}
	return leader_give(path, g, root, b, err, &open);
}

int comm_leader_exchange(
	const struct leader_path *path, int to, const struct blob *mine, struct blob *theirs)
{
	struct req r[2];
	int err, none;

	*theirs = (struct blob){0};
	p2p_plane_irecv(
		path->c, path->plane, &theirs->bytes, sizeof(theirs->bytes), to, path->tag, &r[0]);
	p2p_plane_isend(
		path->c, path->plane, &mine->bytes, sizeof(mine->bytes), to, path->tag, &r[1]);
	err = p2p_coll_wait(r, 2);
	if (err == 0 && mine->bytes >= 0 && theirs->bytes < 0)
		err = haft_err((int)-theirs->bytes, "the leader of the other group gave up");
	if (err == 0 && mine->bytes < 0)
		err = (int)-mine->bytes;
	if (err != 0) {
		theirs->bytes = 0;
		return err;
	}
	none = blob_alloc(theirs);
	if (none != 0) /* the other leader sends all the same */
		theirs->bytes = 0;
	p2p_plane_irecv(path->c, path->plane, theirs->data, theirs->bytes, to, path->tag, &r[0]);
	p2p_plane_isend(path->c, path->plane, mine->data, mine->bytes, to, path->tag, &r[1]);
	err = p2p_coll_wait(r, 2);
	err = none != 0 ? none : err;
	if (err != 0) {
		free(theirs->data);
		*theirs = (struct blob){0};
	}
	return err;
}
