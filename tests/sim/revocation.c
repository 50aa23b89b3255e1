// SPDX-License-Identifier: BSD-3-Clause
// RUN time=120
/* revocation.c - a revocation among members of which some die, in a simulated network.
 *
 *     revocation [SEEDS [FIRST]]     so many runs; each is a function of its seed alone
 *
 * A run has up to 64 members.  One or a few revoke, each at a time of its own.  Some die: at any
 * time, also between two messages that they send at once.  Messages of a pair stay in order and
 * take any time.  Every living member learns of a death at a time of its own.  As over a broken
 * connection, some of the last messages of the dead are lost.
 *
 * Asserted: if a member that lives knows of the revocation, all that live do.  In a run without
 * deaths all messages take as long: then each member learns of it after at most ceil(log2 n) of
 * them one after the other, and sends no more than that. */
#include "libmpi/ft/flood.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS 64
#define EVENTS  65536

enum event_kind { REVOKE, MESSAGE, DIE, HEAR };

struct event {
	enum event_kind kind;
	int at, from; /* member; MESSAGE: its sender, HEAR: the dead */
	int hops;     /* MESSAGE: those before it, and itself */
	uint64_t time, order;
};

struct member {
	bool dead, knows;
	bool heard[MEMBERS]; /* has heard of that member's death */
	int sends_left;      /* it dies when it has sent so many more; -1: never so */
	int hops, sent;
};

static struct member member[MEMBERS];
static struct event queue[EVENTS];
static int n, nevents;
static bool steady; /* all messages take as long */
static uint64_t now, order, last[MEMBERS][MEMBERS], state;

static uint64_t rnd(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dULL % below;
}

static bool earlier(const struct event *a, const struct event *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void event_add(struct event v)
{
	int i = nevents++;

	assert(nevents <= EVENTS);
	v.order = order++;
	for (; i > 0 && earlier(&v, &queue[(i - 1) / 2]); i = (i - 1) / 2)
		queue[i] = queue[(i - 1) / 2];
	queue[i] = v;
}

/* Removes the earliest event: the queue is a heap. */
static struct event event_take(void)
{
	struct event first = queue[0], v = queue[--nevents];
	int i = 0;

	for (int k; (k = 2 * i + 1) < nevents; i = k) {
		k += k + 1 < nevents && earlier(&queue[k + 1], &queue[k]);
		if (!earlier(&queue[k], &v))
			break;
		queue[i] = queue[k];
	}
	queue[i] = v;
	return first;
}

static void die(int m)
{
	if (member[m].dead)
		return;
	member[m].dead = true;
	for (int i = 0; i < n; i++) {
		uint64_t time = now + rnd(300);

		if (i == m)
			continue;
		if (rnd(3) != 0 && time < last[m][i])
			time = last[m][i]; /* else its last messages are lost */
		event_add((struct event){.kind = HEAR, .at = i, .from = m, .time = time});
	}
}

static void send(int from, int to)
{
	struct member *me = &member[from];
	uint64_t time = now + (steady ? 10 : 1 + rnd(rnd(4) == 0 ? 200 : 10));

	assert(to >= 0 && to < n && to != from);
	if (me->dead)
		return; /* it has died between two messages */
	if (me->sends_left == 0) {
		die(from);
		return;
	}
	me->sends_left -= me->sends_left > 0;
	me->sent++;
	last[from][to] = time = time > last[from][to] ? time : last[from][to];
	event_add((struct event){
		.kind = MESSAGE, .at = to, .from = from, .hops = me->hops + 1, .time = time});
}

static bool gone(int i, const void *heard)
{
	return ((const bool *)heard)[i];
}

static void tell(int m, int64_t distance)
{
	int to = ft_flood_next(m, n, distance, gone, member[m].heard);

	if (to >= 0)
		send(m, to);
}

static void learn(int m, int hops)
{
	if (member[m].knows)
		return;
	member[m].knows = true;
	member[m].hops = hops;
	for (int64_t distance = 1; distance < n; distance *= 2)
		tell(m, distance);
}

static void event_do(const struct event *v)
{
	struct member *m = &member[v->at];

	if (m->dead)
		return;
	switch (v->kind) {
	case REVOKE: learn(v->at, 0); break;
	case DIE: die(v->at); break;
	case MESSAGE:
		if (!m->heard[v->from])
			learn(v->at, v->hops);
		break;
	case HEAR:
		m->heard[v->from] = true;
		if (m->knows)
			tell(v->at, 1);
		break;
	}
}

static int log2_up(int x)
{
	int k = 0;

	while (1 << k < x)
		k++;
	return k;
}

static void run_check(uint64_t seed)
{
	bool any = false;

	for (int i = 0; i < n; i++)
		any |= !member[i].dead && member[i].knows;
	for (int i = 0; i < n; i++) {
		const struct member *m = &member[i];

		if ((!m->dead && m->knows != any) ||
			(steady && (m->hops > log2_up(n) || m->sent > log2_up(n)))) {
			fprintf(stderr, "seed %llu: member %d of %d: knows %d, %d hops, %d sent\n",
				(unsigned long long)seed, i, n, m->knows, m->hops, m->sent);
			abort();
		}
	}
}

static void run(uint64_t seed)
{
	int deaths, revokers;

	state = seed * 0x9e3779b97f4a7c15ULL + 1;
	memset(member, 0, sizeof(member));
	memset(last, 0, sizeof(last));
	now = order = 0;
	nevents = 0;
	n = 1 + (int)rnd(MEMBERS);
	revokers = 1 + (rnd(3) == 0 ? (int)rnd(3) : 0);
	deaths = rnd(4) == 0 ? 0 : (int)rnd((uint64_t)n);
	steady = deaths == 0;
	for (int i = 0; i < n; i++)
		member[i].sends_left = -1;
	for (int i = 0; i < revokers; i++)
		event_add((struct event){
			.kind = REVOKE, .at = (int)rnd((uint64_t)n), .time = rnd(200)});
	for (int i = 0; i < deaths; i++) {
		int m = (int)rnd((uint64_t)n);

		if (rnd(2) == 0)
			member[m].sends_left = (int)rnd(6);
		else
			event_add((struct event){.kind = DIE, .at = m, .time = rnd(500)});
	}
	while (nevents > 0) {
		struct event v = event_take();

		now = v.time;
		event_do(&v);
	}
	run_check(seed);
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 5000;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

	for (uint64_t s = first; s < first + seeds; s++)
		run(s);
	printf("%llu revocations, all that live have heard\n", (unsigned long long)seeds);
	return 0;
}
