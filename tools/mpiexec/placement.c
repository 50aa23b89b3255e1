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
 * only.  The key `host' chooses among the hosts of the job; HOST:N gives N processes to HOST in
 * turn, and `npernode' as many to each. */
#include "tools/mpiexec/spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmpi/boot/boot.h"
#include "libshm/shm.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/remote_ranks.h"

/* One host, as the placement of one spawn sees it. */
struct host_usage {
	int slots;
	int used;
	int seats; /* of the segment there; used included */
	int max;   /* processes that it may get in all; used included */
};

/* The seats of host h: those of its first ranks, and the spare ones. */
static int host_seats(const struct job *j, int h)
{
	const struct world *w = j->world;
	int first = 0;

	if (j->remote == NULL)
		return shm_seg_nseats(j->local.seg);
	for (int r = 0; r < w->n; r++)
		first += w->host_of[r] == h;
	/* a segment has a seat; without first ranks it is no process's */
	return first + boot_opts(first > 0 ? first : 1, j->plan->app[0].envp + 1).spare;
}

/* Looks at all hosts of the job.  Returns how many there are; *v is malloc'ed. */
static int hosts_survey(const struct spawn *s, struct host_usage **v)
{
	const struct plan *p = s->j->plan;
	int n = p->nhosts > 0 ? p->nhosts : 1;

	*v = mem_grow(NULL, (size_t)n, sizeof(**v));
	for (int h = 0; h < n; h++) {
		int slots = p->nhosts > 0 ? p->host[h].slots : p->slots > 0 ? p->slots : shm_cpus();
		int most = p->nhosts > 0 && p->host[h].max > 0 ? p->host[h].max : SHM_RANKS_MAX;

		int seats = host_seats(s->j, h);

		if (s->j->remote != NULL && !remote_lives(s->j->remote, h))
			most = slots = 0;
		most = p->full_refuse ? slots : most;
		(*v)[h] = (struct host_usage){
			.slots = slots, .seats = seats, .max = most < seats ? most : seats};
	}
	for (int r = 0; r < s->j->n; r++)
		if (s->j->rank[r].alive)
			(*v)[s->j->rank[r].host].used++;
	return n;
}

/* --- lists of hosts ------------------------------------------------------------------------- */

char *spawn_list_next(const char **list, int *limit)
{
	const char *slots;
	char *word, *name;
	size_t len;

	*list += strspn(*list, ",");
	if (**list == '\0')
		return NULL;
	len = strcspn(*list, ",");
	word = text_new("%.*s", (int)len, *list);
	name = host_word_cut(word, &slots);
	name = text_new("%s", name != NULL ? name : word);
	*limit = slots != NULL ? atoi(slots) : 0;
	free(word);
	*list += len;
	return name;
}

/* True if host h is in a settled list.  *limit: processes that it gets in turn; 0: its free
 * slots. */
static bool host_listed(const struct plan *p, const char *list, int h, int *limit)
{
	bool found = false;
	char *name;
	int n;

	*limit = 0;
	while ((name = spawn_list_next(&list, &n)) != NULL) {
		if (p->nhosts == 0 || strcmp(p->host[h].name, name) == 0) {
			found = true;
			*limit += n;
		}
		free(name);
	}
	return found;
}

/* True if part i may run on host h.  *limit: as of host_listed. */
static bool host_allowed(const struct spawn *s, int i, int h, int *limit)
{
	bool allowed = true;

	*limit = 0;
	if (s->app[i].hosts != NULL)
		allowed = host_listed(s->j->plan, s->app[i].hosts, h, limit);
	if (*limit == 0)
		*limit = s->app[i].ppn;
	return allowed;
}

/* The names of all hosts of the job; malloc'ed. */
static char *hosts_text(const struct plan *p)
{
	char *text = text_new("%s", p->nhosts > 0 ? "" : "this host");

	for (int h = 0; h < p->nhosts; h++) {
		char *more = text_new("%s%s%s", text, *text != '\0' ? ", " : "", p->host[h].name);

		if (p->host[h].outside) {
			free(more);
			continue;
		}

		free(text);
		text = more;
	}
	return text;
}

/* The host of the job that a user's name means; -1: none. */
static int host_meant(const struct plan *p, const char *name)
{
	for (int h = 0; h < p->nhosts; h++)
		if (!p->host[h].outside && strcmp(p->host[h].name, name) == 0)
			return h;
	for (int h = 0; h < p->nhosts; h++)
		if (p->host[h].local)
			return hosts_here(name) ? h : -1;
	return p->nhosts == 0 && hosts_here(name) ? 0 : -1;
}

