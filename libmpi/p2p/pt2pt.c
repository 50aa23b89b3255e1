// SPDX-License-Identifier: BSD-3-Clause
/* pt2pt.c - MPI's calls that start messages (MPI-5.0 chapter 3), and what collectives use instead.
 *
 * bind/ has checked: ranks are in range or MPI_PROC_NULL (receives: MPI_ANY_SOURCE), tags are in
 * range, counts are not negative, handles are live.  Blocking calls have their request on the stack
 * and hold nothing; the others hold communicator and datatype, which the user may free at once. */
#include "libmpi/p2p/p2p_state.h"

#include "libmpi/core/err.h"
#include "libmpi/core/status.h"
#include "libmpi/p2p/sig.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

/* False for MPI_BOTTOM and MPI_IN_PLACE, the least addresses there are. */
static inline bool pt2pt_buf_given(const void *buf)
{
	return (uintptr_t)buf > (uintptr_t)MPI_IN_PLACE;
}

static inline int req_fill_inline(struct req *r, int kind, const void *buf, int64_t count,
	struct type *type, int peer, int tag, struct comm *c, uint64_t ctx)
{
	int err;

	if (unlikely(peer == MPI_PROC_NULL))
		count = 0; /* of a persistent request: nothing will ever be done with the buffer */
	err = type_check(buf, count, 1, type, "the buffer");
	if (unlikely(err != 0))
		return err;
	r->bytes = count * type->size;
	r->kind = (uint8_t)kind;
	r->buf = (char *)(uintptr_t)buf;
	r->count = count;
	r->type = type;
	r->comm = c;
	r->peer = peer;
	r->tag = tag;
	r->ctx = ctx;
	return 0;
}

int p2p_req_fill(struct req *r, int kind, const void *buf, int64_t count, struct type *type,
	int peer, int tag, struct comm *c, uint64_t ctx)
{
	return req_fill_inline(r, kind, buf, count, type, peer, tag, c, ctx);
}

/* --- sends and receives --------------------------------------------------------------------- */

/* MPI-5.0 3.2.1, 3.4: blocking sends.  sync: only when the receive has been matched. */
static int pt2pt_send_blocking(const void *buf, int64_t count, struct type *type, int dest, int tag,
	struct comm *c, bool sync)
{
	struct req r = {.state = STATE_NEW};
	int err;

	err = p2p_req_fill(
		&r, REQ_SEND, buf, count, type, group_peer(comm_peers(c), dest), tag, c, c->ctx);
	if (err != 0)
		return err;
	r.sync = sync;
	p2p_send_start(&r);
	if (!r.done)
		p2p_wait_done(&r);
	return r.res.error == 0 ? 0 : p2p_req_report(&r, MPI_STATUS_IGNORE);
}

/* The sending fast path: a small message in one piece, to another process, with nothing queued
 * before it, is one frame and over.  False: nothing was done, take the long way. */
static inline bool pt2pt_send_fast(const void *buf, int64_t count, const struct type *type,
	int dest, int tag, const struct comm *c)
{
	const struct via_peer *p = via_peer(group_peer(comm_peers(c), dest));
	int64_t bytes;

	return likely(type->dense && pt2pt_buf_given(buf) &&
		       !__builtin_mul_overflow(count, type->size, &bytes) && bytes < p->direct &&
		       p2p_peer_seen(p)->out.head == NULL) &&
	       via_put_local(p->slot - 1, c->ctx, tag, FRAME_EAGER, buf, (size_t)bytes) == 0;
}

int p2p_send(const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c)
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

/* Makes a request that holds nothing yet hold what its operation needs. */
static void req_hold_message(struct req *r, struct type *type, struct comm *c)
{
	obj_hold(type);
	obj_hold(c);
	r->type = type;
	r->comm = c;
}

/* Clears what is behind the header: of a request that is `clean' the first two lines (what is
 * between them and the clean part, a receive sets).  Line by line, as of more than 64 bytes the
 * compiler makes a loop of its own, which takes longer than all the rest here. */
