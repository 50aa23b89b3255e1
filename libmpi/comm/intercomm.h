// SPDX-License-Identifier: BSD-3-Clause
/* intercomm.h - how two groups become an inter-communicator. */
#ifndef HAFT_COMM_INTERCOMM_H
#define HAFT_COMM_INTERCOMM_H

#include "libmpi/comm/leader_exchange.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/group_object.h"

/* Two groups that connect, as one of them sees it. */
struct inter_connect {
	struct leader_path between; /* between the two leaders; used by the leader only */
	int remote_leader;          /* its rank in the communicator of `between' */
	struct leader_path inside;  /* within the local group */
	struct group *group;        /* the local group */
	int leader;                 /* rank in it */
	bool mute;                  /* the leader cannot reach the other one, and says nothing */
	struct comm *parent;        /* gives error handler and session; NULL: none does */
};

/* Makes the inter-communicator of both groups.  Collective over both, blocking.  err: an error that
 * this process has already; only the leader may have one, and its group fails with that class.
 * 0 or an MPI error class with words. */
int comm_inter_connect(const struct inter_connect *m, int err, struct comm **newcomm);

#endif
