// SPDX-License-Identifier: BSD-3-Clause
/* part_pair.c - the two sides of a partitioned operation find each other, tell each other which
 * partitions are ready, and forget each other (partitioned.h). */
#include "libmpi/p2p/partitioned.h"

#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/p2p/fail.h"
#include "libmpi/p2p/recv.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/send.h"
#include <stdlib.h>
#include <string.h>

struct id_table p2p_parts;

/* --- frames --------------------------------------------------------------------------------- */

int p2p_part_frame(const struct part_op *p, enum p2p_frame_kind kind, uint32_t id, uint64_t at,
	const void *data, int64_t n)
{
	if (p->peer == p2p_state.me) {
		p2p_part_got_frame((int)kind, p->peer, at, id, data, n);
		return 0;
	}
	if (p2p_peer(p->peer)->out.head != NULL)
		return VIA_AGAIN;
	return via_put(p->peer, at, (int32_t)id, (uint8_t)kind, data, (size_t)n);
}

/* As p2p_part_frame. */
static int part_send_pending(struct part_op *p, enum part_pending what)
{
	switch (what) {
	case PENDING_MATCH:
		return p2p_part_frame(
			p, FRAME_PART_MATCH, p->partner, p->id, &p->bytes, sizeof(p->bytes));
	case PENDING_READY: return p2p_part_frame(p, FRAME_PART_READY, p->partner, 0, NULL, 0);
	case PENDING_DATA: return p2p_part_push_all(p);
	case PENDING_NO_RTS: return p2p_part_frame(p, FRAME_PART_NO_RTS, p->partner, 0, NULL, 0);
	case PENDING_NO_MEM: return p2p_part_frame(p, FRAME_PART_NO_MEM, p->partner, 0, NULL, 0);
	default: return p2p_part_frame(p, FRAME_PART_CLOSE, p->partner, 0, NULL, 0);
	}
}

static void part_enqueue(struct part_op *p)
{
	struct p2p_peer *peer = p2p_peer(p->peer);

	if (p->queued)
		return;
	p->queued = true;
	p->pending_next = peer->pending;
	peer->pending = p;
	p2p_peer_enlist(p->peer);
}

/* The order in which the partner must learn it. */
static const enum part_pending part_order[] = {
	PENDING_MATCH, PENDING_READY, PENDING_DATA, PENDING_NO_RTS, PENDING_NO_MEM, PENDING_CLOSE};

/* The first pending item; there is one. */
static enum part_pending part_first_pending(const struct part_op *p)
{
	int i = 0;

	while ((p->pending & part_order[i]) == 0)
		i++;
	return part_order[i];
}

/* Sends pending items, as far as there is room; the rest waits for p2p_part_flush.  Returns how
 * many things went. */
static int part_flush_one(struct part_op *p)
{
	int went = 0;

	while (p->pending != 0) {
		enum part_pending what = part_first_pending(p);
		int err = part_send_pending(p, what);

		if (err == VIA_AGAIN) {
			part_enqueue(p);
			return went;
		}
		if (err == VIA_NOMEM) /* not even for some bytes: the partner would wait for ever */
			haft_abort_job(MPI_ERR_NO_MEM, "no shared memory for a frame");
		p->pending &= ~(unsigned)what; /* VIA_LOST: p2p_part_peer_lost follows */
		went++;
	}
	return went;
}

void p2p_part_pend(struct part_op *p, enum part_pending what)
{
	p->pending |= what;
	part_flush_one(p);
}

int p2p_part_flush(int peer)
{
	struct part_op *p = p2p_peer(peer)->pending, *next;
	int went = 0;

	p2p_peer(peer)->pending = NULL;
	for (; p != NULL; p = next) {
		next = p->pending_next;
		p->queued = false;
		went += part_flush_one(p);
		p2p_part_free_if_over(p);
	}
	return went;
}

/* --- the end -------------------------------------------------------------------------------- */

