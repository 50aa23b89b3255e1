// SPDX-License-Identifier: BSD-3-Clause
/* recv.c - the receiver's side of the protocol of p2p_state.h.
 *
 *      frame ──> p2p_deliver ── p2p_match_take ──> a posted receive: p2p_recv_data or recv_rendezvous
 *                                        └──> nobody: kept in the matcher
 *      receive ──> p2p_recv_start ── p2p_match_find ──> a message that is here: p2p_recv_data or recv_rendezvous
 *                                        └──> none: posted
 *      recv_rendezvous: CLEAR goes out, then p2p_pipe_pull unpacks what comes through the pipe
 *
 * A message longer than the receive's room is an error of the receive (MPI_ERR_TRUNCATE,
 * MPI-5.0 3.2.4): what fits is delivered, the rest is taken from the pipe and dropped, and the
 * sender does not notice. */
#include "libmpi/p2p/p2p_state.h"

#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/p2p/cooperative.h"
#include "libmpi/p2p/claim.h"
#include "libmpi/p2p/sig.h"
#include "libmpi/p2p/proto.h"
#include "libmpi/type/type.h"
#include "libmpi/via/shared_mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPARES 32 /* one of each partner of a collective call, or several of a few */

/* The words of a truncation, kept with the request until somebody asks for its result. */
static void recv_truncated(struct req *r)
{
	char name[MPI_MAX_OBJECT_NAME] = "";
	int len;

	obj_name_get(r->comm, name, sizeof(name), OBJ_C, &len);
	p2p_req_set_error(r, haft_err(MPI_ERR_TRUNCATE,
				     "message of %lld byte%s from rank %d of %s with tag %d, "
				     "but only %lld byte%s posted to receive it",
				     (long long)r->total, r->total == 1 ? "" : "s", r->res.source,
				     len > 0 ? name : "a communicator", r->res.tag,
				     (long long)r->bytes, r->bytes == 1 ? " was" : "s were"));
}

/* Its communicator promises exact lengths (mpi_assert_exact_length, MPI-5.0 7.4.4). */
static void recv_too_short(struct req *r)
{
	p2p_req_set_error(
		r, haft_err(MPI_ERR_TRUNCATE,
			   "message of %lld byte%s from rank %d with tag %d, but %lld were posted "
			   "to receive "
			   "it on a communicator with mpi_assert_exact_length",
			   (long long)r->total, r->total == 1 ? "" : "s", r->res.source, r->res.tag,
			   (long long)r->bytes));
}

/* A message has been matched with r: who, what tag, how long. */
static void recv_matched(struct req *r, int peer, int tag, int64_t total)
{
	r->from = peer;
	r->total = total;
	r->res.source = group_rank_of(comm_peers(r->comm), peer);
	r->res.tag = tag;
	r->res.bytes = total;
	if (unlikely(total > r->bytes)) {
		r->res.bytes = r->bytes;
		recv_truncated(r);
	} else if (unlikely(total < r->bytes) && r->comm->hints & HINT_EXACT_LENGTH &&
		   r->ctx == r->comm->ctx) {
		recv_too_short(r);
	}
	if (unlikely(p2p_state.note != NULL))
		p2p_sig_check(r, p2p_state.note);
}

/* Unpacks bytes [at, at + n) of the message, as far as there is room. */
static void recv_unpack(struct req *r, const void *data, int64_t n)
{
	if (unlikely(r->at + n > r->bytes))
		n = r->at < r->bytes ? r->bytes - r->at : 0;
	if (likely(r->type->dense))
		memcpy(r->buf + r->at, data, (size_t)n);
	else if (n > 0)
		type_unpack(r->type, r->buf, r->count, r->at, data, n);
}

void p2p_recv_data(struct req *r, int peer, int tag, const void *data, int64_t total)
{
	recv_matched(r, peer, tag, total);
	if (total > 0)
		recv_unpack(r, data, total);
	p2p_req_finish(r);
}

