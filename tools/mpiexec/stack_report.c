// SPDX-License-Identifier: BSD-3-Clause
/* stack_report.c - the stacks of a job that hangs, behind the wait report.
 *
 *     stack of ranks 0-2, 4-63: MPI_Recv <- exchange (halo.c:88) <- main (main.c:41)
 *     stack of rank 3: MPI_Barrier <- main (main.c:44)
 *
 * Ranks of other hosts: their proxies turn frames into text, and send it up. */
#include "tools/mpiexec/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/remote_ranks.h"
#include "tools/mpiexec/stacks.h"

#define RANKS_TEXT 200 /* bytes of the list of ranks of a line */

static struct {
	char **text; /* by entry; NULL: not known */
	int n;
	bool waits; /* for answers of hosts */
} stacks;

static void stacks_begin(int n)
{
	for (int i = 0; i < stacks.n; i++)
		free(stacks.text[i]);
	stacks.text = mem_grow(stacks.text, (size_t)n + 1, sizeof(*stacks.text));
	memset(stacks.text, 0, (size_t)n * sizeof(*stacks.text));
	stacks.n = n;
}

void stack_take(int entry, char *text)
{
	if (entry < 0 || entry >= stacks.n || text == NULL) {
		free(text);
		return;
	}
	free(stacks.text[entry]);
	stacks.text[entry] = text;
}

static bool stack_equal(char *const text[], int a, int b)
{
	return text[a] != NULL && text[b] != NULL && strcmp(text[a], text[b]) == 0;
}

/* Adds ranks from..to, entries of one world in order. */
static void ranks_add(const struct job *j, char *list, size_t *len, int from, int to)
{
	const char *comma = *len > 0 ? ", " : "";

	if (*len > RANKS_TEXT - 60) {
		if (list[*len - 1] != '.')
			*len += (size_t)snprintf(list + *len, RANKS_TEXT - *len, ", ...");
		return;
	}
	*len += (size_t)snprintf(
		list + *len, RANKS_TEXT - *len, "%s%s", comma, job_rank_short(j, from));
	if (to > from)
		*len += (size_t)snprintf(list + *len, RANKS_TEXT - *len, "-%d", j->rank[to].rank);
}

char *stacks_line(const struct job *j, char *const text[], int n, int first)
{
	char list[RANKS_TEXT];
	size_t len = 0;
	int many = 0;

	for (int r = 0; r < first; r++)
		if (stack_equal(text, r, first))
			return NULL;
	for (int r = first; r < n; r++) {
		int from = r;

		if (!stack_equal(text, first, r))
			continue;
		while (r + 1 < n && stack_equal(text, first, r + 1) &&
			j->rank[r + 1].world == j->rank[from].world &&
			j->rank[r + 1].rank == j->rank[r].rank + 1)
			r++;
		ranks_add(j, list, &len, from, r);
		many += r - from + 1;
	}
	return text_new("%s %s: %s", many > 1 ? "ranks" : "rank", list, text[first]);
}

void stacks_done(struct job *j)
{
	stacks.waits = false;
	for (int r = 0; r < stacks.n && r < j->n; r++) {
		bool some = stacks.text[r] != NULL && j->rank[r].world != NULL;
		char *line = some ? stacks_line(j, stacks.text, stacks.n, r) : NULL;

		if (line != NULL)
			out_say("  stack of %s", line);
		free(line);
	}
	stacks_begin(0);
}

void stacks_say(struct job *j)
{
	char **text;

	if (stacks.waits)
		return; /* of the same moment, nearly */
	stacks_begin(j->n);
	if (j->remote != NULL) {
		stacks.waits = true;
		remote_stacks(j->remote);
		return;
	}
	text = stacks_here(&j->local);
	for (int i = 0; i < j->local.n; i++)
		stack_take(j->local.m[i].entry, text[i]);
	free(text);
	stacks_done(j);
}

void stacks_end(struct job *j)
{
	if (stacks.waits)
		stacks_done(j);
}
