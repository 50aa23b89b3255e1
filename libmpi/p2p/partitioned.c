// SPDX-License-Identifier: BSD-3-Clause
/* partitioned.c - partitioned communication (MPI-5.0 chapter 4).
 *
 *     sender                                              receiver
 *     Psend_init ── offer: id, bytes, note ─────────────> Precv_init      matched like messages, on
 *                <──────────────────────── MATE: its id                   a plane of their own
 *     Start                                               Start
 *                <──────────────────────── READY                          the buffer may be written
 *     Pready ──> fresh ── DATA at, bytes ───────────────> unpacked; Parrived
 *                    └─── LONG at, bytes, id ──> <── CLEAR ── pipe ──>    what no frame holds
 *     Request_free ── CLOSE ──>              <── CLOSE ── Request_free    then both forget the pair
 *
 * Data is named by its place in the packed form of the whole buffer, so the two sides need not
 * agree about partitions.  Neighbours that are ready together go together.
 *
 * Threads: MPI_Pready takes no lock.  It puts a mark on a stack that all operations share (the mail
 * of the library's lock) and tries the lock: if somebody has it, that thread finds the mail when it
 * unlocks.  A mark is the last thing that Pready touches, because with the last one the operation
 * may be over and freed.
 *
 * Memory: an operation has at its init all that it needs.  What finds the way full is noted and
 * goes later (`owes'); data stays where the user has it.  A long range whose sender has no memory
 * for a request goes in frames; a receiver without says PLAIN, and all not asked for goes so, too.
 *
 * Invariants
 *  - Data flows only when `ready' has reached `starts': the receiver has started as often as we.
 *  - A pair is remembered until both have freed it and it owes nothing: no frame names a stranger.
 *  - What is owed goes when the peer's out queue is empty: after all CLEARs; PLAIN needs that. */
#include "libmpi/p2p/partitioned.h"

#include "libmpi/core/info_object.h"
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/process_state.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

static struct id_table parts;

/* --- frames --------------------------------------------------------------------------------- */

static void part_got_frame(
	int kind, int peer, uint64_t at, uint32_t id, const void *data, int64_t n);

/* Puts a frame about an operation: 0; SHM_AGAIN: it is not its turn; or another error of via_put.
 */
static int part_frame(const struct part_op *p, enum p2p_frame_kind kind, uint32_t id, uint64_t at,
	const void *data, int64_t n)
{
	if (p->peer == p2p_state.me) {
		part_got_frame((int)kind, p->peer, at, id, data, n);
		return 0;
	}
	if (p2p_peer(p->peer)->out.head != NULL)
		return SHM_AGAIN;
	return via_put(p->peer, at, (int32_t)id, (uint8_t)kind, data, (size_t)n);
}

static int part_push_all(struct part_op *p);

/* As frame. */
static int part_send_pending(struct part_op *p, unsigned part_pending)
{
	switch (part_pending) {
	case PENDING_MATCH:
		return part_frame(p, FRAME_PART_MATCH, p->mate, p->id, &p->bytes, sizeof(p->bytes));
	case PENDING_READY: return part_frame(p, FRAME_PART_READY, p->mate, 0, NULL, 0);
	case PENDING_DATA: return part_push_all(p);
	case PENDING_NO_RTS: return part_frame(p, FRAME_PART_NO_RTS, p->mate, 0, NULL, 0);
	case PENDING_NO_MEM: return part_frame(p, FRAME_PART_NO_MEM, p->mate, 0, NULL, 0);
	default: return part_frame(p, FRAME_PART_CLOSE, p->mate, 0, NULL, 0);
	}
}

static void list(struct part_op *p)
{
	struct p2p_peer *peer = p2p_peer(p->peer);

	if (p->listed)
		return;
	p->listed = true;
	p->owes_next = peer->owing;
	peer->owing = p;
	p2p_peer_busy(p->peer);
}

/* Tells the mate what it is owed, as far as there is room; the rest is for p2p_part_flush.  More than
 * 0: something went. */
