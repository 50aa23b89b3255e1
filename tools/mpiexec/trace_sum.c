// SPDX-License-Identifier: BSD-3-Clause
/* trace_sum.c - the timeline of a job: records of all ranks become spans and arrows.
 *
 *     ticks of a host ── its clock (profile_host.c) ──> ns of the host ── host_clock.c ──> ns of
 *     mpiexec ── less the first MPI_Init ──> ns of the timeline
 *
 * Messages of one sender, receiver, context and tag are matched in the order in which they were
 * sent: the nth message sent is the nth one matched.  Where rings have lost their older records,
 * both are counted from the end.  A job that has failed may have sent messages that no receive has
 * matched: then the last ones sent are left out, until none is matched before it is sent. */
#include "tools/mpiexec/trace.h"

#include <stdlib.h>
#include <string.h>
#include "libobj/base.h"
#include "tools/mpiexec/host_clock.h"
#include "tools/mpiexec/util.h"

#define LEFT_MAX 64 /* messages sent in vain, of one sender, receiver, context and tag */

/* One end of a message. */
struct message_end {
	int32_t from, to, tag; /* from, to: indices of ranks */
	uint64_t ctx;
	int64_t at;
	uint64_t bytes;
	uint32_t order; /* in its ring */
	uint8_t thread;
};

struct message_ends {
	struct message_end *v;
	size_t n;
};

/* --- time ------------------------------------------------------------------------------------- */

/* ns of mpiexec's clock. */
static double time_of(const struct prof_table *t, uint64_t ticks)
{
	double ns = (double)t->begin_ns + (double)((int64_t)(ticks - t->begin)) * t->ns_per_tick;

	return ns - host_clock_offset(t->host, ns);
}

static double trace_zero(const struct profile *p)
{
	double first = 0;

	for (int i = 0; i < p->n; i++) {
		double at = time_of(p->rank[i].t, p->rank[i].t->begin);

		if (i == 0 || at < first)
			first = at;
	}
	return first;
}

/* --- records ---------------------------------------------------------------------------------- */

static void ends_add(struct message_ends *e, struct message_end m)
{
	if ((e->n & (e->n - 1)) == 0)
		e->v = mem_grow(e->v, e->n > 0 ? e->n * 2 : 1, sizeof(m));
	m.order = (uint32_t)e->n;
	e->v[e->n++] = m;
}

/* The span of a record; false: it is none, or makes no sense. */
static bool record_span(const struct profile *p, const struct prof_record *r, struct trace_span *s)
{
	*s = (struct trace_span){
		.bytes = r->bytes, .what = (uint32_t)r->what, .fn = r->fn, .thread = r->thread};
	switch ((enum prof_record_kind)r->kind) {
	case PROF_RECORD_CALL: s->kind = TRACE_CALL; return r->what <= PROF_SITES;
	case PROF_RECORD_REGION: s->kind = TRACE_REGION; return r->what < PROF_REGIONS;
	case PROF_RECORD_WAIT:
		s->kind = TRACE_WAIT;
		s->culprit = r->what > 0 ? profile_rank_of(p, (int64_t)r->what - 1) : -1;
		return r->fn < PROF_WHYS;
	default: return false;
	}
}

static void record_end(const struct profile *p, int i, const struct prof_record *r, int64_t at,
	struct message_ends *sent, struct message_ends *matched)
{
	int peer = profile_rank_of(p, r->peer);
	struct message_end m = {
		.tag = r->tag, .ctx = r->what, .at = at, .bytes = r->bytes, .thread = r->thread};

	if (peer < 0)
		return;
	m.from = r->kind == PROF_RECORD_SENT ? i : peer;
	m.to = r->kind == PROF_RECORD_SENT ? peer : i;
	ends_add(r->kind == PROF_RECORD_SENT ? sent : matched, m);
}

static int span_order(const void *a, const void *b)
{
	const struct trace_span *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->kind - y->kind;
}

