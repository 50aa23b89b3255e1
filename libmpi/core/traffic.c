// SPDX-License-Identifier: BSD-3-Clause
/* traffic.c - the counts of one communicator: made, counted, freed. */
#include "libmpi/core/traffic.h"

#include <stdatomic.h>
#include <stdlib.h>

static haft_traffic_fn *traffic_hook;

void haft_traffic_watch(haft_traffic_fn *hook)
{
	traffic_hook = hook;
	haft_world.hints |= haft_traffic_hints();
	haft_self.hints |= haft_traffic_hints();
}

uint8_t haft_traffic_hints(void)
{
	return traffic_hook != NULL ? COMM_METERED : 0;
}

struct comm_traffic *haft_traffic_open(struct comm *c)
{
	struct comm_traffic *t = c->traffic;
	int n = comm_peers(c)->size;

	if (t == NULL) {
		t = calloc(1, sizeof(*t) + (size_t)n * sizeof(t->peer[0]));
		if (t == NULL)
			return NULL;
		t->refs = 1;
		t->comm = c;
		t->n = n;
		c->traffic = t;
	}
	atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
	t->users++;
	c->hints |= COMM_METERED;
	return t;
}

/* Acquire and release: the last one sees all that the others did. */
static void traffic_unref(struct comm_traffic *t)
{
	if (atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) == 1)
		free(t);
}

void haft_traffic_close(struct comm_traffic *t)
{
	if (--t->users == 0 && t->comm != NULL && traffic_hook == NULL)
		t->comm->hints &= (uint8_t)~COMM_METERED;
	traffic_unref(t);
}

void haft_traffic_drop(struct comm *c)
{
	struct comm_traffic *t = c->traffic;

	t->comm = NULL;
	c->traffic = NULL;
	traffic_unref(t);
}

static struct comm_traffic_peer *traffic_peer(const struct comm *c, int rank)
{
	struct comm_traffic *t = c->traffic;

	return t != NULL && rank >= 0 && rank < t->n ? &t->peer[rank] : NULL;
}

void haft_traffic_sent(const struct comm *c, int rank, uint64_t bytes)
{
	struct comm_traffic_peer *p = traffic_peer(c, rank);

	if (p == NULL)
		return;
	p->sent_msgs++;
	p->sent_bytes += bytes;
}

void haft_traffic_received(const struct comm *c, uint64_t ctx, int rank, int tag, uint64_t bytes)
{
	struct comm_traffic_peer *p = traffic_peer(c, rank);

	if (traffic_hook != NULL)
		traffic_hook(c, ctx, rank, tag, bytes);
	if (p == NULL)
		return;
	p->received_msgs++;
	p->received_bytes += bytes;
}
