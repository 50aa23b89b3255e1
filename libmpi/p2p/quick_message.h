// SPDX-License-Identifier: BSD-3-Clause
/* quick_message.h - the usual case of MPI_Isend, MPI_Irecv and MPI_Waitall, in line for
 * bind/quick.h: short contiguous messages between local peers, one thread, nothing in the way.
 *
 *      p2p_quick_isend   the ring has room ──────> one frame, and a request that is done
 *      p2p_quick_irecv   nothing unexpected ─────> a posted request
 *      p2p_quick_end     a finished request goes
 *
 * The first two return the request's handle, or have done nothing (0): then the engine in pt2pt.c
 * does the call, in all cases.  The slot of a request made here is pristine, so only what a message
 * of its kind uses is set (core/req.h). */
#ifndef HAFT_P2P_QUICK_MESSAGE_H
#define HAFT_P2P_QUICK_MESSAGE_H

#include "libmpi/p2p/match.h"
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/p2p/request.h"
#include "libobj/magazine.h"

/* With these a match of a message is more than a copy: recv_matched. */
#define HINTS_MATCH (HINT_EXACT_LENGTH | COMM_METERED)

/* The magazine of requests, if its first slot is pristine; else NULL. */
static inline struct mag *p2p_quick_mag(void)
{
	struct mag *m = obj_mag_of(&haft_req_class, CLASS_F_CONSTRUCT | CLASS_F_TRACE);

	if (unlikely(m == NULL || m->avail == 0 || !((const struct req *)m->head)->pristine))
		return NULL;
	return m;
}

static inline struct req *p2p_quick_new(struct mag *m, uintptr_t site)
{
	struct req *r = (struct req *)obj_mag_new(&haft_req_class, m, site);

	must(p2p_req_is_pristine(r));
	return r;
}

/* Bytes of a message of dense elements, and its buffer is memory; else false. */
static inline bool p2p_quick_bytes(
	const void *buf, int64_t count, const struct type *type, int64_t *bytes)
{
	return likely(type->dense && (uintptr_t)buf > (uintptr_t)MPI_IN_PLACE &&
		      !__builtin_mul_overflow(count, type->size, bytes));
}

static inline uint64_t p2p_quick_isend(const void *buf, int64_t count, const struct type *type,
	int dest, int tag, const struct comm *c, uintptr_t site)
{
	const struct via_peer *p = via_peer(group_peer(comm_peers(c), dest));
	struct mag *m = p2p_quick_mag();
	int seat = p->put_seat - 1;
	struct shm_tx *at;
	struct req *r;
	int64_t bytes;

	if (unlikely(m == NULL || !p2p_quick_bytes(buf, count, type, &bytes) ||
		     bytes >= p->direct || p2p_peer_seen(p)->out.head != NULL))
		return 0;
	at = via_room_local(seat, (size_t)bytes);
	if (unlikely(at == NULL))
		return 0;
	r = p2p_quick_new(m, site);
	if (!r->sent) {
		p2p_req_clear(r, false);
		r->pristine = r->done = r->sent = true;
	}
	via_put_at(at, seat, c->ctx, tag, FRAME_EAGER, buf, (size_t)bytes);
	return obj_mag_publish(&r->o);
}

static inline uint64_t p2p_quick_irecv(void *buf, int64_t count, struct type *type, int source,
	int tag, struct comm *c, uintptr_t site)
{
	struct mag *m = p2p_quick_mag();
	struct req *r;
	int64_t bytes;

	if (unlikely(m == NULL || !p2p_quick_bytes(buf, count, type, &bytes) ||
		     bytes > p2p_state.alone || (p2p_match.nunexpected | p2p_state.lost) != 0 ||
		     p2p_match_full() || (c->hints & HINTS_MATCH) != 0))
		return 0;
	r = p2p_quick_new(m, site);
	p2p_req_hold(r, type, c);
	r->kind = REQ_RECV;
	r->state = STATE_POSTED;
	r->done = r->persist = r->active = r->orphan = false;
	r->pristine = true;
	r->sent = false;
	r->ctx = c->ctx;
	r->peer = group_peer(comm_peers(c), source);
	r->tag = tag;
	r->res = (struct req_result){.source = source};
	r->moved = 0;
	r->buf = buf;
	r->count = count;
	r->bytes = bytes;
	r->recv.contiguous = true;
	p2p_match_post_named(r);
	return obj_mag_publish(&r->o);
}

/* Waits for pristine requests.  False: some is not pristine any more, or not done because a process
 * has failed: p2p_waitall knows what to do. */
bool p2p_quick_wait(int n, struct req *reqs[]);

/* Ends finished pristine requests of one call, which has this site: p2p_quick_end of each, then
 * obj_batch_end. */
static inline void p2p_quick_end_begin(struct obj_batch *b, uintptr_t site)
{
	obj_batch_begin(b, &haft_req_class, site);
}

/* Drops a reference; the last one may free requests. */
static inline void p2p_quick_drop(struct obj_batch *b, void *object)
{
	if (likely(obj_drop_more(object)))
		return;
	obj_batch_end(b);
	obj_drop(object);
	p2p_quick_end_begin(b, b->site);
}

static inline void p2p_quick_end(struct obj_batch *b, struct req *r)
{
	if (r->comm != NULL) {
		p2p_quick_drop(b, r->type);
		p2p_quick_drop(b, r->comm);
	}
	if (likely(obj_batch_free(b, &r->o)))
		return;
	obj_batch_end(b);
	obj_free_fresh(&haft_req_class, r);
	p2p_quick_end_begin(b, b->site);
}

#endif
