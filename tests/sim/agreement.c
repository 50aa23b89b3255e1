// SPDX-License-Identifier: BSD-3-Clause
// RUN time=120
/* agreement.c - an agreement among members of which some die, in a simulated network.
 *
 *     agreement [SEEDS [FIRST]]      so many runs; each is a function of its seed alone
 *
 * A run has up to 12 members.  Each begins at a time of its own.  Some die: at any time, also
 * between two messages that they send at once.  Messages of a pair stay in order and take any time.
 * Every living member learns of a death at a time of its own, after the last messages of the dead.
 * As over a broken connection, some of these are lost.
 *
 * Asserted for all that live: each decides, all have the same decision, and it is the combination
 * of the members that it covers, which include all that live. */
#include "libmpi/ft/era.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS 12
#define EVENTS  65536

enum event_kind { BEGIN, MESSAGE, DIE, HEAR };

struct event {
	enum event_kind kind;
	int at, from; /* member; MESSAGE: its sender, HEAR: the dead */
	uint64_t time, order;
	char msg[256];
	size_t len;
};

struct member {
	struct ft_era *e;
	bool dead;
	bool heard[MEMBERS]; /* has heard of that member's death */
	int sends_left;      /* it dies when it has sent so many more; -1: never so */
	int32_t flag;
	int call; /* seldom another one than the others' */
	int decided;
};

static struct member member[MEMBERS];
static struct event queue[EVENTS];
static int n, nevents;
static uint64_t now, order, last[MEMBERS][MEMBERS], state;

static uint64_t rnd(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dULL % below;
}

static struct event *event_add(enum event_kind kind, int at, int from, uint64_t time)
{
	struct event *v = &queue[nevents++];

	assert(nevents < EVENTS);
	v->kind = kind;
	v->at = at;
	v->from = from;
	v->time = time;
	v->order = order++;
	return v;
}

/* Removes the earliest event. */
static struct event event_take(void)
{
	int best = 0;
	struct event v;

	for (int i = 1; i < nevents; i++)
		if (queue[i].time < queue[best].time ||
			(queue[i].time == queue[best].time && queue[i].order < queue[best].order))
			best = i;
	v = queue[best];
	queue[best] = queue[--nevents];
	return v;
}

static bool earlier(const struct event *a, const struct event *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

/* A broken connection loses the last messages from the dead that have not come yet. */
static void connection_break(int at, int from)
{
	uint64_t keep = now + rnd(200);

	for (int i = 0; i < nevents; i++)
		if (queue[i].kind == MESSAGE && queue[i].at == at && queue[i].from == from &&
			queue[i].time > keep)
			queue[i--] = queue[--nevents];
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
		if (rnd(3) == 0)
			connection_break(i, m);
		event_add(HEAR, i, m, time > last[m][i] ? time : last[m][i]);
	}
}

static void send(void *arg, int to, const void *msg, size_t len)
{
	struct member *me = arg;
	int from = (int)(me - member);
	struct event *v;
	uint64_t time = now + 1 + rnd(rnd(4) == 0 ? 200 : 10);

	assert(to >= 0 && to < n && to != from && len <= sizeof(v->msg));
	if (me->dead)
		return; /* it has died between two messages */
	if (me->sends_left == 0) {
		die(from);
		return;
	}
	me->sends_left -= me->sends_left > 0;
	last[from][to] = time = time > last[from][to] ? time : last[from][to];
	v = event_add(MESSAGE, to, from, time);
	memcpy(v->msg, msg, len);
	v->len = len;
}

static uint64_t mint(void *arg)
{
	return (uint64_t)((struct member *)arg - member) << 32 | rnd(1u << 30);
}

static void decided(void *arg)
{
	((struct member *)arg)->decided++;
}

static const struct ft_era_ops ops = {send, mint, decided};

/* Messages that come before its begin stay in the queue until then. */
static void begin(int m)
{
	uint8_t sets[3][2] = {{0}};
	struct ft_part mine = {.flag = {member[m].flag, -1},
		.covered = sets[0],
		.failed = sets[1],
		.acked = sets[2]};

	for (int k = 0; k < FT_ERA_CALLS; k++)
		mine.first[k] = k == member[m].call ? m : INT32_MAX;
	for (int i = 0; i < n; i++)
		if (member[m].heard[i])
			ft_bit_set(sets[1], i);
	member[m].e = ft_era_new(n, m, &mine, &ops, &member[m]);
	assert(member[m].e != NULL);
}

