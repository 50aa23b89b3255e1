// SPDX-License-Identifier: BSD-3-Clause
/* part.c - partitioned communication (MPI-5.0 chapter 4).
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
#include "libmpi/p2p/part.h"

#include "libmpi/core/info_object.h"
#include "libmpi/core/err.h"
#include "libmpi/core/lock.h"
#include "libmpi/core/state.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

static struct ids parts;

/* --- frames --------------------------------------------------------------------------------- */

static void got(int kind, int peer, uint64_t at, uint32_t id, const void *data, int64_t n);

/* Puts a frame about an operation: 0; SHM_AGAIN: it is not its turn; or another error of via_put.
 */
static int frame(const struct part *p, enum frame_kind kind, uint32_t id, uint64_t at,
	const void *data, int64_t n)
{
	if (p->peer == p2p.me) {
		got((int)kind, p->peer, at, id, data, n);
		return 0;
	}
	if (p2p_peer(p->peer)->out.head != NULL)
		return SHM_AGAIN;
	return via_put(p->peer, at, (int32_t)id, (uint8_t)kind, data, (size_t)n);
}

static int push_all(struct part *p);

/* As frame. */
static int pay(struct part *p, unsigned owed)
{
	switch (owed) {
	case OWE_MATE:
		return frame(p, FRAME_PART_MATE, p->mate, p->id, &p->bytes, sizeof(p->bytes));
	case OWE_READY: return frame(p, FRAME_PART_READY, p->mate, 0, NULL, 0);
	case OWE_DATA: return push_all(p);
	case OWE_PLAIN: return frame(p, FRAME_PART_PLAIN, p->mate, 0, NULL, 0);
	case OWE_SORRY: return frame(p, FRAME_PART_SORRY, p->mate, 0, NULL, 0);
	default: return frame(p, FRAME_PART_CLOSE, p->mate, 0, NULL, 0);
	}
}

static void list(struct part *p)
{
	struct p2p_peer *peer = p2p_peer(p->peer);

	if (p->listed)
		return;
	p->listed = true;
	p->owes_next = peer->owing;
	peer->owing = p;
	peer_busy(p->peer);
}

/* Tells the mate what it is owed, as far as there is room; the rest is for part_settle.  More than
 * 0: something went. */
static int settle(struct part *p)
{
	int went = 0;

	while (p->owes != 0) {
		unsigned owed = p->owes & -p->owes;
		int err = pay(p, owed);

		if (err == SHM_AGAIN) {
			list(p);
			return went;
		}
		if (err == SHM_NOMEM) /* not even for some bytes: the mate would wait for ever */
			haft_abort_job(MPI_ERR_NO_MEM, "no shared memory for a frame");
		p->owes &= ~owed; /* VIA_LOST: part_lost follows */
		went++;
	}
	return went;
}

static void owe(struct part *p, enum owed what)
{
	p->owes |= what;
	settle(p);
}

/* --- the end -------------------------------------------------------------------------------- */

static void unlist(struct part *p)
{
	struct part **at = &p2p_peer(p->peer)->owing;

	while (*at != p)
		at = &(*at)->owes_next;
	*at = p->owes_next;
	p->listed = false;
}

static void forget(struct part *p)
{
	if (p->listed)
		unlist(p);
	if (p->peer != MPI_PROC_NULL)
		ids_give(&parts, p->id);
	free(p->marks);
	free(p->fresh);
	free(p->missing);
	free(p);
}

/* Both sides have freed it, and nothing is to be said. */
static void forget_if_over(struct part *p)
{
	if (p->req == NULL && p->closed && p->owes == 0)
		forget(p);
}

/* The marks of an operation that ends or starts again are not in the mail any more. */
static void marks_take(void)
{
	if (atomic_load(&haft_lock_mail) != NULL)
		part_mail();
}

