// SPDX-License-Identifier: BSD-3-Clause
/* profile_sum.c - adds the tables of a job up: ranks, lines of source, sizes, blame.
 *
 *     3 ── waits for ──> 2 ── waits for ──> 1 ── computes        the cause of all of it is 1
 *
 * The blame of a rank (HPCToolkit's word) is the time that others wait for it.  As far as its own
 * waiting covers that, it passes the blame on to the ranks that it waited for itself (CHAIN times).
 * The rest is its cause. */
#include "tools/mpiexec/profile.h"

#include <stdlib.h>
#include <string.h>
#include "libmpi/core/callsite.h"
#include "libobj/base.h"
#include "tools/mpiexec/util.h"
#include <names.h>

#define CHAIN 8 /* steps that blame is followed */

const char *const profile_why[PROF_WHYS] = {
	[PROF_SENDER] = "late sender",
	[PROF_RECEIVER] = "late receiver",
	[PROF_LAST] = "last to come",
	[PROF_LOCK] = "lock held",
	[PROF_WINDOW] = "window",
	[PROF_OTHER] = "other",
};

const char *profile_fn(int fn)
{
	return fn > 0 && fn < HAFT_FNS ? bind_fn_names[fn] : "MPI";
}

/* --- ranks ------------------------------------------------------------------------------------ */

static int rank_order(const void *a, const void *b)
{
	const struct prof_table *x = *(struct prof_table *const *)a;
	const struct prof_table *y = *(struct prof_table *const *)b;

	return (x->number > y->number) - (x->number < y->number);
}