void p2p_recv_self(struct req *r, struct req *send)
{
	int64_t n = send->bytes < r->bytes ? send->bytes : r->bytes;

	recv_matched(r, send->peer, send->tag, send->bytes);
	if (n > 0)
		type_copy_bytes(send->buf, send->type, r->buf, r->type, n);
	p2p_req_finish(r);
}

/* Reads a message of one piece where it lies, if it can be had there and nobody has taken it back.
 */
static enum coop_result recv_in_place(struct req *r, int peer, const struct rts *rts)
{
	int64_t n = rts->total < r->bytes ? rts->total : r->bytes;
	char *piece = type_contiguous_at(r->type, r->buf, r->count);

	if (rts->where == RTS_AT_SHARED && p2p_claim_take(rts->claim)) {
		recv_unpack(r, via_mem_at(rts->at), rts->total);
		return COOP_DONE;
	}
	if (rts->where != RTS_AT_PRIVATE || piece == NULL || !p2p_proto_read(peer, n) ||
		!p2p_claim_take(rts->claim))
		return COOP_FAILED;
	return p2p_coop_read(r, peer, piece, rts, n);
}

/* Tells the sender that all of its message is here, or that it shall come through the pipe. */
static void recv_answer(struct req *r, int peer, bool here)
{
	if (here) {
		r->state = STATE_OUT_FIN;
	} else if (!via_is_local(peer)) {
		r->state = STATE_OUT_CTS;
		r->stream = p2p_stream_post(r);
	} else {
		r->state = STATE_OUT_CTS;
		r->began = p2p_peer(peer)->drain.head == NULL ? p2p_proto_clock() : 0;
	}
	p2p_out_put(r, peer);
}

/* A message that is still with its sender has been matched with r: read where it lies, or asked
 * for. */
static void recv_rendezvous(struct req *r, int peer, int tag, const struct rts *rts)
{
	enum coop_result how;

	req_touch(r);
	recv_matched(r, peer, tag, rts->total);
	r->mate = rts->id;
	how = recv_in_place(r, peer, rts);
	if (how != COOP_OPEN)
		recv_answer(r, peer, how == COOP_DONE);
}

static void deliver_coop_done(const struct shm_frame *f)
{
	bool bad;
	struct req *r = p2p_coop_end(f, &bad);

	recv_answer(r, f->src, !bad);
}

/* --- frames --------------------------------------------------------------------------------- */

/* Where the note of a message is behind its data: aligned. */
#define SIG_AT(len) (((len) + 7) & ~(size_t)7)

struct unexpected *p2p_unexpected_try(
	uint64_t ctx, int peer, int tag, int64_t total, int64_t data_len)
{
	size_t note_at = SIG_AT((size_t)data_len);
	size_t more = p2p_state.note != NULL ? note_at + sizeof(*p2p_state.note) : (size_t)data_len;
	struct unexpected *a = malloc(sizeof(*a) + more);

	if (a == NULL)
		return NULL;
	memset(a, 0, sizeof(*a));
	if (p2p_state.note != NULL) {
		a->note = (struct p2p_sig *)(void *)(a->data + note_at);
		*a->note = *p2p_state.note;
	}
	a->ctx = ctx;
	a->peer = peer;
	a->tag = tag;
	a->total = total;
	return a;
}

struct unexpected *p2p_unexpected_new(
	uint64_t ctx, int peer, int tag, int64_t total, int64_t data_len)
{
	struct unexpected *a = p2p_unexpected_try(ctx, peer, tag, total, data_len);
	char words[96];

	if (a != NULL)
		return a;
	snprintf(words, sizeof(words),
		"no memory for a message of %lld byte%s that has no receive yet", (long long)total,
		total == 1 ? "" : "s");
	haft_abort_job(MPI_ERR_NO_MEM, words);
}

