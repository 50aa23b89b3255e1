// SPDX-License-Identifier: BSD-3-Clause
/* match.c - the two tables of match.h.
 *
 * A bucket is a FIFO of mixed keys.  A table grows fourfold when it holds two entries a bucket.
 * Re-hashing walks the old FIFOs from the front, so that the order within a key is kept.  A table
 * that finds no memory to grow gets slower. */
#include "libmpi/p2p/match.h"

#include "libmpi/core/err.h"
#include "libmpi/p2p/p2p.h"
#include <stdlib.h>

#define BUCKETS_MIN ((uint32_t)MEAN_OR(1, 64)) /* 1 KiB: fits the cache beside the message */

HAFT_HOT_DATA struct p2p_match p2p_match;
struct p2p_messages p2p_messages;

static enum wild match_wild_of(int32_t peer, int32_t tag)
{
	return (enum wild)(
		(peer == MPI_ANY_SOURCE ? WILD_PEER : 0) | (tag == MPI_ANY_TAG ? WILD_TAG : 0));
}

/* --- posted --------------------------------------------------------------------------------- */

static void match_posted_cut(struct posted_fifo *f, struct req *r)
{
	*(r->prev != NULL ? &r->prev->next : &f->head) = r->next;
	*(r->next != NULL ? &r->next->prev : &f->tail) = r->prev;
	r->next = r->prev = NULL;
}

static struct posted_fifo *match_posted_bucket(uint64_t ctx, int32_t peer, int32_t tag)
{
	return &p2p_match.posted[p2p_match_hash(ctx, peer, tag) & p2p_match.mask];
}

static void match_posted_grow(void)
{
	struct posted_fifo *old = p2p_match.posted;
	uint32_t n = p2p_match.mask + 1;
	struct posted_fifo *new = calloc((size_t)n * 4, sizeof(*new));

	if (new == NULL)
		return;
	p2p_match.posted = new;
	p2p_match.mask = n * 4 - 1;
	for (uint32_t i = 0; i < n; i++) {
		struct req *next;

		for (struct req *r = old[i].head; r != NULL; r = next) {
			next = r->next;
			p2p_match_posted_push(match_posted_bucket(r->ctx, r->peer, r->tag), r);
		}
	}
	free(old);
}

void p2p_match_post_slow(struct req *r)
{
	enum wild w = match_wild_of(r->peer, r->tag);

	if (p2p_match_full())
		match_posted_grow();
	r->recv.order = p2p_match.order++;
	p2p_match.nposted++;
	if (w != WILD_NONE) {
		p2p_match.wild_posted[w]++;
		p2p_match.nwild++;
	}
	p2p_match_posted_push(match_posted_bucket(r->ctx, r->peer, r->tag), r);
}

void p2p_match_unpost(struct req *r)
{
	enum wild w = match_wild_of(r->peer, r->tag);

	p2p_match.nposted--;
	if (w != WILD_NONE) {
		p2p_match.wild_posted[w]--;
		p2p_match.nwild--;
	}
	match_posted_cut(match_posted_bucket(r->ctx, r->peer, r->tag), r);
}

struct req *p2p_match_unpost_if(bool (*hit)(const struct req *r, void *arg), void *arg)
{
	struct req *cut = NULL, *next;
	uint32_t left = p2p_match.nposted;

	/* Most buckets are empty: it ends behind the last receive. */
	for (uint32_t i = 0; left > 0 && i <= p2p_match.mask; i++) {
		for (struct req *r = p2p_match.posted[i].head; r != NULL; r = next) {
			next = r->next;
			left--;
			if (!hit(r, arg))
				continue;
			p2p_match_unpost(r);
			r->next = cut;
			cut = r;
		}
	}
	return cut;
}

/* The first receive posted with exactly this key. */
static struct req *match_posted_first(uint64_t ctx, int32_t peer, int32_t tag)
{
	struct req *r = match_posted_bucket(ctx, peer, tag)->head;

	while (r != NULL && (r->ctx != ctx || r->peer != peer || r->tag != tag))
		r = r->next;
	return r;
}

struct req *p2p_match_take_slow(uint64_t ctx, int32_t peer, int32_t tag)
{
	struct req *best = NULL;