static inline void req_clear(struct req *r, bool all)
{
	char *p = (char *)r;

	memset(p + sizeof(r->o), 0, CACHE_LINE - sizeof(r->o));
	memset(p + CACHE_LINE, 0, CACHE_LINE);
	if (!all)
		return;
	memset(p + 2 * CACHE_LINE, 0, CACHE_LINE);
	memset(p + 3 * CACHE_LINE, 0, CACHE_LINE);
	memset(p + 4 * CACHE_LINE, 0, sizeof(*r) - 4 * CACHE_LINE);
}

struct req *p2p_req_alloc(void)
{
	struct req *r = obj_new(&haft_req_class, NULL);

	if (r != NULL)
		req_clear(r, true);
	return r;
}

/* Debug builds only: is the part of r that was not cleared zero? */
static bool req_is_pristine(const struct req *r)
{
	const char *p = (const char *)&r->at;

	while (p < (const char *)(r + 1) && *p == 0)
		p++;
	return p == (const char *)(r + 1);
}

/* A request for a message that may come, or have gone, in one frame: `clean'. */
static inline struct req *req_alloc_fast(void)
{
	struct req *r = obj_new(&haft_req_class, NULL);

	if (unlikely(r == NULL))
		return NULL;
	must(!r->clean || req_is_pristine(r));
	if (likely(r->clean))
		req_clear(r, false);
	else
		req_clear(r, true);
	r->clean = true;
	return r;
}

struct req *p2p_req_new_message(struct type *type, struct comm *c)
{
	struct req *r = p2p_req_alloc();

	if (r != NULL)
		req_hold_message(r, type, c);
	return r;
}

void p2p_req_proc_null(struct req *r)
{
	r->kind = REQ_DONE;
	r->res = (struct req_result){.source = MPI_PROC_NULL, .tag = MPI_ANY_TAG};
	r->done = true;
}

int p2p_req_no_memory(void)
{
	return haft_err(MPI_ERR_NO_MEM, "no memory for another request");
}

/* Starts r, a new request: a send the long way. */
static int pt2pt_isend(struct req *r, const void *buf, int64_t count, struct type *type, int dest,
	int tag, struct comm *c, bool sync, struct req **request)
{
	int err = 0;

	if (r == NULL)
		return p2p_req_no_memory();
	req_touch(r);
	req_hold_message(r, type, c);
	if (dest == MPI_PROC_NULL)
		p2p_req_proc_null(r);
	else
		err = p2p_req_fill(r, REQ_SEND, buf, count, type, group_peer(comm_peers(c), dest),
			tag, c, c->ctx);
	if (err != 0) {
		p2p_req_free(r);
		return err;
	}
	r->sync = sync;
	if (!r->done)
		p2p_send_start(r);
	*request = r;
	return 0;
}

/* A send that is over at once needs a request that holds nothing. */
int p2p_isend(const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c,
	struct req **request)
{
	struct req *r = req_alloc_fast();

	if (unlikely(r == NULL || dest == MPI_PROC_NULL ||
		     !pt2pt_send_fast(buf, count, type, dest, tag, c)))
		return pt2pt_isend(r, buf, count, type, dest, tag, c, false, request);
	r->done = true;
	*request = r;
	return 0;
}

int p2p_issend(const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c,
	struct req **request)
{
	return pt2pt_isend(p2p_req_alloc(), buf, count, type, dest, tag, c, true, request);
}

int p2p_irsend(const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c,
	struct req **request)
{
	return p2p_isend(buf, count, type, dest, tag, c, request);
}

int p2p_irecv(void *buf, int64_t count, struct type *type, int source, int tag, struct comm *c,
	struct req **request)
{
	struct req *r = req_alloc_fast();
	int peer = source, err;