static int part_flush_one(struct part_op *p)
{
	int went = 0;

	while (p->owes != 0) {
		unsigned part_pending = p->owes & -p->owes;
		int err = part_send_pending(p, part_pending);

		if (err == SHM_AGAIN) {
			list(p);
			return went;
		}
		if (err == SHM_NOMEM) /* not even for some bytes: the mate would wait for ever */
			haft_abort_job(MPI_ERR_NO_MEM, "no shared memory for a frame");
		p->owes &= ~part_pending; /* VIA_LOST: p2p_part_peer_lost follows */
		went++;
	}
	return went;
}

static void part_pend(struct part_op *p, enum part_pending what)
{
	p->owes |= what;
	part_flush_one(p);
}

/* --- the end -------------------------------------------------------------------------------- */

static void part_dequeue(struct part_op *p)
{
	struct part_op **at = &p2p_peer(p->peer)->owing;

	while (*at != p)
		at = &(*at)->owes_next;
	*at = p->owes_next;
	p->listed = false;
}

static void part_free(struct part_op *p)
{
	if (p->listed)
		part_dequeue(p);
	if (p->peer != MPI_PROC_NULL)
		id_table_drop(&parts, p->id);
	free(p->marks);
	free(p->fresh);
	free(p->missing);
	free(p);
}

/* Both sides have freed it, and nothing is to be said. */
static void part_free_if_over(struct part_op *p)
{
	if (p->req == NULL && p->closed && p->owes == 0)
		part_free(p);
}

/* The marks of an operation that ends or starts again are not in the mail any more. */
static void part_marks_take(void)
{
	if (atomic_load(&haft_lock_deferred) != NULL)
		p2p_part_mail();
}

/* The user has freed the request; the mate, if there is one yet, must know. */
static void part_gone(struct req *r)
{
	struct part_op *p = r->scratch;

	if (p == NULL)
		return;
	part_marks_take();
	r->scratch = NULL;
	p->req = NULL;
	if (p->peer == MPI_PROC_NULL) {
		part_free(p);
		return;
	}
	if (p->matched && !p->lost)
		part_pend(p, PENDING_CLOSE);
	part_free_if_over(p);
}

/* --- matching ------------------------------------------------------------------------------- */

/* The two buffers differ: every start of the operation fails with these words. */
static void part_mismatch(const struct part_op *p)
{
	struct req *r = p->req;

	p2p_req_set_error(
		r, haft_err(p->sends || p->theirs < p->bytes ? MPI_ERR_COUNT : MPI_ERR_TRUNCATE,
			   "a partitioned %s of %lld bytes %s rank %d with tag %d was matched "
			   "with one of "
			   "%lld bytes",
			   p->sends ? "send" : "receive", (long long)p->bytes,
			   p->sends ? "to" : "from", group_rank_of(comm_peers(r->comm), p->peer),
			   r->tag, (long long)p->theirs));
	r->parts = 0;
	p2p_req_finish(r);
}

static bool part_fits(const struct part_op *p)
{
	return !p->matched || p->theirs == p->bytes;
}

/* We know our mate. */
static void part_matched(struct part_op *p, uint32_t mate, int64_t theirs)
{
	p->mate = mate;
	p->theirs = theirs;
	p->matched = true;
	if (!p->sends)
		part_pend(p, PENDING_MATCH);
	if (p->req == NULL)
		part_pend(p, PENDING_CLOSE);
	else if (p->req->active && !part_fits(p))
		part_mismatch(p);
	else if (p->req->active && !p->sends)
		part_pend(p, PENDING_READY);
	part_free_if_over(p);
}

/* The receive of an offer is over. */
static void part_offer_received(struct req *r)
{
	struct part_op *p = (struct part_op *)(void *)(r->buf - offsetof(struct part_op, offer));

	if (r->res.error == MPI_ERR_NO_MEM) /* its sender would wait for ever */
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for the offer of a partitioned message");
	if (r->res.error != 0)
		return; /* the peer is lost: p2p_part_peer_lost says so */

	/* Without a note, where HAFT_CHECK is another, it may be anything. */
	if (r->res.bytes < (int64_t)sizeof(p->offer))
		p->offer.note.any = true;
	p2p_sig_sanitize(&p->offer.note);
	part_matched(p, p->offer.id, p->offer.bytes);
}

static const struct req_ops part_offer_recv_ops = {.over = part_offer_received};

static void poor(struct part_op *p);

