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
 * of the members that it covers, which include all that live. */
#include "libmpi/ft/era.h"
#include "tests/sim/members.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 12 /* members */

struct member {
	struct ft_era *e; /* NULL: it has not begun */
	int32_t flag;
	int call; /* seldom another one than the others' */
	int decided;
};

static struct member member[MOST];
static int n;

static void send(void *arg, int to, const void *msg, size_t len)
{
	members_send((int)((struct member *)arg - member), to, msg, len);
}

static uint64_t mint(void *arg)
{
	return (uint64_t)((struct member *)arg - member) << 32 | members_rnd(1u << 30);
}

static void decided(void *arg)
{
	((struct member *)arg)->decided++;
}

static const struct ft_era_ops ops = {send, mint, decided};

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
		if (members_heard(m)[i])
			ft_bit_set(sets[1], i);
	member[m].e = ft_era_new(n, m, &mine, &ops, &member[m]);
	assert(member[m].e != NULL);
}

static void message_come(int m, int from, const void *msg, size_t len)
{
	assert(ft_era_got(member[m].e, from, msg, len));
}

static void death_heard(int m, int dead)
{
	if (member[m].e != NULL)
		ft_era_failed(member[m].e, dead);
}

static const struct members_test test = {begin, message_come, death_heard};

static void run_check(uint64_t seed)
{
	const struct ft_part *d = NULL;
	int32_t flag = -1;

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
			memcmp(d->first, mine->first, sizeof(d->first)) != 0 ||
			!ft_bit(mine->covered, i)) {
			fprintf(stderr, "seed %llu: member %d of %d has another decision\n",
				(unsigned long long)seed, i, n);
			abort();
		}
	}
	for (int i = 0; i < n && d != NULL; i++) {
		assert(!ft_bit(d->failed, i) || members_dead(i));
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

	memset(member, 0, sizeof(member));
	n = 1 + (int)members_rnd(MOST);
	members_reset(n, false, &test);
	deaths = (int)members_rnd((uint64_t)n);
	for (int i = 0; i < n; i++) {
		uint64_t time = members_rnd(200);

		member[i].flag = ~(int32_t)(1u << members_rnd(31));
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
	run_check(seed);
	for (int i = 0; i < n; i++)
		ft_era_free(member[i].e);
}

int main(int argc, char **argv)
{
	return members_main(argc, argv, run, "agreements, all agreed");
}