/* The call that a rank was in when it ended, and its wait. */
static void span_open(const struct timeline *t, int i, double zero, struct trace_rank *k)
{
	struct prof_table *b = t->p->rank[i].t;
	uint32_t fn = atomic_load(&b->now.fn);
	int64_t begin = (int64_t)(time_of(b, b->now.since) - zero);
	int64_t wait = (int64_t)(time_of(b, b->now.wait_since) - zero);

	if (fn == 0 || fn >= PROF_FNS || begin > k->end)
		return;
	k->span[k->n++] = (struct trace_span){.begin = begin,
		.end = k->end,
		.what = b->now.site,
		.fn = (uint16_t)fn,
		.kind = TRACE_CALL};
	if (b->now.wait_since == 0 || wait < begin || wait > k->end)
		return;
	k->span[k->n++] = (struct trace_span){.begin = wait,
		.end = k->end,
		.culprit = b->now.peer > 0 ? profile_rank_of(t->p, b->now.peer - 1) : -1,
		.fn = (uint16_t)b->now.why,
		.kind = TRACE_WAIT};
}

static void rank_take(struct timeline *t, int i, double zero, struct message_ends *sent,
	struct message_ends *matched)
{
	struct trace_rank *k = &t->rank[i];
	const struct prof_table *b = t->p->rank[i].t;
	const struct trace_ring *g = trace_ring_find(b->number);

	*k = (struct trace_rank){.r = &t->p->rank[i], .threads = 1};
	k->begin = (int64_t)(time_of(b, b->begin) - zero);
	k->end = (int64_t)(time_of(b, prof_until(b)) - zero);
	t->end = k->end > t->end ? k->end : t->end;
	k->span = mem_grow(NULL, (g != NULL ? g->n : 0) + 3, sizeof(*k->span));
	for (uint64_t j = 0; g != NULL && j < g->n; j++) {
		const struct prof_record *r = &g->record[j];
		int64_t at = (int64_t)(time_of(b, r->at) - zero);
		struct trace_span s;

		if (r->kind == PROF_RECORD_SENT || r->kind == PROF_RECORD_MATCHED)
			record_end(t->p, i, r, at, sent, matched);
		if (!record_span(t->p, r, &s))
			continue;
		s.begin = at;
		s.end = at + (int64_t)((double)r->ticks * b->ns_per_tick);
		k->threads = r->thread >= k->threads ? r->thread + 1 : k->threads;
		k->span[k->n++] = s;
	}
	span_open(t, i, zero, k);
	qsort(k->span, (size_t)k->n, sizeof(*k->span), span_order);
	k->dropped = g != NULL ? g->dropped : 0;
	t->dropped += k->dropped;
	t->first = t->first || (g != NULL && g->first);
}

/* --- messages --------------------------------------------------------------------------------- */

/* Ends of one sender, receiver, context and tag are together. */
static int key_order(const struct message_end *x, const struct message_end *y)
{
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->ctx != y->ctx)
		return x->ctx < y->ctx ? -1 : 1;
	return (x->tag > y->tag) - (x->tag < y->tag);
}

static int end_order(const void *a, const void *b)
{
	const struct message_end *x = a, *y = b;
	int by = key_order(x, y);

	return by != 0 ? by : (x->order > y->order) - (x->order < y->order);
}

static void arrow_add(struct timeline *t, const struct message_end *s, const struct message_end *m)
{
	if ((t->narrows & (t->narrows - 1)) == 0)
		t->arrow = mem_grow(
			t->arrow, t->narrows > 0 ? (size_t)t->narrows * 2 : 1, sizeof(*t->arrow));
	t->arrow[t->narrows++] = (struct trace_arrow){.from = s->from,
		.to = s->to,
		.sent = s->at,
		.matched = m->at,
		.bytes = m->bytes,
		.tag = s->tag,
		.ctx = s->ctx,
		.from_thread = s->thread,
		.to_thread = m->thread};
}

/* Is each of the last n matched after it was sent, if the last `left' were sent in vain? */
static bool pairs_fit(const struct timeline *t, const struct message_end *sent,
	const struct message_end *matched, size_t n, size_t left, size_t nsent, size_t nmatched)
{
	for (size_t i = 0; i < n; i++)
		if ((double)matched[nmatched - 1 - i].at + 2 * t->error_ns <
			(double)sent[nsent - left - 1 - i].at)
			return false;
	return true;
}

