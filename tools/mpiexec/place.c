// SPDX-License-Identifier: BSD-3-Clause
/* place.c - which rank runs on which host.
 *
 *   slots 2, 2           0 1 | 2 3        then 4 5 | 6 7: once all are full, it begins again
 *   -rr                  0 2 | 1 3        one to each host that still has a slot
 *   -ppn 1               0   | 1          so many to each host, whatever its slots
 *
 * Hosts that get no rank are forgotten: nothing is started there. */
#include <stdlib.h>
#include <string.h>
#include "tools/mpiexec/plan.h"

/* Goes from host to host.  `left' are the ranks that a host still takes in this lap. */
struct walk {
	int at;
	int *left;
};

static void lap_begin(const struct plan *p, struct walk *w)
{
	for (int i = 0; i < p->nhosts; i++)
		w->left[i] = p->ppn > 0 ? p->ppn : p->host[i].slots;
	w->at = 0;
}

/* The host of the next rank. */
static int walk_next(const struct plan *p, struct walk *w)
{
	int tries = 0;
	int host;

	while (tries < p->nhosts && w->left[w->at] == 0) {
		w->at = (w->at + 1) % p->nhosts;
		tries++;
	}
	if (tries == p->nhosts)
		lap_begin(p, w);
	host = w->at;
	w->left[host]--;
	if (p->map == MAP_NODE)
		w->at = (w->at + 1) % p->nhosts;
	return host;
}

/* Numbers those hosts anew that have ranks. */
static void empty_drop(struct plan *p)
{
	int *new = grow(NULL, (size_t)p->nhosts, sizeof *new);
	int n = 0;

	for (int i = 0; i < p->nhosts; i++)
		new[i] = -1;
	for (int r = 0; r < p->nranks; r++)
		new[p->host_of[r]] = 0;
	for (int i = 0; i < p->nhosts; i++) {
		if (new[i] < 0)
			continue;
		p->host[n] = p->host[i];
		new[i] = n++;
	}
	for (int r = 0; r < p->nranks; r++)
		p->host_of[r] = new[p->host_of[r]];
	p->nhosts = n;
	free(new);
}

/* This machine comes first, as only the root can do without a launcher. */
static void order_make(struct plan *p)
{
	int n = 0;

	p->order = grow(NULL, (size_t)p->nhosts, sizeof *p->order);
	for (int i = 0; i < p->nhosts; i++)
		if (p->host[i].local)
			p->order[n++] = i;
	for (int i = 0; i < p->nhosts; i++)
		if (!p->host[i].local)
			p->order[n++] = i;
}

void place_ranks(struct plan *p)
{
	struct walk w;

	p->host_of = grow(NULL, (size_t)p->nranks, sizeof *p->host_of);
	memset(p->host_of, 0, (size_t)p->nranks * sizeof *p->host_of);
	if (p->nhosts == 0)
		return;
	w.left = grow(NULL, (size_t)p->nhosts, sizeof *w.left);
	lap_begin(p, &w);
	for (int r = 0; r < p->nranks; r++)
		p->host_of[r] = walk_next(p, &w);
	free(w.left);
	empty_drop(p);
	if (p->nhosts == 1 && p->host[0].local)
		p->nhosts = 0;
	order_make(p);
}