int profile_rank_of(const struct profile *p, int64_t number)
{
	int low = 0, high = p->n;

	while (low < high) {
		int mid = (low + high) / 2;

		if (p->rank[mid].t->number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->n && p->rank[low].t->number == number ? low : -1;
}

static double peer_wait(const struct prof_peer *row)
{
	uint64_t all = 0;

	for (int k = 0; k < PROF_WHYS; k++)
		all += row->why[k];
	return (double)all;
}

double profile_waited(const struct profile *p, int i, const struct prof_peer *row)
{
	return peer_wait(row) * p->rank[i].t->ns_per_tick;
}

void profile_pairs(const struct profile *p, profile_pair_fn *each, void *arg)
{
	for (int i = 0; i < p->n; i++)
		for (int k = 0; k < PROF_PEERS; k++) {
			const struct prof_peer *row = &p->rank[i].t->peer[k];
			int j = row->peer != 0 ? profile_rank_of(p, row->peer - 1) : -1;

			if (j >= 0)
				each(arg, i, j, row);
		}
}

static void pair_add(void *arg, int i, int j, const struct prof_peer *row)
{
	struct profile *p = arg;
	struct profile_rank *r = &p->rank[i];
	double ns = profile_waited(p, i, row);

	r->messages += row->messages;
	r->bytes += row->bytes;
	p->rank[j].blamed += ns;
	if (ns > r->behind_ns) {
		r->behind = j;
		r->behind_ns = ns;
	}
	for (int k = 0; k < PROF_WHYS; k++)
		r->why[k] += (double)row->why[k] * r->t->ns_per_tick;
}

/* The row in a table for waits for this number; made if there is room.  Else NULL. */
static struct prof_peer *peer_row(struct prof_table *t, int64_t number)
{
	for (uint32_t i = 0; i < PROF_PROBES; i++) {
		struct prof_peer *p = &t->peer[((uint32_t)number + i) % PROF_PEERS];

		if (p->peer == 0)
			p->peer = number + 1;
		if (p->peer == number + 1)
			return p;
	}
	return NULL;
}

/* The call that a rank was in when it ended: counts as far as it came. */
static void open_call_close(struct prof_table *t)
{
	uint32_t fn = atomic_load(&t->now.fn);
	struct prof_row *row;
	struct prof_peer *peer;
	uint64_t until = prof_until(t), ticks, wait;

	if (fn == 0 || fn >= PROF_FNS || until <= t->now.since)
		return;
	row = t->now.site > 0 ? &t->site[t->now.site - 1].row : &t->rest[fn];
	ticks = until - t->now.since;
	wait = t->now.wait_since != 0 && until > t->now.wait_since ? until - t->now.wait_since : 0;
	row->n++;
	row->ticks += ticks;
	row->wait += wait;
	row->why[t->now.why] += wait;
	if (ticks > row->longest)
		row->longest = ticks;
	t->mpi += ticks;
	t->wait += wait;
	peer = t->now.peer > 0 && wait > 0 ? peer_row(t, t->now.peer - 1) : NULL;
	if (peer != NULL)
		peer->why[t->now.why] += wait;
}

static void rank_sum(struct profile *p, int i, struct prof_table *t)
{
	struct profile_rank *r = &p->rank[i];
	uint64_t off = t->off, until;

	open_call_close(t);
	until = prof_until(t);
	if (t->off_since != 0 && until > t->off_since)
		off += until - t->off_since;
	r->t = t;
	r->behind = -1;
	r->wall = (double)(until - t->begin - off) * t->ns_per_tick;
	r->mpi = (double)t->mpi * t->ns_per_tick;
	r->wait = (double)t->wait * t->ns_per_tick;
	if (r->mpi > r->wall)
		r->wall = r->mpi;
	r->ended = atomic_load(&t->stage) == PROF_DONE;
	if (t->number == t->rank)
		snprintf(r->name, sizeof(r->name), "%d", t->rank);
	else
		snprintf(r->name, sizeof(r->name), "%d (%d)", t->number, t->rank);
	p->wall += r->wall;
	p->mpi += r->mpi;
	p->wait += r->wait;
	if (t->host >= p->hosts)
		p->hosts = t->host + 1;
	p->eager = t->eager;
	for (int k = 0; k < PROF_FNS; k++)
		p->read[k] += t->read[k];
	for (int c = 0; c < PROF_CLASSES; c++)
		for (int k = 0; k < PROF_SIZES; k++) {
			p->size[c][k].n += t->size_row[c][k].n;
			p->size[c][k].bytes += t->size_row[c][k].bytes;
		}
}

/* --- blame ------------------------------------------------------------------------------------ */

struct blame_pass {
	const struct profile *p;
	const double *from; /* blame of each rank, and the share that is passed on */
	const double *passed;
	double *to;
};

static void blame_pass_on(void *arg, int i, int j, const struct prof_peer *row)
{
	struct blame_pass *b = arg;
	double waits = b->p->rank[i].wait;

	if (waits > 0)
		b->to[j] += b->from[i] * b->passed[i] * profile_waited(b->p, i, row) / waits;
}

/* The longest that any rank has waited for each. */
static void longest_find(void *arg, int i, int j, const struct prof_peer *row)
{
	struct blame_pass *b = arg;
	double ns = profile_waited(b->p, i, row);

	if (ns > b->to[j])
		b->to[j] = ns;
}

static void blame_follow(struct profile *p)
{
	size_t n = (size_t)p->n, size = sizeof(double);
	double *from = mem_grow(NULL, n, size), *to = mem_grow(NULL, n, size);
	double *passed = mem_grow(NULL, n, size);
	struct blame_pass b = {p, from, passed, to};

	memset(to, 0, n * size);
	profile_pairs(p, longest_find, &b);
	for (int j = 0; j < p->n; j++) {
		from[j] = p->rank[j].blamed;
		passed[j] = to[j] > 0 && p->rank[j].wait < to[j] ? p->rank[j].wait / to[j] : 1;
	}
	for (int step = 0; step < CHAIN; step++) {
		memset(to, 0, n * size);
		profile_pairs(p, blame_pass_on, &b);
		for (int j = 0; j < p->n; j++)
			from[j] = from[j] * (1 - passed[j]) + to[j];
	}
	for (int j = 0; j < p->n; j++)
		p->rank[j].cause = from[j];
	free(from);
	free(to);
	free(passed);
}

/* --- lines of source -------------------------------------------------------------------------- */

static int site_order(const void *a, const void *b)
{
	const struct profile_site *x = a, *y = b;
	int by = x->path == NULL || y->path == NULL ? (x->path != NULL) - (y->path != NULL)
						    : strcmp(x->path, y->path);

	if (by == 0)
		by = (x->offset > y->offset) - (x->offset < y->offset);
	return by != 0 ? by : (x->fn > y->fn) - (x->fn < y->fn);
}

static int site_longest(const void *a, const void *b)
{
	const struct profile_site *x = a, *y = b;

	if (x->row.ticks != y->row.ticks)
		return x->row.ticks < y->row.ticks ? 1 : -1;
	return site_order(a, b);
}

static uint64_t scaled(uint64_t ticks, double ns_per_tick)
{
	return (uint64_t)((double)ticks * ns_per_tick);
}

static struct prof_row row_ns(const struct prof_row *r, double ns_per_tick)
{
	struct prof_row ns = {.n = r->n, .bytes = r->bytes};

	ns.ticks = scaled(r->ticks, ns_per_tick);
	ns.wait = scaled(r->wait, ns_per_tick);
	ns.longest = scaled(r->longest, ns_per_tick);
	for (int k = 0; k < PROF_WHYS; k++)
		ns.why[k] = scaled(r->why[k], ns_per_tick);
	return ns;
}

static void site_row_add(struct prof_row *to, const struct prof_row *r)
{
	to->n += r->n;
	to->ticks += r->ticks;
	to->wait += r->wait;
	to->bytes += r->bytes;
	if (r->longest > to->longest)
		to->longest = r->longest;
	for (int k = 0; k < PROF_WHYS; k++)
		to->why[k] += r->why[k];
}

static void site_take(struct profile *p, struct profile_site s)
{
	if ((p->nsites & (p->nsites - 1)) == 0)
		p->site = mem_grow(
			p->site, p->nsites > 0 ? (size_t)p->nsites * 2 : 1, sizeof(*p->site));
	p->site[p->nsites++] = s;
}

static void sites_take(struct profile *p, const struct prof_table *t)
{
	double scale = t->ns_per_tick;

	for (int i = 0; i < PROF_SITES; i++) {
		const struct prof_site *s = &t->site[i];
		struct profile_site one = {.fn = s->fn, .offset = s->offset};

		if (s->row.n == 0)
			continue;
		one.path = s->module > 0 ? t->module[s->module - 1].path : NULL;
		one.culprit = s->culprit > 0 ? profile_rank_of(p, s->culprit - 1) : -1;
		one.culprit_ns = (double)s->lead * scale;
		one.row = row_ns(&s->row, scale);
		site_take(p, one);
	}
	for (int i = 0; i < PROF_FNS; i++)
		if (t->rest[i].n > 0)
			site_take(p, (struct profile_site){.fn = (uint16_t)i,
					     .culprit = -1,
					     .row = row_ns(&t->rest[i], scale)});
}

/* Makes one of equal lines of several ranks. */
static void sites_merge(struct profile *p)
{
	int n = 0;

	if (p->nsites == 0)
		return;
	qsort(p->site, (size_t)p->nsites, sizeof(*p->site), site_order);
	for (int i = 1; i < p->nsites; i++) {
		struct profile_site *a = &p->site[n], *b = &p->site[i];

		if (site_order(a, b) != 0) {
			p->site[++n] = *b;
			continue;
		}
		site_row_add(&a->row, &b->row);
		if (a->culprit == b->culprit) {
			a->culprit_ns += b->culprit_ns;
		} else if (b->culprit_ns > a->culprit_ns) {
			a->culprit = b->culprit;
			a->culprit_ns = b->culprit_ns - a->culprit_ns;
		} else {
			a->culprit_ns -= b->culprit_ns;
		}
	}
	p->nsites = n + 1;
	qsort(p->site, (size_t)p->nsites, sizeof(*p->site), site_longest);
}

/* "exchange at halo.c:88" becomes "exchange (halo.c:88)". */
static void line_words(char *line, const char *text)
{
	const char *at = strstr(text, " at ");

	if (at != NULL)
		snprintf(line, PROFILE_LINE, "%.*s (%s)", (int)(at - text), text, at + 4);
	else
		snprintf(line, PROFILE_LINE, "%.*s", PROFILE_LINE - 1, text);
}

void profile_lines(struct profile *p, int most)
{
	char text[CALLSITE_LEN];

	for (int i = 0; i < p->nsites && i < most; i++) {
		struct profile_site *s = &p->site[i];
		const char *name = s->path != NULL ? strrchr(s->path, '/') : NULL;

		if (s->path == NULL || s->line[0] != '\0')
			continue;
		if (haft_callsite_line(s->path, s->offset, text, sizeof(text)))
			line_words(s->line, text);
		else
			snprintf(s->line, PROFILE_LINE, "%s+%#x", name != NULL ? name + 1 : s->path,
				s->offset);
	}
}

struct profile *profile_sum(struct prof_table *const tables[], int n, const char *program)
{
	struct profile *p = mem_grow(NULL, 1, sizeof(*p));
	struct prof_table **sorted = mem_grow(NULL, (size_t)n + 1, sizeof(*sorted));

	*p = (struct profile){.n = n, .program = program};
	if (n > 0)
		memcpy(sorted, tables, (size_t)n * sizeof(*sorted));
	qsort(sorted, (size_t)n, sizeof(*sorted), rank_order);
	p->rank = mem_grow(NULL, (size_t)n + 1, sizeof(*p->rank));
	memset(p->rank, 0, ((size_t)n + 1) * sizeof(*p->rank));
	p->read = mem_grow(NULL, PROF_FNS, sizeof(*p->read));
	memset(p->read, 0, PROF_FNS * sizeof(*p->read));
	for (int i = 0; i < n; i++)
		rank_sum(p, i, sorted[i]);
	free(sorted);
	profile_pairs(p, pair_add, p);
	blame_follow(p);
	for (int i = 0; i < n; i++)
		sites_take(p, p->rank[i].t);
	sites_merge(p);
	return p;
}
