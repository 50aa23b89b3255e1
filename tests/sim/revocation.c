// SPDX-License-Identifier: BSD-3-Clause
// RUN time=120
/* revocation.c - a revocation among members of which some die, in a simulated network.
 *
 *     revocation [SEEDS [FIRST]]     so many runs; each is a function of its seed alone
 *
 * A run has up to 64 members (members.h).  One or a few revoke, each at a time of its own.  Some
 * die: at any time, also between two messages that they send at once.
 *
 * Asserted: if a member that lives knows of the revocation, all that live do.  In a run without
 * deaths all messages take as long: then each member learns of it after at most ceil(log2 n) of
 * them one after the other, and sends no more than that.  If one revokes, there are fewer than 2 n
 * messages. */
#include "libmpi/ft/flood.h"
#include "tests/sim/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	bool knows;
	int flooded; /* distances below 1 << flooded have been told */
	int hops;    /* messages one after the other until it knew */
	int sent;
} member[MEMBERS_MAX];
static int n;
static bool steady; /* no member dies */
static int revokers, all_sent;

static bool gone(int i, const void *heard)
{
	return ((const bool *)heard)[i];
}

/* A message: the distance from which it comes, and how many are one after the other with it. */
struct told {
	int step, hops;
};

static void tell(int m, int step, int hops)
{
	int to = ft_flood_next(m, n, INT64_C(1) << step, gone, members_heard(m));

	if (to < 0)
		return;
	members_send(m, to, &(struct told){step, hops}, sizeof(struct told));
	member[m].sent++;
	all_sent++;
}

static void learn(int m, struct told by)
{
	int from, to;

	if (!member[m].knows)
		member[m].hops = by.hops;
	member[m].knows = true;
	from = ft_flood_steps(n, by.step, member[m].flooded, &to);
	member[m].flooded = to;
	while (to-- > from)
		tell(m, to, by.hops + 1);
}

static void revoke(int m)
{
	learn(m, (struct told){FT_FLOOD_REVOKES, 0});
}

static void message_come(int m, int from, const void *msg, size_t len)
{
	struct told by;

	(void)from;
	(void)len;
	memcpy(&by, msg, sizeof(by));
	learn(m, by);
}

static void death_heard(int m, int dead)
{
	(void)dead;
	if (member[m].knows)
		tell(m, 0, member[m].hops + 1);
}

static const struct members_test test = {revoke, message_come, death_heard};

static int log2_up(int x)
{
	int k = 0;

	while (1 << k < x)
		k++;
	return k;
}

static void run_check(uint64_t seed)
{
	bool any = false, many = steady && revokers == 1 && all_sent >= 2 * n;

	for (int i = 0; i < n; i++)
		any |= !members_dead(i) && member[i].knows;
	for (int i = 0; i < n; i++) {
		bool wrong = many || (!members_dead(i) && member[i].knows != any);

		wrong |= steady && (member[i].hops > log2_up(n) || member[i].sent > log2_up(n));
		if (!wrong)
			continue;
		fprintf(stderr, "seed %llu: member %d of %d: knows %d, %d hops, %d sent\n",
			(unsigned long long)seed, i, n, member[i].knows, member[i].hops,
			member[i].sent);
		abort();
	}
}

static void run(uint64_t seed)
{
	int deaths;

	memset(member, 0, sizeof(member));
	all_sent = 0;
	n = 1 + (int)members_rnd(MEMBERS_MAX);
	revokers = 1 + (members_rnd(3) == 0 ? (int)members_rnd(3) : 0);
	deaths = members_rnd(4) == 0 ? 0 : (int)members_rnd((uint64_t)n);
	steady = deaths == 0;
	members_reset(n, steady, &test);
	for (int i = 0; i < revokers; i++)
		members_act_at((int)members_rnd((uint64_t)n), members_rnd(200));
	for (int i = 0; i < deaths; i++)
		members_die_some_time((int)members_rnd((uint64_t)n));
	members_run();
	run_check(seed);
}

int main(int argc, char **argv)
{
	return members_main(argc, argv, run, "revocations, all that live have heard");
}
