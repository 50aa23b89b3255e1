// SPDX-License-Identifier: BSD-3-Clause
/* fail.c - a far peer that is gone: nothing waits for it, and every operation with it says why.
 *
 *     via ──> p2p_peer_lost ──┬── its out queue: frames that will not go
 *                        ├── sends that it has not asked for (ids)
 *                        ├── receives posted for it; and for anybody, if it may have been it
 *                        └── partitioned operations
 *     flows have failed before, by libnet; what comes later meets VIA_LOST, or p2p_peer_check
 *
 * A peer that left (it has ended MPI in good order) fails no receive from anybody: another may
 * still send.  One that was lost does, once: whoever waits for anybody cannot know that it was not
 * this one, and may go on with the others afterwards.
 *
 * One whose frames make no sense takes the job with it: p2p_protocol_error. */
#include "libmpi/p2p/p2p_state.h"

#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* haft_err with the words for a peer. */
static int fail_peer_error(int peer)
{
	const struct p2p_peer *p = p2p_peer(peer);

	haft_peer_lost(peer);
	return haft_err(MPI_ERR_PROC_ABORTED, "rank %d of the job, on host %s, is %s: %s", peer,
		via_host(peer), p->lost == PEER_LEFT ? "no longer in MPI" : "lost",
		p->words != NULL ? p->words : via_error_text(peer, VIA_LOST));
}

void p2p_fail_request(struct req *r, int peer, int err)
{
	if (r->res.error != 0)
		return;
	if (err == VIA_LOST)
		p2p_req_set_error(r, fail_peer_error(peer));
	else
		p2p_req_set_error(
			r, haft_err(MPI_ERR_NO_MEM, "%lld bytes to rank %d of the job: %s",
				   (long long)r->bytes, peer, via_error_text(peer, err)));
}

/* Has the communicator another member that may still send? */
static bool fail_others_left(const struct comm *c)
{
	const struct group *g = comm_peers(c);
	bool gone = false;

	for (int i = 0; i < g->size; i++) {
		int peer = group_peer(g, i);

		if (peer != p2p_state.me && p2p_peer_seen(via_peer(peer))->lost == PEER_HERE)
			return true;
		gone = gone || peer != p2p_state.me;
	}
	return !gone;
}

int p2p_peer_check_slow(int peer, const struct comm *c)
{
	const struct group *g = comm_peers(c);

	if (peer >= 0)
		return p2p_peer_seen(via_peer(peer))->lost != PEER_HERE ? fail_peer_error(peer) : 0;
	if (fail_others_left(c))
		return 0;
	for (int i = 0; i < g->size; i++)
		if (group_peer(g, i) != p2p_state.me)
			return fail_peer_error(group_peer(g, i));
	return 0;
}

bool p2p_peer_in_comm(int peer, const struct comm *c)
{
	return group_rank_of(comm_peers(c), peer) >= 0;
}

static bool fail_waits_for(const struct req *r, void *arg)
{
	int peer = *(int *)arg;

	if (r->peer != MPI_ANY_SOURCE)
		return r->peer == peer;
	return p2p_peer_seen(via_peer(peer))->lost == PEER_LOST && p2p_peer_in_comm(peer, r->comm);
}

static void fail_recvs(int peer)
{
	struct req *r = p2p_match_unpost_if(fail_waits_for, &peer), *next;

	for (; r != NULL; r = next) {
		next = r->next;
		r->next = NULL;
		p2p_fail_request(r, peer, VIA_LOST);
		p2p_req_finish(r);
	}
}

/* A message that was asked back of a peer that has left will not be received. */
static void fail_sends(int peer, bool left)
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
	p->words = strdup(words);
	p->tell = false;
	p2p_state.lost++;
	p2p_state.last_lost = left ? p2p_state.last_lost : peer;
	p2p_state.broken += !left;
	p2p_out_push(peer); /* everything there meets VIA_LOST */
	fail_sends(peer, left);
	fail_recvs(peer);
	p2p_part_peer_lost(peer);
}

/* --- a peer that makes no sense ------------------------------------------------------------- */

void p2p_protocol_error(int peer, const char *fmt, ...)
{
	char what[128], line[384];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(line, sizeof(line),
		"rank %d of the job, on host %s, has sent rank %d what makes no sense: %s", peer,
		via_host(peer), p2p_state.me, what);
	haft_abort_job(MPI_ERR_INTERN, line);
}
