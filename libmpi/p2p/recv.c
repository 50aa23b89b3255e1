// SPDX-License-Identifier: BSD-3-Clause
/* recv.c - the receiver's side of the protocol of p2p.h.
 *
 *      frame ──> p2p_deliver ── match_take ──> a posted receive: recv_data or recv_asked
 *                                        └──> nobody: kept in the matcher
 *      receive ──> recv_start ── match_find ──> a message that is here: recv_data or recv_asked
 *                                        └──> none: posted
 *      recv_asked: CLEAR goes out, then drain_pull unpacks what comes through the pipe
 *
 * A message longer than the receive's room is an error of the receive (MPI_ERR_TRUNCATE,
 * MPI-5.0 3.2.4): what fits is delivered, the rest is taken from the pipe and dropped, and the
 * sender does not notice. */
#include "libmpi/p2p/inner.h"

#include "libmpi/core/err.h"
#include "libmpi/core/state.h"
#include "libmpi/p2p/joint.h"
#include "libmpi/p2p/lease.h"
#include "libmpi/p2p/note.h"
#include "libmpi/p2p/way.h"
#include "libmpi/type/type.h"
#include "libmpi/via/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPARES 32 /* one of each partner of a collective call, or several of a few */

/* The words of a truncation, kept with the request until somebody asks for its result. */
static void truncated(struct req *r)
{
	char name[MPI_MAX_OBJECT_NAME] = "";
	int len;

	obj_name_get(r->comm, name, sizeof(name), OBJ_C, &len);
	req_fail(r, haft_err(MPI_ERR_TRUNCATE,
			    "message of %lld byte%s from rank %d of %s with tag %d, "
			    "but only %lld byte%s posted to receive it",
			    (long long)r->total, r->total == 1 ? "" : "s", r->res.source,
			    len > 0 ? name : "a communicator", r->res.tag, (long long)r->bytes,
			    r->bytes == 1 ? " was" : "s were"));
}

/* Its communicator promises exact lengths (mpi_assert_exact_length, MPI-5.0 7.4.4). */
static void too_short(struct req *r)
{
	req_fail(r, haft_err(MPI_ERR_TRUNCATE,
			    "message of %lld byte%s from rank %d with tag %d, but %lld were posted "
			    "to receive "
			    "it on a communicator with mpi_assert_exact_length",
			    (long long)r->total, r->total == 1 ? "" : "s", r->res.source,
			    r->res.tag, (long long)r->bytes));
}

/* A message has been matched with r: who, what tag, how long. */
static void matched(struct req *r, int peer, int tag, int64_t total)
{
	r->from = peer;
	r->total = total;
	r->res.source = group_rank_of(comm_peers(r->comm), peer);
	r->res.tag = tag;
	r->res.bytes = total;
	if (unlikely(total > r->bytes)) {
		r->res.bytes = r->bytes;
		truncated(r);
	} else if (unlikely(total < r->bytes) && r->comm->hints & HINT_EXACT_LENGTH &&
		   r->ctx == r->comm->ctx) {
		too_short(r);
	}
	if (unlikely(p2p.note != NULL))
		note_check(r, p2p.note);
}

/* Unpacks bytes [at, at + n) of the message, as far as there is room. */
static void unpack(struct req *r, const void *data, int64_t n)
{
	if (unlikely(r->at + n > r->bytes))
		n = r->at < r->bytes ? r->bytes - r->at : 0;
	if (likely(r->type->dense))
		memcpy(r->buf + r->at, data, (size_t)n);
	else if (n > 0)
		type_unpack(r->type, r->buf, r->count, r->at, data, n);
}

void recv_data(struct req *r, int peer, int tag, const void *data, int64_t total)
{
	matched(r, peer, tag, total);
	if (total > 0)
		unpack(r, data, total);
	req_finish(r);
}

void recv_self(struct req *r, struct req *send)
{
	int64_t n = send->bytes < r->bytes ? send->bytes : r->bytes;

	matched(r, send->peer, send->tag, send->bytes);
	if (n > 0)
		type_copy_bytes(send->buf, send->type, r->buf, r->type, n);
	req_finish(r);
}

/* Reads a message of one piece where it lies, if it can be had there and nobody has taken it back.
 */
static enum joint read_in_place(struct req *r, int peer, const struct ask *ask)
{
	int64_t n = ask->total < r->bytes ? ask->total : r->bytes;
	char *piece = type_piece(r->type, r->buf, r->count);

	if (ask->where == ASK_SHARED && lease_take(ask->lease)) {
		unpack(r, via_mem_at(ask->at), ask->total);
		return JOINT_DONE;
	}
	if (ask->where != ASK_PRIVATE || piece == NULL || !way_to_read(peer, n) ||
		!lease_take(ask->lease))
		return JOINT_BAD;
	return joint_read(r, peer, piece, ask, n);
}

