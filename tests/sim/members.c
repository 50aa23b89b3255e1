// SPDX-License-Identifier: BSD-3-Clause
/* members.c - the simulated network of members.h: a heap of events. */
#include "tests/sim/members.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 65536

enum event_kind { ACT, MESSAGE, DIE, HEAR };

struct event {
	enum event_kind kind;
	int at, from; /* member; MESSAGE: its sender, HEAR: the dead */
	uint64_t time, order;
	char msg[MEMBERS_MESSAGE];
	size_t len;
};

struct member {
	bool dead;
	bool heard[MEMBERS_MAX];
	int sends_left; /* it dies when it has sent so many more; -1: never so */
	uint64_t opens; /* messages do not come before */
	struct sent {
		uint64_t most; /* that a slow message takes */
		uint64_t last; /* when the last message comes */
		uint64_t cut;  /* what would come later is lost */
	} to[MEMBERS_MAX];
};

static struct member member[MEMBERS_MAX];
static struct event pool[EVENTS];
static uint16_t queue[EVENTS]; /* a heap of nevents; indices of pool */
static uint16_t unused[EVENTS];
static int nmembers, nevents, nunused;
static bool steady_time;
static enum weather { FAIR, SLOW_PAIRS, SLOW_NEWS, TOGETHER, WEATHERS } weather;
static const struct members_test *test;
static uint64_t now, order, state;

uint64_t members_rnd(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dULL % below;
}

void members_seed(uint64_t seed)
{
	state = seed * 0x9e3779b97f4a7c15ULL + 1;
}

void members_reset(int n, bool steady, const struct members_test *t)
{
	assert(n <= MEMBERS_MAX && nevents == 0);
	for (; nunused < EVENTS; nunused++)
		unused[nunused] = (uint16_t)(EVENTS - 1 - nunused);
	memset(member, 0, sizeof(member));
	for (int i = 0; i < n; i++) {
		member[i].sends_left = -1;
		for (int k = 0; k < n; k++)
			member[i].to[k].cut = UINT64_MAX;
	}
	steady_time = steady;
	weather = steady ? FAIR : (enum weather)members_rnd(WEATHERS);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			member[i].to[k].most =
				weather == SLOW_PAIRS && members_rnd(4) == 0 ? 1000 : 200;
	nmembers = n;
	test = t;
	now = order = 0;
}

/* --- events --------------------------------------------------------------------------------- */

static bool earlier(uint16_t a, uint16_t b)
{
	const struct event *x = &pool[a], *y = &pool[b];

	return x->time < y->time || (x->time == y->time && x->order < y->order);
}

static struct event *event_add(enum event_kind kind, int at, int from, uint64_t time)
{
	uint16_t new = unused[--nunused];
	struct event *v = &pool[new];
	int i = nevents++;

	assert(nunused > 0 && at >= 0 && at < nmembers);
	v->kind = kind;
	v->at = at;
	v->from = from;
	v->time = time;
	v->order = order++;
	for (; i > 0 && earlier(new, queue[(i - 1) / 2]); i = (i - 1) / 2)
		queue[i] = queue[(i - 1) / 2];
	queue[i] = new;
	return v;
}

/* Removes the earliest event from the queue.  The caller gives it back to unused. */
static uint16_t event_take(void)
{
	uint16_t first = queue[0], moved = queue[--nevents];
	int i = 0;

	for (int k; (k = 2 * i + 1) < nevents; i = k) {
		k += k + 1 < nevents && earlier(queue[k + 1], queue[k]);
		if (!earlier(queue[k], moved))
			break;
		queue[i] = queue[k];
	}
	queue[i] = moved;
	return first;
}

/* --- members -------------------------------------------------------------------------------- */

/* Each other member learns of it after the last messages, or while some of these are lost. */
static void member_die(int m)
{
	if (member[m].dead)
		return;
	member[m].dead = true;
	for (int i = 0; i < nmembers; i++) {
		struct sent *s = &member[m].to[i];
		uint64_t time = now + members_rnd(weather == SLOW_NEWS ? 1500 : 300);

		if (i == m)
			continue;
		if (members_rnd(3) == 0)
			s->cut = now + members_rnd(200);
		else if (time < s->last)
			time = s->last;
		event_add(HEAR, i, m, time);
	}
}

void members_send(int from, int to, const void *msg, size_t len)
{
	struct member *me = &member[from];
	struct sent *s = &me->to[to];
	uint64_t takes = steady_time
				 ? MEMBERS_STEADY_TIME
				 : 1 + members_rnd(members_rnd(4) == 0 ? s->most : s->most / 20);
	struct event *v;

	assert(to >= 0 && to < nmembers && to != from && len <= MEMBERS_MESSAGE);
	if (me->dead)
		return; /* it has died between two messages */
	if (me->sends_left == 0) {
		member_die(from);
		return;
	}
	me->sends_left -= me->sends_left > 0;
	s->last = now + takes > s->last ? now + takes : s->last;
	s->last = member[to].opens > s->last ? member[to].opens : s->last;
	v = event_add(MESSAGE, to, from, s->last);
	memcpy(v->msg, msg, len);
	v->len = len;
}

static void event_do(const struct event *v)
{
	struct member *m = &member[v->at];

	if (m->dead)
		return;
	switch (v->kind) {
	case ACT: test->act(v->at); break;
	case DIE: member_die(v->at); break;
	case MESSAGE:
		if (!m->heard[v->from] && v->time <= member[v->from].to[v->at].cut)
			test->got(v->at, v->from, v->msg, v->len);
		break;
	case HEAR:
		m->heard[v->from] = true;
		test->heard(v->at, v->from);
		break;
	}
}

void members_act_at(int m, uint64_t time)
{
	event_add(ACT, m, 0, time);
}

void members_closed_until(int m, uint64_t time)
{
	member[m].opens = time;
}

void members_die_some_time(int m)
{
	if (members_rnd(2) == 0)
		member[m].sends_left = (int)members_rnd(6);
	else
		event_add(
			DIE, m, 0, weather == TOGETHER ? 200 + members_rnd(20) : members_rnd(500));
}

void members_run(void)
{
	while (nevents > 0) {
		uint16_t first = event_take();

		now = pool[first].time;
		event_do(&pool[first]);
		unused[nunused++] = first;
	}
}

bool members_dead(int m)
{
	return member[m].dead;
}

const bool *members_heard(int m)
{
	return member[m].heard;
}

int members_main(int argc, char **argv, void (*run)(uint64_t seed), const char *words)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 5000;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

	for (uint64_t s = first; s < first + seeds; s++) {
		members_seed(s);
		run(s);
	}
	printf("%llu %s\n", (unsigned long long)seeds, words);
	return 0;
}
