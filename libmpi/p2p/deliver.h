// SPDX-License-Identifier: BSD-3-Clause
/* deliver.h - the receive fast path over one peer's ring (deliver.c). */
#ifndef HAFT_P2P_DELIVER_H
#define HAFT_P2P_DELIVER_H

#include <stdbool.h>

struct req;

/* Delivers frames in the ring of one local peer, at most a batch; returns how many frames.  It may
 * miss frames that p2p_progress finds. */
int p2p_poll_from(int peer);

/* As p2p_poll_from of the peer of receive r, which is waited for.  It stops once no receive is
 * posted, and once r is done:
 *   several    in front of a message that has no receive yet.  For a first look, and if others of
 *              this peer are waited for after r: the ring is emptied for its sender.
 *   else       at once.  r came after a wait, so the next slot is likely to be empty, and looking
 *              at it would take its line from the sender's CPU.
 * Messages that stay are not copied twice, the first time into new memory.  Where seats are no
 * numbers of peers (via.mixed) it delivers as via_poll_from. */
int p2p_poll_awaited(const struct req *r, bool several);

#endif