/* The send of an offer is over. */
static void part_offer_sent(struct req *r)
{
	struct part_offer offer;
	struct part_op *p;

	memcpy(&offer, r->scratch, sizeof(offer));
	p = id_table_get(&parts, offer.id);
	if (r->res.error == MPI_ERR_NO_MEM && p != NULL)
		poor(p);
}

static const struct req_ops part_offer_send_ops = {.over = part_offer_sent};

/* Sends the offer, or posts a receive for it. */
static int part_offer_start(struct part_op *p, struct type *type, struct comm *c, int tag)
{
	struct type *byte = type_predefined(MPI_BYTE);
	struct req *r = p2p_req_new_message(byte, c);

	if (r == NULL)
		return p2p_req_no_memory();
	p2p_req_fill(r, p->sends ? REQ_SEND : REQ_RECV, &p->offer,
		p->sends && !p2p_state.checks ? offsetof(struct part_offer, note)
					      : sizeof(p->offer),
		byte, p->peer, tag, c, c->ctx | CTX_PART);
	if (!p->sends) {
		r->ops = &part_offer_recv_ops;
		p2p_req_detach(r, NULL);
		p2p_recv_start(r);
		return 0;
	}
	p->offer = (struct part_offer){.bytes = p->bytes, .id = p->id};
	if (p2p_state.checks)
		p2p_sig_fill(&p->offer.note, type, p->bytes);
	r->scratch = malloc(sizeof(p->offer)); /* the operation may be gone before it is */
	if (r->scratch == NULL) {
		p2p_req_free(r);
		return p2p_req_no_memory();
	}
	r->buf = memcpy(r->scratch, &p->offer, sizeof(p->offer));
	r->ops = &part_offer_send_ops;
	p2p_req_start_part(r, NULL);
	return p->poor ? haft_err(MPI_ERR_NO_MEM, "no memory to offer a partitioned message") : 0;
}

/* --- making --------------------------------------------------------------------------------- */

static bool part_room(struct part_op *p)
{
	size_t n = (size_t)p->n;

	if (!p->sends) {
		p->missing = calloc(n, sizeof(*p->missing));
		return p->missing != NULL;
	}
	p->marks = calloc(n, sizeof(*p->marks));
	p->fresh = calloc(n / 64 + 1, sizeof(*p->fresh));
	for (size_t i = 0; p->marks != NULL && i < n; i++)
		p->marks[i].part = p;
	return p->marks != NULL && p->fresh != NULL;
}

/* An operation whose request is filled; NULL: no memory. */
static struct part_op *part_new(struct req *r, bool sends, int n, int64_t count)
{
	struct part_op *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->req = r;
	p->sends = sends;
	p->peer = r->peer;
	p->n = n;
	p->each = count * r->type->size;
	p->bytes = p->each * n;
	if (part_room(p) && (p->peer == MPI_PROC_NULL || id_table_take(&parts, p, &p->id)))
		return p;
	p->peer = MPI_PROC_NULL; /* it has no number */
	part_free(p);
	return NULL;
}

static void part_start_send(struct part_op *p)
{
	for (int i = 0; i < p->n; i++)
		atomic_store_explicit(&p->marks[i].next, PART_UNMARKED, memory_order_relaxed);
	p->left = p->n;
	p->cut = p->cut_end = 0;
	p->req->parts = 1; /* ends when the last partition has been sent */
}

static void part_start_recv(struct part_op *p)
{
	for (int i = 0; i < p->n; i++)
		atomic_store_explicit(&p->missing[i], p->each, memory_order_relaxed);
	p->lack = p->bytes;
	p->coming = 0;
	if (p->matched)
		part_pend(p, PENDING_READY);
}

/* Fails what the user has started. */
static void lost(struct part_op *p)
{
	p2p_fail_request(p->req, p->peer, VIA_LOST);
	p->req->parts = 0;
	p2p_req_finish(p->req);
}

/* The sender's way to the receiver has no memory: the operation fails, now and later, on both
 * sides; here when nothing of it moves any more. */