	if (unlikely(r == NULL))
		return p2p_req_no_memory();
	req_hold_message(r, type, c);
	if (unlikely(source == MPI_PROC_NULL)) {
		p2p_req_proc_null(r);
		*request = r;
		return 0;
	}
	if (source != MPI_ANY_SOURCE)
		peer = group_peer(comm_peers(c), source);
	err = req_fill_inline(r, REQ_RECV, buf, count, type, peer, tag, c, c->ctx);
	if (unlikely(err != 0)) {
		p2p_req_free(r);
		return err;
	}
	r->res.source = source; /* MPI_ANY_SOURCE: until it is known */
	r->straight = type->dense && (c->hints & HINT_EXACT_LENGTH) == 0;
	if (likely((p2p_match.nearly | p2p_state.lost) == 0))
		p2p_recv_post(r);
	else
		p2p_recv_start(r);
	*request = r;
	return 0;
}

/* MPI-5.0 3.2.4. */
static int pt2pt_recv_blocking(void *buf, int64_t count, struct type *type, int source, int tag,
	struct comm *c, MPI_Status *status)
{
	struct req r = {.state = STATE_NEW};
	int peer = source == MPI_ANY_SOURCE ? source : group_peer(comm_peers(c), source);
	int err = p2p_req_fill(&r, REQ_RECV, buf, count, type, peer, tag, c, c->ctx);

	if (err != 0)
		return err;
	p2p_recv_start(&r);
	if (!r.done)
		p2p_wait_done(&r);
	return p2p_req_report(&r, status);
}

/* Looks at a peer's ring this often before anything else: a ping-pong's answer comes in that time.
 * A look is about a nanosecond; and with fewer CPUs than ranks the answer cannot come while we
 * look; and with several threads others want the lock. */
#define LOOKS (via.contended || haft_threads_enabled() ? 1 : 256)

/* The receive fast path: with nothing posted and nothing early, the message that comes next from
 * the one peer in question needs no request and no matching.  False: nothing was done, take the
 * long way. */
static bool pt2pt_recv_fast(
	void *buf, int64_t room, int source, int tag, struct comm *c, MPI_Status *status)
{
	int slot = via_peer(group_peer(comm_peers(c), source))->slot - 1, looks = LOOKS;
	struct shm_frame f;

	if (!p2p_match_empty() || p2p_state.busy != NULL || slot < 0)
		return false;
	while (!via_frame_peek(slot, &f)) {
		if (--looks == 0)
			return false;
	}
	if (f.kind != FRAME_EAGER || f.ctx != c->ctx || (f.tag != tag && tag != MPI_ANY_TAG) ||
		f.len > room || (c->hints & HINT_EXACT_LENGTH && f.len != room))
		return false;
	memcpy(buf, f.data, f.len);
	via_frame_next(&f);
	haft_status_set(status, source, f.tag, f.len, 0);
	return true;
}

int p2p_recv(void *buf, int64_t count, struct type *type, int source, int tag, struct comm *c,
	MPI_Status *status)
{
	int64_t room;

	if (source == MPI_PROC_NULL) {
		haft_status_nobody(status);
		return 0;
	}
	if (source >= 0 && type->dense && pt2pt_buf_given(buf) &&
		!__builtin_mul_overflow(count, type->size, &room) &&
		pt2pt_recv_fast(buf, room, source, tag, c, status))
		return 0;
	return pt2pt_recv_blocking(buf, count, type, source, tag, c, status);
}

/* --- both at once --------------------------------------------------------------------------- */

/* MPI-5.0 3.10: the receive is posted first, so that nothing is unexpected that need not be. */
int p2p_sendrecv(const void *sbuf, int64_t scount, struct type *stype, int dest, int stag,
	void *rbuf, int64_t rcount, struct type *rtype, int source, int rtag, struct comm *c,
	MPI_Status *status)
{
	struct req r = {.state = STATE_NEW};
	int peer, err, send_err;

	if (source == MPI_PROC_NULL) {
		haft_status_nobody(status);
		return p2p_send(sbuf, scount, stype, dest, stag, c);
	}
	err = dest == MPI_PROC_NULL ? 0 : type_check(sbuf, scount, 1, stype, "the send buffer");
	if (err != 0)
		return err; /* before a receive is posted that nobody might end */
	peer = source == MPI_ANY_SOURCE ? source : group_peer(comm_peers(c), source);
	err = p2p_req_fill(&r, REQ_RECV, rbuf, rcount, rtype, peer, rtag, c, c->ctx);
	if (err != 0)
		return err;
	p2p_recv_start(&r);
	send_err = p2p_send(sbuf, scount, stype, dest, stag, c);
	if (!r.done)
		p2p_wait_done(&r);
	err = p2p_req_report(&r, status);
	return send_err != 0 ? send_err : err;
}