	for (int w = WILD_NONE; w < WILDS; w++) {
		struct req *r;

		if (w != WILD_NONE && p2p_match.wild_posted[w] == 0)
			continue;
		r = match_posted_first(ctx, w & WILD_PEER ? MPI_ANY_SOURCE : peer,
			w & WILD_TAG ? MPI_ANY_TAG : tag);
		if (r != NULL && (best == NULL || r->recv.order < best->recv.order))
			best = r;
	}
	if (best != NULL)
		p2p_match_unpost(best);
	return best;
}

/* --- unexpected ----------------------------------------------------------------------------- */

static void match_key_push(struct unexpected_fifo *f, struct unexpected *u)
{
	u->next = NULL;
	u->prev = f->tail;
	*(f->tail != NULL ? &f->tail->next : &f->head) = u;
	f->tail = u;
}

static void match_key_cut(struct unexpected_fifo *f, struct unexpected *u)
{
	*(u->prev != NULL ? &u->prev->next : &f->head) = u->next;
	*(u->next != NULL ? &u->next->prev : &f->tail) = u->prev;
}

static void match_ctx_push(struct unexpected_fifo *f, struct unexpected *u)
{
	u->cnext = NULL;
	u->cprev = f->tail;
	*(f->tail != NULL ? &f->tail->cnext : &f->head) = u;
	f->tail = u;
}

static void match_ctx_cut(struct unexpected_fifo *f, struct unexpected *u)
{
	*(u->cprev != NULL ? &u->cprev->cnext : &f->head) = u->cnext;
	*(u->cnext != NULL ? &u->cnext->cprev : &f->tail) = u->cprev;
}

static struct unexpected_fifo *match_key_bucket(uint64_t ctx, int32_t peer, int32_t tag)
{
	return &p2p_messages.key[p2p_match_hash(ctx, peer, tag) & p2p_messages.mask];
}

static struct unexpected_fifo *match_ctx_bucket(uint64_t ctx)
{
	return &p2p_messages.ctx[p2p_match_hash(ctx, 0, 0) & p2p_messages.mask];
}

static void match_unexpected_grow(void)
{
	uint32_t n = p2p_messages.mask + 1;
	struct unexpected_fifo *key = p2p_messages.key, *ctx = p2p_messages.ctx;
	struct unexpected_fifo *new = calloc((size_t)n * 8, sizeof(*new));

	if (new == NULL)
		return;
	p2p_messages.key = new;
	p2p_messages.ctx = new + (size_t)n * 4;
	p2p_messages.mask = n * 4 - 1;
	for (uint32_t i = 0; i < n; i++) {
		struct unexpected *next;

		for (struct unexpected *u = key[i].head; u != NULL; u = next) {
			next = u->next;
			match_key_push(match_key_bucket(u->ctx, u->peer, u->tag), u);
		}
		for (struct unexpected *u = ctx[i].head; u != NULL; u = next) {
			next = u->cnext;
			match_ctx_push(match_ctx_bucket(u->ctx), u);
		}
	}
	free(key);
}

void p2p_match_store(struct unexpected *u)
{
	if (unlikely(p2p_match.nunexpected / 2 > p2p_messages.mask))
		match_unexpected_grow();
	p2p_match.nunexpected++;
	match_key_push(match_key_bucket(u->ctx, u->peer, u->tag), u);
	match_ctx_push(match_ctx_bucket(u->ctx), u);
}

void p2p_match_each(void (*fn)(void *arg, const struct unexpected *u), void *arg)
{
	for (uint32_t i = 0; p2p_match.nunexpected > 0 && i <= p2p_messages.mask; i++)
		for (const struct unexpected *u = p2p_messages.key[i].head; u != NULL; u = u->next)
			fn(arg, u);
}

void p2p_match_remove(struct unexpected *u)
{
	p2p_match.nunexpected--;
	match_key_cut(match_key_bucket(u->ctx, u->peer, u->tag), u);
	match_ctx_cut(match_ctx_bucket(u->ctx), u);
}

struct unexpected *p2p_match_find_slow(uint64_t ctx, int32_t peer, int32_t tag)
{
	struct unexpected *u;

