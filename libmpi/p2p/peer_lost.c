// SPDX-License-Identifier: BSD-3-Clause
/* peer_lost.c - a remote peer is gone: ends the operations with it that wait.
 *
 *     via ──> p2p_peer_lost ──┬── its queue `out': frames that will not go
 *                             ├── sends that wait for its CTS (p2p_state.ids)
 *                             ├── receives posted for it, and those for any source
 *                             └── partitioned operations
 *     Streams have failed before, by the network transport.
 *
 * A peer that left has ended MPI in good order.  It fails no receive from any source: another peer
 * may still send.  A peer that was lost fails each of those once, since the message may have been
 * its; the next receive goes on with the others. */
#include "libmpi/p2p/cancel.h"
#include "libmpi/p2p/fail.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/outq.h"
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/p2p/partitioned.h"
#include "libmpi/p2p/request.h"
#include <stdlib.h>
#include <string.h>

static bool lost_waits_for(const struct req *r, void *arg)
{
	int peer = *(int *)arg;

	if (r->peer != MPI_ANY_SOURCE)
		return r->peer == peer;
	return p2p_peer_seen(via_peer(peer))->lost == PEER_LOST && p2p_peer_in_comm(peer, r->comm);
}

static void lost_fail_recvs(int peer)
{
	struct req *r = p2p_match_unpost_if(lost_waits_for, &peer), *next;

	for (; r != NULL; r = next) {
		next = r->next;
		r->next = NULL;
		p2p_fail_request(r, peer, VIA_LOST);
		p2p_req_finish(r);
	}
}

/* A cancelled send to a peer that has left is cancelled: no receive will match it. */
static void lost_fail_sends(int peer, bool left)
{
	for (uint32_t i = 0; i < p2p_state.ids.n; i++) {
		struct req *r = id_table_get(&p2p_state.ids, i);

		if (r == NULL || r->peer != peer ||
			(r->state != STATE_AWAIT_CTS && r->state != STATE_CANCELLING))
			continue;
		id_table_drop(&p2p_state.ids, i);
		if (left && p2p_cancel_peer_left(r))
			continue;
		p2p_fail_request(r, peer, VIA_LOST);
		p2p_req_finish(r);
	}
}

void p2p_peer_lost(int peer, bool left, const char *words)
{
	struct p2p_peer *p = p2p_peer(peer);

	p->lost = left ? PEER_LEFT : PEER_LOST;
	p->lost_words = strdup(words);
	p->credit_due = false;
	p2p_state.lost++;
	p2p_state.last_lost = left ? p2p_state.last_lost : peer;
	p2p_state.broken += !left;
	p2p_out_push(peer); /* each put returns VIA_LOST */
	lost_fail_sends(peer, left);
	lost_fail_recvs(peer);
	p2p_part_peer_lost(peer);
}

bool p2p_peer_ended(int peer, const char *words)
{
	struct p2p_peer *p = p2p_peer(peer);

	if (p->lost == PEER_HERE)
		p2p_peer_lost(peer, true, words);
	if (p->lost != PEER_LEFT || p->busy || p->out.head != NULL || p->pipe_sends.head != NULL ||
		p->pipe_recvs.head != NULL || p->pending != NULL || p->unexpected_bytes != 0)
		return false;
	free(p->lost_words);
	p->lost_words = NULL;
	p2p_state.lost--;
	return true;
}
