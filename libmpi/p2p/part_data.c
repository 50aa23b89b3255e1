// SPDX-License-Identifier: BSD-3-Clause
/* part_data.c - the partitions of a partitioned operation, sent and received (partitioned.h).
 *
 *     marks ──> unsent bits ──> part_push: the range of ready partitions around one
 *                                 │── to myself       from one buffer into the other
 *                                 │── short           one DATA frame
 *                                 │── long            RTS; after CTS the pipe or a stream
 *                                 └── long, no memory fragments: DATA frames */
#include "libmpi/p2p/partitioned.h"

#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/traffic.h"
#include "libmpi/p2p/outq.h"
#include "libmpi/p2p/remote_stream.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/send.h"
#include <string.h>

/* --- receiving ------------------------------------------------------------------------------ */

/* Bytes [at, at + n) are in the user's buffer.  With the last ones the receive is over. */
static void part_bytes_arrived(struct part_op *p, int64_t at, int64_t n)
{
	for (int64_t a = at; a < at + n;) {
		int64_t i = a / p->part_bytes, end = (i + 1) * p->part_bytes;

		if (end > at + n)
			end = at + n;
		atomic_fetch_sub_explicit(&p->missing[i], end - a, memory_order_release);
		a = end;
	}
	p->bytes_missing -= n;
	if (p->bytes_missing > 0)
		return;
	p->req->res.source = group_rank_of(comm_peers(p->req->comm), p->peer);
	p->req->res.tag = p->req->tag;
	p->req->res.bytes = p->bytes;
	if (p2p_state.checks)
		p2p_sig_check(p->req, &p->offer.sig);
	if (unlikely((p->req->comm->hints & COMM_METERED) != 0))
		haft_traffic_received(p->req->comm, p->req->ctx, p->req->res.source,
			p->req->res.tag, (uint64_t)p->bytes);
	p2p_req_finish(p->req);
}

static void part_got_data(struct part_op *p, int64_t at, const void *data, int64_t n)
{
	struct req *r = p->req;

	if (p->revoked)
		return;
	if (n > 0)
		type_unpack(r->type, r->buf, r->count, at, data, n);
	part_bytes_arrived(p, at, n);
}

/* All of a range has come. */
static void part_range_received(struct req *r)
{
	int64_t n = r->recv.total - r->range.offset;
	struct part_op *p;

	if (r->res.error != 0)
		return;
	p = id_table_get(&p2p_parts, r->range.part_id);
	p->nranges--;
	p->bytes_coming -= n;
	part_bytes_arrived(p, r->range.offset, n);
	if (p->no_memory)
		p2p_part_fail_memory(p);
	if (p->revoked && !p->req->done)
		p2p_part_fail_revoked(p);
}

static const struct req_ops part_range_ops = {.over = part_range_received};

/* FRAME_PART_RTS: n bytes wait in the sender's request `id'. */
struct part_rts {
	int64_t n;
	uint32_t id;
	uint32_t pad;
};

/* A request for bytes [at, at + n) of an operation's buffer: `moved' counts from the buffer's
 * beginning.  NULL: no memory. */
static struct req *part_range_new(struct part_op *p, int kind, int64_t at, int64_t n)
{
	struct req *whole = p->req, *r = p2p_req_alloc();

	if (r == NULL)
		return NULL;
	obj_hold(whole->type);
	r->kind = (uint8_t)kind;
	r->type = whole->type;
	r->buf = whole->buf;
	r->count = whole->count;
	r->peer = p->peer;
	r->moved = at;
	r->bytes = at + n;
	return r;
}

/* Prepares to receive a range; from a remote peer, posts a stream for it.  NULL: no memory. */
static struct req *part_range_recv(struct part_op *p, int64_t at, int64_t n)
{
	struct req *r = part_range_new(p, REQ_RECV, at, n);

