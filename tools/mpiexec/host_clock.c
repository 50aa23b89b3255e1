// SPDX-License-Identifier: BSD-3-Clause
/* host_clock.c - see host_clock.h. */
#include "tools/mpiexec/host_clock.h"

#include <string.h>
#include "tools/mpiexec/remote_state.h"
#include "tools/mpiexec/util.h"

#define BURST    20
#define EVERY_MS 250

struct clock_answer {
	double at;     /* of the host's clock */
	double offset; /* of the host's clock to ours */
	double error;
};

struct host_clock {
	int n; /* answers */
	struct clock_answer first;
	struct clock_answer last[BURST]; /* a ring */
	uint64_t ask_ns;                 /* when to ask again; 0: never, or an answer is due */
};

static struct {
	struct host_clock *v;
	int n;
} clocks;

static struct host_clock *clock_of(int host)
{
	if (host >= clocks.n) {
		clocks.v = mem_grow(clocks.v, (size_t)host + 1, sizeof(*clocks.v));
		memset(clocks.v + clocks.n, 0, (size_t)(host + 1 - clocks.n) * sizeof(*clocks.v));
		clocks.n = host + 1;
	}
	return &clocks.v[host];
}

static void clock_ask(struct remote_ranks *f, int host)
{
	uint64_t now = clock_now_ns();
	struct proxy_frame fr = {.kind = FRAME_CLOCK, .len = sizeof(now), .host = host, .rank = -1};

	tree_down(&f->tree, &fr, &now);
	clock_of(host)->ask_ns = 0;
}

void host_clock_begin(struct remote_ranks *f, int host)
{
	if (clock_of(host)->n == 0)
		clock_ask(f, host);
}

void host_clock_work(struct remote_ranks *f, uint64_t now)
{
	for (int h = 0; h < clocks.n; h++)
		if (clocks.v[h].ask_ns != 0 && now >= clocks.v[h].ask_ns && !f->hosts[h].over)
			clock_ask(f, h);
}

void host_clock_answer(struct marshal *out, const void *question, uint32_t len)
{
	uint64_t then = 0;

	memcpy(&then, question, len < sizeof(then) ? len : sizeof(then));
	marshal_put_int(out, (int64_t)then);
	marshal_put_int(out, (int64_t)clock_now_ns());
}

void host_clock_take(struct remote_ranks *f, int host, struct marshal *p)
{
	double then = (double)marshal_take_int(p), there = (double)marshal_take_int(p);
	uint64_t now = clock_now_ns();
	struct host_clock *c = clock_of(host);
	struct clock_answer a = {there, there - (then + (double)now) / 2, ((double)now - then) / 2};

	if (p->bad || a.error < 0)
		return;
	if (c->n == 0 || (c->n < BURST && a.error < c->first.error))
		c->first = a;
	c->last[c->n++ % BURST] = a;
	if (c->n < BURST)
		clock_ask(f, host);
	else
		c->ask_ns = now + EVERY_MS * NS_PER_MS;
}

/* The best of the last answers. */
static const struct clock_answer *clock_last(const struct host_clock *c)
{
	const struct clock_answer *best = &c->last[0];

	for (int i = 1; i < BURST && i < c->n; i++)
		if (c->last[i].error < best->error)
			best = &c->last[i];
	return best;
}

double host_clock_offset(int host, double at_ns)
{
	const struct host_clock *c = host >= 0 && host < clocks.n ? &clocks.v[host] : NULL;
	const struct clock_answer *last;
	double apart;

	if (c == NULL || c->n == 0)
		return 0;
	last = clock_last(c);
	apart = last->at - c->first.at;
	if (apart <= 0)
		return c->first.offset;
	/* Over a short time the errors would be taken for a drift. */
	if (apart < 1e9)
		return last->error < c->first.error ? last->offset : c->first.offset;
	return c->first.offset + (last->offset - c->first.offset) * (at_ns - c->first.at) / apart;
}

double host_clock_error(void)
{
	double most = 0;

	for (int h = 0; h < clocks.n; h++) {
		const struct host_clock *c = &clocks.v[h];

		if (c->n == 0)
			continue;
		if (c->first.error > most)
			most = c->first.error;
		if (clock_last(c)->error > most)
			most = clock_last(c)->error;
	}
	return most;
}
