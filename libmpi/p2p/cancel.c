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
#include "libmpi/p2p/inner.h"

#include "libmpi/core/err.h"
#include "libmpi/core/status.h"
#include "libmpi/p2p/lease.h"
#include "libmpi/p2p/note.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

static void cancelled(struct req *r)
{
	r->res.cancelled = true;
	r->res.source = MPI_ANY_SOURCE;
	r->res.tag = MPI_ANY_TAG;
	req_finish(r);
}

/* Its ASK will not be answered: nobody knows it, or nobody does any more. */
static void unasked(struct req *r)
{
	ids_give(&p2p.ids, r->id);
	lease_end(r);
}

/* --- leaving a copy behind ------------------------------------------------------------------ */

/* A request without a handle for a copy of r's message. */
static int copy_of(struct req *r, struct req **copy)
{
	struct req *s = req_new(type_predefined(MPI_BYTE), r->comm);
	char *packed_copy;
	int err;

	if (s == NULL)
		return no_request();
	err = p2p_copy(r->buf, r->count, r->type, r->bytes, &packed_copy);
	if (err != 0) {
		req_free(s);
		return err;
	}
	s->scratch = packed_copy;
	req_fill(s, REQ_SEND, s->scratch, r->bytes, s->type, r->peer, r->tag, r->comm, r->ctx);
	req_orphan(s, NULL);
	*copy = s;
	return 0;
}

/* Ends a send whose ASK waits at its receiver, or with a matched probe of ours; a copy of the
 * message goes when it is wanted.  0 or MPI_ERR_NO_MEM: nothing has changed. */
static int leave_behind(struct req *r)
{
	struct req *s = NULL;
	int err;

	if (r->lease != 0 && !lease_revoke(r->lease))
		return 0; /* the receiver is reading it */
	err = copy_of(r, &s);
	if (err != 0)
		return err;
	s->note = note_for_copy(r);
	s->sync = r->sync;
	s->state = r->state;
	s->id = r->id;
	s->lease = r->lease;
	r->lease = 0; /* a persistent one may start again and have another */
	if (r->peer == p2p.me)
		match_resend(r, s);
	else
		p2p.ids.at[r->id] = s;
	req_finish(r);
	return 0;
}

/* --- asking for it back --------------------------------------------------------------------- */

static void ask_back(struct req *r)
{
	r->state = STATE_WITHDRAW;
	out_frame(r->peer, r->ctx, r->tag, FRAME_WITHDRAW, &r->id, sizeof(r->id));
}

/* The sender of a message that it has asked to send wants it back. */
static void got_withdraw(const struct shm_frame *f)
{
	struct arrived *a;
	uint32_t id;

	if (f->len != sizeof(id))
		p2p_nonsense(f->src, "a wish for a message back in %u bytes", f->len);
	memcpy(&id, f->data, sizeof(id));
	a = match_asked(f->ctx, f->src, f->tag, NULL, id);
	if (a != NULL) {
		match_remove(a);
		arrived_free(a);
		out_frame(f->src, 0, (int32_t)id, FRAME_GONE, NULL, 0);
	} else if (match_holds(f->src, id)) {
		out_frame(f->src, 0, (int32_t)id, FRAME_KEPT, NULL, 0);
	}
}

/* The receiver has answered.  A message of which it has said KEPT may be on its way since. */
static void got_answer(const struct shm_frame *f)
{
	struct req *r = ids_get(&p2p.ids, (uint32_t)f->tag);

	if (r == NULL || r->kind != REQ_SEND || r->peer != f->src)
		p2p_nonsense(f->src, "news of message %d, which it does not have", f->tag);
	if (r->state != STATE_WITHDRAW)
		return;
	if (f->kind == FRAME_GONE) {
		unasked(r);
		cancelled(r);
		return;
	}
	r->state = STATE_ASKED;
	leave_behind(r); /* no memory for it: done when the probed message is received */
}

void cancel_deliver(const struct shm_frame *f)
{
	if (f->kind == FRAME_WITHDRAW)
		got_withdraw(f);
	else
		got_answer(f);
}

bool cancel_left(struct req *r)
{
	if (r->state != STATE_WITHDRAW)
		return false;
	cancelled(r);
	return true;
}

/* --- the call ------------------------------------------------------------------------------- */

/* A synchronous message of this process to itself. */
static int cancel_self(struct req *r)
{
	struct arrived *a = match_asked(r->ctx, r->peer, r->tag, r, 0);

	if (a == NULL)
		return leave_behind(r); /* a matched probe has it */
	match_remove(a);
	arrived_free(a);
	cancelled(r);
	return 0;
}

static int cancel_send(struct req *r)
{
	if (r->peer == p2p.me)
		return cancel_self(r);
	switch (r->state) {
	case STATE_OUT_EAGER:
	case STATE_OUT_ASK:
		queue_cut(&p2p_peer(r->peer)->out, r);
		if (r->state == STATE_OUT_ASK)
			unasked(r);
		cancelled(r);
		return 0;
	case STATE_ASKED:
		if (!r->sync)
			return leave_behind(r);
		ask_back(r);
		return 0;
	default: return 0; /* it is matched and goes, or has been asked back before */
	}
}

int p2p_cancel(struct req **request)
{
	struct req *r = *request;

	if (req_idle(r))
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
		return user_cancel(r);
	if (r->kind == REQ_RECV && !r->done && r->state == STATE_POSTED) {
		match_unpost(r);
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