/* Pairs the ends of one sender, receiver, context and tag. */
static void pairs_make(struct timeline *t, const struct message_end *sent, size_t nsent,
	const struct message_end *matched, size_t nmatched)
{
	bool lost = t->rank[sent->from].dropped + t->rank[sent->to].dropped > 0 && !t->first;
	size_t n = nsent < nmatched ? nsent : nmatched, left = 0;

	while (lost && left < LEFT_MAX && left < nsent &&
		!pairs_fit(t, sent, matched, nsent - left < nmatched ? nsent - left : nmatched,
			left, nsent, nmatched))
		left++;
	if (lost)
		n = nsent - left < nmatched ? nsent - left : nmatched;
	for (size_t i = 0; i < n; i++)
		arrow_add(t, &sent[lost ? nsent - left - n + i : i],
			&matched[lost ? nmatched - n + i : i]);
	t->unmatched += nsent + nmatched - 2 * n;
}

/* So many ends from i on have one key. */
static size_t key_length(const struct message_ends *e, size_t i)
{
	size_t n = 1;

	while (i + n < e->n && key_order(&e->v[i], &e->v[i + n]) == 0)
		n++;
	return n;
}

static int arrow_order(const void *a, const void *b)
{
	const struct trace_arrow *x = a, *y = b;

	return (x->sent > y->sent) - (x->sent < y->sent);
}

static void arrows_make(struct timeline *t, struct message_ends *sent, struct message_ends *matched)
{
	size_t i = 0, k = 0;

	if (sent->n > 0)
		qsort(sent->v, sent->n, sizeof(*sent->v), end_order);
	if (matched->n > 0)
		qsort(matched->v, matched->n, sizeof(*matched->v), end_order);
	while (i < sent->n && k < matched->n) {
		int by = key_order(&sent->v[i], &matched->v[k]);
		size_t ns = by <= 0 ? key_length(sent, i) : 0;
		size_t nm = by >= 0 ? key_length(matched, k) : 0;

		if (by == 0)
			pairs_make(t, &sent->v[i], ns, &matched->v[k], nm);
		else
			t->unmatched += ns + nm;
		i += ns;
		k += nm;
	}
	t->unmatched += sent->n - i + matched->n - k;
	if (t->narrows > 0)
		qsort(t->arrow, (size_t)t->narrows, sizeof(*t->arrow), arrow_order);
}

/* --- words ------------------------------------------------------------------------------------ */

static const char *site_where(const struct profile *p, const struct prof_table *b, uint32_t row)
{
	const struct prof_site *s = &b->site[row - 1];

	for (int i = 0; s->module > 0 && i < p->nsites; i++) {
		const struct profile_site *x = &p->site[i];

		if (x->path != NULL && x->offset == s->offset && x->fn == s->fn &&
			strcmp(x->path, b->module[s->module - 1].path) == 0)
			return x->line;
	}
	return "";
}

static void rank_where(struct timeline *t, int i)
{
	struct trace_rank *k = &t->rank[i];

	k->where = mem_grow(NULL, PROF_SITES + 1, sizeof(*k->where));
	memset((void *)k->where, 0, (PROF_SITES + 1) * sizeof(*k->where));
	k->where[0] = "";
	for (int j = 0; j < k->n; j++) {
		const struct trace_span *s = &k->span[j];

		if (s->kind == TRACE_CALL && k->where[s->what] == NULL)
			k->where[s->what] = site_where(t->p, t->p->rank[i].t, s->what);
	}
}

const char *trace_name(const struct timeline *t, int rank, const struct trace_span *s)
{
	static const char *const waits[PROF_WHYS] = {[PROF_SENDER] = "waits: late sender",
		[PROF_RECEIVER] = "waits: late receiver",
		[PROF_LAST] = "waits: last to come",
		[PROF_LOCK] = "waits: lock held",
		[PROF_WINDOW] = "waits: window",
		[PROF_OTHER] = "waits"};

	if (s->kind == TRACE_WAIT)
		return waits[s->fn];
	return s->kind == TRACE_CALL ? profile_fn(s->fn) : t->p->rank[rank].t->region[s->what].name;
}

const char *trace_rank_name(const struct timeline *t, int rank, char s[64])
{
	int host = t->p->rank[rank].t->host;
	bool named = t->hosts != NULL && host >= 0 && host < t->nhosts;

	snprintf(s, 64, "rank %s%s%.32s", t->p->rank[rank].name, named ? " on " : "",
		named ? t->hosts[host] : "");
	return s;
}

/* --- the walk --------------------------------------------------------------------------------- */

#define NEST_MAX 64 /* regions, a call, a wait */