/* Settles a list: its names become those of the job.  Returns NULL, or malloc'ed words. */
static char *list_settle(const struct plan *p, char **list)
{
	char *settled = text_new("%s", ""), *name, *why = NULL;
	const char *at = *list != NULL ? *list : "";
	int limit;

	while (why == NULL && (name = spawn_list_next(&at, &limit)) != NULL) {
		int h = host_meant(p, name);
		char *all = hosts_text(p), *more, *word;

		if (h < 0)
			why = text_new(
				"unknown host `%s': the hosts of this job are %s", name, all);
		word = host_word(h >= 0 && p->nhosts > 0 ? p->host[h].name : name, limit);
		more = text_new("%s,%s", settled, word);
		free(word);
		free(settled);
		free(name);
		free(all);
		settled = more;
	}
	if (*list == NULL || why != NULL) {
		free(settled);
		return why;
	}
	free(*list);
	*list = settled;
	return NULL;
}

char *spawn_hosts_settle(struct spawn *s, int i)
{
	char *why = list_settle(s->j->plan, &s->app[i].hosts);

	return why != NULL ? why : list_settle(s->j->plan, &s->app[i].more_hosts);
}

/* --- room ----------------------------------------------------------------------------------- */

int spawn_room(const struct spawn *s, int i, int most)
{
	struct host_usage *v;
	int n = hosts_survey(s, &v);
	int64_t room = 0, before = 0;
	int limit;

	for (int h = 0; h < n; h++)
		if (host_allowed(s, i, h, &limit) && v[h].max > v[h].used) {
			int more = v[h].max - v[h].used;

			room += s->j->plan->full_refuse && limit > 0 && limit < more ? limit : more;
		}
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

/* The words for one host: "h1 has 4 slots, 3 used (3 by world 0)"; malloc'ed. */
static char *host_full(const struct spawn *s, int h, const struct host_usage *v)
{
	const struct job *j = s->j;
	const char *name = j->plan->nhosts > 0 ? j->plan->host[h].name : "this host";
	const char *why = j->remote != NULL ? remote_why(j->remote, h) : NULL;
	char *users, *text, seats[64] = "";

	if (v->max == v->seats)
		snprintf(seats, sizeof(seats), ", and %d of %d seats free (HAFT_SEATS)",
			v->seats > v->used ? v->seats - v->used : 0, v->seats);
	if (why != NULL)
		return text_new("%s cannot be used: %s", name, why);
	users = users_text(j, h);
	text = text_new("%s has %d slot%s, %d used%s%s%s%s", name, v->slots,
		v->slots == 1 ? "" : "s", v->used, *users != '\0' ? " (" : "", users,
		*users != '\0' ? ")" : "", seats);
	free(users);
	return text;
}

char *spawn_full(const struct spawn *s, int i, int most)
{
	const struct plan *p = s->j->plan;
	struct host_usage *v;
	int n = hosts_survey(s, &v), limit;
	char *text = text_new(
		"no room for %d process%s of %s:", most, most > 1 ? "es" : "", s->q.part[i].name);

	for (int h = 0; h < n; h++) {
		char *host, *more;

		if (p->nhosts > 0 && p->host[h].outside)
			continue;
		host = host_full(s, h, &v[h]);
		more = text_new("%s%s %s%s", text, text[strlen(text) - 1] == ':' ? "" : ";", host,
			host_allowed(s, i, h, &limit) ? ""
						      : ", and is not in the list of the key host");
		free(host);
		free(text);
		text = more;
	}
	free(v);
	return text;
}

/* --- placement ------------------------------------------------------------------------------ */

/* The host for the next process of part i: one with a free slot, or with fewer processes of this
 * part than its limit; else the one that is least over that.  mine: processes of the part, by host.
 * `last': the host before, for one process to each host in turn. */
static int host_next(
	const struct spawn *s, int i, const struct host_usage *v, const int *mine, int n, int last)
{
	int best = -1, least = INT32_MAX;

	for (int k = 0; k < n; k++) {
		int h = s->app[i].by_node ? (last + 1 + k) % n : k, limit, laps;

		if (!host_allowed(s, i, h, &limit) || v[h].used >= v[h].max)
			continue;
		/* laps over all hosts, each with its slots or its limit */
		laps = limit > 0 ? mine[h] / limit : v[h].used / v[h].slots;
		if (laps == 0)
			return h;
		best = laps < least ? h : best;
		least = laps < least ? laps : least;
	}
	return best >= 0 ? best : 0;
}

void spawn_assign(struct spawn *s)
{
	struct host_usage *v;
	int n = hosts_survey(s, &v), entry = 0, last = n - 1, r = 0;
	int *mine = mem_grow(NULL, (size_t)n, sizeof(*mine));

	for (int i = 0; i < s->w->napps; i++) {
		memset(mine, 0, (size_t)n * sizeof(*mine));
		for (int k = 0; k < s->w->app[i].n; k++, r++) {
			last = host_next(s, i, v, mine, n, last);
			v[last].used++;
			mine[last]++;
			s->w->host_of[r] = last;
			entry = job_entry_free(s->j, entry);
			s->w->entry[r] = entry++;
		}
	}
	free(mine);
	free(v);
}
