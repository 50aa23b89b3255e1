// SPDX-License-Identifier: BSD-3-Clause
/* report.c - looking at all objects: obj_foreach, obj_stats, and the report of those alive.
 *
 *     comm: 2 made at solver.c:118 (setup)
 *       0x5a02000001000003 (INTEGER 16777219) 'grid', 1 handle, 0 references: 4 ranks
 *       0x5a02000001000007 (INTEGER 16777223), handle freed, 1 reference
 *     type: 1 made at solver.c:52 (setup)
 *       ...
 *     haft: 3 objects not freed
 *
 * Nothing is counted while objects are made and freed: these functions look at every slot. */
#include "libobj/obj_inner.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------------ iteration */

static uint32_t class_slots_end(const struct obj_class *c)
{
	return c->in != NULL ? __atomic_load_n(&c->in->hi, __ATOMIC_ACQUIRE) : 0;
}

int obj_foreach(struct obj_class *c, int (*fn)(void *self, void *ctx), void *ctx)
{
	int rc = 0;

	for (uint32_t i = 1; rc == 0 && i < class_slots_end(c); i++) {
		struct obj *o = obj_slot(c, i);
		uint64_t t = __atomic_load_n(&o->token, __ATOMIC_ACQUIRE);

		if (!slot_live(t, i) || !obj_slot_hold(c, o, t))
			continue;
		rc = fn(o, ctx);
		obj_drop(o);
	}
	return rc;
}

static void stats_slot(const struct obj *o, uint32_t i, struct obj_class_stats *s)
{
	uint64_t t = __atomic_load_n(&o->token, __ATOMIC_ACQUIRE);
	uint64_t r = __atomic_load_n(&o->refs, __ATOMIC_RELAXED);

	/* a thread's never-used slots have no token; those it gave back have generation 0 */
	s->created += token_uses(t);
	if (r != 0 && slot_live(t, i))
		s->live++;
	else if (r != 0 && !(r & OBJ_REFS_SATURATED) && REFS_USER(r) == 0)
		s->pending++;
}

void obj_stats(struct obj_class *c, struct obj_class_stats *stats)
{
	struct obj_class_stats s = {.size = stats->size};

	if (c->in != NULL) {
		s.slots = class_slots_end(c) != 0 ? class_slots_end(c) - 1 : 0;
		s.retired = __atomic_load_n(&c->in->retired, __ATOMIC_RELAXED);
		s.capacity = __atomic_load_n(&c->in->capacity, __ATOMIC_RELAXED);
		s.capacity -= s.capacity != 0;
		s.stride = c->stride;
	}
	for (uint32_t i = 1; i < class_slots_end(c); i++)
		stats_slot(obj_slot(c, i), i, &s);
	for (uint32_t i = 1; i < c->nperm; i++)
		s.permanent += c->perm[i] != NULL && c->perm[i]->u.cls == c;
	memcpy(stats, &s, s.size < sizeof(s) ? s.size : sizeof(s));
}

/* ------------------------------------------------------------------------ output */

struct out {
	int fd;
	bool json;
	size_t n;
	char buf[4096];
};

static void out_flush(struct out *w)
{
	size_t at = 0;

	while (at < w->n) {
		ssize_t n = write(w->fd, w->buf + at, w->n - at);

		if (n <= 0)
			break; /* a report that cannot be written is lost */
		at += (size_t)n;
	}
	w->n = 0;
}

static void out_bytes(struct out *w, const char *s, size_t n)
{
	while (n != 0) {
		size_t room = sizeof(w->buf) - w->n;
		size_t part = n < room ? n : room;

		memcpy(w->buf + w->n, s, part);
		w->n += part;
		s += part;
		n -= part;
		if (w->n == sizeof(w->buf))
			out_flush(w);
	}
}