/* The messages of one rank in order of time: indices of arrows. */
struct visit_ends {
	int *v;
	int n;
};

static const struct timeline *visited; /* for visit_order */
static int visited_rank, visited_thread;

/* When an arrow touches the rank that is visited: an index of it, or of its end as ~index. */
static int64_t visit_time(int index)
{
	return index >= 0 ? visited->arrow[index].sent : visited->arrow[~index].matched;
}

static int visit_order(const void *a, const void *b)
{
	int64_t x = visit_time(*(const int *)a), y = visit_time(*(const int *)b);

	return (x > y) - (x < y);
}

static struct visit_ends visit_ends_find(void)
{
	struct visit_ends e = {.n = 0};

	for (int i = 0; i < visited->narrows; i++) {
		const struct trace_arrow *a = &visited->arrow[i];
		bool from = a->from == visited_rank && a->from_thread == visited_thread;
		bool to = a->to == visited_rank && a->to_thread == visited_thread;

		if ((from || to) && (e.n & (e.n + 1)) == 0)
			e.v = mem_grow(e.v, ((size_t)e.n + 1) * 2 + 1, sizeof(*e.v));
		if (from)
			e.v[e.n++] = i;
		if (to && from && (e.n & (e.n + 1)) == 0)
			e.v = mem_grow(e.v, ((size_t)e.n + 1) * 2 + 1, sizeof(*e.v));
		if (to)
			e.v[e.n++] = ~i;
	}
	if (e.n > 0)
		qsort(e.v, (size_t)e.n, sizeof(*e.v), visit_order);
	return e;
}

struct visit {
	const struct trace_visit *v;
	void *arg;
	int rank;
	const struct trace_span *open[NEST_MAX];
	int64_t until[NEST_MAX];
	int depth;
	struct visit_ends ends;
	int next;
};

static void visit_messages(struct visit *w, int64_t until)
{
	while (w->next < w->ends.n && visit_time(w->ends.v[w->next]) < until) {
		int i = w->ends.v[w->next++];

		if (i >= 0)
			w->v->sent(w->arg, i, &visited->arrow[i]);
		else
			w->v->matched(w->arg, ~i, &visited->arrow[~i]);
	}
}

/* Leaves what ends until this moment. */
static void visit_leave(struct visit *w, int64_t until)
{
	while (w->depth > 0 && w->until[w->depth - 1] <= until) {
		w->depth--;
		visit_messages(w, w->until[w->depth]);
		w->v->leave(w->arg, w->rank, w->open[w->depth], w->until[w->depth]);
	}
	visit_messages(w, until);
}

void trace_visit_thread(
	const struct timeline *t, int rank, int thread, const struct trace_visit *v, void *arg)
{
	struct visit w = {.v = v, .arg = arg, .rank = rank};

	visited = t;
	visited_rank = rank;
	visited_thread = thread;
	w.ends = visit_ends_find();
	for (int i = 0; i < t->rank[rank].n; i++) {
		const struct trace_span *s = &t->rank[rank].span[i];
		int64_t end = s->end;

		if (s->thread != thread)
			continue;
		visit_leave(&w, s->begin);
		if (w.depth == NEST_MAX)
			continue;
		if (w.depth > 0 && end > w.until[w.depth - 1])
			end = w.until[w.depth - 1];
		w.open[w.depth] = s;
		w.until[w.depth++] = end;
		v->enter(arg, rank, s);
	}
	visit_leave(&w, INT64_MAX);
	free(w.ends.v);
}

struct timeline *trace_sum(struct profile *p, const char *const *hosts, int nhosts)
{
	struct timeline *t = mem_grow(NULL, 1, sizeof(*t));
	struct message_ends sent = {.n = 0}, matched = {.n = 0};
	double zero = trace_zero(p);

	*t = (struct timeline){.p = p,
		.n = p->n,
		.hosts = hosts,
		.nhosts = nhosts,
		.error_ns = host_clock_error()};
	t->rank = mem_grow(NULL, (size_t)p->n + 1, sizeof(*t->rank));
	for (int i = 0; i < p->n; i++)
		rank_take(t, i, zero, &sent, &matched);
	arrows_make(t, &sent, &matched);
	free(sent.v);
	free(matched.v);
	for (int i = 0; i < p->n; i++)
		rank_where(t, i);
	return t;
}
