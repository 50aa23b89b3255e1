// SPDX-License-Identifier: BSD-3-Clause
/* call.c - into a call and out of it: the rows of the table.  See prof.h.
 *
 * A call inside of another (in a callback) is counted, not timed: its time is the outer one's. */
#include "libmpi/prof/prof.h"

#include "libmpi/core/library_lock.h"
#include "libmpi/core/req.h"
#include "libobj/base.h"

struct prof_state prof_state;

static __thread struct prof_call mine;

struct prof_call *prof_call_mine(void)
{
	return &mine;
}

void prof_count(uint32_t fn)
{
	_Atomic uint64_t *n = &prof_state.table->read[fn % PROF_FNS];

	if (haft_threads_enabled())
		atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
	else
		atomic_store_explicit(
			n, atomic_load_explicit(n, memory_order_relaxed) + 1, memory_order_relaxed);
}

void prof_count_anywhere(uint32_t fn)
{
	atomic_fetch_add_explicit(&prof_state.table->read[fn % PROF_FNS], 1, memory_order_relaxed);
}

void prof_enter(uint32_t fn, uint64_t now, uintptr_t ret, uintptr_t cfa)
{
	struct prof_call *c = &mine;
	struct prof_now *shown = &prof_state.table->now;

	if (c->generation != prof_state.generation) {
		c->depth = 0;
		c->generation = prof_state.generation;
	}
	if (c->depth++ > 0) {
		prof_state.table->nested++;
		prof_count(fn);
		return;
	}
	c->fn = fn;
	c->since = now;
	c->bytes = c->wait = 0;
	c->site = prof_site_row(fn, ret, cfa);
	shown->since = now;
	shown->site = c->site;
	atomic_store_explicit(&shown->fn, fn, memory_order_release);
}

static void call_row_add(struct prof_row *r, const struct prof_call *c, uint64_t ticks)
{
	r->n++;
	r->ticks += ticks;
	r->bytes += c->bytes;
	if (ticks > r->longest)
		r->longest = ticks;
	if (likely(c->wait == 0))
		return;
	r->wait += c->wait;
	for (int i = 0; i < PROF_WHYS; i++)
		r->why[i] += c->why[i];
}

/* The culprit of a line is the rank that its waits name most, by majority vote. */
static void site_blame(struct prof_site *s, const struct prof_call *c)
{
	if (s->culprit == c->culprit || s->lead < c->culprit_ticks) {
		s->lead = s->culprit == c->culprit ? s->lead + c->culprit_ticks
						   : c->culprit_ticks - s->lead;
		s->culprit = c->culprit;
	} else {
		s->lead -= c->culprit_ticks;
	}
}

/* A call with waits. */
static __attribute__((noinline, cold)) void leave_waited(struct prof_call *c)
{
	prof_watch_drop(c);
	prof_state.table->wait += c->wait;
	if (c->site != 0 && c->culprit != 0)
		site_blame(&prof_state.table->site[c->site - 1], c);
}

void prof_leave(void)
{
	struct prof_call *c = &mine;
	struct prof_table *t = prof_state.table;
	uint64_t now, ticks;

	if (c->depth == 0 || c->generation != prof_state.generation || --c->depth > 0)
		return;
	now = shm_ticks();
	ticks = now - c->since;
	if (unlikely(c->wait != 0 || c->w != NULL))
		leave_waited(c);
	if (unlikely(c->site == 0))
		t->elsewhere++;
	call_row_add(
		c->site != 0 ? &t->site[c->site - 1].row : &t->rest[c->fn % PROF_FNS], c, ticks);
	if (unlikely(prof_state.match.kind != PROF_RECORD_NONE))
		prof_trace_match(now);
	if (unlikely(prof_state.ring != NULL))
		prof_trace_call(c, ticks);
	t->mpi += ticks;
	if (unlikely(c->wait != 0)) {
		memset(c->why, 0, sizeof(c->why));
		c->culprit = 0;
		c->culprit_ticks = 0;
	}
	atomic_store_explicit(&t->now.fn, 0, memory_order_relaxed);
}

/* --- messages ------------------------------------------------------------------------------- */

struct prof_peer *prof_peer_row(int peer)
{
	for (uint32_t i = 0; i < PROF_PROBES; i++) {
		struct prof_peer *p = &prof_state.table->peer[((uint32_t)peer + i) % PROF_PEERS];

		if (likely(p->peer == peer + 1))
			return p;
		if (p->peer == 0) {
			p->peer = peer + 1;
			return p;
		}
	}
	return NULL;
}

static uint32_t size_class(uint64_t bytes)
{
	uint32_t i = bytes == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(bytes);

	return i < PROF_SIZES ? i : PROF_SIZES - 1;
}

static void message_add(enum prof_class class, uint64_t bytes, int to)
{
	struct prof_size *s = &prof_state.table->size_row[class][size_class(bytes)];
	struct prof_peer *p = to >= 0 ? prof_peer_row(to) : NULL;

	s->n++;
	s->bytes += bytes;
	if (p != NULL) {
		p->messages++;
		p->bytes += bytes;
	}
}

void prof_message(enum prof_class class, int64_t bytes, int to)
{
	struct prof_call *c = &mine;

	if (c->depth != 1 || bytes < 0)
		return;
	c->bytes += (uint64_t)bytes;
	if (class < PROF_CLASSES)
		message_add(class, (uint64_t)bytes, to);
}

void prof_start(const struct req *r)
{
	struct prof_call *c = &mine;
	bool sends = (r->kind == REQ_SEND || r->kind == REQ_PSEND) && r->peer >= 0;

	if (c->depth != 1 || r->bytes < 0)
		return;
	if (r->kind != REQ_DONE)
		c->bytes += (uint64_t)r->bytes;
	if (r->kind == REQ_COLL)
		message_add(PROF_COLL, (uint64_t)r->bytes, -1);
	if (!sends)
		return;
	message_add(PROF_P2P, (uint64_t)r->bytes, r->peer);
	if (prof_traces())
		prof_trace_sent(r->peer, r->tag, r->ctx, (uint64_t)r->bytes);
}