static void part_dequeue(struct part_op *p)
{
	struct part_op **at = &p2p_peer(p->peer)->pending;

	while (*at != p)
		at = &(*at)->pending_next;
	*at = p->pending_next;
	p->queued = false;
}

void p2p_part_free(struct part_op *p)
{
	if (p->queued)
		part_dequeue(p);
	if (p->peer != MPI_PROC_NULL)
		id_table_drop(&p2p_parts, p->id);
	free(p->marks);
	free(p->unsent);
	free(p->missing);
	free(p);
}

void p2p_part_free_if_over(struct part_op *p)
{
	if (p->req == NULL && p->closed && p->pending == 0)
		p2p_part_free(p);
}

void p2p_part_gone(struct req *r)
{
	struct part_op *p = r->part;

	if (p == NULL)
		return;
	p2p_part_take_marks(); /* none of them may be left on the stack */
	r->part = NULL;
	p->req = NULL;
	if (p->peer == MPI_PROC_NULL) {
		p2p_part_free(p);
		return;
	}
	if (p->matched && !p->lost)
		p2p_part_pend(p, PENDING_CLOSE);
	p2p_part_free_if_over(p);
}

void p2p_part_peer_lost(int peer)
{
	for (uint32_t i = 0; i < p2p_parts.n; i++) {
		struct part_op *p = id_table_get(&p2p_parts, i);

		if (p == NULL || p->peer != peer)
			continue;
		p->lost = p->closed = true;
		p->pending = 0;
		if (p->req == NULL)
			p2p_part_free(p);
		else if (p->req->active && !p->req->done)
			p2p_part_fail_lost(p);
	}
}

void p2p_part_revoke(const struct comm *c)
{
	for (uint32_t i = 0; i < p2p_parts.n; i++) {
		struct part_op *p = id_table_get(&p2p_parts, i);

		if (p == NULL || p->req == NULL || p->req->comm != c)
			continue;
		p->revoked = true;
		if (p->req->active && !p->req->done)
			p2p_part_fail_revoked(p);
	}
}

/* --- failing -------------------------------------------------------------------------------- */

void p2p_part_fail_lost(struct part_op *p)
{
	p2p_fail_request(p->req, p->peer, VIA_LOST);
	p->req->open_parts = 0;
	p2p_req_finish(p->req);
}

/* The partner is told nothing: the revocation reaches it.  Each range that a send has offered ends
 * by its CTS, or by NO_RTS. */
void p2p_part_fail_revoked(struct part_op *p)
{
	struct req *r = p->req;
	bool unsent = p->nunsent > 0 || p->frag_at < p->frag_end;

	if (!p->sends && p->nranges > 0)
		return;
	if (r->res.error == 0)
		p2p_req_fail(r, p2p_comm_error(r->comm));
	p->nunsent = 0;
	p->frag_at = p->frag_end = 0;
	if (!p->sends || unsent)
		p2p_req_finish(r);
}

void p2p_part_fail_memory(struct part_op *p)
{
	struct req *r = p->req;

	p->no_memory = true;
	if (r == NULL || !r->active || r->done || p->nranges > 0)
		return;
	if (p->sends)
		p2p_fail_request(r, p->peer, VIA_NOMEM);
	else if (r->res.error == 0)
		p2p_req_fail(
			r, haft_err(MPI_ERR_NO_MEM,
				   "rank %d has no memory for the frames of a partitioned message",
				   group_rank_of(comm_peers(r->comm), p->peer)));
	p2p_req_finish(r);
}

/* --- matching ------------------------------------------------------------------------------- */