static void poor(struct part_op *p)
{
	struct req *r = p->req;

	p->poor = true;
	if (r == NULL || !r->active || r->done || p->ranges > 0)
		return;
	if (p->sends)
		p2p_fail_request(r, p->peer, SHM_NOMEM);
	else if (r->res.error == 0)
		p2p_req_set_error(
			r, haft_err(MPI_ERR_NO_MEM,
				   "rank %d has no memory for the frames of a partitioned message",
				   group_rank_of(comm_peers(r->comm), p->peer)));
	p2p_req_finish(r);
}

static int part_start(struct req *r)
{
	struct part_op *p = r->scratch;

	part_marks_take();
	p->starts++;
	if (p->sends)
		part_start_send(p);
	if (p->peer == MPI_PROC_NULL) {
		r->res = (struct req_result){.source = MPI_PROC_NULL, .tag = MPI_ANY_TAG};
		r->parts = 0;
		r->done = true;
	} else if (p->lost) {
		lost(p);
	} else if (!part_fits(p)) {
		part_mismatch(p);
	} else if (p->poor) {
		poor(p);
	} else if (!p->sends) {
		part_start_recv(p);
	}
	return 0;
}

static const struct req_ops part_ops = {.start = part_start, .gone = part_gone};

static int part_init(bool sends, const void *buf, int n, int64_t count, struct type *type, int rank,
	int tag, struct comm *c, struct req **request)
{
	struct part_op *p;
	struct req *r;
	int err;

	if (n <= 0)
		return haft_err(MPI_ERR_ARG, "partitions is %d, and must be at least 1", n);
	err = type_check(buf, count, n, type, "the buffer");
	if (err != 0)
		return err;
	r = p2p_req_new_message(type, c);
	if (r == NULL)
		return p2p_req_no_memory();
	p2p_req_fill(r, sends ? REQ_PSEND : REQ_PRECV, buf, count * n, type,
		rank == MPI_PROC_NULL ? rank : group_peer(comm_peers(c), rank), tag, c,
		c->ctx | CTX_PART);
	r->persist = true;
	p = part_new(r, sends, n, count);
	err = p == NULL ? p2p_req_no_memory() : 0;
	if (err == 0 && rank != MPI_PROC_NULL)
		err = part_offer_start(p, type, c, tag);
	if (err != 0 && p != NULL)
		part_free(p);
	if (err != 0) {
		p2p_req_free(r);
		return err;
	}
	r->scratch = p;
	r->ops = &part_ops;
	*request = r;
	return 0;
}

int p2p_psend_init(const void *buf, int n, int64_t count, struct type *type, int dest, int tag,
	struct comm *c, struct info *info, struct req **request)
{
	(void)info;
	return part_init(true, buf, n, count, type, dest, tag, c, request);
}

int p2p_precv_init(void *buf, int n, int64_t count, struct type *type, int source, int tag,
	struct comm *c, struct info *info, struct req **request)
{
	(void)info;
	return part_init(false, buf, n, count, type, source, tag, c, request);
}

/* --- receiving ------------------------------------------------------------------------------ */

/* Bytes [at, at + n) are in the user's buffer. */
static void part_bytes_arrived(struct part_op *p, int64_t at, int64_t n)
{
	for (int64_t a = at; a < at + n;) {
		int64_t i = a / p->each, end = (i + 1) * p->each;

		if (end > at + n)
			end = at + n;
		atomic_fetch_sub_explicit(&p->missing[i], end - a, memory_order_release);
		a = end;
	}
	p->lack -= n;
	if (p->lack > 0)
		return;
	p->req->res.source = group_rank_of(comm_peers(p->req->comm), p->peer);
	p->req->res.tag = p->req->tag;
	p->req->res.bytes = p->req->total = p->bytes;
	if (p2p_state.checks)
		p2p_sig_check(p->req, &p->offer.note);
	p2p_req_finish(p->req);
}

static void part_got_data(struct part_op *p, int64_t at, const void *data, int64_t n)
{
	struct req *r = p->req;

	if (n > 0)
		type_unpack(r->type, r->buf, r->count, at, data, n);
	part_bytes_arrived(p, at, n);
}

/* A piece of the way is over; r->id is the operation's. */
static void part_range_received(struct req *r)
{
	int64_t n = r->total - (int64_t)r->seq;
	struct part_op *p;

	if (r->res.error != 0)
		return;
	p = id_table_get(&parts, r->id);
	p->ranges--;
	p->coming -= n;
	part_bytes_arrived(p, (int64_t)r->seq, n);
	if (p->poor)
		poor(p);
}

