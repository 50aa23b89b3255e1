// SPDX-License-Identifier: BSD-3-Clause
/* profile_text.c - the profile as a table on stderr, and the verdict in words.
 *
 *     mpiexec: profile of ./heat: 4 ranks on 1 host, 12.4 s from MPI_Init to MPI_Finalize
 *      rank      MPI  waiting  waited for most       messages out     bytes
 *      ...
 *      Rank 1 is what the others wait for: 11.9 s of their 13.4 s.  ...
 *      call            n      time  waiting      mean  where                why */
#include "tools/mpiexec/profile.h"

#include <string.h>
#include "libobj/base.h"

#define LINES_MAX  15   /* lines of source in the table */
#define RANKS_MAX  32   /* ranks in the table: more are told by the files */
#define SHOWN_PART 0.02 /* of the time: less waiting is not worth a verdict */

const char *profile_time(double ns, char s[24])
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
	size_t i = 0;

	while (i + 1 < countof(units) && ns < units[i].ns)
		i++;
	if (units[i].ns > 0)
		ns /= units[i].ns;
	snprintf(s, 24, ns < 10 ? "%.2f %s" : ns < 100 ? "%.1f %s" : "%.0f %s", ns, units[i].unit);
	return s;
}

const char *profile_bytes(double bytes, char s[24])
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
	size_t i = 0;

	while (i + 1 < countof(units) && bytes >= 1000) {
		bytes /= 1000;
		i++;
	}
	snprintf(s, 24, i > 0 && bytes < 10 ? "%.1f %s" : "%.0f %s", bytes, units[i]);
	return s;
}

static double percent(double part, double all)
{
	return all > 0 ? 100 * part / all : 0;
}

static double computes(const struct profile_rank *r)
{
	return r->wall - r->mpi;
}

/* --- the verdict ------------------------------------------------------------------------------ */

/* The reason of most waiting. */
static const char *reason(const struct profile *p, double *part)
{
	double why[PROF_WHYS] = {0}, all = 0;
	int most = 0;

	for (int i = 0; i < p->n; i++)
		for (int k = 0; k < PROF_WHYS; k++) {
			why[k] += p->rank[i].why[k];
			all += p->rank[i].why[k];
		}
	for (int k = 1; k < PROF_WHYS; k++)
		if (why[k] > why[most])
			most = k;
	*part = percent(why[most], all);
	return profile_why[most];
}

/* Whether the culprit computes more than the others. */
static void add_imbalance(const struct profile *p, int culprit, char *s, size_t n)
{
	double others = 0, mean, mine = computes(&p->rank[culprit]), most = 0;
	char a[24], b[24];
	size_t len = strlen(s);

	for (int i = 0; i < p->n; i++) {
		others += i != culprit ? computes(&p->rank[i]) : 0;
		if (computes(&p->rank[i]) > most)
			most = computes(&p->rank[i]);
	}
	mean = (others + mine) / p->n;
	others /= p->n > 1 ? p->n - 1 : 1;
	if (mine > 1.05 * others && mean > 0)
		snprintf(s + len, n - len,
			"  It is outside of MPI for %s, %s for %s on average (imbalance %.2f).",
			profile_time(mine, a), p->n == 2 ? "the other" : "the others",
			profile_time(others, b), most / mean);
}