	if (r == NULL)
		return NULL;
	r->recv.from = p->peer;
	r->recv.total = at + n;
	r->range.offset = at;
	if (via_is_local(p->peer))
		return r;
	r->recv.stream_id = p2p_stream_try_post(r);
	if (r->recv.stream_id != 0)
		return r;
	p2p_req_free(r);
	return NULL;
}

static void part_got_rts(struct part_op *p, int64_t at, const struct part_rts *rts)
{
	struct req *r = p->no_rts || p->revoked ? NULL : part_range_recv(p, at, rts->n);

	if (r == NULL) {
		if (!p->no_rts)
			p2p_part_pend(p, PENDING_NO_RTS);
		p->no_rts = true;
		return;
	}
	p->nranges++;
	p->bytes_coming += rts->n;
	r->ops = &part_range_ops;
	r->range.part_id = p->id;
	p2p_req_detach(r, NULL);
	r->recv.sender_id = rts->id;
	r->state = STATE_OUT_CTS;
	p2p_out_put(r, p->peer);
}

/* --- sending -------------------------------------------------------------------------------- */

/* To this process itself: from one buffer into the other. */
static void part_send_self(struct part_op *p, int64_t at, int64_t n)
{
	enum { STEP = 1024 };
	struct part_op *to = id_table_get(&p2p_parts, p->partner);
	struct req *r = p->req;
	char packed[STEP];

	if (n == 0 || r->type->dense) {
		part_got_data(to, at, n == 0 ? NULL : r->buf + at, n);
		return;
	}
	for (int64_t a = at; a < at + n; a += STEP) {
		int64_t m = at + n - a < STEP ? at + n - a : STEP;

		type_pack(r->type, r->buf, r->count, a, packed, m);
		part_got_data(to, a, packed, m);
	}
}

/* The functions part_send_... return 0; or an error of via_put, and nothing has been done; or this:
 * there is no memory for a request. */
enum { PART_NO_REQUEST = VIA_LOST + 1 };

#define FRAGMENT_MIN 64 /* bytes: each connection has room for a frame of these without memory */

static int part_send_rts(struct part_op *p, int64_t at, int64_t n)
{
	struct req *r = p->no_rts ? NULL : part_range_new(p, REQ_SEND, at, n);
	struct part_rts rts = {.n = n};
	int err = PART_NO_REQUEST;

	if (r == NULL)
		return PART_NO_REQUEST;
	if (p2p_send_take_id(r)) {
		rts.id = r->send.id;
		err = p2p_part_frame(
			p, FRAME_PART_RTS, p->partner, (uint64_t)at, &rts, sizeof(rts));
		if (err != 0)
			id_table_drop(&p2p_state.ids, r->send.id);
	}
	if (err != 0) {
		p2p_req_free(r);
		return err;
	}
	p->req->open_parts++;
	p2p_req_detach(r, p->req);
	r->state = STATE_AWAIT_CTS;
	return 0;
}

/* One frame.  Data that is not contiguous is packed where the receiver reads it. */
static int part_send_frame(struct part_op *p, int64_t at, int64_t n)
{
	struct req *r = p->req;
	void *room;
	int err;

	if (n == 0 || r->type->dense)
		return p2p_part_frame(p, FRAME_PART_DATA, p->partner, (uint64_t)at, r->buf + at, n);
	if (p2p_peer(p->peer)->out.head != NULL)
		return VIA_AGAIN;
	err = via_reserve(p->peer, (size_t)n, &room);
	if (err != 0)
		return err;
	type_pack(r->type, r->buf, r->count, at, room, n);
	via_commit(p->peer, (uint64_t)at, (int32_t)p->partner, FRAME_PART_DATA, (size_t)n);
	return 0;
}

/* Sends the fragmented range on; 0: all has gone.  A frame that must wait needs memory, and a small
 * one less of it. */
