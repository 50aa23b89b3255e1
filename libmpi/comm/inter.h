// SPDX-License-Identifier: BSD-3-Clause
/* inter.h - how two groups become an inter-communicator. */
#ifndef HAFT_COMM_INTER_H
#define HAFT_COMM_INTER_H

#include "libmpi/comm/talk.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/group_object.h"

/* A meeting of two groups: their leaders' way to each other, and the way inside this group. */
struct meeting {
	struct talk_path between; /* used by the leader only */
	int remote_leader;        /* rank there */
	struct talk_path inside;
	struct group *group; /* the local one, of all that take part */
	int leader;          /* rank in it */
	struct comm *parent; /* whose error handler and session the new one has; NULL: none */
};

/* inter_meet makes the inter-communicator of both groups.  Collective over both; err: what has
 * gone wrong already at this process, which only the leader may say: the others of its group hear
 * of it.  0 or an error class with words. */
int inter_meet(const struct meeting *m, int err, struct comm **newcomm);

#endif
