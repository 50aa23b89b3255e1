// SPDX-License-Identifier: BSD-3-Clause
/* pace.c - a sender that outruns its receiver fills no memory.
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
#include "libmpi/p2p/inner.h"

const struct p2p_count *p2p_counts(void)
{
	return &p2p.count;
}

int pace_tell(int peer)
{
	struct p2p_peer *p = p2p_peer(peer);

	if (!p->tell || via_put(peer, 0, p->held, FRAME_PACE, NULL, 0) != 0)
		return 0;
	p->tell = false;
	return 1;
}

void pace_early(int peer, int64_t bytes)
{
	struct p2p_peer *p = p2p_peer(peer);
	bool held;

	p->early += bytes;
	p2p.count.early += bytes;
	if (p2p.count.early > p2p.count.early_top)
		p2p.count.early_top = p2p.count.early;
	held = p->early > (p->held ? p2p.early_max / 2 : p2p.early_max);
	if (likely(held == p->held) || peer == p2p.me || p->lost != PEER_HERE)
		return;
	p->held = held;
	p->tell = !p->tell; /* not told yet of the last change: then it need not know of either */
	p2p.count.held += held;
	if (p->tell && pace_tell(peer) == 0)
		peer_busy(peer);
}

void pace_told(int peer, bool keep)
{
	struct via_peer *v = via_peer_get(peer);
	struct p2p_peer *p = p2p_peer(peer);

	p->eager = keep ? -1 : via_near(peer) ? p2p.eager : p2p.eager_far;
	v->direct = p2p.checks || v->slot == 0 ? 0 : p->eager + 1;
	p2p.count.hold += keep;
}
