// SPDX-License-Identifier: BSD-3-Clause
/* comm_broken.c - a communicator is revoked, or has lost a member: its messages that wait.
 *
 *      revoked        all messages, partitioned as well  ──┬── posted receives fail
 *      a member lost  those of collective calls, as the    └── sends that are not matched are taken
 *                     others may have given the call up        back, as by MPI_Cancel, and fail;
 *                                                              without a revocation their receivers
 *                                                              get an error instead
 *
 * A message that is matched completes, as both sides live. */
#include "libmpi/p2p/cancel.h"
#include "libmpi/p2p/failed.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/partitioned.h"
#include "libmpi/p2p/request.h"

#define BROKEN_HOOKS 2 /* windows, files */

static void (*broken_hooks[BROKEN_HOOKS])(void);

/* Which messages: those of `revoked', or, if NULL, of collective calls of the peer's. */
struct broken {
	const struct comm *revoked;
	int peer;
};

static bool broken_has(const struct req *r, void *arg)
{
	const struct broken *b = arg;

	if (b->revoked != NULL)
		return r->ctx / CTX_PLANES == b->revoked->ctx / CTX_PLANES;
	return r->comm != NULL && p2p_is_collective(r->ctx, r->comm) &&
	       p2p_comm_has(r->comm, b->peer);
}

static int broken_error(const struct broken *b, const struct req *r)
{
	return p2p_comm_error(b->revoked != NULL ? b->revoked : r->comm);
}

static void broken_recvs(struct broken *b)
{
	struct req *r = p2p_match_unpost_if(broken_has, b), *next;

	for (; r != NULL; r = next) {
		next = r->next;
		r->next = NULL;
		if (p2p_req_pended(r))
			p2p_req_unpend(r);
		p2p_req_fail(r, broken_error(b, r));
		p2p_req_finish(r);
	}
}

/* All learn of a revocation.  But a member may not know yet that another has failed: it must not
 * take a later message of this one for this. */
static void broken_send(const struct broken *b, struct req *r)
{
	int err = broken_error(b, r);
	struct p2p_error_msg instead = p2p_error_of(r->comm, err);

	p2p_req_fail(r, err);
	p2p_cancel_broken(r, (r->comm->hints & COMM_REVOKED) == 0 ? &instead : NULL);
}

/* Takes back the sends that no receive has matched, as MPI_Cancel would. */
static void broken_sends(struct broken *b)
{
	for (uint32_t i = 0; i < p2p_state.ids.n; i++) {
		struct req *r = id_table_get(&p2p_state.ids, i);

		if (r == NULL || r->kind != REQ_SEND || !broken_has(r, b) ||
			(r->state != STATE_AWAIT_CTS && r->state != STATE_OUT_RTS))
			continue;
		broken_send(b, r);
	}
}

HAFT_START void p2p_broken_hook(void (*check)(void))
{
	int i = 0;

	while (i < BROKEN_HOOKS && broken_hooks[i] != NULL && broken_hooks[i] != check)
		i++;
	if (ALWAYS(i < BROKEN_HOOKS))
		broken_hooks[i] = check;
}

static void broken_all(struct broken *b)
{
	broken_recvs(b);
	broken_sends(b);
	for (int i = 0; i < BROKEN_HOOKS && broken_hooks[i] != NULL; i++)
		broken_hooks[i]();
}

struct waiting {
	uint64_t ctx;
	struct comm *c;
};

/* True for none: p2p_match_unpost_if takes none out. */
static bool waiting_found(const struct req *r, void *arg)
{
	struct waiting *w = arg;

	if (r->comm != NULL && r->comm->ctx == w->ctx)
		w->c = r->comm;
	return false;
}

struct comm *p2p_comm_waiting(uint64_t ctx)
{
	struct waiting w = {.ctx = ctx};

	p2p_match_unpost_if(waiting_found, &w);
	for (uint32_t i = 0; i < p2p_state.ids.n; i++) {
		struct req *r = id_table_get(&p2p_state.ids, i);

		if (r != NULL)
			waiting_found(r, &w);
	}
	return w.c;
}

void p2p_comm_revoke(struct comm *c)
{
	struct broken b = {.revoked = c};

	c->hints |= COMM_REVOKED;
	c->reach = 0;
	p2p_state.lost++; /* receives go the long way from now on, and are refused there */
	p2p_part_revoke(c);
	broken_all(&b);
}

void p2p_collectives_lost(int peer)
{
	struct broken b = {.peer = peer};

	if (!p2p_state.ft)
		return;
	broken_all(&b);
}
