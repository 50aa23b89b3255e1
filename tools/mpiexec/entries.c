// SPDX-License-Identifier: BSD-3-Clause
/* entries.c - the table of processes, the list of worlds, and which worlds are connected.
 *
 *   entry   0  1  2  3 | 4  5  6 |  7
 *   world   0  0  0  0 | 2  2  2 | free     world 1 has ended: world 2 has got its entries
 *
 * An entry is free again when all processes of its world have ended and their output has been read
 * (world_end.c).
 * So the table grows with the processes that live at once, not with those that have ever lived.
 *
 * Worlds are connected by edges: a spawn and an MPI_Comm_connect make one, MPI_Comm_disconnect
 * takes one away.  A failure ends the worlds that can be reached by edges, and no others. */
#include "tools/mpiexec/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmpi/core/rank_name.h"
#include "tools/mpiexec/output.h"

#define NAMES 4 /* of job_rank_name, as one message has */

const char *job_rank_name(const struct job *j, int r)
{
	static char name[NAMES][HAFT_RANK_NAME];
	static int at;
	const struct rank *k = &j->rank[r];

	at = (at + 1) % NAMES;
	return haft_rank_name(name[at], k->world != NULL ? k->world->id : 0, k->rank);
}

const char *job_rank_short(const struct job *j, int r)
{
	return job_rank_name(j, r) + strlen("rank ");
}

const char *job_process_name(const struct job *j, int r, int pid)
{
	static char name[256];
	const struct rank *k = &j->rank[r];
	const char *host = j->plan->nhosts > 0 ? j->plan->host[k->host].name : NULL;

	snprintf(name, sizeof(name), "%s (process %d%s%s, %s)", job_rank_name(j, r), pid,
		host != NULL ? " on " : "", host != NULL ? host : "", k->app->argv[0]);
	return name;
}

void job_entries_grow(struct job *j, int n)
{
	size_t more = n > j->n ? (size_t)(n - j->n) : 0;

	if (more == 0)
		return;
	j->rank = mem_grow(j->rank, (size_t)n, sizeof(*j->rank));
	memset(j->rank + j->n, 0, more * sizeof(*j->rank));
	j->seen = mem_grow(j->seen, (size_t)n, sizeof(*j->seen));
	memset(j->seen + j->n, 0, more * sizeof(*j->seen));
	out_grow(n);
	j->n = n;
}

/* Sets what lines of the entry's output begin with. */
static void entry_label(const struct job *j, int r)
{
	for (int which = 0; which < 2 && j->plan->prefix != NULL; which++) {
		struct pattern_facts facts = job_pattern_facts(j, r, which);
		char *label = pattern_text(j->plan->prefix, &facts);

		out_label(r, which, label);
		free(label);
	}
}

void job_world_add(struct job *j, struct world *w)
{
	struct world **end = &j->world;

	while (*end != NULL)
		end = &(*end)->next;
	*end = w;
	w->next = NULL;
	j->numbers = w->first + w->n;
	j->worlds++;
	j->made = w->id + 1;
	j->hang.said = false;
	for (int i = 0; i < w->n; i++) {
		int r = w->entry[i], index;
		const struct app *a = world_app(w, i, &index);

		if (r < 0)
			continue;
		job_entries_grow(j, r + 1);
		j->rank[r] = (struct rank){.world = w, .rank = i, .host = w->host_of[i], .app = a};
		j->seen[r] = (struct rank_view){.known = false};
		entry_label(j, r);
	}
}

int job_entry_free(const struct job *j, int from)
{
	int r = from;

	while (r < j->n && j->rank[r].world != NULL)
		r++;
	return r;
}

/* --- edges ---------------------------------------------------------------------------------- */

static struct world_edge *edge_find(struct job *j, int a, int b)
{
	for (int i = 0; i < j->nedges; i++)
		if ((j->edge[i].a == a && j->edge[i].b == b) ||
			(j->edge[i].a == b && j->edge[i].b == a))
			return &j->edge[i];
	return NULL;
}

void job_connect(struct job *j, int a, int b)
{
	struct world_edge *e = edge_find(j, a, b);

	if (a == b)
		return;
	if (e == NULL) {
		j->edge = mem_grow(j->edge, (size_t)j->nedges + 1, sizeof(*j->edge));
		e = &j->edge[j->nedges++];
		*e = (struct world_edge){.a = a, .b = b};
	}
	e->n++;
}

void job_disconnect(struct job *j, int a, int b)
{
	struct world_edge *e = edge_find(j, a, b);

	if (e != NULL && --e->n == 0)
		*e = j->edge[--j->nedges];
}

void job_world_cut(struct job *j, int id)
{
	int last = -1;

	for (int i = 0; i < j->nedges; i++) {
		int other = j->edge[i].a == id ? j->edge[i].b : j->edge[i].a;

		if (j->edge[i].a != id && j->edge[i].b != id)
			continue;
		j->edge[i--] = j->edge[--j->nedges];
		if (last >= 0)
			job_connect(j, last, other);
		last = other;
	}
}

/* A program on a host of its own, that a service works for, loses its connections by itself when a
 * world fails: it is not ended, and no other world because of it. */
static bool edge_one_way(const struct job *j, const struct world *a, const struct world *b)
{
	bool outside = j->plan->nhosts > 0 && j->plan->host[0].outside;

	return outside && !j->world->mark && (a == j->world || b == j->world);
}

/* Marks the worlds that edges lead to from marked ones. */
static bool marks_spread(const struct job *j)
{
	bool more = false;

	for (int i = 0; i < j->nedges; i++) {
		struct world *a = job_world(j, j->edge[i].a), *b = job_world(j, j->edge[i].b);

		if (a == NULL || b == NULL || a->mark == b->mark || edge_one_way(j, a, b))
			continue;
		a->mark = b->mark = more = true;
	}
	return more;
}

void job_mark_connected(const struct job *j, struct world *from)
{
	for (struct world *w = j->world; w != NULL; w = w->next)
		w->mark = w == from;
	while (marks_spread(j))
		continue;
}

bool job_connected(const struct job *j, const struct world *a, const struct world *b)
{
	if (a == b)
		return true;
	job_mark_connected(j, (struct world *)(uintptr_t)a);
	return b->mark;
}