/* The user has freed the request; the mate, if there is one yet, must know. */
static void part_gone(struct req *r)
{
	struct part *p = r->scratch;

	if (p == NULL)
		return;
	marks_take();
	r->scratch = NULL;
	p->req = NULL;
	if (p->peer == MPI_PROC_NULL) {
		forget(p);
		return;
	}
	if (p->matched && !p->lost)
		owe(p, OWE_CLOSE);
	forget_if_over(p);
}

/* --- matching ------------------------------------------------------------------------------- */

/* The two buffers differ: every start of the operation fails with these words. */
static void differs(const struct part *p)
{
	struct req *r = p->req;

	req_fail(r, haft_err(p->sends || p->theirs < p->bytes ? MPI_ERR_COUNT : MPI_ERR_TRUNCATE,
			    "a partitioned %s of %lld bytes %s rank %d with tag %d was matched "
			    "with one of "
			    "%lld bytes",
			    p->sends ? "send" : "receive", (long long)p->bytes,
			    p->sends ? "to" : "from", group_rank_of(comm_peers(r->comm), p->peer),
			    r->tag, (long long)p->theirs));
	r->parts = 0;
	req_finish(r);
}

static bool fits(const struct part *p)
{
	return !p->matched || p->theirs == p->bytes;
}

/* We know our mate. */
static void met(struct part *p, uint32_t mate, int64_t theirs)
{
	p->mate = mate;
	p->theirs = theirs;
	p->matched = true;
	if (!p->sends)
		owe(p, OWE_MATE);
	if (p->req == NULL)
		owe(p, OWE_CLOSE);
	else if (p->req->active && !fits(p))
		differs(p);
	else if (p->req->active && !p->sends)
		owe(p, OWE_READY);
	forget_if_over(p);
}

/* The receive of an offer is over. */
static void offer_came(struct req *r)
{
	struct part *p = (struct part *)(void *)(r->buf - offsetof(struct part, offer));

	if (r->res.error == MPI_ERR_NO_MEM) /* its sender would wait for ever */
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for the offer of a partitioned message");
	if (r->res.error != 0)
		return; /* the peer is lost: part_lost says so */

	/* Without a note, where HAFT_CHECK is another, it may be anything. */
	if (r->res.bytes < (int64_t)sizeof(p->offer))
		p->offer.note.any = true;
	note_tame(&p->offer.note);
	met(p, p->offer.id, p->offer.bytes);
}

static const struct req_ops offer_ops = {.over = offer_came};

static void poor(struct part *p);

/* The send of an offer is over. */
static void offer_gone(struct req *r)
{
	struct offer offer;
	struct part *p;

	memcpy(&offer, r->scratch, sizeof(offer));
	p = ids_get(&parts, offer.id);
	if (r->res.error == MPI_ERR_NO_MEM && p != NULL)
		poor(p);
}

static const struct req_ops offered_ops = {.over = offer_gone};

/* Sends the offer, or posts a receive for it. */
static int offer_start(struct part *p, struct type *type, struct comm *c, int tag)
{
	struct type *byte = type_predefined(MPI_BYTE);
	struct req *r = req_new(byte, c);

	if (r == NULL)
		return no_request();
	req_fill(r, p->sends ? REQ_SEND : REQ_RECV, &p->offer,
		p->sends && !p2p.checks ? offsetof(struct offer, note) : sizeof(p->offer), byte,
		p->peer, tag, c, c->ctx | CTX_PART);
	if (!p->sends) {
		r->ops = &offer_ops;
		req_orphan(r, NULL);
		recv_start(r);
		return 0;
	}
	p->offer = (struct offer){.bytes = p->bytes, .id = p->id};
	if (p2p.checks)
		note_fill(&p->offer.note, type, p->bytes);
	r->scratch = malloc(sizeof(p->offer)); /* the operation may be gone before it is */
	if (r->scratch == NULL) {
		req_free(r);
		return no_request();
	}
	r->buf = memcpy(r->scratch, &p->offer, sizeof(p->offer));
	r->ops = &offered_ops;
	req_start_part(r, NULL);
	return p->poor ? haft_err(MPI_ERR_NO_MEM, "no memory to offer a partitioned message") : 0;
}