static const struct req_ops part_range_ops = {.over = part_range_received};

/* A piece of the way that its sender's request `id' will fill. */
struct part_rts {
	int64_t n;
	uint32_t id;
	uint32_t pad;
};

/* A request for bytes [at, at + n) of an operation's buffer, without a handle: its own place in the
 * message is its place in the whole.  NULL: no memory. */
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
	r->from = p->peer;
	r->at = at;
	r->seq = (uint64_t)at;
	r->bytes = at + n;
	r->total = at + n;
	return r;
}

/* The same for a range that will come; the stream of a far one is posted. */
static struct req *part_range_recv(struct part_op *p, int64_t at, int64_t n)
{
	struct req *r = part_range_new(p, REQ_RECV, at, n);

	if (r == NULL || via_is_local(r->from))
		return r;
	r->stream = p2p_stream_try_post(r);
	if (r->stream != 0)
		return r;
	p2p_req_free(r);
	return NULL;
}

static void part_got_rts(struct part_op *p, int64_t at, const struct part_rts *piece)
{
	struct req *r = p->plain ? NULL : part_range_recv(p, at, piece->n);

	if (r == NULL) {
		if (!p->plain)
			part_pend(p, PENDING_NO_RTS);
		p->plain = true;
		return;
	}
	p->ranges++;
	p->coming += piece->n;
	r->ops = &part_range_ops;
	r->id = p->id;
	p2p_req_detach(r, NULL);
	r->mate = piece->id;
	r->state = STATE_OUT_CTS;
	p2p_out_put(r, r->from);
}

/* --- sending -------------------------------------------------------------------------------- */

/* A message to ourselves: from the one buffer into the other. */
static void part_send_self(struct part_op *p, int64_t at, int64_t n)
{
	enum { BITE = 1024 };
	struct part_op *to = id_table_get(&parts, p->mate);
	struct req *r = p->req;
	char bite[BITE];

	if (n == 0 || r->type->dense) {
		part_got_data(to, at, n == 0 ? NULL : r->buf + at, n);
		return;
	}
	for (int64_t a = at; a < at + n; a += BITE) {
		int64_t part = at + n - a < BITE ? at + n - a : BITE;

		type_pack(r->type, r->buf, r->count, a, bite, part);
		part_got_data(to, a, bite, part);
	}
}

/* All these: 0, or an error of via_put and nothing has been done.  PART_NO_REQUEST: no memory for a
 * request.
 */
enum { PART_NO_REQUEST = VIA_LOST + 1 };

#define CUT_MIN 64 /* bytes: fits into what each connection has without memory */

static int part_send_rts(struct part_op *p, int64_t at, int64_t n)
{
	struct req *r = p->plain ? NULL : part_range_new(p, REQ_SEND, at, n);
	struct part_rts piece = {.n = n};
	int err = PART_NO_REQUEST;

	if (r == NULL)
		return PART_NO_REQUEST;
	if (p2p_send_take_id(r)) {
		piece.id = r->id;
		err = part_frame(p, FRAME_PART_RTS, p->mate, (uint64_t)at, &piece, sizeof(piece));
		if (err != 0)
			id_table_drop(&p2p_state.ids, r->id);
	}
	if (err != 0) {
		p2p_req_free(r);
		return err;
	}
	p->req->parts++;
	p2p_req_detach(r, p->req);
	r->state = STATE_AWAIT_CTS;
	return 0;
}

/* A range that is one frame; what has gaps is packed where the receiver reads it. */
static int part_send_frame(struct part_op *p, int64_t at, int64_t n)
{
	struct req *r = p->req;
	void *room;
	int err;

	if (n == 0 || r->type->dense)
		return part_frame(p, FRAME_PART_DATA, p->mate, (uint64_t)at, r->buf + at, n);
	if (p2p_peer(p->peer)->out.head != NULL)
		return SHM_AGAIN;
	err = via_reserve(p->peer, (size_t)n, &room);
	if (err != 0)
		return err;
	type_pack(r->type, r->buf, r->count, at, room, n);
	via_commit(p->peer, (uint64_t)at, (int32_t)p->mate, FRAME_PART_DATA, (size_t)n);
	return 0;
}