/* Room for some messages that come early and find no memory: what their senders say, no data. */
#define SPARE_LEN (sizeof(struct unexpected) + sizeof(struct p2p_error_msg))
static struct {
	bool used;
	_Alignas(struct unexpected) char mem[SPARE_LEN];
} unexpected_spares[SPARES];

void p2p_unexpected_free(struct unexpected *a)
{
	uintptr_t at = (uintptr_t)a - (uintptr_t)unexpected_spares;

	if (unlikely(at < sizeof(unexpected_spares)))
		unexpected_spares[at / sizeof(unexpected_spares[0])].used = false;
	else
		free(a);
}

/* p2p_unexpected_new of a frame with which its sender says something, at most as much as when it is sorry.
 */
static struct unexpected *unexpected_control(const struct shm_frame *f, int64_t total, size_t len)
{
	struct unexpected *a = p2p_unexpected_try(f->ctx, f->src, f->tag, total, (int64_t)len);

	for (int i = 0; i < SPARES && a == NULL; i++) {
		if (unexpected_spares[i].used)
			continue;
		unexpected_spares[i].used = true;
		a = (struct unexpected *)(void *)unexpected_spares[i].mem;
		memset(a, 0, sizeof(*a));
		a->ctx = f->ctx;
		a->peer = f->src;
		a->tag = f->tag;
		a->total = total;
	}
	return a != NULL ? a : p2p_unexpected_new(f->ctx, f->src, f->tag, total, (int64_t)len);
}

/* An early message that is not to be kept: its receive will fail, and does not wait. */
static void unexpected_lost(const struct shm_frame *f)
{
	struct p2p_error_msg sorry = {.err = MPI_ERR_NO_MEM};
	struct unexpected *a = unexpected_control(f, sizeof(sorry), sizeof(sorry));

	snprintf(sorry.words, sizeof(sorry.words),
		"no memory for a message of %u byte%s that came early", f->len,
		f->len == 1 ? "" : "s");
	a->sorry = true;
	memcpy(a->data, &sorry, sizeof(sorry));
	p2p_match_store(a);
}

/* What it costs to keep an early message. */
static int64_t unexpected_cost(const struct unexpected *a)
{
	return (int64_t)sizeof(*a) + a->total;
}

/* What is not straight, or has no receive yet: r NULL. */
static __attribute__((noinline)) void recv_eager_slow(struct req *r, const struct shm_frame *f)
{
	struct unexpected *a;

	if (r != NULL) {
		p2p_recv_data(r, f->src, f->tag, f->data, f->len);
		return;
	}
	a = p2p_unexpected_try(f->ctx, f->src, f->tag, f->len, f->len);
	if (unlikely(a == NULL) && f->ctx % CTX_PLANES == CTX_COLL) {
		unexpected_lost(f);
		return;
	}
	if (unlikely(a == NULL))
		a = p2p_unexpected_new(f->ctx, f->src, f->tag, f->len, f->len);
	memcpy(a->data, f->data, f->len);
	p2p_match_store(a);
	p2p_credit_use(f->src, unexpected_cost(a));
}

/* Where the message lies, and that it can be read there, is for those who share memory. */
static bool recv_rts_valid(int peer, const struct rts *rts)
{
	return rts->total >= 0 && rts->where <= RTS_AT_PRIVATE &&
	       (rts->where == RTS_AT_SENDER || via_is_local(peer));
}

static void deliver_rts(const struct shm_frame *f)
{
	struct unexpected *a;
	struct rts rts;
	struct req *r;

	if (f->len != sizeof(rts))
		p2p_protocol_error(f->src, "a question of %u bytes", f->len);
	memcpy(&rts, f->data, sizeof(rts));
	if (!recv_rts_valid(f->src, &rts))
		p2p_protocol_error(f->src, "a message of %lld bytes that lies at %u",
			(long long)rts.total, rts.where);
	r = p2p_match_take(f->ctx, f->src, f->tag);
	if (r != NULL) {
		recv_rendezvous(r, f->src, f->tag, &rts);
		return;
	}
	a = unexpected_control(f, rts.total, sizeof(rts));
	a->asks = true;
	a->id = rts.id;
	memcpy(a->data, &rts, sizeof(rts));
	p2p_match_store(a);
}

