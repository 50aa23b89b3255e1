// SPDX-License-Identifier: BSD-3-Clause
/* rank_map.c - maps ranks to hosts.
 *
 *   slots 2, 2           0 1 | 2 3        then 4 5 | 6 7: when all are full, the next lap begins
 *   -rr                  0 2 | 1 3        one to each host that has a free slot
 *   -ppn 1               0   | 1          ranks per host, instead of its slots
 *   max_slots=2          0 1 |            an upper limit over all laps
 *
 * Hosts without ranks stay at the end of the list, for processes that are spawned, as long as one
 * mpiexec can start them all itself. */
#include <stdlib.h>
#include <string.h>
#include "tools/mpiexec/job_plan.h"

/* Position of the mapping. */
struct rank_cursor {
	int at;
	int *left; /* [nhosts] ranks that this lap has still for it */
	int *room; /* [nhosts] likewise of all laps */
};

static void lap_begin(const struct plan *p, struct rank_cursor *w)
{
	for (int i = 0; i < p->nhosts; i++) {
		int n = p->ppn > 0 ? p->ppn : p->host[i].slots;

		w->left[i] = n < w->room[i] ? n : w->room[i];
	}
	w->at = 0;
}

static void cursor_begin(const struct plan *p, struct rank_cursor *w)
{
	int64_t sum = 0;

	w->left = mem_grow(NULL, (size_t)p->nhosts, sizeof(*w->left));
	w->room = mem_grow(NULL, (size_t)p->nhosts, sizeof(*w->room));
	for (int i = 0; i < p->nhosts; i++) {
		w->room[i] = p->host[i].max > 0 ? p->host[i].max : p->nranks;
		sum += w->room[i];
	}
	if (sum < p->nranks)
		fatal(EXIT_USAGE, "%d processes, and the max_slots of all hosts are %d", p->nranks,
			(int)sum);
	lap_begin(p, w);
}

/* The host of the next rank.  The caller has checked that one has room. */
static int cursor_next(const struct plan *p, struct rank_cursor *w)
{
	int tries = 0;
	int host;

	while (w->left[w->at] == 0) {
		w->at = (w->at + 1) % p->nhosts;
		if (++tries == p->nhosts)
			lap_begin(p, w);
	}
	host = w->at;
	w->left[host]--;
	w->room[host]--;
	if (p->map == MAP_NODE)
		w->at = (w->at + 1) % p->nhosts;
	return host;
}

/* Moves hosts without ranks to the end of the list, and renumbers all. */
static void empty_last(struct plan *p)
{
	int *new = mem_grow(NULL, (size_t)p->nhosts, sizeof(*new)), n = 0;
	struct host *host = mem_grow(NULL, (size_t)p->nhosts, sizeof(*host));

	for (int i = 0; i < p->nhosts; i++)
		new[i] = -1;
	for (int r = 0; r < p->nranks; r++)
		new[p->host_of[r]] = 0;
	for (int i = 0; i < p->nhosts; i++) {
		if (new[i] < 0)
			continue;
		host[n] = p->host[i];
		new[i] = n++;
	}
	p->nused = n;
	for (int i = 0; i < p->nhosts; i++)
		if (new[i] < 0)
			host[n++] = p->host[i];
	for (int r = 0; r < p->nranks; r++)
		p->host_of[r] = new[p->host_of[r]];
	free(p->host);
	p->host = host;
	free(new);
}

/* Puts this machine first in the proxy tree: only the root can start it without a launcher. */
static void host_order_make(struct plan *p)
{
	int n = 0;

	p->order = mem_grow(NULL, (size_t)p->nhosts, sizeof(*p->order));
	for (int i = 0; i < p->nhosts; i++)
		if (p->host[i].local)
			p->order[n++] = i;
	for (int i = 0; i < p->nhosts; i++)
		if (!p->host[i].local)
			p->order[n++] = i;
}

void map_ranks(struct plan *p)
{
	struct rank_cursor w;

	p->host_of = mem_grow(NULL, (size_t)p->nranks, sizeof(*p->host_of));
	memset(p->host_of, 0, (size_t)p->nranks * sizeof(*p->host_of));
	if (p->nhosts == 0)
		return;
	cursor_begin(p, &w);
	for (int r = 0; r < p->nranks; r++)
		p->host_of[r] = cursor_next(p, &w);
	free(w.left);
	free(w.room);
	empty_last(p);
	if (p->nhosts > p->fanout)
		p->nhosts = p->nused;
	if (p->nused == 1 && p->host[0].local)
		plan_hosts_spare(p);
	host_order_make(p);
	p->ntree = p->nhosts;
}

void plan_hosts_spare(struct plan *p)
{
	for (int i = 0; i < p->nhosts && p->nhosts > 1; i++) {
		char *word = host_word(p->host[i].name, p->host[i].slots);
		char *more = text_new("%s%s%s", i > 0 ? p->spare : "", i > 0 ? "," : "", word);

		free(word);
		free(p->spare);
		p->spare = more;
	}
	p->nhosts = 0;
}

void plan_host_add(struct plan *p, const char *name, int slots)
{
	bool direct = p->launcher == LAUNCH_SSH || p->launcher == LAUNCH_RSH;
	size_t n = (size_t)p->nhosts + 1;

	p->host = mem_grow(p->host, n, sizeof(*p->host));
	p->order = mem_grow(p->order, n, sizeof(*p->order));
	p->order[p->nhosts] = p->nhosts;
	p->host[p->nhosts++] = (struct host){.name = text_new("%s", name),
		.slots = slots > 0 ? slots : 1,
		.local = direct && hosts_here(name)};
}