/* What is being cut goes on; 0: it has gone.  Long frames need memory if they cannot go at once. */
static int part_send_cut(struct part_op *p)
{
	int64_t most = via_is_local(p->peer) ? via.frame_max : NET_FRAME_MAX;

	while (p->cut < p->cut_end) {
		int64_t n = p->cut_end - p->cut < most ? p->cut_end - p->cut : most;
		int err = part_send_frame(p, p->cut, n);

		if (err == SHM_NOMEM && n > CUT_MIN)
			most = n / 2;
		else if (err != 0)
			return err;
		else
			p->cut += n;
	}
	return 0;
}

/* The range has gone, or is what is being cut now. */
static int part_send_range(struct part_op *p, int64_t at, int64_t n)
{
	int err;

	if (p->peer == p2p_state.me) {
		part_send_self(p, at, n);
		return 0;
	}
	if (n <= (via_is_local(p->peer) ? p2p_state.eager : p2p_state.eager_far)) {
		err = part_send_frame(p, at, n);
		if (err != SHM_NOMEM || n == 0)
			return err;
	} else {
		err = part_send_rts(p, at, n);
		if (err != PART_NO_REQUEST)
			return err;
	}
	p->cut = at;
	p->cut_end = at + n;
	return 0;
}

static bool fresh(const struct part_op *p, int i)
{
	return i >= 0 && i < p->n && (p->fresh[i / 64] >> i % 64 & 1) != 0;
}

/* May data of this start flow? */
static bool part_may_send(const struct part_op *p)
{
	return p->matched && !p->lost && !p->poor && p->ready >= p->starts && part_fits(p);
}

/* Sends the fresh partitions around i, if it is one: 0, or an error of via_put. */
static int part_push(struct part_op *p, int i)
{
	int low = i, high = i, err = 0;

	if (!fresh(p, i))
		return 0;
	while (fresh(p, low - 1))
		low--;
	while (fresh(p, high))
		high++;
	if (p->bytes > 0)
		err = part_send_range(p, low * p->each, (high - low) * p->each);
	else if (p->left == high - low)
		err = part_send_range(p, 0, 0);
	if (err != 0)
		return err;
	for (int k = low; k < high; k++)
		p->fresh[k / 64] &= ~(1ULL << k % 64);
	p->left -= high - low;
	err = part_send_cut(p);
	if (err == 0 && p->left == 0)
		p2p_req_finish(p->req);
	return err;
}

/* An error of a put: what it means to the operation.  SHM_AGAIN if it shall be tried again. */
static int part_push_failed(struct part_op *p, int err)
{
	if (err != SHM_NOMEM)
		return err;
	poor(p);
	part_pend(p, PENDING_NO_MEM);
	return 0;
}

/* Sends all that is fresh: 0, SHM_AGAIN (not all of it has gone) or VIA_LOST. */
static int part_push_all(struct part_op *p)
{
	bool cut = p->cut < p->cut_end;
	int err = part_may_send(p) ? part_send_cut(p) : 0;

	if (!part_may_send(p))
		return 0;
	if (err == 0 && cut && p->left == 0)
		p2p_req_finish(p->req);
	for (int i = 0; i < p->n && err == 0; i++) {
		if (i % 64 == 0 && p->fresh[i / 64] == 0)
			i += 63;
		else
			err = part_push(p, i);
	}
	return part_push_failed(p, err);
}

/* The receiver has no memory for the ranges that it has not asked for: they are fresh again. */
static void part_drop_rts(struct part_op *p)
{
	p->plain = true;
	for (uint32_t i = 0; i < p2p_state.ids.n; i++) {
		struct req *r = id_table_get(&p2p_state.ids, i);
		int low, high;

		if (r == NULL || r->whole == NULL || r->whole != p->req ||
			r->state != STATE_AWAIT_CTS)
			continue;
		id_table_drop(&p2p_state.ids, i);
		if (p->left == 0 && p->cut == p->cut_end)
			p->req->parts++; /* not over yet */
		low = (int)((int64_t)r->seq / p->each);
		high = (int)(r->total / p->each);
		for (int k = low; k < high; k++)
			p->fresh[k / 64] |= 1ULL << k % 64;
		p->left += high - low;
		p2p_req_finish(r);
	}
	part_pend(p, PENDING_DATA);
}

