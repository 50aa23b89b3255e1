// SPDX-License-Identifier: BSD-3-Clause
/* abort.c - MPI_Abort, and a fatal error, on a communicator with members of other universes.
 *
 *      MPI_Abort(c) ──> FRAME_ABORT to each alias in c ──> there: abort_got ──> haft_abort_job
 *           └────────> life_abort: this job, and what mpiexec knows to be connected to it
 *
 * A process ends its job only for one that it is connected to: frames of others are not taken. */
#include "libmpi/dyn/abort.h"

#include "libmpi/core/attr_name.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/process_state.h"
#include "libmpi/life/life.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/via/alias.h"
#include <engine.h>
#include <stdio.h>
#include <string.h>

#define ABORT_MS 1000 /* so long a process that has aborted waits until others are told */
#define WORDS    1024 /* bytes of the message to them */

static void abort_got(const struct shm_frame *f)
{
	char words[WORDS], text[WORDS + 128];

	if (f->len == 0 || f->len > sizeof(words) || !via_is_alias(f->src))
		p2p_protocol_error(f->src, "an abort of %u bytes", f->len);
	memcpy(words, f->data, f->len);
	words[f->len - 1] = '\0';
	snprintf(text, sizeof(text), "a connected job, on host %s, has ended this one: %s",
		via_host(f->src), words);
	haft_abort_job(f->tag, text);
}

static bool abort_send(const struct group *g, int code, const char *words)
{
	bool some = false;

	for (int r = 0; r < g->size; r++) {
		int peer = group_peer(g, r);

		if (!via_is_alias(peer) || p2p_peer_gone(peer))
			continue;
		p2p_abort_send(peer, code, words);
		some = true;
	}
	return some;
}

void dyn_abort_members(const struct comm *c, int code, const char *words)
{
	char text[WORDS];
	bool some;

	if (c == NULL || via_single_node() || !via_alias_any())
		return;
	snprintf(text, sizeof(text), "%s", words);
	some = abort_send(c->group, code, text);
	if (c->remote != NULL)
		some |= abort_send(c->remote, code, text);
	if (some)
		p2p_flush_for(ABORT_MS);
}

void dyn_abort_open(void)
{
	p2p_deliver_register(P2P_FRAME_ABORT, abort_got, P2P_FROM_LIVE);
}

int dyn_abort(struct comm *c, int code)
{
	char name[MPI_MAX_OBJECT_NAME] = "", text[MPI_MAX_OBJECT_NAME + 96];
	int len;

	obj_name_get(c, name, sizeof(name), OBJ_C, &len);
	snprintf(text, sizeof(text), "MPI_Abort by rank %d of %s with code %d", c->rank,
		len > 0 ? name : "a communicator", code);
	dyn_abort_members(c, code, text);
	return life_abort(c, code);
}
