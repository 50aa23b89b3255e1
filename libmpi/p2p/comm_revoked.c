// SPDX-License-Identifier: BSD-3-Clause
/* comm_revoked.c - a communicator is revoked: its messages that wait.
 *
 *      p2p_comm_revoke ──┬── posted receives fail
 *                        └── sends that are not matched are taken back, as by MPI_Cancel, and fail
 *
 * A message that is matched completes, as both sides live. */
#include "libmpi/p2p/cancel.h"
#include "libmpi/p2p/failed.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/request.h"

static bool revoked_has(const struct req *r, void *arg)
{
	const struct comm *c = arg;

	return r->ctx / CTX_PLANES == c->ctx / CTX_PLANES;
}

static void revoked_fail(struct req *r, const struct comm *c)
{
	if (p2p_req_pended(r))
		p2p_req_unpend(r);
	p2p_req_fail(r, p2p_comm_error(c));
	p2p_req_finish(r);
}

static void revoked_recvs(struct comm *c)
{
	struct req *r = p2p_match_unpost_if(revoked_has, c), *next;

	for (; r != NULL; r = next) {
		next = r->next;
		r->next = NULL;
		revoked_fail(r, c);
	}
}

/* Takes back the sends that no receive has matched, as MPI_Cancel would. */
static void revoked_sends(struct comm *c)
{
	for (uint32_t i = 0; i < p2p_state.ids.n; i++) {
		struct req *r = id_table_get(&p2p_state.ids, i);

		if (r == NULL || r->kind != REQ_SEND || r->state != STATE_AWAIT_CTS ||
			!revoked_has(r, c))
			continue;
		p2p_req_fail(r, p2p_comm_error(c));
		p2p_cancel_revoked(r);
	}
}

void p2p_comm_revoke(struct comm *c)
{
	c->hints |= COMM_REVOKED;
	c->reach = 0;
	p2p_state.lost++; /* receives go the long way from now on, and are refused there */
	revoked_recvs(c);
	revoked_sends(c);
}
