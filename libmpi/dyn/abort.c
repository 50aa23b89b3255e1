// SPDX-License-Identifier: BSD-3-Clause
/* abort.c - MPI_Abort, and an error that ends processes.
 *
 *      MPI_Abort(c) ──> FRAME_ABORT to each alias in c ──> there: abort_got ──> the same choice
 *           │
 *           ├─ failures are not survived ──> haft_abort_job: this job, and the jobs that
 *           │                                mpiexec knows to be connected to it
 *           └─ they are (HAFT_FT) ─────────> dyn_abort_group: mpiexec ends the members of c, and
 *                                            the others see that these have failed
 *
 * A job whose processes do not survive the failure of one ends as a whole, which 11.4.2 permits.  A
 * process ends only for one that it is connected to: frames of others are not taken. */
#include "libmpi/dyn/abort.h"

#include "libmpi/boot/control.h"
#include "libmpi/core/attr_name.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/process_state.h"
#include "libmpi/ft/ft.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/via/alias.h"
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ABORT_MS 1000 /* so long a process that has aborted waits until others are told */
#define WORDS    1024 /* bytes of the message to them */
#define RUNS     512  /* of a request to mpiexec */

static void abort_got(const struct shm_frame *f)
{
	char words[WORDS], text[WORDS + 128];

	if (f->len == 0 || f->len > sizeof(words) || (!via_is_alias(f->src) && !ft_is_on()))
		p2p_protocol_error(f->src, "an abort of %u bytes", f->len);
	memcpy(words, f->data, f->len);
	words[f->len - 1] = '\0';
	snprintf(text, sizeof(text), "a process on host %s has ended %s: %s", via_host(f->src),
		ft_is_on() ? "this one" : "this job", words);
	if (ft_is_on())
		haft_abort_process(f->tag, text);
	haft_abort_job(f->tag, text);
}

/* Tells members that are aliases, or all. */
static bool abort_send(const struct group *g, bool all, int code, const char *words)
{
	bool some = false;

	for (int r = 0; r < g->size; r++) {
		int peer = group_peer(g, r);

		if (peer == haft_life.peer || (!all && !via_is_alias(peer)) || p2p_peer_gone(peer))
			continue;
		p2p_abort_send(peer, code, words);
		some = true;
	}
	return some;
}

static void abort_tell(const struct comm *c, bool all, int code, const char *words)
{
	char text[WORDS];
	bool some;

	snprintf(text, sizeof(text), "%s", words);
	some = abort_send(c->group, all, code, text);
	if (c->remote != NULL)
		some |= abort_send(c->remote, all, code, text);
	if (some)
		p2p_flush_for(ABORT_MS);
}

void dyn_abort_members(const struct comm *c, int code, const char *words)
{
	if (c != NULL && !via_single_node() && via_alias_any())
		abort_tell(c, false, code, words);
}

/* --- a group, where failures are survived --------------------------------------------------- */

/* Members that are going to be told to mpiexec. */
struct abort_runs {
	struct boot_run v[RUNS];
	int n, code;
};

static void abort_runs_add(struct abort_runs *s, const struct group *g)
{
	for (int r = 0; g != NULL && r < g->size; r++) {
		int peer = group_peer(g, r);
		struct boot_run *last = s->n > 0 ? &s->v[s->n - 1] : NULL;

		if (via_is_alias(peer))
			continue;
		if (last != NULL && peer == last->first + last->n) {
			last->n++;
			continue;
		}
		if (s->n == RUNS) {
			boot_group_abort(s->v, s->n, s->code, "", false);
			s->n = 0;
		}
		s->v[s->n++] = (struct boot_run){peer, 1};
	}
}

void dyn_abort_group(const struct comm *c, int code, const char *words)
{
	struct abort_runs s = {.code = code};

	dyn_abort_members(c, code, words);
	if (c != NULL) {
		abort_runs_add(&s, c->group);
		abort_runs_add(&s, c->remote);
	}
	if (boot_group_abort(s.v, s.n, code, words, true)) {
		haft_flush();
		_Exit((code & 255) != 0 ? code & 255 : 1);
	}
	if (c != NULL)
		abort_tell(c, true, code, words);
	haft_abort_process(code != 0 ? code : 1, words);
}

/* --- the call ------------------------------------------------------------------------------- */

HAFT_START void dyn_abort_open(void)
{
	p2p_deliver_register(FRAME_ABORT, abort_got, P2P_FROM_LIVE);
}

int dyn_abort(struct comm *c, int code)
{
	char name[MPI_MAX_OBJECT_NAME] = "", text[MPI_MAX_OBJECT_NAME + 96];
	int len;

	obj_name_get(c, name, sizeof(name), OBJ_C, &len);
	snprintf(text, sizeof(text), "MPI_Abort: rank %d of %s gave up with code %d", c->rank,
		len > 0 ? name : "a communicator", code);
	if (haft_life_hooks.uncommitted != NULL)
		haft_life_hooks.uncommitted(false);
	if (ft_is_on())
		dyn_abort_group(c, code, text);
	dyn_abort_members(c, code, text);
	haft_abort_job(code, text);
}
