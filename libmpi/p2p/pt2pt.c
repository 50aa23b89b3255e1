// SPDX-License-Identifier: BSD-3-Clause
/* pt2pt.c - MPI's calls that send or receive a message (MPI-5.0 3.2, 3.4, 3.7.2).
 *
 * bind/ has checked: ranks are in range or MPI_PROC_NULL (receives: MPI_ANY_SOURCE), tags are in
 * range, counts are not negative, handles are live.
 *
 * Blocking calls have their request on the stack and hold nothing.  The others hold communicator
 * and datatype, which the user may free at once. */
#include "libmpi/core/err.h"
#include "libmpi/core/status.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/p2p/quick_message.h"
#include "libmpi/p2p/recv.h"
#include "libmpi/p2p/request.h"
#include "libmpi/p2p/send.h"
#include <engine.h>
#include <string.h>

/* --- sends ---------------------------------------------------------------------------------- */

/* sync: done only when the receive has been matched. */
static int pt2pt_send_blocking(const void *buf, int64_t count, struct type *type, int dest, int tag,
	struct comm *c, bool sync)
{
	struct p2p_message m = {buf, count, type, group_peer(comm_peers(c), dest), tag};
	struct req r = {.state = STATE_NEW};
	int err = p2p_req_fill_inline(&r, REQ_SEND, &m, c, c->ctx);

	if (err != 0)
		return err;
	r.send.sync = sync;
	p2p_send_start(&r);
	if (!r.done)
		p2p_wait_done(&r);
	return r.res.error == 0 ? 0 : p2p_req_report(&r, MPI_STATUS_IGNORE);
}

/* The sending fast path: a small contiguous message to another local process, with nothing queued
 * before it, is one frame and done.  False: nothing was done, take the slow path. */
static inline bool pt2pt_send_fast(const void *buf, int64_t count, const struct type *type,
	int dest, int tag, const struct comm *c)
{
	const struct via_peer *p = via_peer(group_peer(comm_peers(c), dest));
	int64_t bytes;

	return likely(p2p_quick_bytes(buf, count, type, &bytes) && bytes < p->direct &&
		       p2p_peer_seen(p)->out.head == NULL) &&
	       via_put_local(p->put_seat - 1, c->ctx, tag, FRAME_EAGER, buf, (size_t)bytes) == 0;
}

HAFT_HOT int p2p_send(
	const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c)
{
	if (dest == MPI_PROC_NULL || pt2pt_send_fast(buf, count, type, dest, tag, c))
		return 0;
	return pt2pt_send_blocking(buf, count, type, dest, tag, c, false);
}

int p2p_ssend(const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c)
{
	return dest == MPI_PROC_NULL ? 0
				     : pt2pt_send_blocking(buf, count, type, dest, tag, c, true);
}

int p2p_rsend(const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c)
{
	return p2p_send(buf, count, type, dest, tag, c);
}

/* Starts a send on the slow path, with the new request r.  m->peer is still a rank of c. */
static int pt2pt_isend(
	struct req *r, struct p2p_message *m, struct comm *c, bool sync, struct req **request)
{
	int err = 0;

	if (r == NULL)
		return p2p_req_no_memory();
	req_touch(r);
	p2p_req_hold(r, m->type, c);
	if (m->peer == MPI_PROC_NULL) {
		p2p_req_proc_null(r);
	} else {
		m->peer = group_peer(comm_peers(c), m->peer);
		err = p2p_req_fill_inline(r, REQ_SEND, m, c, c->ctx);
	}
	if (err != 0) {
		p2p_req_free(r);
		return err;
	}
	r->send = (struct req_send){.sync = sync};
	if (!r->done)
		p2p_send_start(r);
	*request = r;
	return 0;
}

/* A send that is done at once has a request that holds nothing. */
HAFT_HOT int p2p_isend(const void *buf, int64_t count, struct type *type, int dest, int tag,
	struct comm *c, struct req **request)
{
	struct req *r = p2p_req_alloc_fast();

	if (unlikely(r == NULL || dest == MPI_PROC_NULL ||
		     !pt2pt_send_fast(buf, count, type, dest, tag, c)))
		return pt2pt_isend(
			r, &(struct p2p_message){buf, count, type, dest, tag}, c, false, request);
	r->done = true;
	*request = r;
	return 0;
}

