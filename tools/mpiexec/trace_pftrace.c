// SPDX-License-Identifier: BSD-3-Clause
/* trace_pftrace.c - the timeline in Perfetto's own format: packets of track events, as protobuf.
 *
 *     file     = packet*                    each as field 1: tag 0x0a, length, bytes
 *     packet   = a track, or an event with a time, a track, a name and perhaps the id of an arrow
 *     message  = (key, value)*              key: the field's number * 8 + how the value is written
 *                  0  varint: 7 bits a byte, the least first, bit 7: there are more
 *                  1  8 bytes             2  length as a varint, bytes
 *
 * Tracks are processes, one a rank, and below them threads.  Times are absolute, so packets do not
 * depend on each other but for names: a name is written once, and then called by its number. */
#include "tools/mpiexec/trace.h"

#include <stdlib.h>
#include <string.h>
#include "libobj/base.h"
#include "tools/mpiexec/util.h"

/* Numbers of fields: TracePacket, TrackEvent, TrackDescriptor and its parts, InternedData,
 * DebugAnnotation. */
enum {
	TRACE_PACKET = 1,

	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60,

	EVENT_CATEGORY = 22,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,

	TRACK_ID = 1,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,

	INTERNED_NAMES = 2,
	NAME_ID = 1,
	NAME_TEXT = 2,

	ANNOTATION_UINT = 3,
	ANNOTATION_TEXT = 6,
	ANNOTATION_NAME = 10
};

enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3 };
enum { STATE_CLEARED = 1, STATE_NEEDED = 2 };

#define SEQUENCE            1
#define PROCESS             255 /* in place of a thread: there are fewer (prof/ring.h) */
#define TRACK(rank, thread) ((uint64_t)(rank)*256 + (uint64_t)(thread) + 1)

/* A message under construction. */
struct proto {
	char *v;
	size_t len, cap;
};

static void proto_add(struct proto *p, const void *v, size_t len)
{
	if (len > p->cap - p->len) {
		p->cap = (p->len + len) * 2;
		p->v = mem_grow(p->v, p->cap, 1);
	}
	memcpy(p->v + p->len, v, len);
	p->len += len;
}

static void proto_varint(struct proto *p, uint64_t n)
{
	char bytes[10];
	size_t len = 0;

	for (; n >= 128; n >>= 7)
		bytes[len++] = (char)(n | 128);
	bytes[len++] = (char)n;
	proto_add(p, bytes, len);
}

static void proto_number(struct proto *p, int field, uint64_t n)
{
	proto_varint(p, (uint64_t)field << 3);
	proto_varint(p, n);
}

static void proto_fixed(struct proto *p, int field, uint64_t n)
{
	proto_varint(p, (uint64_t)field << 3 | 1);
	proto_add(p, &n, sizeof(n));
}

static void proto_bytes(struct proto *p, int field, const void *v, size_t len)
{
	proto_varint(p, (uint64_t)field << 3 | 2);
	proto_varint(p, len);
	proto_add(p, v, len);
}

static void proto_text(struct proto *p, int field, const char *s)
{
	proto_bytes(p, field, s, strlen(s));
}

/* Adds a finished message as a field, and empties it. */
static void proto_message(struct proto *p, int field, struct proto *inner)
{
	proto_bytes(p, field, inner->v, inner->len);
	inner->len = 0;
}

/* --- packets ---------------------------------------------------------------------------------- */

struct perfetto {
	const struct timeline *t;
	FILE *out;
	struct proto packet, event, part, name; /* reused */
	bool begun;
	bool named[3][PROF_FNS]; /* by enum trace_kind and number: the name is known */
};

static void packet_write(struct perfetto *f)
{
	struct proto *whole = &f->part;

	proto_number(&f->packet, PACKET_SEQUENCE, SEQUENCE);
	proto_number(&f->packet, PACKET_FLAGS, f->begun ? STATE_NEEDED : STATE_CLEARED);
	f->begun = true;
	proto_message(whole, TRACE_PACKET, &f->packet);
	fwrite(whole->v, 1, whole->len, f->out);
	whole->len = 0;
}

static void event_begin(struct perfetto *f, int type, uint64_t track)
{
	proto_number(&f->event, EVENT_TYPE, (uint64_t)type);
	proto_number(&f->event, EVENT_TRACK, track);
}

static void event_write(struct perfetto *f, int64_t at)
{
	proto_number(&f->packet, PACKET_TIME, (uint64_t)at);
	proto_message(&f->packet, PACKET_EVENT, &f->event);
	packet_write(f);
}

static void annotate_number(struct perfetto *f, const char *name, uint64_t n)
{
	proto_text(&f->part, ANNOTATION_NAME, name);
	proto_number(&f->part, ANNOTATION_UINT, n);
	proto_message(&f->event, EVENT_ANNOTATION, &f->part);
}

static void annotate_text(struct perfetto *f, const char *name, const char *s)
{
	proto_text(&f->part, ANNOTATION_NAME, name);
	proto_text(&f->part, ANNOTATION_TEXT, s);
	proto_message(&f->event, EVENT_ANNOTATION, &f->part);
}

/* The name of a call or wait by its number, which is told with the first use.  Names of regions are
 * of one rank. */