/* --- making --------------------------------------------------------------------------------- */

static bool part_room(struct part *p)
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
static struct part *part_new(struct req *r, bool sends, int n, int64_t count)
{
	struct part *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->req = r;
	p->sends = sends;
	p->peer = r->peer;
	p->n = n;
	p->each = count * r->type->size;
	p->bytes = p->each * n;
	if (part_room(p) && (p->peer == MPI_PROC_NULL || ids_take(&parts, p, &p->id)))
		return p;
	p->peer = MPI_PROC_NULL; /* it has no number */
	forget(p);
	return NULL;
}

static void start_send(struct part *p)
{
	for (int i = 0; i < p->n; i++)
		atomic_store_explicit(&p->marks[i].next, UNMARKED, memory_order_relaxed);
	p->left = p->n;
	p->cut = p->cut_end = 0;
	p->req->parts = 1; /* ends when the last partition has been sent */
}

static void start_recv(struct part *p)
{
	for (int i = 0; i < p->n; i++)
		atomic_store_explicit(&p->missing[i], p->each, memory_order_relaxed);
	p->lack = p->bytes;
	p->coming = 0;
	if (p->matched)
		owe(p, OWE_READY);
}

/* Fails what the user has started. */
static void lost(struct part *p)
{
	peer_fail(p->req, p->peer, VIA_LOST);
	p->req->parts = 0;
	req_finish(p->req);
}

/* The sender's way to the receiver has no memory: the operation fails, now and later, on both
 * sides; here when nothing of it moves any more. */
static void poor(struct part *p)
{
	struct req *r = p->req;

	p->poor = true;
	if (r == NULL || !r->active || r->done || p->ranges > 0)
		return;
	if (p->sends)
		peer_fail(r, p->peer, SHM_NOMEM);
	else if (r->res.error == 0)
		req_fail(r, haft_err(MPI_ERR_NO_MEM,
				    "rank %d has no memory for the frames of a partitioned message",
				    group_rank_of(comm_peers(r->comm), p->peer)));
	req_finish(r);
}

static int part_start(struct req *r)
{
	struct part *p = r->scratch;

	marks_take();
	p->starts++;
	if (p->sends)
		start_send(p);
	if (p->peer == MPI_PROC_NULL) {
		r->res = (struct req_result){.source = MPI_PROC_NULL, .tag = MPI_ANY_TAG};
		r->parts = 0;
		r->done = true;
	} else if (p->lost) {
		lost(p);
	} else if (!fits(p)) {
		differs(p);
	} else if (p->poor) {
		poor(p);
	} else if (!p->sends) {
		start_recv(p);
	}
	return 0;
}

static const struct req_ops part_ops = {.start = part_start, .gone = part_gone};

static int init(bool sends, const void *buf, int n, int64_t count, struct type *type, int rank,
	int tag, struct comm *c, struct req **request)
{
	struct part *p;
	struct req *r;
	int err;

	if (n <= 0)
		return haft_err(MPI_ERR_ARG, "partitions is %d, and must be at least 1", n);
	err = type_check(buf, count, n, type, "the buffer");
	if (err != 0)
		return err;
	r = req_new(type, c);
	if (r == NULL)
		return no_request();
	req_fill(r, sends ? REQ_PSEND : REQ_PRECV, buf, count * n, type,
		rank == MPI_PROC_NULL ? rank : group_peer(comm_peers(c), rank), tag, c,
		c->ctx | CTX_PART);
	r->persist = true;
	p = part_new(r, sends, n, count);
	err = p == NULL ? no_request() : 0;
	if (err == 0 && rank != MPI_PROC_NULL)
		err = offer_start(p, type, c, tag);
	if (err != 0 && p != NULL)
		forget(p);
	if (err != 0) {
		req_free(r);
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
	return init(true, buf, n, count, type, dest, tag, c, request);
}

int p2p_precv_init(void *buf, int n, int64_t count, struct type *type, int source, int tag,
	struct comm *c, struct info *info, struct req **request)
{
	(void)info;
	return init(false, buf, n, count, type, source, tag, c, request);
}

/* --- receiving ------------------------------------------------------------------------------ */

/* Bytes [at, at + n) are in the user's buffer. */
static void arrived_bytes(struct part *p, int64_t at, int64_t n)
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
	if (p2p.checks)
		note_check(p->req, &p->offer.note);
	req_finish(p->req);
}

