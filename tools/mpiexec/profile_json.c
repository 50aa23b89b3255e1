// SPDX-License-Identifier: BSD-3-Clause
/* profile_json.c - the profile for programs: JSON with everything, CSV with the matrices.
 *
 * Times are nanoseconds.  JSON names a rank by its index in "ranks", CSV by the rank's name.  CSV
 * has a line for each pair of ranks of which one has talked to the other or waited for it. */
#include "tools/mpiexec/profile.h"

#include "tools/mpiexec/json.h"

static void json_whys(FILE *out, const uint64_t why[PROF_WHYS], double scale)
{
	const char *between = "";

	fputc('{', out);
	for (int k = 0; k < PROF_WHYS; k++) {
		if (why[k] == 0)
			continue;
		fprintf(out, "%s\"%s\": %.0f", between, profile_why[k], (double)why[k] * scale);
		between = ", ";
	}
	fputc('}', out);
}

static void json_ranks(const struct profile *p, FILE *out)
{
	fputs(" \"ranks\": [\n", out);
	for (int i = 0; i < p->n; i++) {
		const struct profile_rank *r = &p->rank[i];

		fprintf(out,
			"  {\"rank\": %d, \"number\": %d, \"host\": %d, \"pid\": %d, \"wall\": "
			"%.0f, \"mpi\": %.0f, \"waiting\": %.0f, \"messages\": %llu, \"bytes\": "
			"%llu, \"blamed\": %.0f, \"cause\": %.0f, \"nested\": %llu, \"ended\": "
			"%s, \"in\": ",
			r->t->rank, r->t->number, r->t->host, r->t->pid, r->wall, r->mpi, r->wait,
			(unsigned long long)r->messages, (unsigned long long)r->bytes, r->blamed,
			r->cause, (unsigned long long)r->t->nested, r->ended ? "true" : "false");
		json_text(out, r->ended || atomic_load(&r->t->now.fn) == 0
				       ? ""
				       : profile_fn((int)atomic_load(&r->t->now.fn)));
		fprintf(out, "}%s\n", i + 1 < p->n ? "," : "");
	}
	fputs(" ],\n", out);
}

static void json_sites(const struct profile *p, FILE *out)
{
	fputs(" \"calls\": [\n", out);
	for (int i = 0; i < p->nsites; i++) {
		const struct profile_site *s = &p->site[i];

		fprintf(out,
			"  {\"call\": \"%s\", \"n\": %llu, \"time\": %llu, \"waiting\": %llu, "
			"\"longest\": %llu, \"bytes\": %llu, \"why\": ",
			profile_fn(s->fn), (unsigned long long)s->row.n,
			(unsigned long long)s->row.ticks, (unsigned long long)s->row.wait,
			(unsigned long long)s->row.longest, (unsigned long long)s->row.bytes);
		json_whys(out, s->row.why, 1);
		fprintf(out, ", \"culprit\": %d, \"where\": ", s->culprit);
		json_text(out, s->line);
		fputs(", \"module\": ", out);
		json_text(out, s->path != NULL ? s->path : "");
		fprintf(out, ", \"offset\": %u}%s\n", s->offset, i + 1 < p->nsites ? "," : "");
	}
	fputs(" ],\n \"counted\": {", out);
	for (int k = 0, n = 0; k < PROF_FNS; k++)
		if (p->read[k] > 0)
			fprintf(out, "%s\"%s\": %llu", n++ > 0 ? ", " : "", profile_fn(k),
				(unsigned long long)p->read[k]);
	fputs("},\n", out);
}

struct json_pairs {
	const struct profile *p;
	FILE *out;
	int n; /* written so far */
};

static void json_pair(void *arg, int i, int j, const struct prof_peer *row)
{
	struct json_pairs *a = arg;

	fprintf(a->out,
		"%s  {\"from\": %d, \"to\": %d, \"messages\": %llu, \"bytes\": %llu, \"waited\": ",
		a->n++ > 0 ? ",\n" : "", i, j, (unsigned long long)row->messages,
		(unsigned long long)row->bytes);
	json_whys(a->out, row->why, a->p->rank[i].t->ns_per_tick);
	fputc('}', a->out);
}

