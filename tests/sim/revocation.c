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
 * them one after the other, and sends no more than that. */
#include "libmpi/ft/flood.h"
#include "tests/sim/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	bool knows;
	int hops; /* messages one after the other until it knew */
	int sent;
} member[MEMBERS_MAX];
static int n;
static bool steady; /* no member dies */

static bool gone(int i, const void *heard)
{
	return ((const bool *)heard)[i];
}

static void tell(int m, int64_t distance)
{
	int to = ft_flood_next(m, n, distance, gone, members_heard(m));
	int hops = member[m].hops + 1;

	if (to < 0)
		return;
	members_send(m, to, &hops, sizeof(hops));
	member[m].sent++;
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

static void revoke(int m)
{
	learn(m, 0);
}

static void message_come(int m, int from, const void *msg, size_t len)
{
	int hops;

	(void)from;
	(void)len;
	memcpy(&hops, msg, sizeof(hops));
	learn(m, hops);
}

static void death_heard(int m, int dead)
{
	(void)dead;
	if (member[m].knows)
		tell(m, 1);
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
	bool any = false;

	for (int i = 0; i < n; i++)
		any |= !members_dead(i) && member[i].knows;
	for (int i = 0; i < n; i++) {
		bool wrong = !members_dead(i) && member[i].knows != any;

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
	int deaths, revokers;

	memset(member, 0, sizeof(member));
	n = 1 + (int)members_rnd(MEMBERS_MAX);
	revokers = 1 + (members_rnd(3) == 0 ? (int)members_rnd(3) : 0);
	deaths = members_rnd(4) == 0 ? 0 : (int)members_rnd((uint64_t)n);
	steady = deaths == 0;
	members_reset(n, steady, &test);
	for (int i = 0; i < revokers; i++)
		members_act_at((int)members_rnd((uint64_t)n), members_rnd(200));
	for (int i = 0; i < deaths; i++) {
		int m = (int)members_rnd((uint64_t)n);

		if (members_rnd(2) == 0)
			members_die_after(m, (int)members_rnd(6));
		else
			members_die_at(m, members_rnd(500));
	}
	members_run();
	run_check(seed);
}

int main(int argc, char **argv)
{
	return members_main(argc, argv, run, "revocations, all that live have heard");
}