int p2p_error_take(const struct p2p_error_msg *sorry)
{
	if (sorry->missed > 0 && sorry->missed <= 1 << VIA_PEER_BITS)
		haft_peer_lost(sorry->missed - 1);
	return haft_err(sorry->err, "%.*s", (int)sizeof(sorry->words), sorry->words);
}

/* There is no message for r. */
static void recv_error(struct req *r, const struct p2p_error_msg *sorry)
{
	p2p_req_set_error(r, p2p_error_take(sorry));
	p2p_req_finish(r);
}

/* What cannot be read is sorry, too: its receive must not wait for another. */
static void recv_error_read(const struct shm_frame *f, struct p2p_error_msg *sorry)
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

static void deliver_error(const struct shm_frame *f)
{
	struct p2p_error_msg sorry;
	struct unexpected *a;
	struct req *r;

	recv_error_read(f, &sorry);
	r = p2p_match_take(f->ctx, f->src, f->tag);
	if (r != NULL) {
		recv_error(r, &sorry);
		return;
	}
	a = unexpected_control(f, sizeof(sorry), sizeof(sorry));
	a->sorry = true;
	memcpy(a->data, &sorry, sizeof(sorry));
	p2p_match_store(a);
}

/* A message behind its note. */
static void deliver_typed(const struct shm_frame *f)
{
	struct shm_frame inner = *f;
	struct p2p_sig note;

	inner.kind = (uint8_t)(f->kind & ~FRAME_TYPED);
	if (f->len < sizeof(note) || (inner.kind != FRAME_EAGER && inner.kind != FRAME_RTS))
		p2p_protocol_error(
			f->src, "a frame of kind %u and %u bytes with a note", inner.kind, f->len);
	p2p_sig_read(&note, f->data);
	inner.data = (const char *)f->data + sizeof(note);
	inner.len = f->len - (uint32_t)sizeof(note);
	p2p_state.note = &note;
	if (inner.kind == FRAME_EAGER)
		recv_eager_slow(p2p_match_take(inner.ctx, inner.src, inner.tag), &inner);
	else
		deliver_rts(&inner);
	p2p_state.note = NULL;
}

void (*p2p_window)(const struct shm_frame *f);

static void deliver_cts(const struct shm_frame *f)
{
	int64_t room = INT64_MAX;

	if (f->len != 0 && f->len != sizeof(room))
		p2p_protocol_error(f->src, "an answer of %u bytes", f->len);
	memcpy(&room, f->data, f->len);
	p2p_send_cts(f->src, (uint32_t)f->tag, f->ctx, room);
}

/* News of an operation that both sides know by its number. */
static void deliver_named(const struct shm_frame *f)
{
	if (f->kind == FRAME_CTS)
		deliver_cts(f);
	else if (f->kind == FRAME_FIN)
		p2p_send_fin(f->src, (uint32_t)f->tag);
	else if (f->kind == FRAME_COOP)
		p2p_coop_help(f);
	else if (f->kind == FRAME_COOP_DONE)
		deliver_coop_done(f);
	else if (f->kind >= FRAME_PART_MATCH && f->kind <= FRAME_PART_CLOSE)
		p2p_part_deliver(f);
	else if (f->kind >= FRAME_CANCEL && f->kind <= FRAME_CANCEL_PROBED)
		p2p_cancel_deliver(f);
	else
		p2p_protocol_error(f->src, "a frame of kind %u", f->kind);
}

static void deliver_slow(const struct shm_frame *f)
{
	if (f->kind == FRAME_RTS)
		deliver_rts(f);
	else if (f->kind & FRAME_TYPED)
		deliver_typed(f);
	else if (f->kind == FRAME_CREDIT)
		p2p_credit_received(f->src, f->tag != 0);
	else if (f->kind == FRAME_WINDOW)
		p2p_window(f);
	else if (f->kind == FRAME_ERROR)
		deliver_error(f);
	else if (likely(p2p_peer_seen(via_peer(f->src))->lost ==
			 PEER_HERE)) /* or what it is about has failed */
		deliver_named(f);
}