static int part_send_frags(struct part_op *p)
{
	int64_t most = via_is_local(p->peer) ? via.frame_max : NET_FRAME_MAX;

	while (p->frag_at < p->frag_end) {
		int64_t n = p->frag_end - p->frag_at < most ? p->frag_end - p->frag_at : most;
		int err = part_send_frame(p, p->frag_at, n);

		if (err == VIA_NOMEM && n > FRAGMENT_MIN)
			most = n / 2;
		else if (err != 0)
			return err;
		else
			p->frag_at += n;
	}
	return 0;
}

/* 0: the range has gone, or is the fragmented one now. */
static int part_send_range(struct part_op *p, int64_t at, int64_t n)
{
	int err;

	if (p->peer == p2p_state.me) {
		part_send_self(p, at, n);
		return 0;
	}
	if (n <= (via_is_local(p->peer) ? p2p_state.eager : p2p_state.eager_remote)) {
		err = part_send_frame(p, at, n);
		if (err != VIA_NOMEM || n == 0)
			return err;
	} else {
		err = part_send_rts(p, at, n);
		if (err != PART_NO_REQUEST)
			return err;
	}
	p->frag_at = at;
	p->frag_end = at + n;
	return 0;
}

static bool part_is_unsent(const struct part_op *p, int i)
{
	return i >= 0 && i < p->n && (p->unsent[i / 64] >> i % 64 & 1) != 0;
}

/* May data of this start be sent? */
static bool part_may_send(const struct part_op *p)
{
	return p->matched && !p->lost && !p->revoked && !p->no_memory &&
	       p->partner_starts >= p->starts && p2p_part_fits(p);
}

/* Sends the range of ready partitions around i, if i is one: 0, or an error of via_put. */
static int part_push(struct part_op *p, int i)
{
	int low = i, high = i, err = 0;

	if (!part_is_unsent(p, i))
		return 0;
	while (part_is_unsent(p, low - 1))
		low--;
	while (part_is_unsent(p, high))
		high++;
	if (p->bytes > 0)
		err = part_send_range(p, low * p->part_bytes, (high - low) * p->part_bytes);
	else if (p->nunsent == high - low)
		err = part_send_range(p, 0, 0);
	if (err != 0)
		return err;
	for (int k = low; k < high; k++)
		p->unsent[k / 64] &= ~(1ULL << k % 64);
	p->nunsent -= high - low;
	err = part_send_frags(p);
	if (err == 0 && p->nunsent == 0)
		p2p_req_finish(p->req);
	return err;
}

/* No memory fails the operation.  Any other error of a put, or 0, is returned. */
static int part_push_failed(struct part_op *p, int err)
{
	if (err != VIA_NOMEM)
		return err;
	p2p_part_fail_memory(p);
	p2p_part_pend(p, PENDING_NO_MEM);
	return 0;
}

int p2p_part_push_all(struct part_op *p)
{
	bool fragments = p->frag_at < p->frag_end;
	int err = part_may_send(p) ? part_send_frags(p) : 0;

	if (!part_may_send(p))
		return 0;
	if (err == 0 && fragments && p->nunsent == 0)
		p2p_req_finish(p->req);
	for (int i = 0; i < p->n && err == 0; i++) {
		if (i % 64 == 0 && p->unsent[i / 64] == 0)
			i += 63;
		else
			err = part_push(p, i);
	}
	return part_push_failed(p, err);
}

/* The receiver has no memory for ranges: those without CTS are unsent again. */
static void part_drop_rts(struct part_op *p)
{
	p->no_rts = true;
	for (uint32_t i = 0; i < p2p_state.ids.n; i++) {
		struct req *r = id_table_get(&p2p_state.ids, i);
		int low, high;

		if (r == NULL || r->whole == NULL || r->whole != p->req ||
			r->state != STATE_AWAIT_CTS)
			continue;
		id_table_drop(&p2p_state.ids, i);
		if (p->revoked) {
			p2p_req_finish(r);
			continue;
		}
		if (p->nunsent == 0 && p->frag_at == p->frag_end)
			p->req->open_parts++; /* nothing was left to send; now something is */
		low = (int)(r->moved / p->part_bytes);
		high = (int)(r->bytes / p->part_bytes);
		for (int k = low; k < high; k++)
			p->unsent[k / 64] |= 1ULL << k % 64;
		p->nunsent += high - low;
		p2p_req_finish(r);
	}
	p2p_part_pend(p, PENDING_DATA);
}

