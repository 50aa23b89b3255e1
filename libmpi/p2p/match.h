// SPDX-License-Identifier: BSD-3-Clause
/* match.h - which message belongs to which receive, in constant time.
 *
 *     posted receives                                arrived messages without a receive
 *       hash(ctx, peer|ANY, tag|ANY) ──> FIFO           hash(ctx, peer, tag) ──> FIFO     receive
 * that names both hash(ctx)            ──> FIFO     receive with a wildcard
 *
 * A message looks at up to four FIFOs: its own key, and those with a wildcard for peer, tag or
 * both, but only at kinds of which any are posted; of the candidates the one that was posted first
 * wins (MPI-5.0 3.5, order).  So the cost does not grow with the number of receives posted, or of
 * messages waiting, unless a wildcard asks.
 *
 * Invariants: each FIFO is in order of posting or arrival; a request is in at most one; an arrived
 * message is in exactly two, or, when a matched probe has it, in the list of those. */
#ifndef HAFT_P2P_MATCH_H
#define HAFT_P2P_MATCH_H

#include "libmpi/core/req.h"
#include <mpi.h>

/* A message that is here before its receive: its bytes, or that somebody wants to send it. */
struct unexpected {
	struct unexpected *next, *prev;   /* of the same bucket of keys */
	struct unexpected *cnext, *cprev; /* of the same bucket of contexts */
	uint64_t ctx;
	int32_t peer;
	int32_t tag;
	int64_t total;      /* bytes of the message */
	bool sorry;         /* data is a struct p2p_error_msg */
	bool asks;          /* its bytes are still with the sender, who waits for a clear-to-send */
	struct req *sender; /* asks, from this very process: the sending request */
	uint32_t id;        /* asks, from another process: what the sender calls it */
	struct p2p_sig *note; /* behind data, or NULL: HAFT_CHECK=types */
	char data[];          /* total bytes, packed; asks: what the sender said, struct ask */
};

struct posted_fifo {
	struct req *head, *tail;
};

/* Which of peer and tag are wild: the four kinds of posted receives. */
enum wild { WILD_NONE, WILD_PEER, WILD_TAG, WILD_BOTH, WILDS };

/* What is posted and what has arrived: match.c's, and of the inline functions below. */
struct p2p_match {
	struct posted_fifo *posted; /* [mask + 1] */
	uint32_t mask;
	uint32_t nwild;  /* receives posted with some wildcard */
	uint32_t nearly; /* messages that have arrived */
	uint32_t nposted;
	uint64_t seq;
	uint32_t kinds[WILDS]; /* how many of each are posted; not counted: WILD_NONE */
};

extern struct p2p_match p2p_match;

/* p2p_match_post queues a receive (ctx, peer and tag set; either may be ANY).  The matcher keeps the
 * pointer until it is taken or unposted. */
static inline void p2p_match_post(struct req *r);

/* p2p_match_unpost takes a posted receive out again. */
void p2p_match_unpost(struct req *r);

/* p2p_match_unpost_if takes out all receives that hit says, and returns them, linked by next, in no order. */
struct req *p2p_match_unpost_if(bool (*hit)(const struct req *r, void *arg), void *arg);

/* p2p_match_take finds the receive for a message that is here now, takes it out, and returns it; or
 * NULL. */
static inline struct req *p2p_match_take(uint64_t ctx, int32_t peer, int32_t tag);

/* p2p_match_store queues a message that has no receive yet; a is the matcher's until p2p_match_remove. */
void p2p_match_store(struct unexpected *a);

/* p2p_match_find finds the first message that a receive with these values may take; it stays queued. Or
 * NULL. */
static inline struct unexpected *p2p_match_find(uint64_t ctx, int32_t peer, int32_t tag);

/* p2p_match_remove takes a message out; a is the caller's. */
void p2p_match_remove(struct unexpected *a);

/* p2p_match_find_rts finds a message that asks and is queued, by its sender and id; it stays.  Or NULL. */
struct unexpected *p2p_match_find_rts(
	uint64_t ctx, int32_t peer, int32_t tag, const struct req *sender, uint32_t id);

/* p2p_match_probe_take: a matched probe takes the message out; p2p_match_probe_release: and is received.  p2p_match_probe_has:
 * has a probe the one that peer calls id? */
void p2p_match_probe_take(struct unexpected *a);
void p2p_match_probe_release(struct unexpected *a);
bool p2p_match_probe_has(int32_t peer, uint32_t id);

/* p2p_match_probe_resend: the message of this process to itself that `from' sends synchronously, and a
 * matched probe has, is `to''s now. */
void p2p_match_probe_resend(const struct req *from, struct req *to);

/* p2p_match_each calls fn for all messages that have arrived and wait, in any order. */
void p2p_match_each(void (*fn)(void *arg, const struct unexpected *a), void *arg);

/* p2p_match_empty: nothing is posted and nothing has arrived: the next frame can match only what comes
 * next. */
static inline bool p2p_match_empty(void)
{
	return (p2p_match.nposted | p2p_match.nearly) == 0;
}

/* p2p_match_open makes the tables.  0 or MPI_ERR_NO_MEM. */
int p2p_match_open(void);

/* --- inline: what is usual: no wildcards, nothing early, and the first of a bucket is it ---- */

void p2p_match_post_slow(struct req *r); /* also into a full table */
struct req *p2p_match_take_slow(uint64_t ctx, int32_t peer, int32_t tag);
struct unexpected *p2p_match_find_slow(uint64_t ctx, int32_t peer, int32_t tag);

static inline uint32_t p2p_match_hash(uint64_t ctx, int32_t peer, int32_t tag)
{
	uint64_t h = ctx * 0x9e3779b97f4a7c15ULL;

	h ^= ((uint64_t)(uint32_t)peer << 32 | (uint32_t)tag) * 0xff51afd7ed558ccdULL;
	return (uint32_t)(h >> 32) ^ (uint32_t)(h >> 15);
}

static inline void p2p_match_posted_push(struct posted_fifo *f, struct req *r)
{
	r->next = NULL;
	r->prev = f->tail;
	*(f->tail != NULL ? &f->tail->next : &f->head) = r;
	f->tail = r;
}

static inline void p2p_match_post(struct req *r)
{
	if (unlikely(r->peer == MPI_ANY_SOURCE || r->tag == MPI_ANY_TAG ||
		     p2p_match.nposted / 2 > p2p_match.mask)) {
		p2p_match_post_slow(r);
		return;
	}
	r->seq = p2p_match.seq++;
	p2p_match.nposted++;
	p2p_match_posted_push(
		&p2p_match.posted[p2p_match_hash(r->ctx, r->peer, r->tag) & p2p_match.mask], r);
}

static inline struct req *p2p_match_take(uint64_t ctx, int32_t peer, int32_t tag)
{
	struct posted_fifo *f = &p2p_match.posted[p2p_match_hash(ctx, peer, tag) & p2p_match.mask];
	struct req *r = f->head;

	if (unlikely(p2p_match.nwild != 0 || r == NULL || r->ctx != ctx || r->peer != peer ||
		     r->tag != tag))
		return p2p_match_take_slow(ctx, peer, tag);
	f->head = r->next;
	*(r->next != NULL ? &r->next->prev : &f->tail) = NULL;
	r->next = NULL;
	p2p_match.nposted--;
	return r;
}

static inline struct unexpected *p2p_match_find(uint64_t ctx, int32_t peer, int32_t tag)
{
	return likely(p2p_match.nearly == 0) ? NULL : p2p_match_find_slow(ctx, peer, tag);
}

#endif
