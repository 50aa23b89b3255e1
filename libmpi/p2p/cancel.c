// SPDX-License-Identifier: BSD-3-Clause
/* cancel.c - MPI_Cancel of messages (MPI-5.0 3.8.4).
 *
 *   a receive that is not matched     taken out of the matcher: cancelled
 *   a send that has not gone          taken out of its queue, or of our own matcher: cancelled
 *   a synchronous send that has gone  asked back:
 *
 *        sender                                   receiver
 *        ASK id ──────────────────────────────>   nobody has posted for it
 *        WITHDRAW id ─────────────────────────>   still nobody: it goes
 *             <──────────────────────── GONE id   cancelled
 *
 *             <──────────────────────── KEPT id   a matched probe has it: the sender leaves a copy
 *                                                 behind, and is done
 *             <────────────── CLEAR id, DONE id   there was a receive: as if nothing had been asked
 *
 *   another send that has gone        done, not cancelled: a copy of its message stays behind
 *
 * What is matched goes its way: then the operation completes as usual.
 *
 * Invariant: who answers WITHDRAW has said neither CLEAR nor DONE before, so the id is still the
 * sender's; and WITHDRAW is in order with ASKs, so it can name no later message of the same id. */
#include "libmpi/p2p/p2p_state.h"

#include "libmpi/core/err.h"
#include "libmpi/core/status.h"
#include "libmpi/p2p/claim.h"
#include "libmpi/p2p/sig.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

static void cancelled(struct req *r)
{
	r->res.cancelled = true;
	r->res.source = MPI_ANY_SOURCE;
	r->res.tag = MPI_ANY_TAG;
	p2p_req_finish(r);
}

/* Its ASK will not be answered: nobody knows it, or nobody does any more. */
static void cancel_drop_rts(struct req *r)
{
	id_table_drop(&p2p_state.ids, r->id);
	p2p_claim_end(r);
}

/* --- leaving a copy behind ------------------------------------------------------------------ */

/* A request without a handle for a copy of r's message. */
static int cancel_copy(struct req *r, struct req **copy)
{
	struct req *s = p2p_req_new_message(type_predefined(MPI_BYTE), r->comm);
	char *packed_copy;
	int err;

	if (s == NULL)
		return p2p_req_no_memory();
	err = p2p_copy(r->buf, r->count, r->type, r->bytes, &packed_copy);
	if (err != 0) {
		p2p_req_free(s);
		return err;
	}
	s->scratch = packed_copy;
	p2p_req_fill(s, REQ_SEND, s->scratch, r->bytes, s->type, r->peer, r->tag, r->comm, r->ctx);
	p2p_req_detach(s, NULL);
	*copy = s;
	return 0;
}

/* Ends a send whose ASK waits at its receiver, or with a matched probe of ours; a copy of the
 * message goes when it is wanted.  0 or MPI_ERR_NO_MEM: nothing has changed. */
static int cancel_leave_copy(struct req *r)
{
	struct req *s = NULL;
	int err;

	if (r->claim != 0 && !p2p_claim_revoke(r->claim))
		return 0; /* the receiver is reading it */
	err = cancel_copy(r, &s);
	if (err != 0)
		return err;
	s->note = p2p_sig_for_copy(r);
	s->sync = r->sync;
	s->state = r->state;
	s->id = r->id;
	s->claim = r->claim;
	r->claim = 0; /* a persistent one may start again and have another */
	if (r->peer == p2p_state.me)
		p2p_match_probe_resend(r, s);
	else
		p2p_state.ids.at[r->id] = s;
	p2p_req_finish(r);
	return 0;
}

/* --- asking for it back --------------------------------------------------------------------- */

static void cancel_ask_back(struct req *r)
{
	r->state = STATE_CANCELLING;
	p2p_out_frame(r->peer, r->ctx, r->tag, FRAME_CANCEL, &r->id, sizeof(r->id));
}

