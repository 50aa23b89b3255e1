// SPDX-License-Identifier: BSD-3-Clause
/* failed.c - the processes that have failed, and receives that may have lost their sender.
 *
 *      receive from any source, with a request          comm.acked reaches the failure
 *        posted ── a member fails ──> pended: done, ──────────────────────────> posted again
 *                                     PROC_FAILED_PENDING ── a message comes ─> matched
 *
 * A pended receive stays in its queue, so messages keep their order.  It is not `contiguous', so a
 * message that matches it comes by recv_matched, which unpends it.
 *
 * The list of the failed only grows.  So the first n failed members of a communicator are always
 * the same, and `acked' is an index into the list.  A process that no communicator has any more
 * leaves a -1. */
#include "libmpi/p2p/failed.h"

#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/p2p/fail.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/request.h"
#include <mpi-ext.h>
#include <stdlib.h>

struct p2p_suspects p2p_suspects;

void p2p_failed_add(int peer)
{
	int32_t *more = realloc(p2p_state.failed, (p2p_state.nfailed + 1) * sizeof(*more));

	if (more == NULL)
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for the list of failed processes");
	p2p_state.failed = more;
	more[p2p_state.nfailed++] = peer;
}

void p2p_failed_forget(int peer)
{
	for (uint32_t i = 0; i < p2p_state.nfailed; i++)
		if (p2p_state.failed[i] == peer)
			p2p_state.failed[i] = -1;
	if (p2p_state.last_lost == peer)
		p2p_state.last_lost = -1;
}

uint32_t p2p_failed_count(void)
{
	return p2p_state.nfailed;
}

int p2p_failed_at(uint32_t i)
{
	return p2p_state.failed[i];
}

bool p2p_peer_gone(int peer)
{
	return p2p_peer_seen(via_peer(peer))->lost != PEER_HERE;
}

/* --- members -------------------------------------------------------------------------------- */

bool p2p_comm_has(const struct comm *c, int peer)
{
	if (c->whole != NULL)
		c = c->whole;
	return group_rank_of(c->group, peer) >= 0 ||
	       (c->remote != NULL && group_rank_of(c->remote, peer) >= 0);
}

int p2p_comm_failed(const struct comm *c)
{
	for (uint32_t i = 0; i < p2p_state.nfailed; i++)
		if (p2p_comm_has(c, p2p_state.failed[i]))
			return p2p_state.failed[i];
	return -1;
}

bool p2p_comm_broken(const struct comm *c)
{
	return (c->hints & COMM_REVOKED) != 0 || (p2p_state.ft && p2p_comm_failed(c) >= 0);
}

/* --- receives from any source --------------------------------------------------------------- */

int p2p_comm_unacked(const struct comm *c)
{
	for (uint32_t i = c->acked; i < p2p_state.nfailed; i++)
		if (p2p_peer_in_comm(p2p_state.failed[i], c))
			return p2p_state.failed[i];
	return -1;
}

/* Has it a handle that the user may wait for? */
static bool req_has_user(const struct req *r)
{
	return r->o.token != 0 && !r->orphan && r->whole == NULL && r->open_parts == 0 &&
	       r->ops == NULL;
}

bool p2p_req_may_pend(const struct req *r, int err)
{
	return err == MPIX_ERR_PROC_FAILED && r->peer == MPI_ANY_SOURCE && req_has_user(r) &&
	       p2p_comm_unacked(r->comm) >= 0;
}

bool p2p_req_pend(struct req *r, int peer)
{
	int err;

	if (!req_has_user(r) || p2p_comm_unacked(r->comm) < 0)
		return false;
	if (p2p_req_pended(r))
		return true;
	p2p_fail_request(r, peer, VIA_LOST);
	err = p2p_req_error(r, MPIX_ERR_PROC_FAILED_PENDING);
	r->res.error = err;
	r->recv.contiguous = false;
	r->done = true;
	return true;
}

void p2p_req_unpend(struct req *r)
{
	r->res.error = 0;
	free(r->errwords);
	r->errwords = NULL;
	r->done = false;
}

static bool acked_unpend(const struct req *r, void *arg)
{
	if (r->comm == arg && p2p_req_pended(r))
		p2p_req_unpend((struct req *)(uintptr_t)r);
	return false;
}

void p2p_comm_acked(const struct comm *c)
{
	if (p2p_comm_unacked(c) < 0)
		p2p_match_unpost_if(acked_unpend, (void *)(uintptr_t)c);
}

/* --- rumours -------------------------------------------------------------------------------- */

void p2p_peer_suspect(int peer)
{
	if (peer != p2p_state.me && !p2p_peer_gone(peer) && p2p_suspects.n < P2P_SUSPECTS)
		p2p_suspects.peer[p2p_suspects.n++] = peer;
}