/* The usual end of a receive: the message is as long as there is room, or shorter, and nothing has
 * to be looked at but its bytes.  The source is there already unless it was a wildcard. */
static inline void recv_contiguous(struct req *r, const struct shm_frame *f)
{
	if (unlikely(r->peer < 0))
		r->res.source = group_rank_of(comm_peers(r->comm), f->src);
	r->res.tag = f->tag;
	r->res.bytes = f->len;
	via_frame_copy(r->buf, f);
	p2p_req_finish(r);
}

/* Others get a copy, so that what is usual stays in registers; in line, or it would not. */
__attribute__((always_inline)) static inline void deliver_frame(const struct shm_frame *f)
{
	struct req *r = NULL;
	struct shm_frame copy;

	if (likely(f->kind == FRAME_EAGER)) {
		r = p2p_match_take(f->ctx, f->src, f->tag);
		if (likely(r != NULL && r->straight && f->len <= r->bytes)) {
			recv_contiguous(r, f);
			return;
		}
	}
	copy = *f;
	if (copy.kind == FRAME_EAGER)
		recv_eager_slow(r, &copy);
	else
		deliver_slow(&copy);
}

void p2p_deliver(void *arg, const struct shm_frame *f)
{
	(void)arg;
	deliver_frame(f);
}

int p2p_poll_from(int peer)
{
	struct shm_frame f;
	int n = 0;

	if (unlikely(via.mixed))
		return via_poll_from(peer);
	while (n < VIA_BATCH && via_frame_peek(peer, &f)) {
		deliver_frame(&f);
		via_frame_next(&f);
		n++;
	}
	return n;
}

/* --- large messages ------------------------------------------------------------------------- */

int p2p_pipe_pull(int peer)
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
			recv_unpack(r, chunk, (int64_t)n);
			via_pipe_release(peer);
			r->at += (int64_t)n;
			moved++;
		}
		if (r->at == r->total) {
			if (r->began != 0)
				p2p_proto_took(PROTO_PIPE, r->total, p2p_proto_clock() - r->began);
			p2p_queue_pop(q);
			p2p_req_finish(r);
		}
	}
	return moved;
}

/* --- starting ------------------------------------------------------------------------------- */

void p2p_recv_unexpected(struct req *r, struct unexpected *a)
{
	p2p_state.note = a->note;
	if (a->sender != NULL) {
		p2p_recv_self(r, a->sender);
		p2p_req_finish(a->sender);
	} else if (a->asks) {
		struct rts rts;

		memcpy(&rts, a->data, sizeof(rts));
		recv_rendezvous(r, a->peer, a->tag, &rts);
	} else if (a->sorry) {
		struct p2p_error_msg sorry;

		memcpy(&sorry, a->data, sizeof(sorry));
		recv_error(r, &sorry);
	} else {
		if (a->peer != p2p_state.me)
			p2p_credit_use(a->peer, -unexpected_cost(a));
		p2p_recv_data(r, a->peer, a->tag, a->data, a->total);
	}
	p2p_state.note = NULL;
	p2p_unexpected_free(a);
}

void p2p_recv_start(struct req *r)
{
	struct unexpected *a = p2p_match_find(r->ctx, r->peer, r->tag);

	if (a != NULL) {
		p2p_match_remove(a);
		p2p_recv_unexpected(r, a);
		return;
	}
	if (unlikely(p2p_peer_check(r->peer, r->comm) != 0)) {
		p2p_fail_request(r, r->peer >= 0 ? r->peer : p2p_state.last_lost, VIA_LOST);
		p2p_req_finish(r);
		return;
	}
	p2p_recv_post(r);
}
