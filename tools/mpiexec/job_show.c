// SPDX-License-Identifier: BSD-3-Clause
/* job_show.c - see job_show.h.  Consecutive ranks of one host and program, or with one exit code,
 * share a place in the line. */
#include "tools/mpiexec/job_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "tools/mpiexec/cpu_bind.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/output.h"

/* --- before the start ------------------------------------------------------------------------ */

static void show_hosts(const struct plan *p)
{
	for (int h = 0; h < p->nhosts; h++) {
		const struct host *k = &p->host[h];
		char *most = k->max > 0 ? text_new(", at most %d processes", k->max) : NULL;

		out_say("host %s: %d slot%s%s", k->name, k->slots, k->slots > 1 ? "s" : "",
			most != NULL ? most : "");
		free(most);
	}
	if (p->nhosts == 0)
		out_say("host %s: %d slot%s", job_host_name(NULL, 0),
			p->slots > 0 ? p->slots : shm_cpus(),
			(p->slots > 0 ? p->slots : shm_cpus()) > 1 ? "s" : "");
}

static void show_map(const struct job *j)
{
	for (int from = 0, to; from < j->n; from = to + 1) {
		const struct rank *k = &j->rank[from];
		bool many;

		for (to = from; to + 1 < j->n && j->rank[to + 1].host == k->host &&
				j->rank[to + 1].app == k->app;)
			to++;
		many = to > from;
		if (many)
			out_say("host %s: ranks %d-%d of %s", job_host_name(j, k->host), from, to,
				k->app->argv[0]);
		else
			out_say("host %s: rank %d of %s", job_host_name(j, k->host), from,
				k->app->argv[0]);
	}
}

void job_show_start(const struct job *j)
{
	if (j->plan->show_hosts)
		show_hosts(j->plan);
	if (j->plan->show_map)
		show_map(j);
}

/* --- a rank that has been started ------------------------------------------------------------ */

void job_show_rank(const struct job *j, int r, const cpu_set_t *cpus)
{
	const struct rank *k = &j->rank[r];
	const struct app *a = k->app;
	bool remote = j->plan->nhosts > 0;
	const char *host = remote ? j->plan->host[k->host].name : "";
	char *list = cpus != NULL ? bind_text(cpus) : NULL;

	if (j->plan->verbose)
		out_say("%s is process %d%s%s: %s%s%s", job_rank_name(j, r), k->pid,
			remote ? " on " : "", host, a->file != NULL ? a->file : a->argv[0],
			list != NULL ? ", on CPUs " : "", list != NULL ? list : "");
	if (j->plan->show_bind)
		out_say("%s%s%s is %s%s", job_rank_name(j, r), remote ? " on " : "", host,
			list != NULL ? "bound to CPUs " : "not bound", list != NULL ? list : "");
	free(list);
}

/* --- after the job --------------------------------------------------------------------------- */

/* How an entry has ended, for comparisons: two with the same value have the same words. */
static int show_end(const struct job *j, int r)
{
	const struct rank *k = &j->rank[r];

	return k->ended ? k->status : -1;
}

static void show_end_words(const struct job *j, int r)
{
	int status = show_end(j, r);

	if (status == -1)
		fprintf(stderr, "%s", j->rank[r].pid > 0 ? "not known" : "not started");
	else if (WIFSIGNALED(status))
		fprintf(stderr, "killed by signal %d", WTERMSIG(status));
	else
		fprintf(stderr, "%d", WEXITSTATUS(status));
}

void job_show_ends(const struct job *j)
{
	const char *before = "mpiexec: exit codes: ";

	if (!j->plan->show_ends)
		return;
	for (int r = 0; r < j->n; r++) {
		int from = r;

		if (j->rank[r].world == NULL)
			continue;
		while (r + 1 < j->n && j->rank[r + 1].world == j->rank[from].world &&
			j->rank[r + 1].rank == j->rank[r].rank + 1 &&
			show_end(j, r + 1) == show_end(j, from))
			r++;
		fprintf(stderr, "%srank%s %d", before, r > from ? "s" : "", j->rank[from].rank);
		if (r > from)
			fprintf(stderr, "-%d", j->rank[r].rank);
		if (j->rank[r].world->id > 0)
			fprintf(stderr, " of world %d", j->rank[r].world->id);
		fprintf(stderr, ": ");
		show_end_words(j, from);
		before = "; ";
	}
	fprintf(stderr, "\n");
}
