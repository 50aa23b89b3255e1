// SPDX-License-Identifier: BSD-3-Clause
/* leader_exchange.h - what processes that make a communicator say to each other, without its collectives.
 *
 *      group of an intra-communicator            two groups with a leader each
 *      tell: root ──> all, binomial tree         swap: leader <──> leader, then tell
 *
 * Nothing here uses the collectives' numbers or tags, so it works between processes of which only
 * some call it, and on communicators that have no shared memory of their own. */
#ifndef HAFT_COMM_LEADER_EXCHANGE_H
#define HAFT_COMM_LEADER_EXCHANGE_H

#include "libmpi/core/comm_object.h"
#include "libmpi/core/group_object.h"

/* A piece of memory of any length; data is malloc'ed and the holder's, or NULL. */
struct blob {
	void *data;
	int64_t bytes;
};

/* What two leaders need to name a way to each other. */
struct leader_path {
	struct comm *c; /* messages go on it, and ranks are its */
	enum ctx_plane plane;
	int tag;
};

/* comm_leader_bcast brings `bytes' at buf from rank `root' of g to all members of g, which are members of
 * path->c as well. Collective over g; 0 or an error class with words. */
int comm_leader_bcast(
	const struct leader_path *path, const struct group *g, int root, void *buf, int64_t bytes);

/* The same for a blob of which only the root knows the length; b->data is NULL elsewhere.
 * A root that cannot go on tells -class as the length: the others fail with that class. */
int comm_leader_bcast_blob(
	const struct leader_path *path, const struct group *g, int root, struct blob *b);

/* comm_leader_exchange gives `mine' to rank `to' of path->c, which calls it too, and gets its blob.  On
 * failure `theirs' is empty. */
int comm_leader_exchange(
	const struct leader_path *path, int to, const struct blob *mine, struct blob *theirs);

#endif