	if (match_wild_of(peer, tag) == WILD_NONE) {
		u = match_key_bucket(ctx, peer, tag)->head;
		while (u != NULL && (u->ctx != ctx || u->peer != peer || u->tag != tag))
			u = u->next;
		return u;
	}
	for (u = match_ctx_bucket(ctx)->head; u != NULL; u = u->cnext) {
		if (u->ctx == ctx && (peer == MPI_ANY_SOURCE || peer == u->peer) &&
			(tag == MPI_ANY_TAG || tag == u->tag))
			return u;
	}
	return NULL;
}

struct unexpected *p2p_match_find_rts(
	uint64_t ctx, int32_t peer, int32_t tag, const struct req *sender, uint32_t id)
{
	struct unexpected *u =
		p2p_match.nunexpected > 0 ? match_key_bucket(ctx, peer, tag)->head : NULL;

	while (u != NULL && (!u->is_rts || u->ctx != ctx || u->peer != peer || u->tag != tag ||
				    u->sender != sender || u->rts_id != id))
		u = u->next;
	return u;
}

/* --- what matched probes have --------------------------------------------------------------- */

static struct unexpected_fifo match_probed; /* by next */

void p2p_match_probe_take(struct unexpected *u)
{
	p2p_match_remove(u);
	match_key_push(&match_probed, u);
}

void p2p_match_probe_release(struct unexpected *u)
{
	match_key_cut(&match_probed, u);
}

bool p2p_match_probe_has(int32_t peer, uint32_t id)
{
	const struct unexpected *u = match_probed.head;

	while (u != NULL && (!u->is_rts || u->peer != peer || u->rts_id != id))
		u = u->next;
	return u != NULL;
}

void p2p_match_probe_resend(const struct req *from, struct req *to)
{
	for (struct unexpected *u = match_probed.head; u != NULL; u = u->next) {
		if (u->sender == from)
			u->sender = to;
	}
}

__attribute__((no_sanitize("thread"))) void p2p_queues(uint32_t *receives, uint32_t *messages)
{
	*receives = p2p_match.nposted;
	*messages = p2p_match.nunexpected;
}

/* --- open and close ------------------------------------------------------------------------- */

HAFT_START int p2p_match_open(void)
{
	p2p_match.posted = calloc(BUCKETS_MIN, sizeof(*p2p_match.posted));
	p2p_messages.key = calloc((size_t)BUCKETS_MIN * 2, sizeof(*p2p_messages.key));
	if (p2p_match.posted == NULL || p2p_messages.key == NULL)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory for the tables of receives and messages");
	p2p_messages.ctx = p2p_messages.key + BUCKETS_MIN;
	p2p_match.mask = p2p_messages.mask = BUCKETS_MIN - 1;
	return 0;
}

/* --- the invariants ------------------------------------------------------------------------- */

static bool match_posted_valid(void)
{
	uint32_t posted = 0, wild = 0;

	for (uint32_t i = 0; i <= p2p_match.mask; i++) {
		const struct req *before = NULL;

		for (const struct req *r = p2p_match.posted[i].head; r != NULL; r = r->next) {
			if (r->prev != before || r->done ||
				match_posted_bucket(r->ctx, r->peer, r->tag) !=
					&p2p_match.posted[i])
				return false;
			posted++;
			wild += match_wild_of(r->peer, r->tag) != WILD_NONE;
			before = r;
		}
		if (p2p_match.posted[i].tail != before)
			return false;
	}
	return posted == p2p_match.nposted && wild == p2p_match.nwild;
}

/* A message that is queued by key is queued by context as well. */
static bool match_unexpected_valid(void)
{
	uint32_t by_key = 0, by_ctx = 0;

	for (uint32_t i = 0; i <= p2p_messages.mask; i++) {
		const struct unexpected *u;

		for (u = p2p_messages.key[i].head; u != NULL; u = u->next, by_key++)
			if (match_key_bucket(u->ctx, u->peer, u->tag) != &p2p_messages.key[i])
				return false;
		for (u = p2p_messages.ctx[i].head; u != NULL; u = u->cnext, by_ctx++)
			if (match_ctx_bucket(u->ctx) != &p2p_messages.ctx[i])
				return false;
	}
	return by_key == p2p_match.nunexpected && by_ctx == p2p_match.nunexpected;
}

bool p2p_match_valid(void)
{
	return p2p_match.posted == NULL || (match_posted_valid() && match_unexpected_valid());
}