/* Tells the sender that all of its message is here, or that it shall come through the pipe. */
static void answer(struct req *r, int peer, bool here)
{
	if (here) {
		r->state = STATE_OUT_DONE;
	} else if (!via_near(peer)) {
		r->state = STATE_OUT_CLEAR;
		r->stream = flow_post(r);
	} else {
		r->state = STATE_OUT_CLEAR;
		r->began = p2p_peer(peer)->drain.head == NULL ? way_clock() : 0;
	}
	out_put(r, peer);
}

/* A message that is still with its sender has been matched with r: read where it lies, or asked
 * for. */
static void recv_asked(struct req *r, int peer, int tag, const struct ask *ask)
{
	enum joint how;

	req_soil(r);
	matched(r, peer, tag, ask->total);
	r->mate = ask->id;
	how = read_in_place(r, peer, ask);
	if (how != JOINT_OPEN)
		answer(r, peer, how == JOINT_DONE);
}

static void got_wrote(const struct shm_frame *f)
{
	bool bad;
	struct req *r = joint_over(f, &bad);

	answer(r, f->src, !bad);
}

/* --- frames --------------------------------------------------------------------------------- */

/* Where the note of a message is behind its data: aligned. */
#define NOTE_AT(len) (((len) + 7) & ~(size_t)7)

struct arrived *arrived_try(uint64_t ctx, int peer, int tag, int64_t total, int64_t data_len)
{
	size_t note_at = NOTE_AT((size_t)data_len);
	size_t more = p2p.note != NULL ? note_at + sizeof(*p2p.note) : (size_t)data_len;
	struct arrived *a = malloc(sizeof(*a) + more);

	if (a == NULL)
		return NULL;
	memset(a, 0, sizeof(*a));
	if (p2p.note != NULL) {
		a->note = (struct p2p_note *)(void *)(a->data + note_at);
		*a->note = *p2p.note;
	}
	a->ctx = ctx;
	a->peer = peer;
	a->tag = tag;
	a->total = total;
	return a;
}

struct arrived *arrived_new(uint64_t ctx, int peer, int tag, int64_t total, int64_t data_len)
{
	struct arrived *a = arrived_try(ctx, peer, tag, total, data_len);
	char words[96];

	if (a != NULL)
		return a;
	snprintf(words, sizeof(words),
		"no memory for a message of %lld byte%s that has no receive yet", (long long)total,
		total == 1 ? "" : "s");
	haft_abort_job(MPI_ERR_NO_MEM, words);
}

/* Room for some messages that come early and find no memory: what their senders say, no data. */
#define SPARE_LEN (sizeof(struct arrived) + sizeof(struct p2p_sorry))
static struct {
	bool used;
	_Alignas(struct arrived) char mem[SPARE_LEN];
} spares[SPARES];

void arrived_free(struct arrived *a)
{
	uintptr_t at = (uintptr_t)a - (uintptr_t)spares;

	if (unlikely(at < sizeof(spares)))
		spares[at / sizeof(spares[0])].used = false;
	else
		free(a);
}

/* arrived_new of a frame with which its sender says something, at most as much as when it is sorry.
 */
static struct arrived *said_new(const struct shm_frame *f, int64_t total, size_t len)
{
	struct arrived *a = arrived_try(f->ctx, f->src, f->tag, total, (int64_t)len);

	for (int i = 0; i < SPARES && a == NULL; i++) {
		if (spares[i].used)
			continue;
		spares[i].used = true;
		a = (struct arrived *)(void *)spares[i].mem;
		memset(a, 0, sizeof(*a));
		a->ctx = f->ctx;
		a->peer = f->src;
		a->tag = f->tag;
		a->total = total;
	}
	return a != NULL ? a : arrived_new(f->ctx, f->src, f->tag, total, (int64_t)len);
}

/* An early message that is not to be kept: its receive will fail, and does not wait. */
static void early_lost(const struct shm_frame *f)
{
	struct p2p_sorry sorry = {.err = MPI_ERR_NO_MEM};
	struct arrived *a = said_new(f, sizeof(sorry), sizeof(sorry));

	snprintf(sorry.words, sizeof(sorry.words),
		"no memory for a message of %u byte%s that came early", f->len,
		f->len == 1 ? "" : "s");
	a->sorry = true;
	memcpy(a->data, &sorry, sizeof(sorry));
	match_store(a);
}

/* What it costs to keep an early message. */
static int64_t early_cost(const struct arrived *a)
{
	return (int64_t)sizeof(*a) + a->total;
}