int p2p_part_flush(int peer)
{
	struct part_op *p = p2p_peer(peer)->owing, *next;
	int went = 0;

	p2p_peer(peer)->owing = NULL;
	for (; p != NULL; p = next) {
		next = p->owes_next;
		p->listed = false;
		went += part_flush_one(p);
		part_free_if_over(p);
	}
	return went;
}

/* --- partitions that are ready -------------------------------------------------------------- */

/* The lock's mail: what Pready has marked.  First all marks count, so that neighbours go together.
 */
void p2p_part_mail(void)
{
	struct part_mark *first = atomic_exchange(&haft_lock_deferred, NULL), *next;

	for (struct part_mark *m = first; m != NULL; m = atomic_load(&m->next)) {
		long i = m - m->part->marks;

		m->part->fresh[i / 64] |= 1ULL << i % 64;
	}
	for (struct part_mark *m = first; m != NULL; m = next) {
		struct part_op *p = m->part;

		next = atomic_load(&m->next);
		if (part_may_send(p) && (p->owes & PENDING_DATA) == 0) {
			int err = part_push_failed(p, part_push(p, (int)(m - p->marks)));

			if (err == SHM_AGAIN)
				part_pend(p, PENDING_DATA);
		}
	}
}

static int part_not_sending(const struct req *r)
{
	if (r->kind != REQ_PSEND)
		return haft_err(MPI_ERR_REQUEST, "the request is not a partitioned send");
	if (!r->active)
		return haft_err(MPI_ERR_REQUEST, "the partitioned send has not been started");
	return 0;
}