/* The sender of a message that it has asked to send wants it back. */
static void cancel_got_request(const struct shm_frame *f)
{
	struct unexpected *a;
	uint32_t id;

	if (f->len != sizeof(id))
		p2p_protocol_error(f->src, "a wish for a message back in %u bytes", f->len);
	memcpy(&id, f->data, sizeof(id));
	a = p2p_match_find_rts(f->ctx, f->src, f->tag, NULL, id);
	if (a != NULL) {
		p2p_match_remove(a);
		p2p_unexpected_free(a);
		p2p_out_frame(f->src, 0, (int32_t)id, FRAME_CANCEL_OK, NULL, 0);
	} else if (p2p_match_probe_has(f->src, id)) {
		p2p_out_frame(f->src, 0, (int32_t)id, FRAME_CANCEL_PROBED, NULL, 0);
	}
}

/* The receiver has answered.  A message of which it has said KEPT may be on its way since. */
static void cancel_got_answer(const struct shm_frame *f)
{
	struct req *r = id_table_get(&p2p_state.ids, (uint32_t)f->tag);

	if (r == NULL || r->kind != REQ_SEND || r->peer != f->src)
		p2p_protocol_error(f->src, "news of message %d, which it does not have", f->tag);
	if (r->state != STATE_CANCELLING)
		return;
	if (f->kind == FRAME_CANCEL_OK) {
		cancel_drop_rts(r);
		cancelled(r);
		return;
	}
	r->state = STATE_AWAIT_CTS;
	cancel_leave_copy(r); /* no memory for it: done when the probed message is received */
}

void p2p_cancel_deliver(const struct shm_frame *f)
{
	if (f->kind == FRAME_CANCEL)
		cancel_got_request(f);
	else
		cancel_got_answer(f);
}

bool p2p_cancel_peer_left(struct req *r)
{
	if (r->state != STATE_CANCELLING)
		return false;
	cancelled(r);
	return true;
}

/* --- the call ------------------------------------------------------------------------------- */

/* A synchronous message of this process to itself. */
static int cancel_self(struct req *r)
{
	struct unexpected *a = p2p_match_find_rts(r->ctx, r->peer, r->tag, r, 0);

	if (a == NULL)
		return cancel_leave_copy(r); /* a matched probe has it */
	p2p_match_remove(a);
	p2p_unexpected_free(a);
	cancelled(r);
	return 0;
}

static int cancel_send(struct req *r)
{
	if (r->peer == p2p_state.me)
		return cancel_self(r);
	switch (r->state) {
	case STATE_OUT_EAGER:
	case STATE_OUT_RTS:
		p2p_queue_remove(&p2p_peer(r->peer)->out, r);
		if (r->state == STATE_OUT_RTS)
			cancel_drop_rts(r);
		cancelled(r);
		return 0;
	case STATE_AWAIT_CTS:
		if (!r->sync)
			return cancel_leave_copy(r);
		cancel_ask_back(r);
		return 0;
	default: return 0; /* it is matched and goes, or has been asked back before */
	}
}

int p2p_cancel(struct req **request)
{
	struct req *r = *request;

	if (p2p_req_idle(r))
		return haft_err(
			MPI_ERR_REQUEST, "the request is not active: there is nothing to cancel");
	if (r->kind == REQ_COLL)
		return haft_err(MPI_ERR_REQUEST, "a collective operation cannot be cancelled");
	if (r->kind == REQ_PSEND || r->kind == REQ_PRECV)
		return haft_err(MPI_ERR_REQUEST, "a partitioned operation cannot be cancelled");
	if (r->combined)
		return haft_err(MPI_ERR_REQUEST,
			"a combined send and receive cannot be cancelled: MPI_Cancel takes the "
			"request of a send or of a receive");
	if (r->kind == REQ_USER)
		return p2p_grequest_call_cancel(r);
	if (r->kind == REQ_RECV && !r->done && r->state == STATE_POSTED) {
		p2p_match_unpost(r);
		cancelled(r);
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
