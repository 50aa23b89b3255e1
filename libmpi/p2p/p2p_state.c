// SPDX-License-Identifier: BSD-3-Clause
/* p2p_state.c - the engine's one state, and whether its queues are as p2p_state.h says. */
#include "libmpi/p2p/p2p_state.h"

#include "libmpi/p2p/p2p.h"

HAFT_HOT_DATA struct p2p_state p2p_state;
struct p2p_hooks p2p_hooks;

const struct p2p_count *p2p_counts(void)
{
	return &p2p_state.count;
}

void p2p_messages_watch(void)
{
	p2p_state.watched = true;
}

/* --- the invariants ------------------------------------------------------------------------- */

static bool queue_ends_valid(const struct req_queue *q)
{
	const struct req *last = NULL;

	for (const struct req *r = q->head; r != NULL; r = r->next)
		last = r;
	return last == q->tail;
}

/* Which states may wait with a frame. */
static bool queue_state_is_out(int state)
{
	return state == STATE_OUT_EAGER || state == STATE_OUT_RTS || state == STATE_OUT_CTS ||
	       state == STATE_OUT_FIN || state == STATE_OUT_FRAME || state == STATE_OUT_COOP_DONE ||
	       state == STATE_OUT_COOP_FAILED;
}

static bool queue_states_valid(const struct p2p_peer *p)
{
	for (const struct req *r = p->out.head; r != NULL; r = r->next)
		if (!queue_state_is_out(r->state) || r->done)
			return false;
	for (const struct req *r = p->pipe_sends.head; r != NULL; r = r->next)
		if (r->state != STATE_PIPE_SEND || r->done || r->moved >= r->bytes)
			return false;
	for (const struct req *r = p->pipe_recvs.head; r != NULL; r = r->next)
		if (r->state != STATE_PIPE_RECV || r->done || r->moved > r->recv.total)
			return false;
	return true;
}

static bool queue_has_work(const struct p2p_peer *p)
{
	return p->out.head != NULL || p->pipe_sends.head != NULL || p->pipe_recvs.head != NULL ||
	       p->pending != NULL || p->credit_due;
}

bool p2p_queues_valid(void)
{
	for (const struct via_peer *row = via.peers_made; row != NULL; row = row->next) {
		const struct p2p_peer *p = p2p_peer_seen(row);

		if (!queue_ends_valid(&p->out) || !queue_ends_valid(&p->pipe_sends) ||
			!queue_ends_valid(&p->pipe_recvs) || !queue_states_valid(p))
			return false;
		if ((!p->listed && queue_has_work(p)) || p->unexpected_bytes < 0)
			return false;
	}
	return id_table_valid(&p2p_state.ids);
}