/* What is not straight, or has no receive yet: r NULL. */
static __attribute__((noinline)) void eager_rest(struct req *r, const struct shm_frame *f)
{
	struct arrived *a;

	if (r != NULL) {
		recv_data(r, f->src, f->tag, f->data, f->len);
		return;
	}
	a = arrived_try(f->ctx, f->src, f->tag, f->len, f->len);
	if (unlikely(a == NULL) && f->ctx % CTX_PLANES == CTX_COLL) {
		early_lost(f);
		return;
	}
	if (unlikely(a == NULL))
		a = arrived_new(f->ctx, f->src, f->tag, f->len, f->len);
	memcpy(a->data, f->data, f->len);
	match_store(a);
	pace_early(f->src, early_cost(a));
}

/* Where the message lies, and that it can be read there, is for those who share memory. */
static bool ask_fits(int peer, const struct ask *ask)
{
	return ask->total >= 0 && ask->where <= ASK_PRIVATE &&
	       (ask->where == ASK_AWAY || via_near(peer));
}

static void got_ask(const struct shm_frame *f)
{
	struct arrived *a;
	struct ask ask;
	struct req *r;

	if (f->len != sizeof(ask))
		p2p_nonsense(f->src, "a question of %u bytes", f->len);
	memcpy(&ask, f->data, sizeof(ask));
	if (!ask_fits(f->src, &ask))
		p2p_nonsense(f->src, "a message of %lld bytes that lies at %u",
			(long long)ask.total, ask.where);
	r = match_take(f->ctx, f->src, f->tag);
	if (r != NULL) {
		recv_asked(r, f->src, f->tag, &ask);
		return;
	}
	a = said_new(f, ask.total, sizeof(ask));
	a->asks = true;
	a->id = ask.id;
	memcpy(a->data, &ask, sizeof(ask));
	match_store(a);
}

int p2p_sorry_take(const struct p2p_sorry *sorry)
{
	if (sorry->missed > 0 && sorry->missed <= 1 << VIA_PEER_BITS)
		haft_lost(sorry->missed - 1);
	return haft_err(sorry->err, "%.*s", (int)sizeof(sorry->words), sorry->words);
}

/* There is no message for r. */
static void recv_sorry(struct req *r, const struct p2p_sorry *sorry)
{
	req_fail(r, p2p_sorry_take(sorry));
	req_finish(r);
}

/* What cannot be read is sorry, too: its receive must not wait for another. */
static void sorry_read(const struct shm_frame *f, struct p2p_sorry *sorry)
{
	memset(sorry, 0, sizeof(*sorry));
	if (f->len == sizeof(*sorry))
		memcpy(sorry, f->data, sizeof(*sorry));
	if (sorry->err > MPI_SUCCESS && sorry->err <= MPI_ERR_LASTCODE)
		return;
	sorry->err = MPI_ERR_INTERN;
	snprintf(sorry->words, sizeof(sorry->words), "rank %d of the job says sorry wrongly",
		f->src);
}

static void got_sorry(const struct shm_frame *f)
{
	struct p2p_sorry sorry;
	struct arrived *a;
	struct req *r;

	sorry_read(f, &sorry);
	r = match_take(f->ctx, f->src, f->tag);
	if (r != NULL) {
		recv_sorry(r, &sorry);
		return;
	}
	a = said_new(f, sizeof(sorry), sizeof(sorry));
	a->sorry = true;
	memcpy(a->data, &sorry, sizeof(sorry));
	match_store(a);
}

/* A message behind its note. */
static void got_noted(const struct shm_frame *f)
{
	struct shm_frame inner = *f;
	struct p2p_note note;

	inner.kind = (uint8_t)(f->kind & ~FRAME_NOTED);
	if (f->len < sizeof(note) || (inner.kind != FRAME_EAGER && inner.kind != FRAME_ASK))
		p2p_nonsense(
			f->src, "a frame of kind %u and %u bytes with a note", inner.kind, f->len);
	note_read(&note, f->data);
	inner.data = (const char *)f->data + sizeof(note);
	inner.len = f->len - (uint32_t)sizeof(note);
	p2p.note = &note;
	if (inner.kind == FRAME_EAGER)
		eager_rest(match_take(inner.ctx, inner.src, inner.tag), &inner);
	else
		got_ask(&inner);
	p2p.note = NULL;
}

void (*p2p_window)(const struct shm_frame *f);

static void got_clear(const struct shm_frame *f)
{
	int64_t room = INT64_MAX;

	if (f->len != 0 && f->len != sizeof(room))
		p2p_nonsense(f->src, "an answer of %u bytes", f->len);
	memcpy(&room, f->data, f->len);
	send_clear(f->src, (uint32_t)f->tag, f->ctx, room);
}