/* Marks one partition, which goes with the next mail. */
static int part_mark(struct part_op *p, int i)
{
	struct part_mark *m, *was = PART_UNMARKED;
	void *head;

	if (i < 0 || i >= p->n)
		return haft_err(MPI_ERR_ARG, "partition %d is not one of 0..%d", i, p->n - 1);
	if (p->peer == MPI_PROC_NULL)
		return 0;
	m = &p->marks[i];
	if (!atomic_compare_exchange_strong(&m->next, &was, NULL))
		return haft_err(MPI_ERR_ARG, "partition %d is ready already", i);
	head = atomic_load(&haft_lock_deferred);
	do {
		atomic_store_explicit(&m->next, head, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak(&haft_lock_deferred, &head, m));
	return 0;
}

static void part_deliver_mail(void)
{
	if (!haft_threads_enabled()) {
		p2p_part_mail();
	} else if (haft_trylock()) {
		p2p_part_mail();
		haft_unlock();
	}
}

/* What of a section is ready now: under the lock, so that nobody else's older look at the memory
 * comes after ours. */
static void part_take_section(struct req *r)
{
	if (r->copies == NULL)
		return;
	if (haft_threads_enabled())
		haft_lock();
	p2p_req_copies_take(r);
	if (haft_threads_enabled())
		haft_unlock();
}

int p2p_pready(int i, struct req *r)
{
	return p2p_pready_range(i, i, r);
}

int p2p_pready_range(int low, int high, struct req *r)
{
	int err = part_not_sending(r);

	if (err == 0 && low > high)
		err = haft_err(
			MPI_ERR_ARG, "partition_low is %d, above partition_high %d", low, high);
	if (err == 0)
		part_take_section(r);
	for (int i = low; err == 0 && i <= high; i++)
		err = part_mark(r->scratch, i);
	part_deliver_mail();
	return err;
}

int p2p_pready_list(int n, const int list[], struct req *r)
{
	int err = part_not_sending(r);

	if (err == 0 && n > 0 && list == NULL)
		err = haft_err(MPI_ERR_ARG, "array_of_partitions is NULL");
	if (err == 0)
		part_take_section(r);
	for (int i = 0; err == 0 && i < n; i++)
		err = part_mark(r->scratch, list[i]);
	part_deliver_mail();
	return err;
}

/* --- has it arrived? ------------------------------------------------------------------------ */

/* Only whoever has the lock may look whether all is over. */
static bool part_look_again(const struct req *r, int i)
{
	if (!r->done && !part_has_arrived(r->scratch, i))
		p2p_progress();
	return r->done || part_has_arrived(r->scratch, i);
}

int p2p_parrived(struct req *r, int i, int *flag)
{
	const struct part_op *p;

	*flag = 1;
	if (r == NULL)
		return 0;
	if (r->kind != REQ_PRECV)
		return haft_err(MPI_ERR_REQUEST, "the request is not a partitioned receive");
	p = r->scratch;
	if (i < 0 || i >= p->n)
		return haft_err(MPI_ERR_ARG, "partition %d is not one of 0..%d", i, p->n - 1);
	if (!r->active || (part_has_arrived(p, i) && r->copies == NULL))
		return 0;
	if (haft_threads_enabled())
		haft_lock();
	*flag = part_look_again(r, i);
	if (*flag && r->copies != NULL)
		p2p_req_copies_give(r, false);
	if (haft_threads_enabled())
		haft_unlock();
	return 0;
}

/* --- what comes ----------------------------------------------------------------------------- */

/* Are these bytes of the buffer still to come?  Those of a range that was answered by PLAIN are:
 * they are not coming. */
static bool part_lacks(const struct part_op *p, uint64_t at, int64_t n)
{
	return !p->sends && p->matched && part_fits(p) && p->req != NULL && p->req->active &&
	       !p->req->done && at <= (uint64_t)p->bytes && n <= p->bytes - (int64_t)at &&
	       n <= p->lack - p->coming;
}

/* May a frame of this kind come for this operation, as it is now?  piece: of LONG. */
static bool part_frame_valid(
	const struct part_op *p, int kind, uint64_t at, int64_t n, const struct part_rts *piece)
{
	switch (kind) {
	case FRAME_PART_MATCH: return p->sends && !p->matched && n == sizeof(p->bytes);
	case FRAME_PART_READY:
	case FRAME_PART_NO_RTS: return p->sends && p->matched;
	case FRAME_PART_DATA: return part_lacks(p, at, n);
	case FRAME_PART_RTS: return piece->n > 0 && part_lacks(p, at, piece->n);
	case FRAME_PART_NO_MEM: return !p->sends && p->matched;
	}
	return p->matched && !p->closed;
}

static void part_got_frame(
	int kind, int peer, uint64_t at, uint32_t id, const void *data, int64_t n)
{
	struct part_op *p = id_table_get(&parts, id);
	struct part_rts piece = {0};
	int64_t bytes;

	if (kind == FRAME_PART_RTS && n == sizeof(piece))
		memcpy(&piece, data, sizeof(piece));
	if (p == NULL || p->peer != peer || !part_frame_valid(p, kind, at, n, &piece))
		p2p_protocol_error(peer,
			"a frame of kind %d and %lld bytes for partitioned operation %u", kind,
			(long long)n, id);
	switch (kind) {
	case FRAME_PART_MATCH:
		memcpy(&bytes, data, sizeof(bytes));
		part_matched(p, (uint32_t)at, bytes);
		break;
	case FRAME_PART_READY:
		p->ready++;
		if (p->req != NULL && p->req->active && part_may_send(p))
			part_pend(p, PENDING_DATA);
		break;
	case FRAME_PART_DATA: part_got_data(p, (int64_t)at, data, n); break;
	case FRAME_PART_RTS: part_got_rts(p, (int64_t)at, &piece); break;
	case FRAME_PART_NO_RTS: part_drop_rts(p); break;
	case FRAME_PART_NO_MEM: poor(p); break;
	case FRAME_PART_CLOSE:
		p->closed = true;
		part_free_if_over(p);
		break;
	}
}

void p2p_part_peer_lost(int peer)
{
	for (uint32_t i = 0; i < parts.n; i++) {
		struct part_op *p = id_table_get(&parts, i);

		if (p == NULL || p->peer != peer)
			continue;
		p->lost = p->closed = true;
		p->owes = 0;
		if (p->req == NULL)
			part_free(p);
		else if (p->req->active && !p->req->done)
			lost(p);
	}
}

void p2p_part_deliver(const struct shm_frame *f)
{
	part_got_frame(f->kind, f->src, f->ctx, (uint32_t)f->tag, f->data, f->len);
}
