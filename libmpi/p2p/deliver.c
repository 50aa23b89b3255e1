// SPDX-License-Identifier: BSD-3-Clause
/* deliver.c - frames to their handlers.
 *
 *     via ──> p2p_deliver ──┬── EAGER, posted, contiguous ──> copied: done
 *                           ├── EAGER ──────────────────────> p2p_recv_eager
 *                           ├── with a type signature ──────> either, p2p_state.sig set
 *                           └── all others ──> deliver_handlers[kind]
 *                                              recv, send, credit, cancel, partitioned; rma, io,
 *                                              ft, dyn
 *
 * A handler runs inside a poll and must take the frame: its payload is gone afterwards.  It checks
 * a frame before it changes anything for it, and calls p2p_protocol_error for one that no Haft
 * sends.  No handler polls. */
#include "libmpi/p2p/deliver.h"

#include "libmpi/p2p/match.h"
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/p2p/recv.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/sig.h"

static struct {
	p2p_handler *handle;
	enum p2p_from from;
} deliver_handlers[FRAME_KINDS];

HAFT_START void p2p_deliver_register(
	enum p2p_frame_kind kind, p2p_handler *handle, enum p2p_from from)
{
	deliver_handlers[kind].handle = handle;
	deliver_handlers[kind].from = from;
}

/* A message behind its type signature. */
static void deliver_typed(const struct shm_frame *f)
{
	struct shm_frame inner = *f;
	struct p2p_sig sig;

	inner.kind = (uint8_t)(f->kind & ~FRAME_TYPED);
	if (f->len < sizeof(sig) || (inner.kind != FRAME_EAGER && inner.kind != FRAME_RTS))
		p2p_protocol_error(f->src, "a frame of kind %u and %u bytes with a type signature",
			inner.kind, f->len);
	p2p_sig_read(&sig, f->data);
	inner.data = (const char *)f->data + sizeof(sig);
	inner.len = f->len - (uint32_t)sizeof(sig);
	p2p_state.sig = &sig;
	p2p_state.watched = true;
	if (inner.kind == FRAME_EAGER)
		p2p_recv_eager(p2p_match_take(inner.ctx, inner.src, inner.tag), &inner);
	else
		p2p_recv_got_rts(&inner);
	p2p_state.sig = NULL;
}

static void deliver_slow(const struct shm_frame *f)
{
	if (f->kind & FRAME_TYPED) {
		deliver_typed(f);
		return;
	}
	if (f->kind >= FRAME_KINDS || deliver_handlers[f->kind].handle == NULL)
		p2p_protocol_error(f->src, "a frame of kind %u", f->kind);
	if (deliver_handlers[f->kind].from == P2P_FROM_LIVE &&
		p2p_peer_seen(via_peer(f->src))->lost != PEER_HERE)
		return; /* the operation that it is about has failed */
	deliver_handlers[f->kind].handle(f);
}

/* The usual end of a receive: the message is not longer than the receive's room, and all there is
 * to do is to copy it.  The source is set already unless it was a wildcard. */
__attribute__((always_inline)) static inline void deliver_contiguous(
	struct req *r, const struct shm_frame *f)
{
	if (unlikely(r->peer < 0))
		r->res.source = group_rank_of(comm_peers(r->comm), f->src);
	r->res.tag = f->tag;
	r->res.bytes = f->len;
	via_frame_copy(r->buf, f);
	p2p_req_finish(r);
}

/* False: `awaited' is done, and no receive is posted for this message, which stays.  The slow paths
 * get a copy of the frame's descriptor, so that the fast path keeps it in registers.  It does so
 * only if it is inline. */
__attribute__((always_inline)) static inline bool deliver_frame(
	const struct shm_frame *f, const struct req *awaited)
{
	struct req *r = NULL;
	struct shm_frame copy;

	if (likely(f->kind == FRAME_EAGER)) {
		r = p2p_match_take(f->ctx, f->src, f->tag);
		if (likely(r != NULL && r->recv.contiguous && f->len <= r->bytes)) {
			deliver_contiguous(r, f);
			return true;
		}
		if (awaited != NULL && r == NULL && awaited->done)
			return false;
	}
	/* not *f: nothing on the fast path puts the flags together */
	copy = (struct shm_frame){f->ctx, f->data, f->tag, f->len, f->src, f->kind, f->flags};
	if (copy.kind == FRAME_EAGER)
		p2p_recv_eager(r, &copy);
	else
		deliver_slow(&copy);
	return true;
}

HAFT_HOT void p2p_deliver(void *arg, const struct shm_frame *f)
{
	(void)arg;
	deliver_frame(f, NULL);
}

/* Delivers a batch of a peer's frames.  awaited: NULL, or with `several' as p2p_poll_awaited. */
__attribute__((always_inline)) static inline int deliver_from(
	int peer, const struct req *awaited, bool several)
{
	struct via_ring ring;
	struct shm_frame f;
	int n = 0;

	if (unlikely(via.mixed))
		return via_poll_from(peer);
	ring = via_ring_of(peer);
	while (via_ring_peek(&ring, &f) && deliver_frame(&f, awaited)) {
		via_ring_next(&ring, &f);
		if (++n == VIA_BATCH)
			break;
		if (awaited != NULL && (p2p_match.nposted == 0 || (awaited->done && !several)))
			break;
	}
	return n;
}

int p2p_poll_from(int peer)
{
	return deliver_from(peer, NULL, false);
}

HAFT_HOT int p2p_poll_awaited(const struct req *r, bool several)
{
	return deliver_from(r->peer, r, several);
}
