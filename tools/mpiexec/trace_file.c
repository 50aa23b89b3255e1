// SPDX-License-Identifier: BSD-3-Clause
/* trace_file.c - after the job: the file that -trace has asked for. */
#include "tools/mpiexec/trace.h"
#include "tools/mpiexec/util.h"

#include <errno.h>
#include <string.h>
#include "libobj/base.h"

/* A form of the timeline, by the end of the file's name. */
static const struct trace_form {
	const char *end;
	void (*write)(const struct timeline *t, FILE *out); /* NULL: trace_otf2 */
} trace_forms[] = {
	{".pftrace", trace_pftrace}, {".json", trace_json}, {".html", trace_html}, {".otf2", NULL}};

static const struct trace_form *trace_form_find(const char *where)
{
	size_t len = strlen(where);

	for (size_t i = 0; i < countof(trace_forms); i++) {
		size_t end = strlen(trace_forms[i].end);

		if (len > end && where[len - end - 1] != '/' &&
			strcmp(where + len - end, trace_forms[i].end) == 0)
			return &trace_forms[i];
	}
	return NULL;
}

const char *trace_refuse(const char *where)
{
	return trace_form_find(where) != NULL
		       ? file_refuse(where)
		       : "its name must end with .pftrace, .json, .otf2 or .html";
}

/* NULL, or words why it cannot be written. */
static const char *trace_write(const struct timeline *t, const char *where)
{
	const struct trace_form *form = trace_form_find(where);
	FILE *out;

	if (form->write == NULL)
		return trace_otf2(t, where);
	out = fopen(where, "w");
	if (out == NULL)
		return strerror(errno);
	form->write(t, out);
	return (ferror(out) | fclose(out)) != 0 ? strerror(errno) : NULL;
}

static void trace_say(const struct timeline *t, const char *where)
{
	uint64_t spans = 0;
	char time[24];

	for (int i = 0; i < t->n; i++)
		spans += (uint64_t)t->rank[i].n;
	fprintf(stderr, "mpiexec: trace in %s: %llu calls and waits of %d rank%s, %d messages",
		where, (unsigned long long)spans, t->n, t->n > 1 ? "s" : "", t->narrows);
	if (t->error_ns > 0)
		fprintf(stderr, "; clocks of the hosts agree within %s",
			profile_time(t->error_ns, time));
	fputc('\n', stderr);
	if (t->dropped > 0)
		fprintf(stderr,
			"mpiexec: %s of records had no room, and the %s ones were kept: see "
			"-trace-room and -trace-keep\n",
			profile_bytes((double)t->dropped, time), t->first ? "first" : "last");
}

bool trace_end(struct profile *p, const char *where, const char *const *hosts, int nhosts)
{
	static struct timeline *t; /* until mpiexec ends */
	const char *why;

	t = trace_sum(p, hosts, nhosts);
	if (t->n == 0) {
		fputs("mpiexec: no process has called MPI_Init: there is no trace\n", stderr);
		return true;
	}
	why = trace_write(t, where);
	if (why != NULL)
		fprintf(stderr, "mpiexec: -trace=%s: %s\n", where, why);
	else
		trace_say(t, where);
	return why == NULL;
}
