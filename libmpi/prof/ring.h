// SPDX-License-Identifier: BSD-3-Clause
/* ring.h - the trace of one rank: records, as the rank writes them and mpiexec reads them.
 *
 *     memfd of mpiexec:  | tables of all seats | ring of seat 0 | ring of seat 1 | ...    sparse
 *
 *     struct prof_ring   n, size, first, context | cell 0 | cell 1 | ... | cell size - 1
 *         keep the first cells:  later ones are only counted in n
 *         keep the last ones:    cell i is in slot i % size
 *
 *     a short record   | kind thread at | its numbers |
 *     a long one       | kind thread at | ticks, or peer and tag | MORE fn what | bytes |
 *
 * New memory is the greatest cost of a trace.  So a record whose numbers are small is one cell of
 * 16 bytes, as nearly all are; others are two.
 *
 * The rank alone writes, one thread at a time (under the library's lock).  A cell is complete
 * before n counts it.  So a reader may trust all cells of a rank that has died, but for the slot of
 * the next one.  A ring of zeros is a valid one that keeps nothing.
 *
 * The order is that in which calls, waits and regions end, and messages are sent and matched. */
#ifndef HAFT_PROF_RING_H
#define HAFT_PROF_RING_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum prof_record_kind {
	PROF_RECORD_NONE,
	PROF_RECORD_CALL,   /* ticks bytes what: the site's row + 1, 0: none; fn */
	PROF_RECORD_WAIT,   /* ticks what: the rank waited for + 1, 0: several; fn: enum prof_why */
	PROF_RECORD_REGION, /* ticks what: the region's row */
	PROF_RECORD_SENT,   /* peer tag bytes what: the row of its context */
	PROF_RECORD_MATCHED, /* likewise, by a receive */
	PROF_RECORD_MORE,    /* the second cell of a long record */
	PROF_SHORT_CALL,     /* short forms of three of them */
	PROF_SHORT_SENT,
	PROF_SHORT_MATCHED
};

/* A record whose numbers have room. */
struct prof_record {
	uint64_t at; /* ticks, of its begin */
	union {
		uint64_t ticks; /* so long it took */
		struct {
			int32_t peer, tag; /* peer: a number of the universe */
		};
	};
	uint64_t bytes;
	uint64_t what;
	uint16_t fn;    /* enum haft_fn */
	uint8_t thread; /* of the process, from 0 on, in the order of their first calls */
	uint8_t kind;   /* enum prof_record_kind */
};

struct prof_cell {
	uint64_t head, body;
};
static_assert(sizeof(struct prof_cell) == 16, "four cells are a cache line");

#define PROF_CONTEXTS 1024 /* contexts that are told apart: a power of two.  Row 0: all others */

struct prof_ring {
	_Atomic uint64_t n; /* cells that there have been */
	uint64_t size;      /* cells that it keeps; the rank writes it */
	uint32_t first;     /* not 0: the first ones are kept, else the last ones */
	uint32_t pad[11];
	uint64_t context[PROF_CONTEXTS]; /* of messages, + 1; 0: the row is free */
	struct prof_cell cell[];
};
static_assert(sizeof(struct prof_ring) % 64 == 0, "cells begin at a cache line");

/* Cells in a ring of so many bytes. */
static inline uint64_t prof_ring_size(uint64_t bytes)
{
	return (bytes - sizeof(struct prof_ring)) / sizeof(struct prof_cell);
}

/* --- cells ------------------------------------------------------------------------------------ */

/* The first word: bits of `at'; above them thread (8) and kind (4).  2^52 ticks are 17 days. */
#define PROF_AT_BITS 52

static inline uint64_t prof_cell_head(enum prof_record_kind kind, uint8_t thread, uint64_t at)
{
	return (uint64_t)kind << 60 | (uint64_t)thread << PROF_AT_BITS |
	       (at & ((UINT64_C(1) << PROF_AT_BITS) - 1));
}

/* The second word of short ones, from the lowest bit on: a call's site, ticks and bytes; a
 * message's context, peer, tag and bytes. */
#define PROF_SITE_BITS    12
#define PROF_TICKS_BITS   28
#define PROF_CALL_BYTES   24
#define PROF_CONTEXT_BITS 10
#define PROF_PEER_BITS    16
#define PROF_TAG_BITS     14
#define PROF_SENT_BYTES   24
static_assert(1 << PROF_CONTEXT_BITS == PROF_CONTEXTS, "rows of contexts");

static inline bool prof_call_is_short(const struct prof_record *r)
{
	return r->what != 0 && r->ticks >> PROF_TICKS_BITS == 0 && r->bytes >> PROF_CALL_BYTES == 0;
}

static inline uint64_t prof_call_body(const struct prof_record *r)
{
	return r->what | r->ticks << PROF_SITE_BITS |
	       r->bytes << (PROF_SITE_BITS + PROF_TICKS_BITS);
}

/* Negative numbers are long. */
static inline bool prof_message_is_short(const struct prof_record *r)
{
	return (uint32_t)r->peer >> PROF_PEER_BITS == 0 && (uint32_t)r->tag >> PROF_TAG_BITS == 0 &&
	       r->bytes >> PROF_SENT_BYTES == 0;
}

static inline uint64_t prof_message_body(const struct prof_record *r)
{
	return r->what | (uint64_t)(uint32_t)r->peer << PROF_CONTEXT_BITS |
	       (uint64_t)(uint32_t)r->tag << (PROF_CONTEXT_BITS + PROF_PEER_BITS) |
	       r->bytes << (PROF_CONTEXT_BITS + PROF_PEER_BITS + PROF_TAG_BITS);
}

/* The second cell of a long one; its first one has ticks, which are peer and tag of a message. */
static inline struct prof_cell prof_cell_more(const struct prof_record *r)
{
	return (struct prof_cell){
		(uint64_t)PROF_RECORD_MORE << 60 | (uint64_t)r->fn << 32 | (uint32_t)r->what,
		r->bytes};
}

/* Reads the record in n cells; until: a moment that is not before it, and no 17 days behind it.
 * Returns how many cells it took.  Its kind is NONE if they make no sense.  The fn of a short call
 * is that of its site: 0 here. */
uint64_t prof_cells_read(
	const struct prof_cell *cell, uint64_t n, uint64_t until, struct prof_record *r);

#endif
