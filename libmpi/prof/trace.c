// SPDX-License-Identifier: BSD-3-Clause
/* trace.c - the trace of this rank: it writes down one by one, and the profile only adds up.
 *
 *     prof_leave ──> call          watch_resolve ──> wait          MPI_Pcontrol(-1000) ──> region
 *     bind/gate.c, prof_start ──> sent              p2p, when a receive is matched ──> matched
 *
 * A call is written when it ends, with the two reads of the clock that the profile has anyway.  A
 * message that is sent has the time of its call.  One that is matched before its call has waited
 * is kept until the call ends or begins to wait, and gets the time of that; another one costs a
 * check of its own.  Matches are written in their order: each writes the one that is kept first.
 * mpiexec finds out which belong together: of one sender, receiver, context and tag, messages are
 * matched in the order in which they are sent (MPI-5.0 3.5). */
#include "libmpi/prof/prof.h"

#include "libmpi/core/comm_object.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/traffic.h"
#include "libobj/base.h"
#include <sys/mman.h>

#define THREADS_MAX 255               /* that the trace tells apart */
#define AHEAD       MEAN_OR(16, 2048) /* cells for which memory is taken at once */

/* Takes more memory for the ring, or begins it anew at its end.  False: the next cell is only
 * counted. */
static __attribute__((noinline, cold)) bool ring_more(void)
{
	struct prof_ring *g = prof_state.ring;
	uint64_t left;

	if (prof_state.cell == g->size) {
		if (g->first != 0)
			return false;
		prof_state.cell = 0;
		prof_state.until = g->size;
		return true;
	}
	left = g->size - prof_state.cell;
	prof_state.until = prof_state.cell + (left < AHEAD ? left : AHEAD);
	prof_populate(&g->cell[prof_state.cell], &g->cell[prof_state.until]);
	return true;
}

/* Release: a reader that sees the count sees the cell. */
static inline void cell_put(struct prof_cell cell)
{
	struct prof_ring *g = prof_state.ring;
	uint64_t n = atomic_load_explicit(&g->n, memory_order_relaxed);

	if (likely(prof_state.cell != prof_state.until) || ring_more())
		g->cell[prof_state.cell++] = cell;
	atomic_store_explicit(&g->n, n + 1, memory_order_release);
}

static __attribute__((noinline)) void long_put(const struct prof_record *r)
{
	cell_put((struct prof_cell){
		prof_cell_head((enum prof_record_kind)r->kind, r->thread, r->at), r->ticks});
	cell_put(prof_cell_more(r));
}

static inline void message_put(const struct prof_record *r)
{
	enum prof_record_kind kind =
		r->kind == PROF_RECORD_SENT ? PROF_SHORT_SENT : PROF_SHORT_MATCHED;

	if (likely(prof_message_is_short(r)))
		cell_put((struct prof_cell){
			prof_cell_head(kind, r->thread, r->at), prof_message_body(r)});
	else
		long_put(r);
}

static inline uint8_t call_thread(struct prof_call *c)
{
	if (unlikely(c->thread == 0))
		c->thread = (uint8_t)(prof_state.threads < THREADS_MAX ? ++prof_state.threads
								       : THREADS_MAX);
	return (uint8_t)(c->thread - 1);
}

/* The row of a context, made if it is new; 0: there is no room. */
static inline uint32_t context_row(uint64_t ctx)
{
	uint64_t hash = (ctx + 1) * UINT64_C(0x9e3779b97f4a7c15);

	for (uint32_t i = 0; i < PROF_PROBES; i++) {
		uint32_t row = ((uint32_t)(hash >> 48) + i) % PROF_CONTEXTS;
		uint64_t *of = &prof_state.ring->context[row];

		if (likely(*of == ctx + 1) && likely(row != 0))
			return row;
		if (*of == 0 && row != 0) {
			*of = ctx + 1;
			return row;
		}
	}
	return 0;
}

void prof_trace_call(struct prof_call *c, uint64_t ticks)
{
	struct prof_record r = {.at = c->since,
		.ticks = ticks,
		.bytes = c->bytes,
		.what = c->site,
		.fn = (uint16_t)c->fn,
		.thread = call_thread(c),
		.kind = PROF_RECORD_CALL};

	if (likely(prof_call_is_short(&r)))
		cell_put((struct prof_cell){
			prof_cell_head(PROF_SHORT_CALL, r.thread, r.at), prof_call_body(&r)});
	else
		long_put(&r);
}

void prof_trace_wait(struct prof_call *c)
{
	long_put(&(struct prof_record){.at = c->begin,
		.ticks = c->idle - c->begin,
		.what = c->late == 1 ? (uint32_t)c->peers[0] + 1 : 0,
		.fn = c->why_told,
		.thread = call_thread(c),
		.kind = PROF_RECORD_WAIT});
}

void prof_trace_region(struct prof_call *c, int row, uint64_t begin)
{
	uint64_t end = c->depth > 0 ? c->since : shm_ticks();

	long_put(&(struct prof_record){.at = begin,
		.ticks = end > begin ? end - begin : 0,
		.what = (uint32_t)row,
		.thread = call_thread(c),
		.kind = PROF_RECORD_REGION});
}

void prof_trace_sent(int to, int tag, uint64_t ctx, uint64_t bytes)
{
	struct prof_call *c = prof_call_mine();

	message_put(&(struct prof_record){.at = c->since,
		.peer = to,
		.tag = tag,
		.bytes = bytes,
		.what = context_row(ctx),
		.thread = call_thread(c),
		.kind = PROF_RECORD_SENT});
}

void prof_trace_match(uint64_t now)
{
	struct prof_record *r = &prof_state.match;

	r->at = now;
	message_put(r);
	r->kind = PROF_RECORD_NONE;
}

/* The hook of core/traffic.h. */
static void trace_matched(const struct comm *c, uint64_t ctx, int rank, int tag, uint64_t bytes)
{
	const struct group *g = comm_peers(c);
	struct prof_call *call = prof_call_mine();

	if (!prof_traces() || rank < 0 || rank >= g->size)
		return;
	if (prof_state.match.kind != PROF_RECORD_NONE)
		prof_trace_match(shm_ticks());
	prof_state.match = (struct prof_record){.peer = group_peer(g, rank),
		.tag = tag,
		.bytes = bytes,
		.what = context_row(ctx),
		.thread = call_thread(call),
		.kind = PROF_RECORD_MATCHED};
	if (call->depth != 1 || call->w != NULL || call->generation != prof_state.generation)
		prof_trace_match(shm_ticks());
}

void prof_trace_open(int fd, const struct prof_head *head, int seat)
{
	struct prof_ring *g = mmap(NULL, head->ring_len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		(off_t)(head->rings + (uint64_t)seat * head->ring_len));
	uint64_t n;

	if (g == MAP_FAILED)
		return;
	g->first = head->ring_first != 0;
	g->size = prof_ring_size(head->ring_len);
	n = atomic_load_explicit(&g->n, memory_order_relaxed);
	prof_state.ring = g;
	prof_state.cell = g->first != 0 && n > g->size ? g->size : n % g->size;
	prof_state.until = n >= g->size && g->first == 0 ? g->size : prof_state.cell;
	haft_traffic_watch(trace_matched);
}