static void got_data(struct part *p, int64_t at, const void *data, int64_t n)
{
	struct req *r = p->req;

	if (n > 0)
		type_unpack(r->type, r->buf, r->count, at, data, n);
	arrived_bytes(p, at, n);
}

/* A piece of the way is over; r->id is the operation's. */
static void long_came(struct req *r)
{
	int64_t n = r->total - (int64_t)r->seq;
	struct part *p;

	if (r->res.error != 0)
		return;
	p = ids_get(&parts, r->id);
	p->ranges--;
	p->coming -= n;
	arrived_bytes(p, (int64_t)r->seq, n);
	if (p->poor)
		poor(p);
}

static const struct req_ops long_ops = {.over = long_came};

/* A piece of the way that its sender's request `id' will fill. */
struct piece {
	int64_t n;
	uint32_t id;
	uint32_t pad;
};

/* A request for bytes [at, at + n) of an operation's buffer, without a handle: its own place in the
 * message is its place in the whole.  NULL: no memory. */
static struct req *range_new(struct part *p, int kind, int64_t at, int64_t n)
{
	struct req *whole = p->req, *r = req_blank();

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
static struct req *range_in(struct part *p, int64_t at, int64_t n)
{
	struct req *r = range_new(p, REQ_RECV, at, n);

