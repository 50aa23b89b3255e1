// SPDX-License-Identifier: BSD-3-Clause
/* cancel.c - MPI_Cancel of messages (MPI-5.0 3.8.4).
 *
 *   a receive that is not matched     leaves the posted queue: cancelled
 *   a send whose frame has not gone   leaves its queue: cancelled
 *   a synchronous send to myself      leaves the unexpected queue: cancelled
 *   a synchronous send that has gone  is asked back:
 *
 *        sender                                           receiver
 *        RTS id ──────────────────────────────────────>   no receive has matched it
 *        CANCEL id ───────────────────────────────────>   still none: it leaves the queue
 *             <────────────────────────── CANCEL_OK id    cancelled
 *
 *             <────────────────────── CANCEL_PROBED id    a matched probe has it: the sender
 *                                                         leaves a copy, and is done
 *             <──────────────────────── CTS id, FIN id    a receive has matched it: no other answer
 *
 *   any other send that has gone      done, not cancelled: a copy of its message stays behind
 *
 * An operation that is matched completes as usual.
 *
 * A copy left behind would not do for a synchronous send: done, and not cancelled, would say that
 * the message has been matched.  A matched probe counts as a match, as MPI_Mrecv must find the
 * message.
 *
 * Invariant: the receiver answers CANCEL only if it has sent neither CTS nor FIN of that id.  So
 * the id is still the sender's.  CANCEL is in order with RTS frames, so it names no later message
 * with that id.
 *
 * A collective call that has lost a member takes its sends back in the same way.  But later, short
 * messages of the call may be there already, and a receive must not take one for another.  So
 * CANCEL then brings an error, which has the message's turn. */
#include "libmpi/p2p/cancel.h"

#include "libmpi/core/err.h"
#include "libmpi/core/status.h"
#include "libmpi/p2p/claim.h"
#include "libmpi/p2p/failed.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/outq.h"
#include "libmpi/p2p/recv.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/sig.h"
#include "libmpi/p2p/unexpected.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

static void cancel_succeeded(struct req *r)
{
	r->res.cancelled = true;
	r->res.source = MPI_ANY_SOURCE;
	r->res.tag = MPI_ANY_TAG;
	p2p_req_finish(r);
}

/* No answer to its RTS will come. */
static void cancel_drop_rts(struct req *r)
{
	id_table_drop(&p2p_state.ids, r->send.id);
	p2p_claim_end(r);
}

/* Its frame has not gone. */
static void cancel_drop_queued(struct req *r, const struct p2p_error_msg *instead)
{
	if (instead != NULL)
		p2p_out_replace(r, instead);
	else
		p2p_queue_remove(&p2p_peer(r->peer)->out, r);
	if (r->state == STATE_OUT_RTS)
		cancel_drop_rts(r);
	cancel_succeeded(r);
}

/* --- leaving a copy behind ------------------------------------------------------------------ */

/* A request without a handle for a copy of r's message. */
static int cancel_copy(struct req *r, struct req **copy)
{
	struct p2p_message m = {NULL, r->bytes, type_predefined(MPI_BYTE), r->peer, r->tag};
	struct req *s = p2p_req_new_message(m.type, r->comm);
	char *packed_copy;
	int err;

	if (s == NULL)
		return p2p_req_no_memory();
	err = p2p_req_pack(r->buf, r->count, r->type, r->bytes, &packed_copy);
	if (err != 0) {
		p2p_req_free(s);
		return err;
	}
	m.buf = s->send.copy = packed_copy;
	p2p_req_fill(s, REQ_SEND, &m, r->comm, r->ctx);
	p2p_req_detach(s, NULL);
	*copy = s;
	return 0;
}

/* Finishes a send whose RTS is at its receiver, or, to this process, with a matched probe.  A copy
 * of the message goes when it is received. 0, or MPI_ERR_NO_MEM: nothing has changed. */
static int cancel_leave_copy(struct req *r)
{
	struct req *s = NULL;
	int err;

	if (r->send.claim != 0 && !p2p_claim_revoke(r->send.claim))
		return 0; /* the receiver reads it */
	err = cancel_copy(r, &s);
	if (err != 0)
		return err;
	s->send.sig = p2p_sig_for_copy(r);
	s->send.sync = r->send.sync;
	s->state = r->state;
	s->send.id = r->send.id;
	s->send.claim = r->send.claim;
	r->send.claim = 0; /* a persistent send may start again, with another */
	if (r->peer == p2p_state.me)
		p2p_match_probe_resend(r, s);
	else
		p2p_state.ids.at[r->send.id] = s;
	p2p_req_finish(r);
	return 0;
}

/* --- asking for it back --------------------------------------------------------------------- */

struct cancel_msg {
	uint32_t id;
	struct p2p_error_msg instead; /* of the message; or the frame ends before it */
};