/* The member has not begun: the message comes again, and later ones of the pair behind it. */
static void message_later(const struct event *v)
{
	struct event first = *v;

	first.time = now + 1;
	for (int i = 0; i < nevents; i++)
		if (queue[i].kind == MESSAGE && queue[i].at == v->at && queue[i].from == v->from &&
			earlier(&queue[i], &first))
			queue[i].time = first.time;
	queue[nevents++] = first;
}

static void message_come(const struct event *v)
{
	struct member *m = &member[v->at];

	if (m->heard[v->from])
		return;
	if (m->e == NULL)
		message_later(v);
	else
		assert(ft_era_got(m->e, v->from, v->msg, v->len));
}

static void event_do(const struct event *v)
{
	struct member *m = &member[v->at];

	if (m->dead)
		return;
	switch (v->kind) {
	case BEGIN: begin(v->at); break;
	case DIE: die(v->at); break;
	case MESSAGE: message_come(v); break;
	case HEAR:
		m->heard[v->from] = true;
		if (m->e != NULL)
			ft_era_failed(m->e, v->from);
		break;
	}
}

static void run_check(uint64_t seed)
{
	const struct ft_part *d = NULL;
	int32_t flag = -1;

	for (int i = 0; i < n; i++) {
		const struct ft_part *mine;

		if (member[i].dead)
			continue;
		mine = ft_era_decision(member[i].e);
		if (mine == NULL || member[i].decided != 1) {
			fprintf(stderr, "seed %llu: member %d of %d has not decided\n",
				(unsigned long long)seed, i, n);
			abort();
		}
		d = d == NULL ? mine : d;
		if (d->id != mine->id || d->flag[0] != mine->flag[0] ||
			memcmp(d->failed, mine->failed, ft_bits_len(n)) != 0 ||
			memcmp(d->first, mine->first, sizeof(d->first)) != 0 ||
			!ft_bit(mine->covered, i)) {
			fprintf(stderr, "seed %llu: member %d of %d has another decision\n",
				(unsigned long long)seed, i, n);
			abort();
		}
	}
	for (int i = 0; i < n && d != NULL; i++) {
		assert(!ft_bit(d->failed, i) || member[i].dead);
		if (!ft_bit(d->covered, i))
			continue;
		flag &= member[i].flag;
		assert(d->first[member[i].call] <= i);
	}
	assert(d == NULL || flag == d->flag[0]);
}

static void run(uint64_t seed)
{
	int deaths;

	state = seed * 0x9e3779b97f4a7c15ULL + 1;
	memset(member, 0, sizeof(member));
	memset(last, 0, sizeof(last));
	now = order = 0;
	nevents = 0;
	n = 1 + (int)rnd(MEMBERS);
	deaths = (int)rnd((uint64_t)n);
	for (int i = 0; i < n; i++) {
		member[i].flag = ~(int32_t)(1u << rnd(31));
		member[i].sends_left = -1;
		member[i].call = rnd(30) == 0 ? (int)rnd(FT_ERA_CALLS) : 1;
		event_add(BEGIN, i, 0, rnd(200));
	}
	for (int i = 0; i < deaths; i++) {
		int m = rnd(2) == 0 ? i : (int)rnd((uint64_t)n); /* the first are the roots */

		if (m == n - 1)
			continue; /* one lives */
		if (rnd(2) == 0)
			member[m].sends_left = (int)rnd(6);
		else
			event_add(DIE, m, 0, rnd(500));
	}
	while (nevents > 0) {
		struct event v = event_take();

		now = v.time;
		event_do(&v);
	}
	run_check(seed);
	for (int i = 0; i < n; i++)
		ft_era_free(member[i].e);
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 5000;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

	for (uint64_t s = first; s < first + seeds; s++)
		run(s);
	printf("%llu agreements, all agreed\n", (unsigned long long)seeds);
	return 0;
}