static void event_name(struct perfetto *f, int rank, const struct trace_span *s)
{
	const char *text = trace_name(f->t, rank, s);
	uint64_t id = (uint64_t)s->kind * PROF_FNS + s->fn + 1;

	if (s->kind == TRACE_REGION) {
		proto_text(&f->event, EVENT_NAME, text);
		return;
	}
	proto_number(&f->event, EVENT_NAME_ID, id);
	if (f->named[s->kind][s->fn % PROF_FNS])
		return;
	f->named[s->kind][s->fn % PROF_FNS] = true;
	proto_number(&f->name, NAME_ID, id);
	proto_text(&f->name, NAME_TEXT, text);
	proto_message(&f->part, INTERNED_NAMES, &f->name);
	proto_message(&f->packet, PACKET_INTERNED, &f->part);
}

static void pftrace_enter(void *arg, int rank, const struct trace_span *s)
{
	static const char *const kinds[] = {"region", "mpi", "wait"};
	struct perfetto *f = arg;

	event_begin(f, SLICE_BEGIN, TRACK(rank, s->thread));
	proto_text(&f->event, EVENT_CATEGORY, kinds[s->kind]);
	event_name(f, rank, s);
	if (s->kind == TRACE_CALL && s->bytes > 0)
		annotate_number(f, "bytes", s->bytes);
	if (s->kind == TRACE_CALL && f->t->rank[rank].where[s->what][0] != '\0')
		annotate_text(f, "where", f->t->rank[rank].where[s->what]);
	if (s->kind == TRACE_WAIT && s->culprit >= 0)
		annotate_text(f, "for rank", f->t->p->rank[s->culprit].name);
	event_write(f, s->begin);
}

static void pftrace_leave(void *arg, int rank, const struct trace_span *s, int64_t at)
{
	struct perfetto *f = arg;

	event_begin(f, SLICE_END, TRACK(rank, s->thread));
	event_write(f, at);
}

static void pftrace_sent(void *arg, int i, const struct trace_arrow *a)
{
	struct perfetto *f = arg;

	event_begin(f, INSTANT, TRACK(a->from, a->from_thread));
	proto_text(&f->event, EVENT_NAME, "send");
	proto_fixed(&f->event, EVENT_FLOW, (uint64_t)i + 1);
	annotate_text(f, "to rank", f->t->p->rank[a->to].name);
	annotate_number(f, "tag", (uint64_t)a->tag);
	annotate_number(f, "bytes", a->bytes);
	event_write(f, a->sent);
}

static void pftrace_matched(void *arg, int i, const struct trace_arrow *a)
{
	struct perfetto *f = arg;

	event_begin(f, INSTANT, TRACK(a->to, a->to_thread));
	proto_text(&f->event, EVENT_NAME, "receive");
	proto_fixed(&f->event, EVENT_FLOW_END, (uint64_t)i + 1);
	annotate_text(f, "from rank", f->t->p->rank[a->from].name);
	event_write(f, a->matched);
}

/* --- tracks ----------------------------------------------------------------------------------- */

/* pids of several hosts may be equal, so a rank stands for its own.  A track is that of a process
 * or that of a thread. */
static void process_write(struct perfetto *f, int rank)
{
	char name[64];

	trace_rank_name(f->t, rank, name);
	proto_number(&f->event, TRACK_ID, TRACK(rank, PROCESS));
	proto_number(&f->part, PROCESS_PID, (uint64_t)rank + 1);
	proto_text(&f->part, PROCESS_NAME, name);
	proto_message(&f->event, TRACK_PROCESS, &f->part);
	proto_message(&f->packet, PACKET_TRACK, &f->event);
	packet_write(f);
}

static void thread_write(struct perfetto *f, int rank, int thread)
{
	uint64_t pid = (uint64_t)rank + 1;
	char name[32];

	snprintf(name, sizeof(name), "thread %d", thread);
	proto_number(&f->event, TRACK_ID, TRACK(rank, thread));
	proto_number(&f->part, THREAD_PID, pid);
	proto_number(&f->part, THREAD_TID, pid * 256 + (uint64_t)thread);
	proto_text(&f->part, THREAD_NAME, name);
	proto_message(&f->event, TRACK_THREAD, &f->part);
	proto_message(&f->packet, PACKET_TRACK, &f->event);
	packet_write(f);
}

void trace_pftrace(const struct timeline *t, FILE *out)
{
	static const struct trace_visit visit = {
		pftrace_enter, pftrace_leave, pftrace_sent, pftrace_matched};
	struct perfetto *f = mem_grow(NULL, 1, sizeof(*f));

	memset(f, 0, sizeof(*f));
	f->t = t;
	f->out = out;
	for (int i = 0; i < t->n; i++) {
		process_write(f, i);
		for (int k = 0; k < t->rank[i].threads; k++)
			thread_write(f, i, k);
	}
	for (int i = 0; i < t->n; i++)
		for (int k = 0; k < t->rank[i].threads; k++)
			trace_visit_thread(t, i, k, &visit, f);
	free(f->packet.v);
	free(f->event.v);
	free(f->part.v);
	free(f->name.v);
	free(f);
}
