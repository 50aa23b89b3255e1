// SPDX-License-Identifier: BSD-3-Clause
/* deliver.h - the receive fast path over one peer's ring (deliver.c). */
#ifndef HAFT_P2P_DELIVER_H
#define HAFT_P2P_DELIVER_H

struct req;

/* Delivers frames in the ring of one local peer, at most a batch; returns how many frames.  It may
 * miss frames that p2p_progress finds. */
int p2p_poll_from(int peer);

/* As p2p_poll_from of the peer of receive r, which is waited for.  It stops when no receive is
 * posted any more, and, once r is done, in front of a message that has no receive yet.  Messages
 * behind stay in the ring: taken now, they would be copied twice, the first time into new memory.
 */
int p2p_poll_awaited(const struct req *r);

#endif
