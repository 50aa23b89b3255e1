// SPDX-License-Identifier: BSD-3-Clause
/* match.c - the two tables of match.h.
 *
 * Buckets are FIFOs with different keys mixed; tables grow fourfold when they hold two entries a
 * bucket, and re-hashing walks old FIFOs from the front, so that order within a key is kept.  A
 * table that cannot grow for lack of memory just gets slower. */
#include "libmpi/p2p/match.h"

#include "libmpi/core/err.h"
#include "libmpi/p2p/p2p.h"
#include <stdlib.h>

#define BUCKETS_MIN \
	((uint32_t)MEAN_OR(1, 64)) /* 1 KiB: fits the cache beside the message itself \
				    */

struct arrived_fifo {
	struct arrived *head, *tail;
};

struct match match;

static struct {
	struct arrived_fifo *key, *ctx; /* [mask + 1] */
	uint32_t mask;
} early;

static enum wild wild_of(int32_t peer, int32_t tag)
{
	return (enum wild)(
		(peer == MPI_ANY_SOURCE ? WILD_PEER : 0) | (tag == MPI_ANY_TAG ? WILD_TAG : 0));
}

/* --- posted --------------------------------------------------------------------------------- */

static void posted_cut(struct posted_fifo *f, struct req *r)
{
	*(r->prev != NULL ? &r->prev->next : &f->head) = r->next;
	*(r->next != NULL ? &r->next->prev : &f->tail) = r->prev;
	r->next = r->prev = NULL;
}

static struct posted_fifo *posted_bucket(uint64_t ctx, int32_t peer, int32_t tag)
{
	return &match.posted[match_hash(ctx, peer, tag) & match.mask];
}

static void posted_grow(void)
{
	struct posted_fifo *old = match.posted;
	uint32_t n = match.mask + 1;
	struct posted_fifo *new = calloc((size_t)n * 4, sizeof(*new));

	if (new == NULL)
		return;
	match.posted = new;
	match.mask = n * 4 - 1;
	for (uint32_t i = 0; i < n; i++) {
		struct req *next;

		for (struct req *r = old[i].head; r != NULL; r = next) {
			next = r->next;
			posted_push(posted_bucket(r->ctx, r->peer, r->tag), r);
		}
	}
	free(old);
}

void match_post_any(struct req *r)
{
	enum wild w = wild_of(r->peer, r->tag);

	if (unlikely(match.nposted / 2 > match.mask))
		posted_grow();
	r->seq = match.seq++;
	match.nposted++;
	if (w != WILD_NONE) {
		match.kinds[w]++;
		match.nwild++;
	}
	posted_push(posted_bucket(r->ctx, r->peer, r->tag), r);
}

void match_unpost(struct req *r)
{
	enum wild w = wild_of(r->peer, r->tag);

	match.nposted--;
	if (w != WILD_NONE) {
		match.kinds[w]--;
		match.nwild--;
	}
	posted_cut(posted_bucket(r->ctx, r->peer, r->tag), r);
}

struct req *match_cut(bool (*hit)(const struct req *r, void *arg), void *arg)
{
	struct req *cut = NULL, *next;

	for (uint32_t i = 0; match.nposted > 0 && i <= match.mask; i++) {
		for (struct req *r = match.posted[i].head; r != NULL; r = next) {
			next = r->next;
			if (!hit(r, arg))
				continue;
			match_unpost(r);
			r->next = cut;
			cut = r;
		}
	}
	return cut;
}

/* The first receive posted with exactly this key. */
static struct req *posted_first(uint64_t ctx, int32_t peer, int32_t tag)
{
	struct req *r = posted_bucket(ctx, peer, tag)->head;

	while (r != NULL && (r->ctx != ctx || r->peer != peer || r->tag != tag))
		r = r->next;
	return r;
}

struct req *match_take_any(uint64_t ctx, int32_t peer, int32_t tag)
{
	struct req *best = NULL;

	for (int w = WILD_NONE; w < WILDS; w++) {
		struct req *r;

		if (w != WILD_NONE && match.kinds[w] == 0)
			continue;
		r = posted_first(ctx, w & WILD_PEER ? MPI_ANY_SOURCE : peer,
			w & WILD_TAG ? MPI_ANY_TAG : tag);
		if (r != NULL && (best == NULL || r->seq < best->seq))
			best = r;
	}
	if (best != NULL)
		match_unpost(best);
	return best;
}

/* --- arrived -------------------------------------------------------------------------------- */

static void key_push(struct arrived_fifo *f, struct arrived *a)
{
	a->next = NULL;
	a->prev = f->tail;
	*(f->tail != NULL ? &f->tail->next : &f->head) = a;
	f->tail = a;
}

static void key_cut(struct arrived_fifo *f, struct arrived *a)
{
	*(a->prev != NULL ? &a->prev->next : &f->head) = a->next;
	*(a->next != NULL ? &a->next->prev : &f->tail) = a->prev;
}

