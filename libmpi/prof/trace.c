// SPDX-License-Identifier: BSD-3-Clause
/* trace.c - the trace of this rank: it writes down one by one, and the profile only adds up.
 *
 *     prof_leave ──> call          watch_resolve ──> wait          MPI_Pcontrol(-1000) ──> region
 *     bind/gate.c, prof_start ──> sent              p2p, when a receive is matched ──> matched
 *
 * A call is written when it ends, with the two looks at the clock that the profile has anyway.  A
 * message that is sent has the time of its call; one that is matched costs a look of its own.
 * mpiexec finds out which belong together: of one sender, receiver, context and tag, messages are
 * matched in the order in which they are sent (MPI-5.0 3.5). */
#include "libmpi/prof/prof.h"

#include "libmpi/core/comm_object.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/traffic.h"
#include "libobj/base.h"
#include <sys/mman.h>

#define THREADS_MAX 255 /* that the trace tells apart */

/* The slot of the next record, and its number; NULL: it is only counted. */
static struct prof_record *record_slot(uint64_t *n)
{
	struct prof_ring *g = prof_state.ring;

	*n = atomic_load_explicit(&g->n, memory_order_relaxed);
	if (unlikely(*n >= g->size && g->first != 0)) {
		atomic_store_explicit(&g->n, *n + 1, memory_order_relaxed);
		return NULL;
	}
	return &g->record[prof_state.slot];
}

/* Release: a reader that sees the count sees the record. */
static void record_done(uint64_t n)
{
	if (unlikely(++prof_state.slot == prof_state.ring->size))
		prof_state.slot = 0;
	atomic_store_explicit(&prof_state.ring->n, n + 1, memory_order_release);
}

static inline void record_put(struct prof_record r)
{
	uint64_t n;
	struct prof_record *to = record_slot(&n);

	if (to == NULL)
		return;
	*to = r;
	record_done(n);
}

static inline uint8_t call_thread(struct prof_call *c)
{
	if (unlikely(c->thread == 0))
		c->thread = (uint8_t)(prof_state.threads < THREADS_MAX ? ++prof_state.threads
								       : THREADS_MAX);
	return (uint8_t)(c->thread - 1);
}

void prof_trace_call(struct prof_call *c, uint64_t ticks)
{
	record_put((struct prof_record){.at = c->since,
		.ticks = ticks,
		.bytes = c->bytes,
		.what = c->site,
		.fn = (uint16_t)c->fn,
		.thread = call_thread(c),
		.kind = PROF_RECORD_CALL});
}

void prof_trace_wait(struct prof_call *c)
{
	record_put((struct prof_record){.at = c->begin,
		.ticks = c->idle - c->begin,
		.what = c->late == 1 ? (uint32_t)c->peers[0] + 1 : 0,
		.fn = c->why_told,
		.thread = call_thread(c),
		.kind = PROF_RECORD_WAIT});
}

void prof_trace_region(struct prof_call *c, int row, uint64_t begin)
{
	uint64_t end = c->depth > 0 ? c->since : prof_ticks();

	record_put((struct prof_record){.at = begin,
		.ticks = end > begin ? end - begin : 0,
		.what = (uint32_t)row,
		.thread = call_thread(c),
		.kind = PROF_RECORD_REGION});
}

void prof_trace_sent(int to, int tag, uint64_t ctx, uint64_t bytes)
{
	struct prof_call *c = prof_call_mine();

	record_put((struct prof_record){.at = c->since,
		.peer = to,
		.tag = tag,
		.bytes = bytes,
		.what = (uint32_t)ctx,
		.thread = call_thread(c),
		.kind = PROF_RECORD_SENT});
}

/* The hook of core/traffic.h. */
static void trace_matched(const struct comm *c, int rank, int tag, uint64_t bytes)
{
	const struct group *g = comm_peers(c);

	if (!prof_traces() || rank < 0 || rank >= g->size)
		return;
	record_put((struct prof_record){.at = prof_ticks(),
		.peer = group_peer(g, rank),
		.tag = tag,
		.bytes = bytes,
		.what = (uint32_t)c->ctx,
		.thread = call_thread(prof_call_mine()),
		.kind = PROF_RECORD_MATCHED});
}

void prof_trace_open(int fd, const struct prof_head *head, int seat)
{
	struct prof_ring *g = mmap(NULL, head->ring_len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		(off_t)(head->rings + (uint64_t)seat * head->ring_len));

	if (g == MAP_FAILED)
		return;
	g->first = head->ring_first != 0;
	g->size = prof_ring_size(head->ring_len);
	prof_state.ring = g;
	prof_state.slot = atomic_load_explicit(&g->n, memory_order_relaxed) % g->size;
	haft_traffic_watch(trace_matched);
}
