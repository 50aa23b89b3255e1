// SPDX-License-Identifier: BSD-3-Clause
/* entry_lookup.c - worlds by their ids, and entries by the numbers of processes.
 *
 *      number 17  ──>  world with first <= 17 < first + n  ──>  world->entry[17 - first] */
#include "tools/mpiexec/job.h"

struct world *job_world(const struct job *j, int id)
{
	struct world *w = j->world;

	while (w != NULL && w->id != id)
		w = w->next;
	return w;
}

int job_entry(const struct job *j, int number)
{
	for (const struct world *w = j->world; w != NULL; w = w->next)
		if (number >= w->first && number - w->first < w->n)
			return w->entry[number - w->first];
	return -1;
}

bool job_forgets(const struct job *j, int number)
{
	for (const struct world *w = j->world; w != NULL; w = w->next)
		if (number >= w->first && number - w->first < w->n)
			return false;
	return number > 0 && number < j->numbers;
}

int job_number(const struct job *j, int r)
{
	return j->rank[r].world->first + j->rank[r].rank;
}

bool job_shows(const struct job *j, int r)
{
	const struct rank *k = &j->rank[r];

	return k->world != NULL && (j->plan->nhosts == 0 || !j->plan->host[k->host].outside);
}
