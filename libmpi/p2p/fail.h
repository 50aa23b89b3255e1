// SPDX-License-Identifier: BSD-3-Clause
/* fail.h - operations whose peer is gone, or whose transport has no memory (fail.c). */
#ifndef HAFT_P2P_FAIL_H
#define HAFT_P2P_FAIL_H

#include "libmpi/p2p/p2p_state.h"

/* r has failed with the result of a put to a peer: VIA_LOST, or no memory. */
void p2p_fail_request(struct req *r, int peer, int err);

/* The other half of p2p_peer_check. */
int p2p_peer_check_slow(int peer, const struct comm *c);

/* Can a message from this peer (or MPI_ANY_SOURCE) still come?  0, or an error class with words. */
static inline int p2p_peer_check(int peer, const struct comm *c)
{
	return likely(p2p_state.lost == 0) ? 0 : p2p_peer_check_slow(peer, c);
}

/* As p2p_peer_check for a receive, which has its communicator.  One of a collective call fails also
 * if another member has failed: its sender may have given the call up. */
int p2p_recv_check_slow(const struct req *r);

static inline int p2p_recv_check(const struct req *r)
{
	return likely(p2p_state.lost == 0) ? 0 : p2p_recv_check_slow(r);
}

/* Is the peer in the group that the ranks of c's messages are of? */
bool p2p_peer_in_comm(int peer, const struct comm *c);

#endif