/* News of an operation that both sides know by its number. */
static void got_news(const struct shm_frame *f)
{
	if (f->kind == FRAME_CLEAR)
		got_clear(f);
	else if (f->kind == FRAME_DONE)
		send_read(f->src, (uint32_t)f->tag);
	else if (f->kind == FRAME_JOIN)
		joint_join(f);
	else if (f->kind == FRAME_WROTE)
		got_wrote(f);
	else if (f->kind >= FRAME_PART_MATE && f->kind <= FRAME_PART_CLOSE)
		part_deliver(f);
	else if (f->kind >= FRAME_WITHDRAW && f->kind <= FRAME_KEPT)
		cancel_deliver(f);
	else
		p2p_nonsense(f->src, "a frame of kind %u", f->kind);
}

static void got_other(const struct shm_frame *f)
{
	if (f->kind == FRAME_ASK)
		got_ask(f);
	else if (f->kind & FRAME_NOTED)
		got_noted(f);
	else if (f->kind == FRAME_PACE)
		pace_told(f->src, f->tag != 0);
	else if (f->kind == FRAME_WINDOW)
		p2p_window(f);
	else if (f->kind == FRAME_SORRY)
		got_sorry(f);
	else if (likely(p2p_peer_seen(via_peer(f->src))->lost ==
			 PEER_HERE)) /* or what it is about has failed */
		got_news(f);
}

/* The usual end of a receive: the message is as long as there is room, or shorter, and nothing has
 * to be looked at but its bytes.  The source is there already unless it was a wildcard. */
static inline void recv_straight(struct req *r, const struct shm_frame *f)
{
	if (unlikely(r->peer < 0))
		r->res.source = group_rank_of(comm_peers(r->comm), f->src);
	r->res.tag = f->tag;
	r->res.bytes = f->len;
	via_copy(r->buf, f);
	req_finish(r);
}

/* Others get a copy, so that what is usual stays in registers; in line, or it would not. */
__attribute__((always_inline)) static inline void got(const struct shm_frame *f)
{
	struct req *r = NULL;
	struct shm_frame copy;

	if (likely(f->kind == FRAME_EAGER)) {
		r = match_take(f->ctx, f->src, f->tag);
		if (likely(r != NULL && r->straight && f->len <= r->bytes)) {
			recv_straight(r, f);
			return;
		}
	}
	copy = *f;
	if (copy.kind == FRAME_EAGER)
		eager_rest(r, &copy);
	else
		got_other(&copy);
}

void p2p_deliver(void *arg, const struct shm_frame *f)
{
	(void)arg;
	got(f);
}

int p2p_poll_from(int peer)
{
	struct shm_frame f;
	int n = 0;

	if (unlikely(via.mixed))
		return via_poll_from(peer);
	while (n < VIA_BATCH && via_peek(peer, &f)) {
		got(&f);
		via_next(&f);
		n++;
	}
	return n;
}

/* --- large messages ------------------------------------------------------------------------- */

int drain_pull(int peer)
{
	struct req_queue *q = &p2p_peer(peer)->drain;
	int moved = 0;

	while (q->head != NULL) {
		struct req *r = q->head;
		const void *chunk;
		size_t n;

		if (r->at < r->total) {
			if (via_pipe_front(peer, &chunk, &n) != 0)
				break;
			unpack(r, chunk, (int64_t)n);
			via_pipe_release(peer);
			r->at += (int64_t)n;
			moved++;
		}
		if (r->at == r->total) {
			if (r->began != 0)
				way_took(WAY_PIPE, r->total, way_clock() - r->began);
			queue_pop(q);
			req_finish(r);
		}
	}
	return moved;
}

/* --- starting ------------------------------------------------------------------------------- */

void recv_arrived(struct req *r, struct arrived *a)
{
	p2p.note = a->note;
	if (a->sender != NULL) {
		recv_self(r, a->sender);
		req_finish(a->sender);
	} else if (a->asks) {
		struct ask ask;

		memcpy(&ask, a->data, sizeof(ask));
		recv_asked(r, a->peer, a->tag, &ask);
	} else if (a->sorry) {
		struct p2p_sorry sorry;

		memcpy(&sorry, a->data, sizeof(sorry));
		recv_sorry(r, &sorry);
	} else {
		if (a->peer != p2p.me)
			pace_early(a->peer, -early_cost(a));
		recv_data(r, a->peer, a->tag, a->data, a->total);
	}
	p2p.note = NULL;
	arrived_free(a);
}

void recv_start(struct req *r)
{
	struct arrived *a = match_find(r->ctx, r->peer, r->tag);

	if (a != NULL) {
		match_remove(a);
		recv_arrived(r, a);
		return;
	}
	if (unlikely(lost_check(r->peer, r->comm) != 0)) {
		peer_fail(r, r->peer >= 0 ? r->peer : p2p.last_lost, VIA_LOST);
		req_finish(r);
		return;
	}
	recv_post(r);
}