static void json_sizes(const struct profile *p, FILE *out)
{
	static const char *const names[PROF_CLASSES] = {"p2p", "coll", "rma"};

	for (int c = 0; c < PROF_CLASSES; c++) {
		const char *between = "";

		fprintf(out, "  \"%s\": [", names[c]);
		for (int k = 0; k < PROF_SIZES; k++) {
			const struct prof_size *s = &p->size[c][k];

			if (s->n == 0)
				continue;
			fprintf(out, "%s{\"from\": %llu, \"n\": %llu, \"bytes\": %llu}", between,
				k == 0 ? 0ULL : 1ULL << (k - 1), (unsigned long long)s->n,
				(unsigned long long)s->bytes);
			between = ", ";
		}
		fprintf(out, "]%s\n", c + 1 < PROF_CLASSES ? "," : "");
	}
}

static void json_regions(const struct profile *p, FILE *out)
{
	const char *between = "";

	fputs(" \"regions\": [", out);
	for (int i = 0; i < p->n; i++)
		for (int k = 0; k < PROF_REGIONS; k++) {
			const struct prof_region *g = &p->rank[i].t->region[k];
			double scale = p->rank[i].t->ns_per_tick;

			if (g->name[0] == '\0')
				continue;
			fprintf(out, "%s\n  {\"rank\": %d, \"name\": ", between, i);
			json_text(out, g->name);
			fprintf(out,
				", \"n\": %llu, \"time\": %.0f, \"mpi\": %.0f, \"waiting\": %.0f}",
				(unsigned long long)g->n, (double)g->ticks * scale,
				(double)g->mpi * scale, (double)g->wait * scale);
			between = ",";
		}
	fputs("\n ],\n", out);
}

void profile_json(const struct profile *p, FILE *out)
{
	struct json_pairs pairs = {p, out, 0};
	char words[512];

	profile_verdict(p, words, sizeof(words));
	fputs("{\n \"program\": ", out);
	json_text(out, p->program);
	fprintf(out, ",\n \"hosts\": %d,\n \"verdict\": ", p->hosts);
	json_text(out, words);
	fprintf(out, ",\n \"wall\": %.0f, \"mpi\": %.0f, \"waiting\": %.0f, \"eager\": %lld,\n",
		p->wall, p->mpi, p->wait, (long long)p->eager);
	json_ranks(p, out);
	json_sites(p, out);
	json_regions(p, out);
	fputs(" \"pairs\": [\n", out);
	profile_pairs(p, json_pair, &pairs);
	fputs("\n ],\n \"sizes\": {\n", out);
	json_sizes(p, out);
	fputs(" }\n}\n", out);
}

/* --- CSV -------------------------------------------------------------------------------------- */

static void csv_pair(void *arg, int i, int j, const struct prof_peer *row)
{
	struct json_pairs *a = arg;
	double scale = a->p->rank[i].t->ns_per_tick;

	fprintf(a->out, "%s,%s,%llu,%llu,%.0f", a->p->rank[i].name, a->p->rank[j].name,
		(unsigned long long)row->messages, (unsigned long long)row->bytes,
		profile_waited(a->p, i, row));
	for (int k = 0; k < PROF_WHYS; k++)
		fprintf(a->out, ",%.0f", (double)row->why[k] * scale);
	fputc('\n', a->out);
}

void profile_csv(const struct profile *p, FILE *out)
{
	struct json_pairs pairs = {p, out, 0};

	fputs("rank,peer,messages,bytes,waited_ns", out);
	for (int k = 0; k < PROF_WHYS; k++)
		fprintf(out, ",%s", profile_why[k]);
	fputc('\n', out);
	profile_pairs(p, csv_pair, &pairs);
}
