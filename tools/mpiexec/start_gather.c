// SPDX-License-Identifier: BSD-3-Clause
/* start_gather.c - see start_gather.h. */
#include "tools/mpiexec/start_gather.h"

#include <stdlib.h>
#include "tools/mpiexec/job_plan.h"

void start_gather_init(struct start_gather *g, const struct plan *p, int host, int node)
{
	*g = (struct start_gather){.nused = p->nused, .host = host, .want = host < p->nused};
	for (int k = node + 1; k <= p->ntree; k++) {
		int at = k;

		while (at > node)
			at = (at - 1) / p->fanout;
		g->want += at == node && p->order[k - 1] < p->nused;
	}
}

/* Sends the frames that are held: one as it is, more as an UP_GATHERED. */
static void gather_send(struct start_gather *g, link_take_fn *send, void *arg)
{
	struct proxy_frame f = {
		.len = (uint32_t)g->held.len, .kind = UP_GATHERED, .host = g->host, .rank = -1};

	if (g->nheld == 1)
		start_gather_each(&f, g->held.v, send, arg);
	else if (g->nheld > 1)
		send(arg, &f, g->held.v);
	free(g->held.v);
	g->held = (struct marshal){.len = 0};
	g->nheld = 0;
}

/* The frames of this step so far; NULL: it is not one of a start. */
static int *gather_step(struct start_gather *g, const struct proxy_frame *f)
{
	if (f->host >= g->nused || g->open)
		return NULL;
	return f->kind == UP_READY ? &g->ready : f->kind == UP_BEGUN ? &g->begun : NULL;
}

void start_gather_put(struct start_gather *g, const struct proxy_frame *f, const void *v,
	link_take_fn *send, void *arg)
{
	int *step = gather_step(g, f);

	if (step == NULL) {
		g->open = g->open || f->kind == UP_LOST || f->kind == UP_FAIL;
		gather_send(g, send, arg);
		send(arg, f, v);
		return;
	}
	marshal_put(&g->held, f, sizeof(*f));
	marshal_put(&g->held, v, f->len);
	g->nheld++;
	if (++*step >= g->want)
		gather_send(g, send, arg);
}

void start_gather_each(
	const struct proxy_frame *gathered, const char *v, link_take_fn *take, void *arg)
{
	struct marshal p = {.v = (char *)(uintptr_t)v, .len = gathered->len};
	struct proxy_frame f;

	while (p.at < p.len) {
		marshal_take(&p, &f, sizeof(f));
		if (p.bad || f.len > p.len - p.at || (f.kind != UP_READY && f.kind != UP_BEGUN))
			return;
		take(arg, &f, p.v + p.at);
		p.at += f.len;
	}
}
