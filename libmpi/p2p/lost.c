// SPDX-License-Identifier: BSD-3-Clause
/* lost.c - a far peer that is gone: nothing waits for it, and every operation with it says why.
 *
 *     via ──> p2p_lost ──┬── its out queue: frames that will not go
 *                        ├── sends that it has not asked for (ids)
 *                        ├── receives posted for it; and for anybody, if it may have been it
 *                        └── partitioned operations
 *     flows have failed before, by libnet; what comes later meets VIA_LOST, or lost_check
 *
 * A peer that left (it has ended MPI in good order) fails no receive from anybody: another may
 * still send.  One that was lost does, once: whoever waits for anybody cannot know that it was not
 * this one, and may go on with the others afterwards.
 *
 * One whose frames make no sense takes the job with it: p2p_nonsense. */
#include "libmpi/p2p/inner.h"

#include "libmpi/core/err.h"
#include "libmpi/core/state.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* haft_err with the words for a peer. */
static int lost_err(int peer)
{
	const struct p2p_peer *p = p2p_peer(peer);

	haft_lost(peer);
	return haft_err(MPI_ERR_PROC_ABORTED, "rank %d of the job, on host %s, is %s: %s", peer,
		via_host(peer), p->lost == PEER_LEFT ? "no longer in MPI" : "lost",
		p->words != NULL ? p->words : via_error_text(peer, VIA_LOST));
}

void peer_fail(struct req *r, int peer, int err)
{
	if (r->res.error != 0)
		return;
	if (err == VIA_LOST)
		req_fail(r, lost_err(peer));
	else
		req_fail(r, haft_err(MPI_ERR_NO_MEM, "%lld bytes to rank %d of the job: %s",
				    (long long)r->bytes, peer, via_error_text(peer, err)));
}

/* Has the communicator another member that may still send? */
static bool others_left(const struct comm *c)
{
	const struct group *g = comm_peers(c);
	bool gone = false;

	for (int i = 0; i < g->size; i++) {
		int peer = group_peer(g, i);

		if (peer != p2p.me && p2p_peer_seen(via_peer(peer))->lost == PEER_HERE)
			return true;
		gone = gone || peer != p2p.me;
	}
	return !gone;
}

int lost_check_slow(int peer, const struct comm *c)
{
	const struct group *g = comm_peers(c);

	if (peer >= 0)
		return p2p_peer_seen(via_peer(peer))->lost != PEER_HERE ? lost_err(peer) : 0;
	if (others_left(c))
		return 0;
	for (int i = 0; i < g->size; i++)
		if (group_peer(g, i) != p2p.me)
			return lost_err(group_peer(g, i));
	return 0;
}

bool lost_member(int peer, const struct comm *c)
{
	return group_rank_of(comm_peers(c), peer) >= 0;
}

static bool waits_for(const struct req *r, void *arg)
{
	int peer = *(int *)arg;

	if (r->peer != MPI_ANY_SOURCE)
		return r->peer == peer;
	return p2p_peer_seen(via_peer(peer))->lost == PEER_LOST && lost_member(peer, r->comm);
}

static void fail_receives(int peer)
{
	struct req *r = match_cut(waits_for, &peer), *next;

	for (; r != NULL; r = next) {
		next = r->next;
		r->next = NULL;
		peer_fail(r, peer, VIA_LOST);
		req_finish(r);
	}
}

/* A message that was asked back of a peer that has left will not be received. */
static void fail_asked(int peer, bool left)
{
	for (uint32_t i = 0; i < p2p.ids.n; i++) {
		struct req *r = ids_get(&p2p.ids, i);

		if (r == NULL || r->peer != peer ||
			(r->state != STATE_ASKED && r->state != STATE_WITHDRAW))
			continue;
		ids_give(&p2p.ids, i);
		if (left && cancel_left(r))
			continue;
		peer_fail(r, peer, VIA_LOST);
		req_finish(r);
	}
}

void p2p_lost(int peer, bool left, const char *words)
{
	struct p2p_peer *p = p2p_peer(peer);

	p->lost = left ? PEER_LEFT : PEER_LOST;
	p->words = strdup(words);
	p->tell = false;
	p2p.lost++;
	p2p.last_lost = left ? p2p.last_lost : peer;
	p2p.broken += !left;
	out_push(peer); /* everything there meets VIA_LOST */
	fail_asked(peer, left);
	fail_receives(peer);
	part_lost(peer);
}

/* --- a peer that makes no sense ------------------------------------------------------------- */

void p2p_nonsense(int peer, const char *fmt, ...)
{
	char what[128], line[384];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(line, sizeof(line),
		"rank %d of the job, on host %s, has sent rank %d what makes no sense: %s", peer,
		via_host(peer), p2p.me, what);
	haft_abort_job(MPI_ERR_INTERN, line);
}
