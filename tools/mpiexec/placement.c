// SPDX-License-Identifier: BSD-3-Clause
/* placement.c - the hosts of spawned processes.
 *
 *   host    slots   used                    spawn of 4
 *   h1      4       3  (2 of world 0,       1: the free slot
 *                       1 of world 2)
 *   h2      2       0                       2: free slots
 *                                           1: all slots are used, so h1 again, unless
 *                                              -nooversubscribe
 *
 * A slot is used by a living process: those of dead processes and of worlds that have ended are
 * free again.  Without hosts the one host has its CPUs as slots, which count for -nooversubscribe
 * only.  The key `host' chooses among the hosts of the job. */
#include "tools/mpiexec/spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libshm/shm.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/remote_ranks.h"

/* One host, as the placement of one spawn sees it. */
struct host_room {
	int slots;
	int used;
	int room; /* processes that it may get in all; used included */
};

/* Looks at all hosts of the job.  Returns how many there are; *v is malloc'ed. */
static int hosts_look(const struct spawn *s, struct host_room **v)
{
	const struct plan *p = s->j->plan;
	int n = p->nhosts > 0 ? p->nhosts : 1;

	*v = mem_grow(NULL, (size_t)n, sizeof(**v));
	for (int h = 0; h < n; h++) {
		int slots = p->nhosts > 0 ? p->host[h].slots : p->slots > 0 ? p->slots : shm_cpus();
		int most = p->nhosts > 0 && p->host[h].max > 0 ? p->host[h].max : SHM_RANKS_MAX;

		if (s->j->remote != NULL && !remote_lives(s->j->remote, h))
			most = slots = 0;
		(*v)[h] = (struct host_room){.slots = slots, .room = p->full_refuse ? slots : most};
	}
	for (int r = 0; r < s->j->n; r++)
		if (s->j->rank[r].alive)
			(*v)[s->j->rank[r].host].used++;
	return n;
}

/* True if the host is in the list of a key: HOST[:N],...  *limit: N; 0: none. */
static bool host_listed(const char *list, const char *name, int *limit)
{
	*limit = 0;
	while (*list != '\0') {
		size_t len = strcspn(list, ","), n = strcspn(list, ":,");

		if ((n == strlen(name) && strncmp(list, name, n) == 0)) {
			*limit = list[n] == ':' ? atoi(list + n + 1) : 0;
			return true;
		}
		list += len + (list[len] == ',');
	}
	return false;
}

/* True if this machine is in the list. */
static bool list_here(const char *list)
{
	bool here = false;

	while (*list != '\0' && !here) {
		size_t len = strcspn(list, ",");
		char *name = text_new("%.*s", (int)strcspn(list, ":,"), list);

		here = *name != '\0' && hosts_here(name);
		free(name);
		list += len + (list[len] == ',');
	}
	return here;
}

/* True if part i may run on host h. */
static bool host_allowed(const struct spawn *s, int i, int h)
{
	const struct plan *p = s->j->plan;
	const char *list = s->app[i].hosts;
	int limit;

	if (list == NULL)
		return true;
	if (p->nhosts == 0)
		return list_here(list);
	return host_listed(list, p->host[h].name, &limit);
}

int spawn_room(const struct spawn *s, int i, int most)
{
	struct host_room *v;
	int n = hosts_look(s, &v);
	int64_t room = 0, before = 0;

	for (int h = 0; h < n; h++)
		if (host_allowed(s, i, h) && v[h].room > v[h].used)
			room += v[h].room - v[h].used;
	free(v);
	for (int k = 0; k < i; k++)
		before += s->app[k].app.n;
	room -= before;
	return room < 0 ? 0 : room < most ? (int)room : most;
}

/* The worlds that use a host: "2 by world 0, 1 by world 3". */
static char *users_text(const struct job *j, int h)
{
	char *text = text_new("%s", "");

	for (const struct world *w = j->world; w != NULL; w = w->next) {
		int n = 0;
		char *more;

		for (int r = 0; r < w->n; r++)
			n += w->entry[r] >= 0 && w->host_of[r] == h && j->rank[w->entry[r]].alive;
		if (n == 0)
			continue;
		more = text_new("%s%s%d by world %d", text, *text != '\0' ? ", " : "", n, w->id);
		free(text);
		text = more;
	}
	return text;
}

char *spawn_full(const struct spawn *s, int i, int most)
{
	const struct plan *p = s->j->plan;
	struct host_room *v;
	int n = hosts_look(s, &v);
	char *text = text_new(
		"no room for %d process%s of %s:", most, most > 1 ? "es" : "", s->q.part[i].name);

	for (int h = 0; h < n; h++) {
		char *users = users_text(s->j, h), *more;

		more = text_new("%s%s %s has %d slot%s, %d used%s%s%s%s", text, h > 0 ? ";" : "",
			p->nhosts > 0 ? p->host[h].name : "this host", v[h].slots,
			v[h].slots == 1 ? "" : "s", v[h].used, *users != '\0' ? " (" : "", users,
			*users != '\0' ? ")" : "",
			host_allowed(s, i, h) ? "" : ", and is not in the list of the key host");
		free(users);
		free(text);
		text = more;
	}
	free(v);
	return text;
}

/* The host for the next process of part i: one with a free slot, else the one that is least over
 * its slots.  `last': the host before, for one process to each host in turn. */
static int host_next(const struct spawn *s, int i, const struct host_room *v, int n, int last)
{
	int best = -1;

	for (int k = 0; k < n; k++) {
		int h = s->app[i].by_node ? (last + 1 + k) % n : k;
		int64_t over, least;

		if (!host_allowed(s, i, h) || v[h].used >= v[h].room)
			continue;
		if (v[h].used < v[h].slots)
			return h;
		/* laps over all hosts, each with its slots */
		over = v[h].used / v[h].slots;
		least = best >= 0 ? v[best].used / v[best].slots : INT32_MAX;
		best = over < least ? h : best;
	}
	return best >= 0 ? best : 0;
}

void spawn_place(struct spawn *s)
{
	struct host_room *v;
	int n = hosts_look(s, &v), entry = 0, last = n - 1, r = 0;

	for (int i = 0; i < s->w->napps; i++)
		for (int k = 0; k < s->w->app[i].n; k++, r++) {
			last = host_next(s, i, v, n, last);
			v[last].used++;
			s->w->host_of[r] = last;
			entry = job_entry_free(s->j, entry);
			s->w->entry[r] = entry++;
		}
	free(v);
}