int p2p_copy(const void *buf, int64_t count, const struct type *type, int64_t bytes, char **copy)
{
	*copy = malloc((size_t)bytes + 1);
	if (*copy == NULL)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory for a copy of %lld bytes", (long long)bytes);
	type_pack(type, buf, count, 0, *copy, bytes);
	return 0;
}

int p2p_sendrecv_replace(void *buf, int64_t count, struct type *type, int dest, int stag,
	int source, int rtag, struct comm *c, MPI_Status *status)
{
	struct type *bytes_of = type_predefined(MPI_PACKED); /* it may be anything */
	struct req *request;
	int64_t bytes;
	int err = type_check(buf, count, 1, type, "the buffer");
	char *copy;

	if (err != 0)
		return err;
	if (p2p_state.checks) { /* a request can carry what the copy is made of */
		err = p2p_isendrecv_replace(
			buf, count, type, dest, stag, source, rtag, c, &request);
		return err != 0 ? err : p2p_wait(&request, status);
	}
	bytes = count * type->size;
	err = p2p_copy(buf, count, type, bytes, &copy);
	if (err != 0)
		return err;
	err = p2p_sendrecv(
		copy, bytes, bytes_of, dest, stag, buf, count, type, source, rtag, c, status);
	free(copy);
	return err;
}

void p2p_req_detach(struct req *r, struct req *whole)
{
	req_touch(r);
	r->orphan = true;
	if (r->comm != NULL)
		r->comm->freed++;
	r->whole = whole;
	if (whole != NULL)
		obj_hold(whole);
	obj_hold(r); /* dropped when it is over */
	obj_free_obj(r);
}

void p2p_req_start_part(struct req *r, struct req *whole)
{
	p2p_req_detach(r, whole);
	p2p_send_start(r);
}

/* The request is the receive, and the send is a part of it without a handle.  `of': sbuf is a
 * malloc'ed copy, ours from now on, of data of this type; NULL: it is the user's. */
static int pt2pt_isendrecv(const void *sbuf, int64_t scount, struct type *stype, int dest, int stag,
	void *rbuf, int64_t rcount, struct type *rtype, int source, int rtag, struct comm *c,
	struct type *of, struct req **request)
{
	void *scratch = of != NULL ? (void *)(uintptr_t)sbuf : NULL;
	struct req *r, *s = NULL;
	int err = 0;

	if (dest != MPI_PROC_NULL) {
		s = p2p_req_new_message(stype, c);
		err = s == NULL ? p2p_req_no_memory()
				: p2p_req_fill(s, REQ_SEND, sbuf, scount, stype,
					  group_peer(comm_peers(c), dest), stag, c, c->ctx);
	}
	if (err == 0)
		err = p2p_irecv(rbuf, rcount, rtype, source, rtag, c, &r);
	if (err != 0) {
		if (s != NULL)
			p2p_req_free(s);
		free(scratch);
		return err;
	}
	r->combined = true;
	*request = r;
	if (s == NULL) {
		free(scratch);
		return 0;
	}
	req_touch(r);
	s->scratch = scratch;
	if (of != NULL && p2p_state.checks)
		s->note = p2p_sig_for_copy(&(struct req){.type = of, .bytes = scount});
	r->parts = r->done ? 1 : 2;
	r->done = false;
	p2p_req_start_part(s, r);
	return 0;
}

