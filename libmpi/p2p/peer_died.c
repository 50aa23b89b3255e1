// SPDX-License-Identifier: BSD-3-Clause
/* peer_died.c - a process has ended, and the job goes on.
 *
 *      p2p_peer_died ──> its frames and chunks are taken ──> p2p_peer_lost
 *
 *      p2p_peer_suspect (failed.c) ── next pass ──> p2p_peer_died */
#include "libmpi/core/clock.h"
#include "libmpi/p2p/deliver.h"
#include "libmpi/p2p/failed.h"
#include "libmpi/p2p/pipe_copy.h"
#include <stdio.h>
#include <stdlib.h>

#define DYING_NS     100000000u /* for the end of a connection, which comes at once */
#define DRAIN_PASSES 100000     /* each takes a batch of frames: more than any queue holds */

/* Remote processes that have ended, as the launcher has told: they have died while a connection is
 * open, or have left without one, unless one that they began is still to be accepted. */
struct dying {
	struct dying *next;
	int peer;
	bool left;
	uint64_t until_ns;
	char words[160];
};

static struct dying *dying;

/* Takes all that the process has put: frames are whole when they can be seen. */
static void died_drain(int peer)
{
	for (int i = 0; i < DRAIN_PASSES && p2p_poll_from(peer) > 0; i++)
		;
	for (int i = 0; i < DRAIN_PASSES && via_poll() > 0; i++)
		;
	p2p_pipe_pull(peer);
}

static void died_end(int peer, bool left, const char *words)
{
	if (peer == p2p_state.me || p2p_peer_gone(peer))
		return;
	p2p_peer(peer);
	if (via_is_local(peer))
		died_drain(peer);
	if (p2p_peer_gone(peer)) /* a connection was found broken meanwhile */
		return;
	via_peer_died(peer);
	p2p_peer_end(peer, left, words);
}

void p2p_peer_died(int peer, const char *words)
{
	p2p_failures_survive();
	died_end(peer, false, words);
}

void p2p_peer_spawn_failed(int peer, const char *words)
{
	if (!p2p_peer_gone(peer))
		p2p_peer(peer)->spawn_failed = true;
	died_end(peer, false, words);
}

/* False: no memory. */
static bool dying_add(int peer, bool left, const char *words)
{
	struct dying *d = malloc(sizeof(*d));

	if (d == NULL)
		return false;
	d->peer = peer;
	d->left = left;
	d->until_ns = clock_now_ns() + DYING_NS;
	snprintf(d->words, sizeof(d->words), "%s", words);
	d->next = dying;
	dying = d;
	return true;
}

void p2p_peer_dies(int peer, const char *words)
{
	p2p_failures_survive();
	if (!via_connected(peer) || p2p_peer_gone(peer) || !dying_add(peer, false, words))
		p2p_peer_died(peer, words);
}

void p2p_peer_left(int peer, const char *words)
{
	if (via_is_local(peer))
		died_end(peer, true, words);
	else if (p2p_state.ft && !via_connected(peer) && !p2p_peer_gone(peer))
		dying_add(peer, true, words); /* else its connection says so */
}

/* Ends those whose connections have ended, or do not end. */
static int died_pass(void)
{
	struct dying **link = &dying, *d;
	int moved = 0;

	while ((d = *link) != NULL) {
		if (!p2p_peer_gone(d->peer) && clock_now_ns() < d->until_ns) {
			link = &d->next;
			continue;
		}
		*link = d->next;
		if (!d->left || !via_connected(d->peer))
			died_end(d->peer, d->left, d->words);
		free(d);
		moved++;
	}
	return moved;
}

/* The launcher's notice, which may be on its way, says more. */
static void died_suspect(int peer)
{
	char words[160] = "another process has noticed that it has failed";

	via_notice_poll();
	if (!p2p_peer_gone(peer) && p2p_hooks.lost_words != NULL)
		p2p_hooks.lost_words(peer, words, sizeof(words));
	p2p_peer_died(peer, words);
}

static int died_suspects(void)
{
	struct p2p_suspects now = p2p_suspects;

	p2p_suspects.n = 0;
	for (int i = 0; i < now.n; i++)
		died_suspect(now.peer[i]);
	return dying != NULL ? now.n + died_pass() : now.n;
}

void p2p_failures_survive(void)
{
	if (!p2p_state.ft)
		p2p_progress_hook(died_suspects);
	p2p_state.ft = true;
}
