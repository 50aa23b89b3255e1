// SPDX-License-Identifier: BSD-3-Clause
/* ring.h - the trace of one rank: records, as the rank writes them and mpiexec reads them.
 *
 *     memfd of mpiexec:  | tables of all seats | ring of seat 0 | ring of seat 1 | ...    sparse
 *
 *     struct prof_ring   n, size, first | record 0 | record 1 | ... | record size - 1
 *         keep the first records:  later ones are only counted in n
 *         keep the last ones:      record i is in slot i % size
 *
 * The rank alone writes, one thread at a time (under the library's lock).  A record is complete
 * before n counts it.  So a reader may trust all records of a rank that has died, but for the slot
 * of the next one.  A ring of zeros is a valid one that keeps nothing.
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
	PROF_RECORD_SENT,   /* peer tag bytes what: the context's low bits */
	PROF_RECORD_MATCHED /* likewise, by a receive */
};

struct prof_record {
	uint64_t at; /* ticks, of its begin */
	union {
		uint64_t ticks; /* so long it took */
		struct {
			int32_t peer, tag; /* peer: a number of the universe */
		};
	};
	uint64_t bytes;
	uint32_t what;
	uint16_t fn;    /* enum haft_fn */
	uint8_t thread; /* of the process, from 0 on, in the order of their first calls */
	uint8_t kind;   /* enum prof_record_kind */
};
static_assert(sizeof(struct prof_record) == 32, "two records are a cache line");

struct prof_ring {
	_Atomic uint64_t n; /* records that there have been */
	uint64_t size;      /* records that it keeps; the rank writes it */
	uint32_t first;     /* not 0: the first ones are kept, else the last ones */
	uint32_t pad[11];
	struct prof_record record[];
};
static_assert(sizeof(struct prof_ring) == 64, "records begin at a cache line");

/* Records in a ring of so many bytes. */
static inline uint64_t prof_ring_size(uint64_t bytes)
{
	return (bytes - sizeof(struct prof_ring)) / sizeof(struct prof_record);
}

#endif
