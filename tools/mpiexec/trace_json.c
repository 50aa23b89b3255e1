// SPDX-License-Identifier: BSD-3-Clause
/* trace_json.c - the timeline as JSON of Chrome's trace viewer, which Perfetto and others read.
 *
 *     {"ph": "X", ...}    a span        pid: the rank, tid: its thread; ts and dur in us
 *     {"ph": "s", ...}    an arrow begins ── "id" ──> {"ph": "f", ...} ends
 *     {"ph": "M", ...}    names of ranks */
#include "tools/mpiexec/trace.h"

#include "tools/mpiexec/json.h"

struct trace_out {
	const struct timeline *t;
	FILE *out;
};

static void json_us(FILE *out, const char *key, int64_t ns)
{
	fprintf(out, ",\"%s\":%lld.%03lld", key, (long long)(ns / 1000), (long long)(ns % 1000));
}

/* Spans are written when they end: their length may have been cut. */
static void json_enter(void *arg, int rank, const struct trace_span *s)
{
	(void)arg;
	(void)rank;
	(void)s;
}

static void json_leave(void *arg, int rank, const struct trace_span *s, int64_t at)
{
	static const char *const kinds[] = {"region", "mpi", "wait"};
	const struct trace_out *o = arg;
	const char *where = s->kind == TRACE_CALL ? o->t->rank[rank].where[s->what] : "";

	fputs(",\n{\"ph\":\"X\",\"name\":", o->out);
	json_text(o->out, trace_name(o->t, rank, s));
	fprintf(o->out, ",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d", kinds[s->kind], rank, s->thread);
	json_us(o->out, "ts", s->begin);
	json_us(o->out, "dur", at - s->begin);
	if (s->kind == TRACE_CALL) {
		fprintf(o->out,
			",\"args\":{\"bytes\":%llu,\"where\":", (unsigned long long)s->bytes);
		json_text(o->out, where);
		fputs("}", o->out);
	}
	if (s->kind == TRACE_WAIT && s->culprit >= 0)
		fprintf(o->out, ",\"args\":{\"for\":\"rank %s\"}", o->t->p->rank[s->culprit].name);
	fputs("}", o->out);
}

static void json_sent(void *arg, int i, const struct trace_arrow *a)
{
	const struct trace_out *o = arg;

	fprintf(o->out,
		",\n{\"ph\":\"s\",\"name\":\"message\",\"cat\":\"message\",\"id\":%d,\"pid\":%d,"
		"\"tid\":%d",
		i + 1, a->from, a->from_thread);
	json_us(o->out, "ts", a->sent);
	fprintf(o->out, ",\"args\":{\"bytes\":%llu,\"tag\":%d}}", (unsigned long long)a->bytes,
		a->tag);
}

static void json_matched(void *arg, int i, const struct trace_arrow *a)
{
	const struct trace_out *o = arg;

	fprintf(o->out,
		",\n{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"message\",\"cat\":\"message\",\"id\":%d,"
		"\"pid\":%d,\"tid\":%d",
		i + 1, a->to, a->to_thread);
	json_us(o->out, "ts", a->matched);
	fputs("}", o->out);
}

void trace_json(const struct timeline *t, FILE *out)
{
	static const struct trace_visit visit = {json_enter, json_leave, json_sent, json_matched};
	struct trace_out o = {t, out};
	char name[64];

	fprintf(out,
		"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock_error_ns\":%.0f,\"dropped\":"
		"%llu,\"unmatched\":%llu},\n\"traceEvents\":[",
		t->error_ns, (unsigned long long)t->dropped, (unsigned long long)t->unmatched);
	for (int i = 0; i < t->n; i++) {
		fprintf(out, "%s\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{",
			i > 0 ? "," : "", i);
		fputs("\"name\":", out);
		json_text(out, trace_rank_name(t, i, name));
		fprintf(out,
			"}},\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%d,\"args\":{"
			"\"sort_index\":%d}}",
			i, i);
	}
	for (int i = 0; i < t->n; i++)
		for (int k = 0; k < t->rank[i].threads; k++)
			trace_visit_thread(t, i, k, &visit, &o);
	fputs("\n]}\n", out);
}