	if (r == NULL || via_near(r->from))
		return r;
	r->stream = flow_try(r);
	if (r->stream != 0)
		return r;
	req_free(r);
	return NULL;
}

static void got_long(struct part *p, int64_t at, const struct piece *piece)
{
	struct req *r = p->plain ? NULL : range_in(p, at, piece->n);

	if (r == NULL) {
		if (!p->plain)
			owe(p, OWE_PLAIN);
		p->plain = true;
		return;
	}
	p->ranges++;
	p->coming += piece->n;
	r->ops = &long_ops;
	r->id = p->id;
	req_orphan(r, NULL);
	r->mate = piece->id;
	r->state = STATE_OUT_CLEAR;
	out_put(r, r->from);
}

/* --- sending -------------------------------------------------------------------------------- */

/* A message to ourselves: from the one buffer into the other. */
static void send_own(struct part *p, int64_t at, int64_t n)
{
	enum { BITE = 1024 };
	struct part *to = ids_get(&parts, p->mate);
	struct req *r = p->req;
	char bite[BITE];

	if (n == 0 || r->type->dense) {
		got_data(to, at, n == 0 ? NULL : r->buf + at, n);
		return;
	}
	for (int64_t a = at; a < at + n; a += BITE) {
		int64_t part = at + n - a < BITE ? at + n - a : BITE;

		type_pack(r->type, r->buf, r->count, a, bite, part);
		got_data(to, a, bite, part);
	}
}

/* All these: 0, or an error of via_put and nothing has been done.  NO_ROOM: no memory for a
 * request.
 */
enum { NO_ROOM = VIA_LOST + 1 };

#define CUT_MIN 64 /* bytes: fits into what each connection has without memory */

static int send_long(struct part *p, int64_t at, int64_t n)
{
	struct req *r = p->plain ? NULL : range_new(p, REQ_SEND, at, n);
	struct piece piece = {.n = n};
	int err = NO_ROOM;

	if (r == NULL)
		return NO_ROOM;
	if (send_number(r)) {
		piece.id = r->id;
		err = frame(p, FRAME_PART_LONG, p->mate, (uint64_t)at, &piece, sizeof(piece));
		if (err != 0)
			ids_give(&p2p.ids, r->id);
	}
	if (err != 0) {
		req_free(r);
		return err;
	}
	p->req->parts++;
	req_orphan(r, p->req);
	r->state = STATE_ASKED;
	return 0;
}

/* A range that is one frame; what has gaps is packed where the receiver reads it. */
static int send_short(struct part *p, int64_t at, int64_t n)
{
	struct req *r = p->req;
	void *room;
	int err;

	if (n == 0 || r->type->dense)
		return frame(p, FRAME_PART_DATA, p->mate, (uint64_t)at, r->buf + at, n);
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
static int send_cut(struct part *p)
{
	int64_t most = via_near(p->peer) ? via.frame_max : NET_FRAME_MAX;

	while (p->cut < p->cut_end) {
		int64_t n = p->cut_end - p->cut < most ? p->cut_end - p->cut : most;
		int err = send_short(p, p->cut, n);

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
static int send_range(struct part *p, int64_t at, int64_t n)
{
	int err;

	if (p->peer == p2p.me) {
		send_own(p, at, n);
		return 0;
	}
	if (n <= (via_near(p->peer) ? p2p.eager : p2p.eager_far)) {
		err = send_short(p, at, n);
		if (err != SHM_NOMEM || n == 0)
			return err;
	} else {
		err = send_long(p, at, n);
		if (err != NO_ROOM)
			return err;
	}
	p->cut = at;
	p->cut_end = at + n;
	return 0;
}

static bool fresh(const struct part *p, int i)
{
	return i >= 0 && i < p->n && (p->fresh[i / 64] >> i % 64 & 1) != 0;
}

/* May data of this start flow? */
static bool open_now(const struct part *p)
{
	return p->matched && !p->lost && !p->poor && p->ready >= p->starts && fits(p);
}

/* Sends the fresh partitions around i, if it is one: 0, or an error of via_put. */
static int push(struct part *p, int i)
{
	int low = i, high = i, err = 0;

	if (!fresh(p, i))
		return 0;
	while (fresh(p, low - 1))
		low--;
	while (fresh(p, high))
		high++;
	if (p->bytes > 0)
		err = send_range(p, low * p->each, (high - low) * p->each);
	else if (p->left == high - low)
		err = send_range(p, 0, 0);
	if (err != 0)
		return err;
	for (int k = low; k < high; k++)
		p->fresh[k / 64] &= ~(1ULL << k % 64);
	p->left -= high - low;
	err = send_cut(p);
	if (err == 0 && p->left == 0)
		req_finish(p->req);
	return err;
}

/* An error of a put: what it means to the operation.  SHM_AGAIN if it shall be tried again. */
static int push_failed(struct part *p, int err)
{
	if (err != SHM_NOMEM)
		return err;
	poor(p);
	owe(p, OWE_SORRY);
	return 0;
}

/* Sends all that is fresh: 0, SHM_AGAIN (not all of it has gone) or VIA_LOST. */
static int push_all(struct part *p)
{
	bool cut = p->cut < p->cut_end;
	int err = open_now(p) ? send_cut(p) : 0;

	if (!open_now(p))
		return 0;
	if (err == 0 && cut && p->left == 0)
		req_finish(p->req);
	for (int i = 0; i < p->n && err == 0; i++) {
		if (i % 64 == 0 && p->fresh[i / 64] == 0)
			i += 63;
		else
			err = push(p, i);
	}
	return push_failed(p, err);
}

/* The receiver has no memory for the ranges that it has not asked for: they are fresh again. */
static void go_plain(struct part *p)
{
	p->plain = true;
	for (uint32_t i = 0; i < p2p.ids.n; i++) {
		struct req *r = ids_get(&p2p.ids, i);
		int low, high;

		if (r == NULL || r->whole == NULL || r->whole != p->req || r->state != STATE_ASKED)
			continue;
		ids_give(&p2p.ids, i);
		if (p->left == 0 && p->cut == p->cut_end)
			p->req->parts++; /* not over yet */
		low = (int)((int64_t)r->seq / p->each);
		high = (int)(r->total / p->each);
		for (int k = low; k < high; k++)
			p->fresh[k / 64] |= 1ULL << k % 64;
		p->left += high - low;
		req_finish(r);
	}
	owe(p, OWE_DATA);
}

int part_settle(int peer)
{
	struct part *p = p2p_peer(peer)->owing, *next;
	int went = 0;

	p2p_peer(peer)->owing = NULL;
	for (; p != NULL; p = next) {
		next = p->owes_next;
		p->listed = false;
		went += settle(p);
		forget_if_over(p);
	}
	return went;
}

/* --- partitions that are ready -------------------------------------------------------------- */

/* The lock's mail: what Pready has marked.  First all marks count, so that neighbours go together.
 */
void part_mail(void)
{
	struct mark *first = atomic_exchange(&haft_lock_mail, NULL), *next;

	for (struct mark *m = first; m != NULL; m = atomic_load(&m->next)) {
		long i = m - m->part->marks;

		m->part->fresh[i / 64] |= 1ULL << i % 64;
	}
	for (struct mark *m = first; m != NULL; m = next) {
		struct part *p = m->part;

		next = atomic_load(&m->next);
		if (open_now(p) && (p->owes & OWE_DATA) == 0) {
			int err = push_failed(p, push(p, (int)(m - p->marks)));

			if (err == SHM_AGAIN)
				owe(p, OWE_DATA);
		}
	}
}

static int not_sending(const struct req *r)
{
	if (r->kind != REQ_PSEND)
		return haft_err(MPI_ERR_REQUEST, "the request is not a partitioned send");
	if (!r->active)
		return haft_err(MPI_ERR_REQUEST, "the partitioned send has not been started");
	return 0;
}

/* Marks one partition, which goes with the next mail. */
static int mark(struct part *p, int i)
{
	struct mark *m, *was = UNMARKED;
	void *head;

	if (i < 0 || i >= p->n)
		return haft_err(MPI_ERR_ARG, "partition %d is not one of 0..%d", i, p->n - 1);
	if (p->peer == MPI_PROC_NULL)
		return 0;
	m = &p->marks[i];
	if (!atomic_compare_exchange_strong(&m->next, &was, NULL))
		return haft_err(MPI_ERR_ARG, "partition %d is ready already", i);
	head = atomic_load(&haft_lock_mail);
	do {
		atomic_store_explicit(&m->next, head, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak(&haft_lock_mail, &head, m));
	return 0;
}

static void deliver_mail(void)
{
	if (!haft_threads()) {
		part_mail();
	} else if (haft_trylock()) {
		part_mail();
		haft_unlock();
	}
}

/* What of a section is ready now: under the lock, so that nobody else's older look at the memory
 * comes after ours. */
static void take_section(struct req *r)
{
	if (r->copies == NULL)
		return;
	if (haft_threads())
		haft_lock();
	req_copies_take(r);
	if (haft_threads())
		haft_unlock();
}

int p2p_pready(int i, struct req *r)
{
	return p2p_pready_range(i, i, r);
}

int p2p_pready_range(int low, int high, struct req *r)
{
	int err = not_sending(r);

	if (err == 0 && low > high)
		err = haft_err(
			MPI_ERR_ARG, "partition_low is %d, above partition_high %d", low, high);
	if (err == 0)
		take_section(r);
	for (int i = low; err == 0 && i <= high; i++)
		err = mark(r->scratch, i);
	deliver_mail();
	return err;
}

int p2p_pready_list(int n, const int list[], struct req *r)
{
	int err = not_sending(r);

	if (err == 0 && n > 0 && list == NULL)
		err = haft_err(MPI_ERR_ARG, "array_of_partitions is NULL");
	if (err == 0)
		take_section(r);
	for (int i = 0; err == 0 && i < n; i++)
		err = mark(r->scratch, list[i]);
	deliver_mail();
	return err;
}

/* --- has it arrived? ------------------------------------------------------------------------ */

/* Only whoever has the lock may look whether all is over. */
static bool look_again(const struct req *r, int i)
{
	if (!r->done && !part_has(r->scratch, i))
		p2p_progress();
	return r->done || part_has(r->scratch, i);
}

int p2p_parrived(struct req *r, int i, int *flag)
{
	const struct part *p;

	*flag = 1;
	if (r == NULL)
		return 0;
	if (r->kind != REQ_PRECV)
		return haft_err(MPI_ERR_REQUEST, "the request is not a partitioned receive");
	p = r->scratch;
	if (i < 0 || i >= p->n)
		return haft_err(MPI_ERR_ARG, "partition %d is not one of 0..%d", i, p->n - 1);
	if (!r->active || (part_has(p, i) && r->copies == NULL))
		return 0;
	if (haft_threads())
		haft_lock();
	*flag = look_again(r, i);
	if (*flag && r->copies != NULL)
		req_copies_give(r, false);
	if (haft_threads())
		haft_unlock();
	return 0;
}

/* --- what comes ----------------------------------------------------------------------------- */

/* Are these bytes of the buffer still to come?  Those of a range that was answered by PLAIN are:
 * they are not coming. */
static bool lacks(const struct part *p, uint64_t at, int64_t n)
{
	return !p->sends && p->matched && fits(p) && p->req != NULL && p->req->active &&
	       !p->req->done && at <= (uint64_t)p->bytes && n <= p->bytes - (int64_t)at &&
	       n <= p->lack - p->coming;
}

/* May a frame of this kind come for this operation, as it is now?  piece: of LONG. */
static bool sensible(
	const struct part *p, int kind, uint64_t at, int64_t n, const struct piece *piece)
{
	switch (kind) {
	case FRAME_PART_MATE: return p->sends && !p->matched && n == sizeof(p->bytes);
	case FRAME_PART_READY:
	case FRAME_PART_PLAIN: return p->sends && p->matched;
	case FRAME_PART_DATA: return lacks(p, at, n);
	case FRAME_PART_LONG: return piece->n > 0 && lacks(p, at, piece->n);
	case FRAME_PART_SORRY: return !p->sends && p->matched;
	}
	return p->matched && !p->closed;
}

static void got(int kind, int peer, uint64_t at, uint32_t id, const void *data, int64_t n)
{
	struct part *p = ids_get(&parts, id);
	struct piece piece = {0};
	int64_t bytes;

	if (kind == FRAME_PART_LONG && n == sizeof(piece))
		memcpy(&piece, data, sizeof(piece));
	if (p == NULL || p->peer != peer || !sensible(p, kind, at, n, &piece))
		p2p_nonsense(peer, "a frame of kind %d and %lld bytes for partitioned operation %u",
			kind, (long long)n, id);
	switch (kind) {
	case FRAME_PART_MATE:
		memcpy(&bytes, data, sizeof(bytes));
		met(p, (uint32_t)at, bytes);
		break;
	case FRAME_PART_READY:
		p->ready++;
		if (p->req != NULL && p->req->active && open_now(p))
			owe(p, OWE_DATA);
		break;
	case FRAME_PART_DATA: got_data(p, (int64_t)at, data, n); break;
	case FRAME_PART_LONG: got_long(p, (int64_t)at, &piece); break;
	case FRAME_PART_PLAIN: go_plain(p); break;
	case FRAME_PART_SORRY: poor(p); break;
	case FRAME_PART_CLOSE:
		p->closed = true;
		forget_if_over(p);
		break;
	}
}

void part_lost(int peer)
{
	for (uint32_t i = 0; i < parts.n; i++) {
		struct part *p = ids_get(&parts, i);

		if (p == NULL || p->peer != peer)
			continue;
		p->lost = p->closed = true;
		p->owes = 0;
		if (p->req == NULL)
			forget(p);
		else if (p->req->active && !p->req->done)
			lost(p);
	}
}

void part_deliver(const struct shm_frame *f)
{
	got(f->kind, f->src, f->ctx, (uint32_t)f->tag, f->data, f->len);
}