int p2p_isendrecv(const void *sbuf, int64_t scount, struct type *stype, int dest, int stag,
	void *rbuf, int64_t rcount, struct type *rtype, int source, int rtag, struct comm *c,
	struct req **request)
{
	return pt2pt_isendrecv(sbuf, scount, stype, dest, stag, rbuf, rcount, rtype, source, rtag,
		c, NULL, request);
}

int p2p_isendrecv_replace(void *buf, int64_t count, struct type *type, int dest, int stag,
	int source, int rtag, struct comm *c, struct req **request)
{
	int64_t bytes;
	int err = type_check(buf, count, 1, type, "the buffer");
	char *copy;

	if (err != 0)
		return err;
	bytes = count * type->size;
	err = p2p_copy(buf, count, type, bytes, &copy);
	if (err != 0)
		return err;
	return pt2pt_isendrecv(copy, bytes, type_predefined(MPI_PACKED), dest, stag, buf, count,
		type, source, rtag, c, type, request);
}

/* --- for collectives and constructors of communicators -------------------------------------- */

static void plane_start(struct comm *c, enum ctx_plane plane, int kind, const void *buf,
	int64_t count, struct type *type, int peer, int tag, struct req *r)
{
	memset(r, 0, sizeof(*r));
	r->res.error = p2p_req_fill(r, kind, buf, count, type, peer, tag, c, c->ctx | plane);
	if (r->res.error != 0)
		r->done = true;
	else if (kind == REQ_SEND)
		p2p_send_start(r);
	else
		p2p_recv_start(r);
}

void p2p_coll_start(struct comm *c, int kind, const void *buf, int64_t count, struct type *type,
	int peer, int tag, struct req *r)
{
	plane_start(c, CTX_COLL, kind, buf, count, type, peer, tag, r);
}

void p2p_coll_send_error(
	struct comm *c, const struct p2p_error_msg *sorry, int peer, int tag, struct req *r)
{
	memset(r, 0, sizeof(*r));
	r->res.error = p2p_req_fill(r, REQ_SEND, sorry, (int64_t)sizeof(*sorry),
		type_predefined(MPI_BYTE), peer, tag, c, c->ctx | CTX_COLL);
	r->scratch = r->buf;
	r->mate = FRAME_ERROR;
	r->state = STATE_OUT_FRAME;
	p2p_out_put(r, peer);
}

void p2p_plane_isend(struct comm *c, enum ctx_plane plane, const void *buf, int64_t bytes, int rank,
	int tag, struct req *r)
{
	plane_start(c, plane, REQ_SEND, buf, bytes, type_predefined(MPI_BYTE),
		group_peer(comm_peers(c), rank), tag, r);
}

void p2p_plane_irecv(struct comm *c, enum ctx_plane plane, void *buf, int64_t bytes, int rank,
	int tag, struct req *r)
{
	plane_start(c, plane, REQ_RECV, buf, bytes, type_predefined(MPI_BYTE),
		group_peer(comm_peers(c), rank), tag, r);
}

int p2p_coll_wait(struct req *reqs, int n)
{
	int first = 0;

	for (int i = 0; i < n; i++) {
		int err;

		if (!reqs[i].done)
			p2p_wait_done(&reqs[i]);
		if (reqs[i].res.error == 0)
			continue;
		err = p2p_req_report(&reqs[i], MPI_STATUS_IGNORE);
		if (first == 0)
			first = err;
	}
	return first;
}

int p2p_plane_send(
	struct comm *c, enum ctx_plane plane, const void *buf, int64_t bytes, int rank, int tag)
{
	struct req r;

	p2p_plane_isend(c, plane, buf, bytes, rank, tag, &r);
	return p2p_coll_wait(&r, 1);
}

int p2p_plane_recv(
	struct comm *c, enum ctx_plane plane, void *buf, int64_t bytes, int rank, int tag)
{
	struct req r;

	p2p_plane_irecv(c, plane, buf, bytes, rank, tag, &r);
	return p2p_coll_wait(&r, 1);
}
