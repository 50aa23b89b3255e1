// SPDX-License-Identifier: BSD-3-Clause
/* intercomm.h - how two groups become an inter-communicator. */
#ifndef HAFT_COMM_INTERCOMM_H
#define HAFT_COMM_INTERCOMM_H

#include "libmpi/comm/leader_exchange.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/group_object.h"

/* A meeting of two groups: their leaders' way to each other, and the way inside this group. */
struct inter_connect {
	struct leader_path between; /* used by the leader only */
	int remote_leader;          /* rank there */
	struct leader_path inside;
	struct group *group; /* the local one, of all that take part */
	int leader;          /* rank in it */
	struct comm *parent; /* whose error handler and session the new one has; NULL: none */
};

/* comm_inter_connect makes the inter-communicator of both groups.  Collective over both; err: what has
 * gone wrong already at this process, which only the leader may say: the others of its group hear
 * of it.  0 or an error class with words. */
int comm_inter_connect(const struct inter_connect *m, int err, struct comm **newcomm);

#endif