static __attribute__((format(printf, 2, 3))) void report_out(struct out *w, const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n > 0)
		out_bytes(w, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

/* A JSON string: all but printable ASCII is escaped byte by byte (names need not be UTF-8). */
static void out_json(struct out *w, const char *s)
{
	out_bytes(w, "\"", 1);
	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			report_out(w, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			report_out(w, "\\u%04x", c);
		else
			out_bytes(w, s, 1);
	}
	out_bytes(w, "\"", 1);
}

static void out_site(struct out *w, uintptr_t site)
{
	char text[512];

	obj_site_text(site, text, sizeof(text));
	if (w->json)
		out_json(w, text);
	else
		report_out(w, "%s", text);
}

/* ------------------------------------------------------------------------ the report */

struct leak_entry {
	uintptr_t site;
	uint64_t token; /* as it is in the slot */
	struct obj *o;
};

struct leak_words {
	char name[OBJ_NAME_MAX];
	char text[256];
	uint32_t user, internal;
	double age; /* seconds, or < 0: not known */
	uint32_t ntrace;
	void *trace[OBJ_TRACE_MAX];
};

static int leak_order(const void *a_, const void *b_)
{
	const struct leak_entry *a = a_, *b = b_;

	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return a->o < b->o ? -1 : a->o > b->o;
}

/* The objects of a class that live or are still referred to: *n of them, *used of them in the
 * result (less than all if there is no memory). */
static struct leak_entry *leak_collect(struct obj_class *c, long *n, size_t *used)
{
	uint32_t end = class_slots_end(c);
	struct leak_entry *all = NULL, *more;
	size_t room = 0, larger;

	for (uint32_t i = 1; i < end; i++) {
		struct obj *o = obj_slot(c, i);
		uint64_t r = __atomic_load_n(&o->refs, __ATOMIC_ACQUIRE);
		uint64_t t = __atomic_load_n(&o->token, __ATOMIC_ACQUIRE);

		if (r == 0 || (!slot_live(t, i) && (r & OBJ_REFS_SATURATED || REFS_USER(r) != 0)))
			continue; /* free, or never to go, or being made just now */
		*n += 1;
		if (*used == room) {
			larger = room != 0 ? room * 2 : 64;
			more = realloc(all, larger * sizeof(*all));
			if (more == NULL)
				continue;
			all = more;
			room = larger;
		}
		all[(*used)++] = (struct leak_entry){site_of(o), t, o};
	}
	if (*used != 0)
		qsort(all, *used, sizeof(*all), leak_order);
	return all;
}

/* Age and backtrace, if the object has them. */
static void leak_describe_trace(const struct obj *o, struct leak_words *w)
{
	const struct ext *e = ext_of(o);
	struct timespec now;

	if (e == NULL || e->born_ns == 0)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	w->age = (double)(now.tv_sec * 1000000000LL + now.tv_nsec - e->born_ns) / 1e9;
	w->ntrace = e->ntrace;
	memcpy(w->trace, e->trace, e->ntrace * sizeof(e->trace[0]));
}

/* Describes an object in words; false: it has gone meanwhile. */
static bool leak_describe(struct obj_class *c, const struct leak_entry *f, struct leak_words *w)
{
	uint64_t r;

	memset(w, 0, sizeof(*w));
	w->age = -1;
	r = __atomic_load_n(&f->o->refs, __ATOMIC_RELAXED);
	if (r & REFS_DYING)
		return true; /* waits for destroy: only its address is good */
	if (!object_live(c, f->o, f->token) && REFS_USER(r) != 0)
		return false; /* is being made or being freed: not ours to hold */
	if (!obj_slot_hold(c, f->o, f->token))
		return false;
	obj_name_get(f->o, w->name, sizeof(w->name), OBJ_C, NULL);
	if (c->in->desc.describe != NULL)
		c->in->desc.describe(f->o, w->text, sizeof(w->text));
	leak_describe_trace(f->o, w);
	obj_refs(f->o, &w->user, &w->internal);
	w->internal--; /* our own */
	obj_drop(f->o);
	return true;
}

static void leak_trace_print(struct out *w, const struct leak_words *d)
{
	for (uint32_t i = 0; i < d->ntrace; i++) {
		report_out(w, w->json ? "%s" : "%s      ", w->json && i != 0 ? "," : "");
		out_site(w, (uintptr_t)d->trace[i]);
		report_out(w, "%s", w->json ? "" : "\n");
	}
}

static void leak_text_object(struct out *w, struct obj_class *c, const struct leak_entry *f)
{
	static const char *const s[] = {"s", ""};
	bool live = object_live(c, f->o, f->token);
	uint64_t handle = live ? f->token : f->token ^ TOKEN_DEAD;
	struct leak_words d;

	if (!leak_describe(c, f, &d))
		return;
	report_out(w, "  %#llx (INTEGER %u)", (unsigned long long)handle,
		(uint32_t)handle & 0x7fffffff);
	if (d.name[0] != '\0')
		report_out(w, " '%s'", d.name);
	if (live)
		report_out(w, ", %u handle%s", d.user, s[d.user == 1]);
	else
		report_out(w, ", handle freed");
	report_out(w, ", %u reference%s", d.internal, s[d.internal == 1]);
	if (d.age >= 0)
		report_out(w, ", %.3f s old", d.age);
	if (d.text[0] != '\0')
		report_out(w, ": %s", d.text);
	report_out(w, "\n");
	leak_trace_print(w, &d);
}

static bool leak_json_object(
	struct out *w, struct obj_class *c, const struct leak_entry *f, bool first)
{
	bool live = object_live(c, f->o, f->token);
	uint64_t handle = live ? f->token : f->token ^ TOKEN_DEAD;
	struct leak_words d;

	if (!leak_describe(c, f, &d))
		return false;
	report_out(w,
		"%s{\"handle\":\"%#llx\",\"integer\":%u,\"live\":%s,\"handles\":%u,\"references\":%"
		"u",
		first ? "" : ",", (unsigned long long)handle, (uint32_t)handle & 0x7fffffff,
		live ? "true" : "false", d.user, d.internal);
	report_out(w, ",\"name\":");
	out_json(w, d.name);
	report_out(w, ",\"text\":");
	out_json(w, d.text);
	if (d.age >= 0)
		report_out(w, ",\"age\":%.6f", d.age);
	report_out(w, ",\"trace\":[");
	leak_trace_print(w, &d);
	report_out(w, "]}");
	return true;
}

/* One group: the objects all[0..n) of one class and site. */
static void leak_group(
	struct out *w, struct obj_class *c, const struct leak_entry *all, size_t n, bool first)
{
	bool none = true;

	if (!w->json) {
		report_out(w, "%s: %zu made at ", obj_class_name(c), n);
		out_site(w, all->site);
		report_out(w, "\n");
		for (size_t i = 0; i < n; i++)
			leak_text_object(w, c, &all[i]);
		return;
	}
	report_out(w, "%s{\"class\":", first ? "" : ",");
	out_json(w, obj_class_name(c));
	report_out(w, ",\"site\":");
	out_site(w, all->site);
	report_out(w, ",\"count\":%zu,\"objects\":[", n);
	for (size_t i = 0; i < n; i++)
		none &= !leak_json_object(w, c, &all[i], none);
	report_out(w, "]}");
}

static long leak_class(struct out *w, struct obj_class *c, bool *first)
{
	size_t used = 0, from, to;
	long n = 0;
	struct leak_entry *all = leak_collect(c, &n, &used);

	for (from = 0; from < used; from = to) {
		to = from + 1;
		while (to < used && all[to].site == all[from].site)
			to++;
		leak_group(w, c, all + from, to - from, *first);
		*first = false;
	}
	free(all);
	return n;
}

long obj_leaks(struct obj_domain *d, int fmt, int fd)
{
	struct out w = {.fd = fd, .json = fmt == OBJ_FMT_JSON};
	bool first = true;
	long sum = 0;

	if (w.json) {
		report_out(&w, "{\"domain\":");
		out_json(&w, d->opts.name);
		report_out(&w, ",\"groups\":[");
	}
	for (uint32_t id = 1; id <= OBJ_CLASS_MAX; id++) {
		long n = d->cls[id] != NULL ? leak_class(&w, d->cls[id], &first) : 0;

		sum += n;
	}
	if (w.json)
		report_out(&w, "],\"objects\":%ld}\n", sum);
	else if (sum != 0)
		report_out(
			&w, "%s: %ld object%s not freed\n", d->opts.name, sum, sum == 1 ? "" : "s");
	out_flush(&w);
	return sum;
}
