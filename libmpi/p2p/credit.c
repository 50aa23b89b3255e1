// SPDX-License-Identifier: BSD-3-Clause
/* credit.c - a sender that outruns its receiver fills no memory.
 *
 *     bytes of a peer's early messages
 *     early_max ─────────────●────────────  PACE 1: from now on the peer asks before it sends
 *                           ╱ ╲
 *     early_max / 2 ───────╱───╲─●────────  PACE 0: what is small may come unasked again
 *                         ╱     ╲╱
 *
 * A message that comes before its receive is kept here.  A peer with much of that is told to send
 * no more than the fact that it wants to send: its messages then stay with it, and its blocking
 * sends block.  What was on its way meanwhile still comes: at most a ring of frames.
 *
 * Invariant: p->early is what the matcher and matched probes hold of the peer's eager messages,
 * with what it costs to keep them. */
#include "libmpi/p2p/p2p_state.h"

const struct p2p_count *p2p_counts(void)
{
	return &p2p_state.count;
}

int p2p_credit_send(int peer)
{
	struct p2p_peer *p = p2p_peer(peer);

	if (!p->tell || via_put(peer, 0, p->held, FRAME_CREDIT, NULL, 0) != 0)
		return 0;
	p->tell = false;
	return 1;
}

void p2p_credit_use(int peer, int64_t bytes)
{
	struct p2p_peer *p = p2p_peer(peer);
	bool held;

	p->early += bytes;
	p2p_state.count.early += bytes;
	if (p2p_state.count.early > p2p_state.count.early_top)
		p2p_state.count.early_top = p2p_state.count.early;
	held = p->early > (p->held ? p2p_state.early_max / 2 : p2p_state.early_max);
	if (likely(held == p->held) || peer == p2p_state.me || p->lost != PEER_HERE)
		return;
	p->held = held;
	p->tell = !p->tell; /* not told yet of the last change: then it need not know of either */
	p2p_state.count.held += held;
	if (p->tell && p2p_credit_send(peer) == 0)
		p2p_peer_busy(peer);
}

void p2p_credit_received(int peer, bool keep)
{
	struct via_peer *v = via_peer_get(peer);
	struct p2p_peer *p = p2p_peer(peer);

	p->eager = keep ? -1 : via_is_local(peer) ? p2p_state.eager : p2p_state.eager_far;
	v->direct = p2p_state.checks || v->slot == 0 ? 0 : p->eager + 1;
	p2p_state.count.hold += keep;
}
