// SPDX-License-Identifier: BSD-3-Clause
/* peer_lost.c - a remote peer is gone: ends the operations with it that wait.
 *
 *     via ──> p2p_peer_lost ──┬── its queue `out': frames that will not go
 *                             ├── sends that wait for its CTS (p2p_state.ids)
 *                             ├── receives posted for it, and those for any source
 *                             ├── messages in pipes, and those that both sides copy
 *                             └── partitioned operations
 *     Streams have failed before, by the network transport.
 *
 * A peer that left has ended MPI in good order.  It fails no receive from any source: another peer
 * may still send.  A peer that was lost fails each of those once, since the message may have been
 * its; the next receive goes on with the others.  Where failures are survived (HAFT_FT), a receive
 * with a request stays posted instead, and its completion calls raise: failed.c. */
#include "libmpi/core/event.h"
#include "libmpi/p2p/cancel.h"
#include "libmpi/p2p/claim.h"
#include "libmpi/p2p/fail.h"
#include "libmpi/p2p/failed.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/outq.h"
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/p2p/partitioned.h"
#include "libmpi/p2p/request.h"
#include "libmpi/via/alias.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool lost_waits_for(const struct req *r, void *arg)
{
	int peer = *(int *)arg;

	if (r->peer != MPI_ANY_SOURCE)
		return r->peer == peer;
	if (p2p_peer_seen(via_peer(peer))->lost != PEER_LOST || !p2p_peer_in_comm(peer, r->comm))
		return false;
	return !p2p_state.ft || !p2p_req_pend((struct req *)(uintptr_t)r, peer);
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

/* Does request r wait for a frame of this peer that names it? */
static bool lost_is_named(const struct req *r, int peer)
{
	if (r->kind == REQ_RECV)
		return r->recv.from == peer &&
		       (r->state == STATE_AWAIT_COOP || r->state == STATE_AWAIT_COOP_FAILED);
	return r->peer == peer && (r->state == STATE_AWAIT_CTS || r->state == STATE_CANCELLING);
}

/* A cancelled send to a peer that has left is cancelled: no receive will match it. */
static void lost_fail_named(int peer, bool left)
{
	for (uint32_t i = 0; i < p2p_state.ids.n; i++) {
		struct req *r = id_table_get(&p2p_state.ids, i);

		if (r == NULL || !lost_is_named(r, peer))
			continue;
		id_table_drop(&p2p_state.ids, i);
		if (r->kind == REQ_SEND)
			p2p_claim_end(r);
		if (left && p2p_cancel_peer_left(r))
			continue;
		p2p_fail_request(r, peer, VIA_LOST);
		p2p_req_finish(r);
	}
}

/* Fails the messages in the pipes to and from a local peer. */
static void lost_fail_queue(struct req_queue *q, int peer)
{
	while (q->head != NULL) {
		struct req *r = p2p_queue_pop(q);

		p2p_fail_request(r, peer, VIA_LOST);
		p2p_req_finish(r);
	}
}

void p2p_peer_end(int peer, bool left, const char *words)
{
	struct p2p_peer *p = p2p_peer(peer);

	if (p->lost != PEER_HERE)
		return;
	p->lost = left ? PEER_LEFT : PEER_LOST;
	p->lost_words = strdup(words);
	p->credit_due = false;
	p2p_state.lost++;
	haft_event(EVENT_PEER_LOST, NULL, peer, left, 0, 0);
	p2p_state.last_lost = left ? p2p_state.last_lost : peer;
	p2p_state.broken += !left;
	if (!left)
		p2p_failed_add(peer);
	p2p_out_push(peer); /* each put returns VIA_LOST */
	lost_fail_named(peer, left);
	lost_fail_queue(&p->pipe_sends, peer);
	lost_fail_queue(&p->pipe_recvs, peer);
	lost_fail_recvs(peer);
	p2p_part_peer_lost(peer);
	if (p2p_hooks.lost != NULL)
		p2p_hooks.lost(peer, left);
}

void p2p_peer_lost(int peer, bool left, const char *words)
{
	char better[256];

	snprintf(better, sizeof(better), "%s", words);
	if (!left && !p2p_peer_gone(peer) && p2p_hooks.spawn_failed != NULL &&
		p2p_hooks.spawn_failed(peer, better, sizeof(better)))
		p2p_peer(peer)->spawn_failed = true;
	else if (!left && p2p_state.ft && !p2p_peer_gone(peer) && p2p_hooks.lost_words != NULL)
		p2p_hooks.lost_words(peer, better, sizeof(better));
	p2p_peer_end(peer, left, better);
}

bool p2p_peer_ended(int peer, const char *words)
{
	struct p2p_peer *p = p2p_peer(peer);

	if (p->lost == PEER_HERE)
		p2p_peer_end(peer, true, words);
	if ((p->lost == PEER_LOST && !via_is_alias(peer)) || p->listed || p->out.head != NULL ||
		p->pipe_sends.head != NULL || p->pipe_recvs.head != NULL || p->pending != NULL ||
		p->unexpected_bytes != 0)
		return false;
	if (p->lost == PEER_LOST)
		p2p_failed_forget(peer);
	free(p->lost_words);
	p->lost_words = NULL;
	p2p_state.lost--;
	return true;
}
