// SPDX-License-Identifier: BSD-3-Clause
/* leader_exchange.h - messages of the constructors of communicators, without collectives.
 *
 *      one group                                 two groups with a leader each
 *      bcast: root ──> all, binomial tree        exchange: leader <──> leader, then bcast
 *
 * Uses neither numbers nor tags of collectives.  So it works if only some members of a communicator
 * call, and on communicators without shared memory. */
#ifndef HAFT_COMM_LEADER_EXCHANGE_H
#define HAFT_COMM_LEADER_EXCHANGE_H

#include "libmpi/core/comm_object.h"
#include "libmpi/core/group_object.h"

/* A message of any length.  data is malloc'ed, and the holder frees it; or NULL. */
struct blob {
	void *data;
	int64_t bytes;
};

/* Where leaders send: ranks of c, messages with this plane and tag. */
struct leader_path {
	struct comm *c;
	enum ctx_plane plane;
	int tag;
};

/* Sends `bytes' at buf from rank `root' of g to all members of g, which are members of path->c as
 * well.  Collective over g, blocking.  0 or an MPI error class with words. */
int comm_leader_bcast(
	const struct leader_path *path, const struct group *g, int root, void *buf, int64_t bytes);

/* As comm_leader_bcast, for a blob whose length the root alone knows; elsewhere b->data is NULL at
 * first.  A root that cannot go on gives -class as the length: all members fail with that class. */
int comm_leader_bcast_blob(
	const struct leader_path *path, const struct group *g, int root, struct blob *b);

/* Sends `mine' to rank `to' of path->c, which calls this too, and receives its blob.  Blocking.  On
 * failure `theirs' is empty.  A leader that cannot go on gives -class as the length of `mine': both
 * fail.  0 or an MPI error class with words. */
int comm_leader_exchange(
	const struct leader_path *path, int to, const struct blob *mine, struct blob *theirs);

#endif