void p2p_part_mismatch(const struct part_op *p)
{
	struct req *r = p->req;

	p2p_req_fail(r,
		haft_err(p->sends || p->partner_bytes < p->bytes ? MPI_ERR_COUNT : MPI_ERR_TRUNCATE,
			"a partitioned %s of %lld bytes %s rank %d with tag %d was matched with "
			"one of %lld bytes",
			p->sends ? "send" : "receive", (long long)p->bytes,
			p->sends ? "to" : "from", group_rank_of(comm_peers(r->comm), p->peer),
			r->tag, (long long)p->partner_bytes));
	r->open_parts = 0;
	p2p_req_finish(r);
}

bool p2p_part_fits(const struct part_op *p)
{
	return !p->matched || p->partner_bytes == p->bytes;
}

void p2p_part_matched(struct part_op *p, uint32_t partner, int64_t partner_bytes)
{
	p->partner = partner;
	p->partner_bytes = partner_bytes;
	p->matched = true;
	if (!p->sends)
		p2p_part_pend(p, PENDING_MATCH);
	if (p->req == NULL)
		p2p_part_pend(p, PENDING_CLOSE);
	else if (p->req->active && !p->revoked && !p2p_part_fits(p))
		p2p_part_mismatch(p);
	else if (p->req->active && !p->sends)
		p2p_part_pend(p, PENDING_READY);
	p2p_part_free_if_over(p);
}

/* The receive of an offer is over. */
static void part_offer_received(struct req *r)
{
	struct part_op *p = (struct part_op *)(void *)(r->buf - offsetof(struct part_op, offer));

	if (r->res.error == MPI_ERR_NO_MEM) /* its sender would wait for ever */
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for the offer of a partitioned message");
	if (r->res.error != 0)
		return; /* the peer is lost: p2p_part_peer_lost says so */

	/* Without a signature, as the sender's HAFT_CHECK is another: any types will do. */
	if (r->res.bytes < (int64_t)sizeof(p->offer))
		p->offer.sig.any = true;
	p2p_sig_sanitize(&p->offer.sig);
	p2p_part_matched(p, p->offer.id, p->offer.bytes);
}

static const struct req_ops part_offer_recv_ops = {.over = part_offer_received};

/* The send of an offer is over. */
static void part_offer_sent(struct req *r)
{
	struct part_offer offer;
	struct part_op *p;

	memcpy(&offer, r->send.copy, sizeof(offer));
	p = id_table_get(&p2p_parts, offer.id);
	if (r->res.error == MPI_ERR_NO_MEM && p != NULL)
		p2p_part_fail_memory(p);
}

static const struct req_ops part_offer_send_ops = {.over = part_offer_sent};

int p2p_part_offer_start(struct part_op *p, struct type *type, struct comm *c, int tag)
{
	struct type *byte = type_predefined(MPI_BYTE);
	struct req *r = p2p_req_new_message(byte, c);
	struct p2p_message m = {&p->offer, sizeof(p->offer), byte, p->peer, tag};

	if (r == NULL)
		return p2p_req_no_memory();
	if (p->sends && !p2p_state.checks)
		m.count = offsetof(struct part_offer, sig);
	p2p_req_fill(r, p->sends ? REQ_SEND : REQ_RECV, &m, c, c->ctx | CTX_PART);
	if (!p->sends) {
		r->ops = &part_offer_recv_ops;
		p2p_req_detach(r, NULL);
		p2p_recv_start(r);
		return 0;
	}
	p->offer = (struct part_offer){.bytes = p->bytes, .id = p->id};
	if (p2p_state.checks)
		p2p_sig_fill(&p->offer.sig, type, p->bytes);
	r->send.copy = malloc(sizeof(p->offer)); /* the operation may be freed before it has gone */
	if (r->send.copy == NULL) {
		p2p_req_free(r);
		return p2p_req_no_memory();
	}
	r->buf = memcpy(r->send.copy, &p->offer, sizeof(p->offer));
	r->ops = &part_offer_send_ops;
	p2p_send_start_part(r, NULL);
	return p->no_memory ? haft_err(MPI_ERR_NO_MEM, "no memory to offer a partitioned message")
			    : 0;
}