static void cancel_ask_back(struct req *r, const struct p2p_error_msg *instead)
{
	struct cancel_msg m = {.id = r->send.id};
	size_t len = instead != NULL ? sizeof(m) : offsetof(struct cancel_msg, instead);

	if (instead != NULL)
		m.instead = *instead;
	r->state = STATE_CANCELLING;
	p2p_out_frame(r->peer, r->ctx, r->tag, FRAME_CANCEL, &m, (int64_t)len);
}

/* FRAME_CANCEL, at the receiver. */
static void cancel_got_request(const struct shm_frame *f)
{
	struct cancel_msg m;
	struct unexpected *u;

	if (f->len != sizeof(m) && f->len != offsetof(struct cancel_msg, instead))
		p2p_protocol_error(f->src, "a cancellation of %u bytes", f->len);
	memcpy(&m, f->data, f->len);
	u = p2p_match_find_rts(f->ctx, f->src, f->tag, NULL, m.id);
	if (u != NULL) {
		if (f->len == sizeof(m)) {
			p2p_recv_error_instead(u, &m.instead);
		} else {
			p2p_match_remove(u);
			free(u);
		}
		p2p_out_frame(f->src, 0, (int32_t)m.id, FRAME_CANCEL_OK, NULL, 0);
	} else if (p2p_match_probe_has(f->src, m.id)) {
		p2p_out_frame(f->src, 0, (int32_t)m.id, FRAME_CANCEL_PROBED, NULL, 0);
	}
}

/* The receiver's answer.  After CANCEL_PROBED the message may have been received since. */
static void cancel_got_answer(const struct shm_frame *f)
{
	struct req *r = id_table_get(&p2p_state.ids, (uint32_t)f->tag);

	if (r == NULL || r->kind != REQ_SEND || r->peer != f->src)
		p2p_protocol_error(
			f->src, "an answer about message %d, which it does not have", f->tag);
	if (r->state != STATE_CANCELLING)
		return;
	if (f->kind == FRAME_CANCEL_OK) {
		cancel_drop_rts(r);
		cancel_succeeded(r);
		return;
	}
	r->state = STATE_AWAIT_CTS;
	cancel_leave_copy(r); /* no memory for it: done when the probed message is received */
}

HAFT_START void p2p_cancel_open(void)
{
	p2p_deliver_register(FRAME_CANCEL, cancel_got_request, P2P_FROM_LIVE);
	p2p_deliver_register(FRAME_CANCEL_OK, cancel_got_answer, P2P_FROM_LIVE);
	p2p_deliver_register(FRAME_CANCEL_PROBED, cancel_got_answer, P2P_FROM_LIVE);
}

void p2p_cancel_broken(struct req *r, const struct p2p_error_msg *instead)
{
	if (r->peer == p2p_state.me)
		return;
	if (r->state == STATE_AWAIT_CTS)
		cancel_ask_back(r, instead);
	else
		cancel_drop_queued(r, instead);
}

bool p2p_cancel_peer_left(struct req *r)
{
	if (r->state != STATE_CANCELLING)
		return false;
	cancel_succeeded(r);
	return true;
}

/* --- the call ------------------------------------------------------------------------------- */

/* A synchronous message of this process to itself. */
static int cancel_self(struct req *r)
{
	struct unexpected *u = p2p_match_find_rts(r->ctx, r->peer, r->tag, r, 0);

	if (u == NULL)
		return cancel_leave_copy(r); /* a matched probe has it */
	p2p_match_remove(u);
	free(u);
	cancel_succeeded(r);
	return 0;
}

static int cancel_send(struct req *r)
{
	if (r->peer == p2p_state.me)
		return cancel_self(r);
	switch (r->state) {
	case STATE_OUT_EAGER:
	case STATE_OUT_RTS: cancel_drop_queued(r, NULL); return 0;
	case STATE_AWAIT_CTS:
		if (!r->send.sync)
			return cancel_leave_copy(r);
		cancel_ask_back(r, NULL);
		return 0;
	default: return 0; /* it is matched, or cancelled before */
	}
}

int p2p_cancel(struct req **request)
{
	struct req *r = *request;

	if (!p2p_req_idle(r) && p2p_req_pended(r))
		p2p_req_unpend(r);
	if (p2p_req_idle(r))
		return haft_err(
			MPI_ERR_REQUEST, "the request is not active: there is nothing to cancel");
	if (r->kind == REQ_COLL)
		return haft_err(MPI_ERR_REQUEST, "a collective operation cannot be cancelled");
	if (r->kind == REQ_PSEND || r->kind == REQ_PRECV)
		return haft_err(MPI_ERR_REQUEST, "a partitioned operation cannot be cancelled");
	if (r->ops != NULL && r->ops->cancel != NULL)
		return r->ops->cancel(r);
	if (r->kind == REQ_RECV && !r->done && r->state == STATE_POSTED) {
		p2p_match_unpost(r);
		cancel_succeeded(r);
	}
	if (r->kind == REQ_SEND && !r->done)
		return cancel_send(r);
	return 0;
}

int p2p_test_cancelled(const MPI_Status *status, int *flag)
{
	*flag = haft_status_cancelled(status);
	return 0;
}
