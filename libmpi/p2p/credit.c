// SPDX-License-Identifier: BSD-3-Clause
/* credit.c - flow control: a sender that outruns its receiver fills no memory.
 *
 *     bytes of a peer's unexpected messages
 *     unexpected_max ────────●────────────  CREDIT 1: from now on it sends everything by RTS
 *                           ╱ ╲
 *     unexpected_max / 2 ──╱───╲─●────────  CREDIT 0: eager messages may come again
 *                         ╱     ╲╱
 *
 * A message that comes before its receive is kept here.  A peer with too many bytes here loses its
 * credit: its messages stay with it until they are received, and its blocking sends block.  Frames
 * already under way still come: at most a ring of them.
 *
 * Invariant: p->unexpected_bytes counts the peer's eager messages in the unexpected queue and in
 * matched probes, with the cost of keeping them. */
#include "libmpi/p2p/credit.h"

#include "libmpi/core/event.h"

#include <stdatomic.h>

enum { CREDIT_YES, CREDIT_NO }; /* the tag of FRAME_CREDIT */

int p2p_credit_send(int peer)
{
	struct p2p_peer *p = p2p_peer(peer);
	int tag = p->no_credit ? CREDIT_NO : CREDIT_YES;

	if (!p->credit_due || via_put(peer, 0, tag, FRAME_CREDIT, NULL, 0) != 0)
		return 0;
	p->credit_due = false;
	return 1;
}

void p2p_peer_greet(int peer)
{
	struct p2p_peer *p = p2p_peer(peer);

	if (p->credit_due || p->lost != PEER_HERE)
		return;
	p->credit_due = true;
	p2p_credit_send(peer);
	p->credit_due = false; /* if it could not go, there are frames that connect as well */
}

void p2p_unexpected_restart(void)
{
	struct p2p_count *count = &p2p_state.count;

	count->unexpected_peak = count->unexpected_bytes;
}

void p2p_credit_use(int peer, int64_t bytes)
{
	struct p2p_peer *p = p2p_peer(peer);
	struct p2p_count *count = &p2p_state.count;
	int64_t max = p2p_state.unexpected_max;
	bool over;

	p->unexpected_bytes += bytes;
	count->unexpected_bytes += bytes;
	atomic_signal_fence(memory_order_seq_cst); /* p2p_unexpected_restart in a signal handler */
	if (count->unexpected_bytes > count->unexpected_peak)
		count->unexpected_peak = count->unexpected_bytes;
	over = p->unexpected_bytes > (p->no_credit ? max / 2 : max);
	if (likely(over == p->no_credit) || peer == p2p_state.me || p->lost != PEER_HERE)
		return;
	p->no_credit = over;
	/* If the last change has not been sent yet, neither needs to be sent. */
	p->credit_due = !p->credit_due;
	count->stops_sent += over;
	if (over)
		haft_event(EVENT_SENDER_HELD, NULL, peer, 0, 0, 0);
	if (p->credit_due && p2p_credit_send(peer) == 0)
		p2p_peer_enlist(peer);
}

void p2p_credit_received(int peer, bool credit)
{
	struct via_peer *v = via_peer_get(peer);
	struct p2p_peer *p = p2p_peer(peer);

	if (!credit)
		p->eager = -1;
	else
		p->eager = via_is_local(peer) ? p2p_state.eager : p2p_state.eager_remote;
	v->direct = p2p_state.checks || v->put_seat == 0 ? 0 : p->eager + 1;
	p2p_state.count.stops_received += !credit;
}

void p2p_credit_got(const struct shm_frame *f)
{
	p2p_credit_received(f->src, f->tag == CREDIT_YES);
}