void profile_verdict(const struct profile *p, char *s, size_t n)
{
	double all = 0, part, theirs;
	int top = 0;
	char a[24], b[24];
	const char *why = reason(p, &part);

	for (int i = 0; i < p->n; i++) {
		all += p->rank[i].cause;
		if (p->rank[i].cause > p->rank[top].cause)
			top = i;
	}
	if (p->n < 2 || p->wait < SHOWN_PART * p->wall) {
		snprintf(s, n, "%s: %.1f %% of the time is waiting.",
			p->n < 2 ? "One process waits for no other"
				 : "The ranks hardly wait for each other",
			percent(p->wait, p->wall));
		return;
	}
	theirs = p->wait - p->rank[top].wait;
	if (p->rank[top].cause > 0.5 * all && p->rank[top].cause > SHOWN_PART * p->wall / p->n) {
		double mine = p->rank[top].cause < theirs ? p->rank[top].cause : theirs;

		snprintf(s, n, "Rank %s is what %s for: %s of %s %s (%s %.0f %%).",
			p->rank[top].name, p->n == 2 ? "the other waits" : "the others wait",
			profile_time(mine, a), p->n == 2 ? "its" : "their", profile_time(theirs, b),
			why, part);
		add_imbalance(p, top, s, n);
		return;
	}
	snprintf(s, n,
		"No single rank holds the others up: rank %s most, %.0f %% of %s waited (%s %.0f "
		"%%).",
		p->rank[top].name, percent(p->rank[top].cause, all), profile_time(p->wait, a), why,
		part);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void text_rank(const struct profile *p, int i, FILE *out)
{
	const struct profile_rank *r = &p->rank[i];
	char for_whom[64] = "-", bytes[24];

	if (r->behind >= 0)
		snprintf(for_whom, sizeof(for_whom), "%s (%.0f %%)", p->rank[r->behind].name,
			percent(r->behind_ns, r->wait));
	fprintf(out, " %5s  %6.1f %%  %6.1f %%  %6.1f %%   %-16s %12llu  %8s%s\n", r->name,
		percent(computes(r), r->wall), percent(r->mpi - r->wait, r->wall),
		percent(r->wait, r->wall), for_whom, (unsigned long long)r->messages,
		profile_bytes((double)r->bytes, bytes), r->ended ? "" : "  (has not ended MPI)");
}

static void text_ranks(const struct profile *p, FILE *out)
{
	fprintf(out, "  rank  computing    moving   waiting   waited for most  messages out     "
		     "bytes\n");
	for (int i = 0; i < p->n && i < RANKS_MAX; i++)
		text_rank(p, i, out);
	if (p->n > RANKS_MAX)
		fprintf(out, "   ... and %d more: -profile=F.html or F.json has all\n",
			p->n - RANKS_MAX);
}

/* Why the calls of a line have waited, with the rank that they waited for. */
static void site_reason(const struct profile *p, const struct profile_site *s, char *buf, size_t n)
{
	char t[24];
	int most = 0;

	buf[0] = '\0';
	for (int k = 1; k < PROF_WHYS; k++)
		if (s->row.why[k] > s->row.why[most])
			most = k;
	if (s->row.wait == 0 || s->row.wait * 20 < s->row.ticks)
		return;
	snprintf(buf, n, "  %s %s", profile_why[most], profile_time((double)s->row.why[most], t));
	if (s->culprit >= 0)
		snprintf(buf + strlen(buf), n - strlen(buf), ", rank %s", p->rank[s->culprit].name);
}

static void text_sites(const struct profile *p, FILE *out)
{
	int n = p->nsites < LINES_MAX ? p->nsites : LINES_MAX;

	if (n > 0)
		fprintf(out, " %-18s %10s %9s  %7s %9s  %s\n", "call", "n", "time", "waiting",
			"mean", "where");
	for (int i = 0; i < n; i++) {
		const struct profile_site *s = &p->site[i];
		char time[24], mean[24], why[96];

		site_reason(p, s, why, sizeof(why));
		fprintf(out, " %-18s %10llu %9s  %5.0f %% %9s  %s%s\n", profile_fn(s->fn),
			(unsigned long long)s->row.n, profile_time((double)s->row.ticks, time),
			percent((double)s->row.wait, (double)s->row.ticks),
			profile_time((double)s->row.ticks / (double)s->row.n, mean),
			s->path != NULL ? s->line : "(elsewhere)", why);
	}
	if (p->nsites > n)
		fprintf(out, "   ... and %d more lines\n", p->nsites - n);
}

static void size_words(int k, char s[24])
{
	profile_bytes(k == 0 ? 0 : (double)((uint64_t)1 << (k - 1)), s);
}

static void text_sizes(const struct profile *p, FILE *out)
{
	static const char *const names[PROF_CLASSES] = {"messages", "collectives", "one-sided"};
	char size[24], eager[24];

	for (int c = 0; c < PROF_CLASSES; c++) {
		uint64_t all = 0;

		for (int k = 0; k < PROF_SIZES; k++)
			all += p->size[c][k].n;
		if (all == 0)
			continue;
		fprintf(out, " %s by size:", names[c]);
		for (int k = 0; k < PROF_SIZES; k++) {
			double part = percent((double)p->size[c][k].n, (double)all);

			if (p->size[c][k].n == 0)
				continue;
			size_words(k, size);
			fprintf(out, " %s%s %.0f %%%s", k > 1 ? ">= " : "", size, part,
				part > 0 && part < 0.5 ? " (a few)" : "");
		}
		if (c == PROF_P2P)
			fprintf(out, "  (eager up to %s)", profile_bytes((double)p->eager, eager));
		fputc('\n', out);
	}
}

/* Adds a rank's counts of a region of this name: time, in MPI, waiting. */
static void region_add(const struct profile_rank *r, const char *name, double ns[3])
{
	for (int k = 0; k < PROF_REGIONS; k++) {
		const struct prof_region *g = &r->t->region[k];

		if (strcmp(g->name, name) != 0)
			continue;
		ns[0] += (double)g->ticks * r->t->ns_per_tick;
		ns[1] += (double)g->mpi * r->t->ns_per_tick;
		ns[2] += (double)g->wait * r->t->ns_per_tick;
	}
}

static void text_regions(const struct profile *p, FILE *out)
{
	const struct prof_table *t = p->n > 0 ? p->rank[0].t : NULL;
	char a[24], b[24], c[24];

	for (int i = 0; t != NULL && i < PROF_REGIONS && t->region[i].name[0] != '\0'; i++) {
		double ns[3] = {0};

		for (int r = 0; r < p->n; r++)
			region_add(&p->rank[r], t->region[i].name, ns);
		fprintf(out, " region %s: %s, of them %s in MPI, %s waiting\n", t->region[i].name,
			profile_time(ns[0], a), profile_time(ns[1], b), profile_time(ns[2], c));
	}
}

void profile_text(const struct profile *p, FILE *out)
{
	char words[512], t[24];

	if (p->n == 0) {
		fputs("mpiexec: no process has called MPI_Init: there is no profile\n", out);
		return;
	}
	profile_verdict(p, words, sizeof(words));
	fprintf(out,
		"mpiexec: profile of %s: %d rank%s on %d host%s, %s from MPI_Init to "
		"MPI_Finalize\n",
		p->program, p->n, p->n > 1 ? "s" : "", p->hosts, p->hosts > 1 ? "s" : "",
		profile_time(p->wall / p->n, t));
	fprintf(out, " %.0f %% computing, %.0f %% moving data, %.0f %% waiting\n",
		percent(p->wall - p->mpi, p->wall), percent(p->mpi - p->wait, p->wall),
		percent(p->wait, p->wall));
	text_ranks(p, out);
	fprintf(out, " %s\n", words);
	text_sites(p, out);
	text_sizes(p, out);
	text_regions(p, out);
}