static void ctx_push(struct arrived_fifo *f, struct arrived *a)
{
	a->cnext = NULL;
	a->cprev = f->tail;
	*(f->tail != NULL ? &f->tail->cnext : &f->head) = a;
	f->tail = a;
}

static void ctx_cut(struct arrived_fifo *f, struct arrived *a)
{
	*(a->cprev != NULL ? &a->cprev->cnext : &f->head) = a->cnext;
	*(a->cnext != NULL ? &a->cnext->cprev : &f->tail) = a->cprev;
}

static struct arrived_fifo *key_bucket(uint64_t ctx, int32_t peer, int32_t tag)
{
	return &early.key[match_hash(ctx, peer, tag) & early.mask];
}

static struct arrived_fifo *ctx_bucket(uint64_t ctx)
{
	return &early.ctx[match_hash(ctx, 0, 0) & early.mask];
}

static void early_grow(void)
{
	uint32_t n = early.mask + 1;
	struct arrived_fifo *key = early.key, *ctx = early.ctx;
	struct arrived_fifo *new = calloc((size_t)n * 8, sizeof(*new));

	if (new == NULL)
		return;
	early.key = new;
	early.ctx = new + (size_t)n * 4;
	early.mask = n * 4 - 1;
	for (uint32_t i = 0; i < n; i++) {
		struct arrived *next;

		for (struct arrived *a = key[i].head; a != NULL; a = next) {
			next = a->next;
			key_push(key_bucket(a->ctx, a->peer, a->tag), a);
		}
		for (struct arrived *a = ctx[i].head; a != NULL; a = next) {
			next = a->cnext;
			ctx_push(ctx_bucket(a->ctx), a);
		}
	}
	free(key);
}

void match_store(struct arrived *a)
{
	if (unlikely(match.nearly / 2 > early.mask))
		early_grow();
	match.nearly++;
	key_push(key_bucket(a->ctx, a->peer, a->tag), a);
	ctx_push(ctx_bucket(a->ctx), a);
}

void match_each(void (*fn)(void *arg, const struct arrived *a), void *arg)
{
	for (uint32_t i = 0; match.nearly > 0 && i <= early.mask; i++)
		for (const struct arrived *a = early.key[i].head; a != NULL; a = a->next)
			fn(arg, a);
}

void match_remove(struct arrived *a)
{
	match.nearly--;
	key_cut(key_bucket(a->ctx, a->peer, a->tag), a);
	ctx_cut(ctx_bucket(a->ctx), a);
}

struct arrived *match_find_any(uint64_t ctx, int32_t peer, int32_t tag)
{
	struct arrived *a;

	if (wild_of(peer, tag) == WILD_NONE) {
		a = key_bucket(ctx, peer, tag)->head;
		while (a != NULL && (a->ctx != ctx || a->peer != peer || a->tag != tag))
			a = a->next;
		return a;
	}
	for (a = ctx_bucket(ctx)->head; a != NULL; a = a->cnext) {
		if (a->ctx == ctx && (peer == MPI_ANY_SOURCE || peer == a->peer) &&
			(tag == MPI_ANY_TAG || tag == a->tag))
			return a;
	}
	return NULL;
}

struct arrived *match_asked(
	uint64_t ctx, int32_t peer, int32_t tag, const struct req *sender, uint32_t id)
{
	struct arrived *a = match.nearly > 0 ? key_bucket(ctx, peer, tag)->head : NULL;

	while (a != NULL && (!a->asks || a->ctx != ctx || a->peer != peer || a->tag != tag ||
				    a->sender != sender || a->id != id))
		a = a->next;
	return a;
}

/* --- what matched probes have --------------------------------------------------------------- */

static struct arrived_fifo held; /* by next */

void match_hold(struct arrived *a)
{
	match_remove(a);
	key_push(&held, a);
}

void match_unhold(struct arrived *a)
{
	key_cut(&held, a);
}

bool match_holds(int32_t peer, uint32_t id)
{
	const struct arrived *a = held.head;

	while (a != NULL && (!a->asks || a->peer != peer || a->id != id))
		a = a->next;
	return a != NULL;
}

void match_resend(const struct req *from, struct req *to)
{
	for (struct arrived *a = held.head; a != NULL; a = a->next) {
		if (a->sender == from)
			a->sender = to;
	}
}

void p2p_queues(uint32_t *receives, uint32_t *messages)
{
	*receives = match.nposted;
	*messages = match.nearly;
}

/* --- open and close ------------------------------------------------------------------------- */

int match_open(void)
{
	match.posted = calloc(BUCKETS_MIN, sizeof(*match.posted));
	early.key = calloc((size_t)BUCKETS_MIN * 2, sizeof(*early.key));
	if (match.posted == NULL || early.key == NULL)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory for the tables of receives and messages");
	early.ctx = early.key + BUCKETS_MIN;
	match.mask = early.mask = BUCKETS_MIN - 1;
	return 0;
}