/* All marks are counted before anything is sent, so that adjacent partitions go together. */
void p2p_part_take_marks(void)
{
	struct part_mark *first, *next;

	if (atomic_load(&haft_lock_deferred) == NULL)
		return;
	first = atomic_exchange(&haft_lock_deferred, NULL);

	for (struct part_mark *m = first; m != NULL; m = atomic_load(&m->next)) {
		long i = m - m->part->marks;

		m->part->unsent[i / 64] |= 1ULL << i % 64;
	}
	for (struct part_mark *m = first; m != NULL; m = next) {
		struct part_op *p = m->part;

		next = atomic_load(&m->next);
		if (part_may_send(p) && (p->pending & PENDING_DATA) == 0) {
			int err = part_push_failed(p, part_push(p, (int)(m - p->marks)));

			if (err == VIA_AGAIN)
				p2p_part_pend(p, PENDING_DATA);
		}
	}
}

/* --- frames --------------------------------------------------------------------------------- */

/* May these bytes of the buffer come as DATA or RTS now?  Those of a range with CTS may not. */
static bool part_lacks(const struct part_op *p, uint64_t at, int64_t n)
{
	return !p->sends && p->matched && p2p_part_fits(p) && p->req != NULL && p->req->active &&
	       !p->req->done && at <= (uint64_t)p->bytes && n <= p->bytes - (int64_t)at &&
	       n <= p->bytes_missing - p->bytes_coming;
}

/* May a frame of this kind come for this operation, as it is now?  rts: of FRAME_PART_RTS. */
static bool part_frame_valid(
	const struct part_op *p, int kind, uint64_t at, int64_t n, const struct part_rts *rts)
{
	switch (kind) {
	case FRAME_PART_MATCH: return p->sends && !p->matched && n == sizeof(p->bytes);
	case FRAME_PART_READY:
	case FRAME_PART_NO_RTS: return p->sends && p->matched;
	case FRAME_PART_DATA: return p->revoked ? !p->sends : part_lacks(p, at, n);
	case FRAME_PART_RTS:
		return p->revoked ? !p->sends : rts->n > 0 && part_lacks(p, at, rts->n);
	case FRAME_PART_NO_MEM: return !p->sends && p->matched;
	}
	return p->matched && !p->closed;
}

void p2p_part_got_frame(int kind, int peer, uint64_t at, uint32_t id, const void *data, int64_t n)
{
	struct part_op *p = id_table_get(&p2p_parts, id);
	struct part_rts rts = {0};
	int64_t bytes;

	if (kind == FRAME_PART_RTS && n == sizeof(rts))
		memcpy(&rts, data, sizeof(rts));
	if (p == NULL || p->peer != peer || !part_frame_valid(p, kind, at, n, &rts))
		p2p_protocol_error(peer,
			"a frame of kind %d and %lld bytes for partitioned operation %u", kind,
			(long long)n, id);
	switch (kind) {
	case FRAME_PART_MATCH:
		memcpy(&bytes, data, sizeof(bytes));
		p2p_part_matched(p, (uint32_t)at, bytes);
		break;
	case FRAME_PART_READY:
		p->partner_starts++;
		if (p->req != NULL && p->req->active && part_may_send(p))
			p2p_part_pend(p, PENDING_DATA);
		break;
	case FRAME_PART_DATA: part_got_data(p, (int64_t)at, data, n); break;
	case FRAME_PART_RTS: part_got_rts(p, (int64_t)at, &rts); break;
	case FRAME_PART_NO_RTS: part_drop_rts(p); break;
	case FRAME_PART_NO_MEM: p2p_part_fail_memory(p); break;
	case FRAME_PART_CLOSE:
		p->closed = true;
		p2p_part_free_if_over(p);
		break;
	}
}