int p2p_issend(const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c,
	struct req **request)
{
	struct p2p_message m = {buf, count, type, dest, tag};

	return pt2pt_isend(p2p_req_alloc(), &m, c, true, request);
}

int p2p_irsend(const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c,
	struct req **request)
{
	return p2p_isend(buf, count, type, dest, tag, c, request);
}

/* --- receives ------------------------------------------------------------------------------- */

HAFT_HOT int p2p_irecv(void *buf, int64_t count, struct type *type, int source, int tag,
	struct comm *c, struct req **request)
{
	struct req *r = p2p_req_alloc_fast();
	int peer = source, err;

	if (unlikely(r == NULL))
		return p2p_req_no_memory();
	p2p_req_hold(r, type, c);
	if (unlikely(source == MPI_PROC_NULL)) {
		p2p_req_proc_null(r);
		*request = r;
		return 0;
	}
	if (source != MPI_ANY_SOURCE)
		peer = group_peer(comm_peers(c), source);
	err = p2p_req_fill_inline(
		r, REQ_RECV, &(struct p2p_message){buf, count, type, peer, tag}, c, c->ctx);
	if (unlikely(err != 0)) {
		p2p_req_free(r);
		return err;
	}
	r->res.source = source; /* MPI_ANY_SOURCE: until it is known */
	r->recv.contiguous = type->dense && (c->hints & HINTS_MATCH) == 0;
	if (likely((p2p_match.nunexpected | p2p_state.lost) == 0))
		p2p_recv_post(r);
	else
		p2p_recv_start(r);
	*request = r;
	return 0;
}

/* MPI-5.0 3.2.4. */
HAFT_HOT static int pt2pt_recv_blocking(void *buf, int64_t count, struct type *type, int source,
	int tag, struct comm *c, MPI_Status *status)
{
	struct req r = {.state = STATE_NEW};
	int peer = source == MPI_ANY_SOURCE ? source : group_peer(comm_peers(c), source);
	struct p2p_message m = {buf, count, type, peer, tag};
	int err = p2p_req_fill_inline(&r, REQ_RECV, &m, c, c->ctx);

	if (err != 0)
		return err;
	p2p_recv_start(&r);
	if (!r.done)
		p2p_wait_done(&r);
	else if (unlikely(r.res.error != 0))
		p2p_progress(); /* a loop over failing calls must hear of a revocation */
	return p2p_req_report(&r, status);
}

/* Looks at a peer's ring this often before anything else: the answer of a ping-pong comes in that
 * time.  A check takes 12 instructions.  With fewer CPUs than ranks the answer cannot come while
 * we poll, and with several threads the others want the lock. */
#define POLLS (via.oversubscribed || haft_threads_enabled() ? 1 : 512)

/* The receive fast path: nothing is posted and nothing unexpected, so the next message of this peer
 * needs no request and no matching.  False: nothing was done, take the slow path. */
static bool pt2pt_recv_fast(
	void *buf, int64_t room, int source, int tag, struct comm *c, MPI_Status *status)
{
	int put_seat = via_peer(group_peer(comm_peers(c), source))->put_seat - 1, polls = POLLS;
	struct shm_frame f;

	if (!p2p_match_empty() || p2p_state.worklist != NULL || put_seat < 0)
		return false;
	while (!via_frame_peek(put_seat, &f)) {
		if (--polls == 0)
			return false;
	}
	if (f.kind != FRAME_EAGER || f.ctx != c->ctx || (f.tag != tag && tag != MPI_ANY_TAG) ||
		f.len > room ||
		((c->hints & HINTS_MATCH) != 0 &&
			(f.len != room || (c->hints & COMM_METERED) != 0)))
		return false;
	via_frame_copy(buf, &f);
	via_frame_next(&f);
	haft_status_set(status, source, f.tag, f.len, 0);
	return true;
}

HAFT_HOT int p2p_recv(void *buf, int64_t count, struct type *type, int source, int tag,
	struct comm *c, MPI_Status *status)
{
	int64_t room;

	if (source == MPI_PROC_NULL) {
		haft_status_nobody(status);
		return 0;
	}
	if (source >= 0 && p2p_quick_bytes(buf, count, type, &room) &&
		pt2pt_recv_fast(buf, room, source, tag, c, status))
		return 0;
	return pt2pt_recv_blocking(buf, count, type, source, tag, c, status);
}
