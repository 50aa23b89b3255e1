// SPDX-License-Identifier: BSD-3-Clause
/* match.h - the posted and the unexpected queue: which message belongs to which receive.
 *
 *     posted receives                            unexpected messages
 *       hash(ctx, peer|ANY, tag|ANY) ──> FIFO      hash(ctx, peer, tag) ──> FIFO   for a receive
 *                                                                                  that names both
 *                                                  hash(ctx)            ──> FIFO   for one with a
 *                                                                                  wildcard
 *
 * A message looks at up to four FIFOs: its own key, and those with a wildcard for peer, tag or
 * both, but only at kinds of which any are posted.  Of the candidates the one that was posted first
 * wins (MPI-5.0 3.5, order).  So the cost does not grow with the number of posted receives.  It
 * does not grow with the number of unexpected messages either, unless a receive has a wildcard.
 *
 * Invariants (p2p_match_valid)
 *  - Each FIFO is in order of posting or arrival.
 *  - A posted receive is in one FIFO.
 *  - An unexpected message is in two, or, when a matched probe has it, in the list of those. */
#ifndef HAFT_P2P_MATCH_H
#define HAFT_P2P_MATCH_H

#include "libmpi/core/req.h"
#include <mpi.h>

/* A message that is here before its receive: its data, its RTS, or an error in its place. */
struct unexpected {
	struct unexpected *next, *prev;   /* of the same bucket of keys */
	struct unexpected *cnext, *cprev; /* of the same bucket of contexts */
	uint64_t ctx;
	int32_t peer;
	int32_t tag;
	int64_t total;       /* bytes of the message */
	bool is_error;       /* data is a struct p2p_error_msg */
	bool is_rts;         /* the message is at its sender; data is a struct rts */
	struct req *sender;  /* is_rts, of this process itself: the sending request, and no data */
	uint32_t rts_id;     /* is_rts, of another process: the sender's number of it */
	struct p2p_sig *sig; /* behind data, or NULL: HAFT_CHECK=types */
	char data[];         /* else the message: total bytes, packed */
};

struct posted_fifo {
	struct req *head, *tail;
};

/* Which of peer and tag are wild: the four kinds of posted receives. */
enum wild { WILD_NONE, WILD_PEER, WILD_TAG, WILD_BOTH, WILDS };

/* For match.c and the inline functions below only. */
struct p2p_match {
	struct posted_fifo *posted; /* [mask + 1] */
	uint32_t mask;
	uint32_t nwild;       /* receives posted with some wildcard */
	uint32_t nunexpected; /* messages in the unexpected queue */
	uint32_t nposted;
	uint64_t order;              /* of the next receive */
	uint32_t wild_posted[WILDS]; /* how many of each kind; WILD_NONE is not counted */
};

extern HAFT_INSIDE struct p2p_match p2p_match;

struct unexpected_fifo {
	struct unexpected *head, *tail;
};

/* The unexpected queue; for match.c and debuggers only. */
struct p2p_messages {
	struct unexpected_fifo *key, *ctx; /* [mask + 1] */
	uint32_t mask;
};

extern struct p2p_messages p2p_messages;

/* Posts a receive, whose ctx, peer and tag are set.  Its queue keeps the pointer until it is taken
 * or unposted. */
static inline void p2p_match_post(struct req *r);

/* Likewise, a receive without wildcards, where not p2p_match_full(). */
static inline bool p2p_match_full(void);
static inline void p2p_match_post_named(struct req *r);

/* Takes a posted receive out again. */
void p2p_match_unpost(struct req *r);

/* Takes out all receives for which hit() is true; returns them, linked by next, in no order. */
struct req *p2p_match_unpost_if(bool (*hit)(const struct req *r, void *arg), void *arg);

/* Takes out the receive for a message that has just come, and returns it; NULL: there is none. */
static inline struct req *p2p_match_take(uint64_t ctx, int32_t peer, int32_t tag);

/* Queues a message that has no receive.  It belongs to the queue until p2p_match_remove. */
void p2p_match_store(struct unexpected *u);

/* The first message that a receive with these values may take; it stays queued.  Or NULL. */
static inline struct unexpected *p2p_match_find(uint64_t ctx, int32_t peer, int32_t tag);

/* Takes a message out; it belongs to the caller now. */
void p2p_match_remove(struct unexpected *u);

/* A queued RTS by its sender and id; it stays.  Or NULL. */
struct unexpected *p2p_match_find_rts(
	uint64_t ctx, int32_t peer, int32_t tag, const struct req *sender, uint32_t id);

/* A matched probe takes a message out of the queue (take), until it is received (release). has: has
 * one of them the RTS that peer calls id? */
void p2p_match_probe_take(struct unexpected *u);
void p2p_match_probe_release(struct unexpected *u);
bool p2p_match_probe_has(int32_t peer, uint32_t id);

/* A matched probe has a synchronous message of this process to itself: its sending request is no
 * longer `from', but `to'. */
void p2p_match_probe_resend(const struct req *from, struct req *to);

/* Calls fn for all unexpected messages, in any order. */
void p2p_match_each(void (*fn)(void *arg, const struct unexpected *u), void *arg);

/* Both queues are empty: the next frame can match only the next receive. */
static inline bool p2p_match_empty(void)
{
	return (p2p_match.nposted | p2p_match.nunexpected) == 0;
}

/* Makes the tables.  0 or MPI_ERR_NO_MEM, with words. */
int p2p_match_open(void);

/* Do the invariants above hold?  (core/valid.h) */
bool p2p_match_valid(void);

/* --- inline: no wildcards, nothing unexpected, and the first of a bucket matches ------------ */

void p2p_match_post_slow(struct req *r); /* with a wildcard, or into a full table */
/* As p2p_match_take, and the search behind it, where receives with wildcards are posted. */
struct req *p2p_match_take_slow(uint64_t ctx, int32_t peer, int32_t tag);
struct unexpected *p2p_match_find_slow(uint64_t ctx, int32_t peer, int32_t tag);

static inline uint32_t p2p_match_hash(uint64_t ctx, int32_t peer, int32_t tag)
{
	uint64_t h = ctx * 0x9e3779b97f4a7c15ULL;

	h ^= ((uint64_t)(uint32_t)peer << 32 | (uint32_t)tag) * 0xff51afd7ed558ccdULL;
	return (uint32_t)(h >> 32);
}

static inline void p2p_match_posted_push(struct posted_fifo *f, struct req *r)
{
	r->next = NULL;
	r->prev = f->tail;
	*(f->tail != NULL ? &f->tail->next : &f->head) = r;
	f->tail = r;
}

/* Is the table of posted receives to grow first? */
static inline bool p2p_match_full(void)
{
	return unlikely(p2p_match.nposted / 2 > p2p_match.mask);
}

static inline void p2p_match_post_named(struct req *r)
{
	r->recv.order = p2p_match.order++;
	p2p_match.nposted++;
	p2p_match_posted_push(
		&p2p_match.posted[p2p_match_hash(r->ctx, r->peer, r->tag) & p2p_match.mask], r);
}

static inline void p2p_match_post(struct req *r)
{
	if (unlikely(r->peer == MPI_ANY_SOURCE || r->tag == MPI_ANY_TAG) || p2p_match_full())
		p2p_match_post_slow(r);
	else
		p2p_match_post_named(r);
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
	return likely(p2p_match.nunexpected == 0) ? NULL : p2p_match_find_slow(ctx, peer, tag);
}

#endif
