// SPDX-License-Identifier: BSD-3-Clause
/* profile_end.c - after the job: gathers the tables of all hosts, and writes the report. */
#include "tools/mpiexec/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libobj/base.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/trace.h"

#define LINES_TEXT 16  /* lines of source that are looked up for the table */
#define LINES_FILE 500 /* and for a file: some milliseconds each */

static struct {
	struct prof_table **v;
	int n;
} tables;

void profile_keep(struct prof_table *t)
{
	if (t == NULL)
		return;
	if ((tables.n & (tables.n - 1)) == 0)
		tables.v = mem_grow(tables.v, tables.n > 0 ? (size_t)tables.n * 2 : 1,
			sizeof(struct prof_table *));
	tables.v[tables.n++] = t;
}

static void table_keep(void *arg, struct prof_table *t)
{
	(void)arg;
	profile_keep(t);
}

/* A form of the report, by the end of the file's name. */
static const struct profile_form {
	const char *end;
	void (*write)(const struct profile *p, FILE *out);
} forms[] = {{".json", profile_json}, {".csv", profile_csv}, {".html", profile_html},
	{".txt", profile_text}};

static const struct profile_form *form_find(const char *where)
{
	size_t len = strlen(where);

	for (size_t i = 0; i < countof(forms); i++) {
		size_t end = strlen(forms[i].end);

		if (len > end && strcmp(where + len - end, forms[i].end) == 0)
			return &forms[i];
	}
	return NULL;
}

static bool on_stderr(const char *where)
{
	return *where == '\0' || strcmp(where, "-") == 0;
}

const char *profile_refuse(const char *where)
{
	if (on_stderr(where))
		return NULL;
	return form_find(where) != NULL ? file_refuse(where)
					: "its name must end with .html, .json, .csv or .txt";
}

/* The name of a file; "F.3.html" for snapshot 3.  The caller frees it. */
static char *file_name(const char *where, uint32_t number)
{
	const char *end = form_find(where)->end;

	if (number == 0)
		return text_new("%s", where);
	return text_new("%.*s.%u%s", (int)(strlen(where) - strlen(end)), where, number, end);
}

static bool file_write(struct profile *p, const char *where, uint32_t number)
{
	char *name = file_name(where, number);
	FILE *out = fopen(name, "w");
	char words[512];
	bool good;

	if (out == NULL) {
		fprintf(stderr, "mpiexec: -profile=%s: %s\n", name, strerror(errno));
		free(name);
		return false;
	}
	profile_lines(p, LINES_FILE);
	form_find(where)->write(p, out);
	good = (ferror(out) | fclose(out)) == 0;
	if (!good)
		fprintf(stderr, "mpiexec: -profile=%s: %s\n", name, strerror(errno));
	profile_verdict(p, words, sizeof(words));
	fprintf(stderr, "mpiexec: profile in %s.  %s\n", name, words);
	free(name);
	return good;
}

bool profile_report(struct profile *p, const char *where, uint32_t number)
{
	if (!on_stderr(where))
		return file_write(p, where, number);
	if (number > 0)
		fprintf(stderr, "mpiexec: snapshot %u of the job, which goes on:\n", number);
	profile_lines(p, LINES_TEXT);
	profile_text(p, stderr);
	return true;
}

/* By host; NULL: all ranks are on this one. */
static const char **host_names(const struct plan *p)
{
	const char **names =
		p->nhosts > 1 ? mem_grow(NULL, (size_t)p->nhosts, sizeof(*names)) : NULL;

	for (int h = 0; names != NULL && h < p->nhosts; h++)
		names[h] = p->host[h].name;
	return names;
}

void profile_end(struct job *j)
{
	static struct profile *p; /* until mpiexec ends */
	bool good = true;

	if (j->plan->profile == NULL && j->plan->trace == NULL)
		return;
	profile_host_each(&j->local.profile, table_keep, NULL);
	trace_host_keep(&j->local.profile);
	p = profile_sum(tables.v, tables.n, j->plan->app[0].argv[0]);
	if (j->plan->trace != NULL) {
		profile_lines(p, LINES_FILE);
		good = trace_end(p, j->plan->trace, host_names(j->plan), j->plan->nhosts);
	}
	if (j->plan->profile != NULL)
		good = profile_report(p, j->plan->profile, 0) && good;
	if (!good && j->code == 0)
		j->code = 1;
}

int profile_main(const char *where)
{
	const char *why = profile_refuse(where);
	struct marshal p = {.len = 0};
	char buf[1 << 16];
	size_t n;

	if (why != NULL)
		fatal(EXIT_USAGE, "HAFT_PROFILE=%s: %s", where, why);
	while ((n = fread(buf, 1, sizeof(buf), stdin)) > 0)
		marshal_put(&p, buf, n);
	while (p.at < p.len && !p.bad)
		profile_keep(profile_take(&p));
	profile_report(profile_sum(tables.v, tables.n,
			       tables.n > 0 ? tables.v[0]->module[0].path : "a job"),
		where, 0);
	return 0;
}
