// SPDX-License-Identifier: BSD-3-Clause
/* win_registry.c - the windows of this process by context id. */
#include "libmpi/rma/win.h"

#include "libmpi/core/comm_object.h"

#define BUCKETS 64 /* a process has few windows at a time */

static struct rma *buckets[BUCKETS];

static struct rma **registry_bucket(uint64_t ctx)
{
	return &buckets[ctx / CTX_PLANES % BUCKETS];
}

struct win *rma_registry_find(uint64_t ctx)
{
	struct rma *r = *registry_bucket(ctx);

	while (r != NULL && r->win->comm->ctx != ctx)
		r = r->next;
	return r != NULL ? r->win : NULL;
}

void rma_registry_add(struct win *w)
{
	struct rma **bucket = registry_bucket(w->comm->ctx);

	w->rma->next = *bucket;
	*bucket = w->rma;
	rma_broken_check(); /* a member may have failed meanwhile */
}

void rma_registry_remove(struct win *w)
{
	for (struct rma **p = registry_bucket(w->comm->ctx); *p != NULL; p = &(*p)->next) {
		if (*p == w->rma) {
			*p = w->rma->next;
			return;
		}
	}
}

void rma_registry_each(void (*fn)(struct win *w))
{
	for (int i = 0; i < BUCKETS; i++)
		for (struct rma *r = buckets[i], *next; r != NULL; r = next) {
			next = r->next;
			fn(r->win);
		}
}

bool rma_registry_all(bool (*check)(const struct win *w))
{
	for (int i = 0; i < BUCKETS; i++)
		for (const struct rma *r = buckets[i]; r != NULL; r = r->next)
			if (!check(r->win))
				return false;
	return true;
}
