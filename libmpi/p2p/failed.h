// SPDX-License-Identifier: BSD-3-Clause
/* failed.h - processes that have failed, and receives that may have lost their sender
 * (failed.c). */
#ifndef HAFT_P2P_FAILED_H
#define HAFT_P2P_FAILED_H

#include "libmpi/p2p/p2p_state.h"
#include <mpi-ext.h>

/* Processes of which a frame says that they have died; a pass looks at them.  The launcher tells of
 * more. */
#define P2P_SUSPECTS 16
struct p2p_suspects {
	int peer[P2P_SUSPECTS];
	int n;
};

extern struct p2p_suspects p2p_suspects;

/* Adds a process to the list of the failed.  No memory for it ends the job. */
void p2p_failed_add(int peer);

/* No group has this failed process any more: its number may be another's. */
void p2p_failed_forget(int peer);

/* As p2p_peer_lost, with words that need no better ones. */
void p2p_peer_end(int peer, bool left, const char *words);

/* May this receive stay posted although `err' is known, because a completion call of its request
 * can raise it? */
bool p2p_req_may_pend(const struct req *r, int err);

/* A posted receive from any source may have lost its sender: its completion calls raise
 * MPIX_ERR_PROC_FAILED_PENDING until that is acknowledged, and it stays posted.  False: it has no
 * request, or its failure is acknowledged on its communicator already. */
bool p2p_req_pend(struct req *r, int peer);

/* Is the request such a receive?  Then it is done, and has an error, but goes on. */
static inline bool p2p_req_pended(const struct req *r)
{
	return unlikely(r->res.error == MPIX_ERR_PROC_FAILED_PENDING) && r->state == STATE_POSTED;
}

/* It goes on as if nothing had happened. */
void p2p_req_unpend(struct req *r);

#endif
