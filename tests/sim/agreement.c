// SPDX-License-Identifier: BSD-3-Clause
// RUN time=120
/* agreement.c - an agreement among members of which some die, in a simulated network.
 *
 *     agreement [SEEDS [FIRST]]      so many runs; each is a function of its seed alone
 *
 * A run has up to 12 members (members.h).  Each begins at a time of its own.  Some die: at any
 * time, also between two messages that they send at once.
 *
 * Asserted for all that live: each decides, all have the same decision, and it is the combination
 * of the members that it covers, which include all that live.  A member that it does not cover is
 * one of the failed.  These are dead, and include those of which a member had heard that it covers,
 * when that contributed, or the root, when it decided.
 *
 * Without deaths each member but the root sends one message and gets one.  A message that makes no
 * sense is refused, and a death that is heard twice changes nothing. */
#include "libmpi/ft/era.h"
#include "tests/sim/members.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 12 /* members */

struct member {
	struct ft_era *e; /* NULL: it has not begun */
	int32_t flag[2];
	uint32_t floor;
	int call; /* seldom another one than the others' */
	uint8_t acked[2];
	uint8_t knew[2]; /* failed, as far as it knew when it first sent a message, or decided */
	bool sent;
	int decided;
};

static struct member member[MOST];
static int n, all_sent;

static void heard_set(int m, uint8_t *set)
{
	for (int i = 0; i < n; i++)
		if (members_heard(m)[i])
			ft_bit_set(set, i);
}

static void agreement_send(void *arg, int to, const void *msg, size_t len)
{
	struct member *m = arg;

	if (!m->sent)
		heard_set((int)(m - member), m->knew);
	m->sent = true;
	all_sent++;
	members_send((int)(m - member), to, msg, len);
}

static uint64_t agreement_mint(void *arg)
{
	struct member *m = arg;

	heard_set((int)(m - member), m->knew);
	return (uint64_t)(m - member + 1) << 32 | members_rnd(1u << 30);
}

static void decided(void *arg)
{
	((struct member *)arg)->decided++;
}

static const struct ft_era_ops ops = {agreement_send, agreement_mint, decided};

static void agreement_begin(int m)
{
	uint8_t sets[2][2] = {{0}};
	struct ft_part mine = {.flag = {member[m].flag[0], member[m].flag[1]},
		.floor = member[m].floor,
		.covered = sets[0],
		.failed = sets[1],
		.acked = member[m].acked};

	for (int k = 0; k < FT_ERA_CALLS; k++)
		mine.first[k] = k == member[m].call ? m : INT32_MAX;
	heard_set(m, sets[1]);
	member[m].e = ft_era_new(n, m, &mine, &ops, &member[m]);
	assert(member[m].e != NULL);
}

/* The message with one wrong value is refused, whatever it was. */
static void wrong_message_come(int m, int from, const void *msg, size_t len)
{
	uint8_t wrong[MEMBERS_MESSAGE];
	int32_t number = n + 1 + (int32_t)members_rnd(100);
	size_t sets = len - 3 * ft_bits_len(n);
	int before = all_sent;

	memcpy(wrong, msg, len);
	switch (members_rnd(7)) {
	case 0: wrong[0] = 0; break;
	case 1: memcpy(wrong + 4, &number, sizeof(number)); break;
	case 2: memcpy(wrong + 8, &number, sizeof(number)); break;
	case 3: memcpy(wrong + sets - sizeof(number), &number, sizeof(number)); break;
	case 4: ft_bit_set(wrong + sets + ft_bits_len(n), m); break; /* this member has failed */
	case 5: from = n; break;
	default: len--;
	}
	assert(!ft_era_got(member[m].e, from, wrong, len));
	assert(all_sent == before);
}

static void message_come(int m, int from, const void *msg, size_t len)
{
	if (members_rnd(8) == 0)
		wrong_message_come(m, from, msg, len);
	assert(ft_era_got(member[m].e, from, msg, len));
}

static void death_heard(int m, int dead)
{
	int before;

	if (member[m].e == NULL)
		return;
	ft_era_failed(member[m].e, dead);
	before = all_sent;
	ft_era_failed(member[m].e, dead);
	ft_era_failed(member[m].e, m); /* it lives */
	assert(all_sent == before);
}

static const struct members_test test = {agreement_begin, message_come, death_heard};

/* Is it the combination of those that it covers? */
static void decision_check(const struct ft_part *d)
{
	struct ft_part all = {.flag = {-1, -1}, .floor = UINT32_MAX};
	int root = (int)(d->id >> 32) - 1;

	assert(root >= 0);
	for (int i = 0; i < n; i++) {
		assert(ft_bit(d->failed, i) ? members_dead(i) : ft_bit(d->covered, i));
		assert(!ft_bit(member[root].knew, i) || ft_bit(d->failed, i));
		if (!ft_bit(d->covered, i))
			continue;
		for (int k = 0; k < 2; k++) {
			all.flag[k] &= member[i].flag[k];
			assert((d->acked[k] & ~member[i].acked[k]) == 0);
			assert((member[i].knew[k] & ~d->failed[k]) == 0);
		}
		all.floor = member[i].floor < all.floor ? member[i].floor : all.floor;
		assert(d->first[member[i].call] <= i);
	}
	assert(all.flag[0] == d->flag[0] && all.flag[1] == d->flag[1] && all.floor == d->floor);
}

static void run_check(uint64_t seed, int deaths)
{
	const struct ft_part *d = NULL;

	for (int i = 0; i < n; i++) {
		const struct ft_part *mine;

		if (members_dead(i))
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
			memcmp(d->acked, mine->acked, ft_bits_len(n)) != 0 ||
			memcmp(d->first, mine->first, sizeof(d->first)) != 0 ||
			!ft_bit(mine->covered, i)) {
			fprintf(stderr, "seed %llu: member %d of %d has another decision\n",
				(unsigned long long)seed, i, n);
			abort();
		}
	}
	if (d != NULL)
		decision_check(d);
	assert(deaths > 0 || all_sent == 2 * (n - 1));
}

static void agreement_run(uint64_t seed)
{
	int deaths;

	memset(member, 0, sizeof(member));
	all_sent = 0;
	n = 1 + (int)members_rnd(MOST);
	members_reset(n, false, &test);
	deaths = (int)members_rnd((uint64_t)n);
	for (int i = 0; i < n; i++) {
		uint64_t time = members_rnd(200);

		for (int k = 0; k < 2; k++) {
			member[i].flag[k] = ~(int32_t)(1u << members_rnd(31));
			member[i].acked[k] = (uint8_t)members_rnd(256);
		}
		member[i].floor = (uint32_t)members_rnd(1000);
		member[i].call = members_rnd(30) == 0 ? (int)members_rnd(FT_ERA_CALLS) : 1;
		members_closed_until(i, time);
		members_act_at(i, time);
	}
	for (int i = 0; i < deaths; i++) {
		/* the first are the roots */
		int m = members_rnd(2) == 0 ? i : (int)members_rnd((uint64_t)n);

		if (m == n - 1)
			continue; /* one lives */
		members_die_some_time(m);
	}
	members_run();
	run_check(seed, deaths);
	for (int i = 0; i < n; i++)
		ft_era_free(member[i].e);
}

int main(int argc, char **argv)
{
	return members_main(argc, argv, agreement_run, "agreements, all agreed");
}
