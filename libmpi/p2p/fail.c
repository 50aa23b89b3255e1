// SPDX-License-Identifier: BSD-3-Clause
/* fail.c - the errors of operations whose peer is gone, or whose transport has no memory.
 *
 * A peer that is gone has lost_words, and every operation with it fails with them: those under way
 * in peer_lost.c, later ones by p2p_peer_check or by a put that returns VIA_LOST. */
#include "libmpi/p2p/fail.h"

#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/rank_name.h"
#include "libmpi/p2p/request.h"
#include "libmpi/via/alias.h"
#include <mpi-ext.h>
#include <stdarg.h>
#include <stdio.h>

/* haft_err with the words of a peer that is gone.  c: NULL, or a communicator that has it. */
static int fail_peer_error(int peer, const struct comm *c)
{
	const struct p2p_peer *p = p2p_peer(peer);
	bool alias = via_is_alias(peer);
	bool failed = p->lost != PEER_LEFT && p2p_state.ft && !p->spawn_failed;
	int rank = c != NULL ? group_rank_of(comm_peers(c), peer) : -1;
	char here[48] = "", words[256], who[HAFT_RANK_NAME];

	snprintf(words, sizeof(words), "%s",
		p->lost_words != NULL ? p->lost_words : via_error_text(peer, VIA_LOST));
	if (p->lost == PEER_HERE && failed && p2p_hooks.lost_words != NULL)
		p2p_hooks.lost_words(
			peer, words, sizeof(words)); /* a stream fails before its peer */
	if (!alias && !failed)
		haft_peer_lost(peer);
	if (alias)
		snprintf(who, sizeof(who), "process %d of another job",
			via_alias_card(peer)->number);
	else
		haft_number_name(who, peer);
	if (rank >= 0 && c != &haft_world)
		snprintf(here, sizeof(here), " (rank %d of this communicator)", rank);
	return haft_err(failed            ? MPIX_ERR_PROC_FAILED
			: p->spawn_failed ? MPI_ERR_SPAWN
					  : MPI_ERR_PROC_ABORTED,
		"%s%s, on host %s, is %s: %s", who, here, via_host(peer),
		p->lost == PEER_LEFT ? "no longer in MPI" : "lost", words);
}

void p2p_fail_request(struct req *r, int peer, int err)
{
	char who[HAFT_RANK_NAME];

	if (r->res.error != 0)
		return;
	if (err == VIA_LOST)
		p2p_req_fail(r, fail_peer_error(peer, r->comm));
	else
		p2p_req_fail(
			r, haft_err(MPI_ERR_NO_MEM, "%lld bytes to %s: %s", (long long)r->bytes,
				   haft_number_name(who, peer), via_error_text(peer, err)));
}

/* Has the communicator another member that may still send, or none at all? */
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

/* A receive from any source: can no member send any more, or has one failed that is not
 * acknowledged? */
static int fail_any_source(const struct comm *c)
{
	const struct group *g = comm_peers(c);
	int failed = p2p_state.ft ? p2p_comm_unacked(c) : -1;

	if (failed >= 0)
		return fail_peer_error(failed, c);
	if (fail_others_left(c))
		return 0;
	for (int i = 0; i < g->size; i++)
		if (group_peer(g, i) != p2p_state.me)
			return fail_peer_error(group_peer(g, i), c);
	return 0;
}

int p2p_peer_vanished(int peer, const struct comm *c)
{
	if (p2p_state.ft)
		p2p_peer_suspect(peer);
	return fail_peer_error(peer, c);
}

int p2p_peer_check_slow(int peer, const struct comm *c)
{
	if (unlikely((c->hints & COMM_REVOKED) != 0))
		return p2p_comm_error(c);
	if (peer < 0)
		return fail_any_source(c);
	return p2p_peer_seen(via_peer(peer))->lost != PEER_HERE ? fail_peer_error(peer, c) : 0;
}

/* The communicators of windows and files are revoked with these. */
static int fail_revoked(const struct comm *c)
{
	const char *by = c->win != NULL                      ? "MPIX_Win_revoke"
			 : (c->hints & COMM_COLLECTIVE) != 0 ? "MPIX_File_revoke"
							     : "MPIX_Comm_revoke";
	char words[MPI_MAX_OBJECT_NAME];

	return haft_err(MPIX_ERR_REVOKED, "%s is revoked: a member has called %s",
		haft_comm_words(c, "the communicator", words), by);
}

static int fail_incomplete(void)
{
	return haft_err(MPI_ERR_COMM, "the communicator is not made yet: the request of the call "
				      "that makes it is not complete, or has failed");
}

int p2p_comm_error(const struct comm *c)
{
	const struct comm *all = c->whole != NULL ? c->whole : c;
	int peer;

	if (all->differs != NULL)
		return haft_comm_differ_error(all);
	if (c->incomplete)
		return fail_incomplete();
	if ((c->hints & COMM_REVOKED) != 0)
		return fail_revoked(c);
	peer = p2p_comm_failed(c);
	return peer >= 0 ? fail_peer_error(peer, all) : 0;
}

int p2p_recv_check_slow(const struct req *r)
{
	if (p2p_is_collective(r->ctx, r->comm) && p2p_comm_broken(r->comm))
		return p2p_comm_error(r->comm);
	return p2p_peer_check_slow(r->peer, r->comm);
}

bool p2p_peer_in_comm(int peer, const struct comm *c)
{
	return group_rank_of(comm_peers(c), peer) >= 0;
}

void p2p_protocol_error(int peer, const char *fmt, ...)
{
	char what[128], line[384], who[HAFT_RANK_NAME], self[HAFT_RANK_NAME];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(line, sizeof(line), "%s, on host %s, has sent %s what makes no sense: %s",
		haft_number_name(who, peer), via_host(peer), haft_number_name(self, p2p_state.me),
		what);
	haft_abort_job(MPI_ERR_INTERN, line);
}
