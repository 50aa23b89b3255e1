// SPDX-License-Identifier: BSD-3-Clause
/* deliver.h - the receive fast path over one peer's ring (deliver.c). */
#ifndef HAFT_P2P_DELIVER_H
#define HAFT_P2P_DELIVER_H

#include <stdbool.h>

struct req;

/* Delivers frames in the ring of one local peer, at most a batch; returns how many frames.  It may
 * miss frames that p2p_progress finds. */
int p2p_poll_from(int peer);

/* As p2p_poll_from of the peer of receive r, which is waited for.  It stops once r is done or no
 * receive is posted.  Messages behind it stay in the ring: taken now, one without a receive would
 * be copied twice, the first time into new memory.  The next slot, if empty, is not looked at: its
 * line would leave the sender's CPU.  several: others of this peer may be waited for next; it stops
 * only in front of a message without a receive. */
int p2p_poll_awaited(const struct req *r, bool several);

#endif
