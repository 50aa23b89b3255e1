// SPDX-License-Identifier: BSD-3-Clause
// RUN time=120
/* revocation.c - a revocation among members of which some die, in a simulated network.
 *
 *     revocation [SEEDS [FIRST]]     so many runs; each is a function of its seed alone
 *
 * A run has up to 64 members (members.h).  One or a few revoke, each at a time of its own.  Some
 * die: at any time, also between two messages that they send at once.  Some free the communicator:
 * they are absent if they do not know of the revocation then.
 *
 * Asserted: if a member that lives knows of the revocation, all that live and are present do.  In a
 * run without deaths and absent members all messages take as long: then each member learns of it
 * after at most ceil(log2 n) of them one after the other, and sends no more than that.  If one
 * revokes and none dies, there are fewer than 2 n messages, and n - 1 if n is a power of two; at
 * most n + n ceil(log2 n) with absent ones. */
#include "libmpi/ft/flood.h"
#include "tests/sim/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct member {
	bool knows;
	bool frees, freed; /* it will free the communicator; it has, before it knew */
	struct ft_flood flood;
	uint8_t absent[MEMBERS_MAX / 8];
	int hops; /* messages one after the other until it knew */
	int sent;
} member[MEMBERS_MAX];
static int n;
static bool none_dies;
static bool steady; /* and all are present */
static int revokers, all_sent;
static int hops; /* of the messages that are sent now */

/* A message: the distance from which it comes, and how many are one after the other with it.  Or
 * the answer of an absent member, then step is -1 - distance. */
struct told {
	int step, hops;
};

static bool revocation_gone(int i, void *me)
{
	return members_heard((int)((struct member *)me - member))[i];
}

static void revocation_tell(int to, int step, void *me)
{
	struct member *m = me;

	members_send((int)(m - member), to, &(struct told){step, hops + 1}, sizeof(struct told));
	m->sent++;
	all_sent++;
}

static void learn(int m, struct told by)
{
	hops = by.hops;
	if (!member[m].knows) {
		member[m].hops = hops;
		for (int i = 0; i < n; i++)
			member[m].flood.lossy |= members_heard(m)[i];
	}
	member[m].knows = true;
	ft_flood_told(&member[m].flood, by.step);
}

/* Its time has come: it revokes, or frees the communicator. */
static void revocation_act(int m)
{
	if (!member[m].frees)
		learn(m, (struct told){FT_FLOOD_REVOKES, 0});
	else if (!member[m].knows)
		member[m].freed = true;
}

static void message_come(int m, int from, const void *msg, size_t len)
{
	struct told by;

	(void)len;
	memcpy(&by, msg, sizeof(by));
	hops = by.hops;
	if (by.step < 0)
		ft_flood_absent(&member[m].flood, from, -1 - by.step);
	else if (member[m].freed)
		members_send(m, from, &(struct told){-1 - by.step, hops}, sizeof(by));
	else
		learn(m, by);
}

static void death_heard(int m, int dead)
{
	(void)dead;
	hops = member[m].hops;
	if (member[m].knows)
		ft_flood_lost(&member[m].flood);
}

static const struct members_test test = {revocation_act, message_come, death_heard};

static int log2_up(int x)
{
	int k = 0;

	while (1 << k < x)
		k++;
	return k;
}

static void run_check(uint64_t seed)
{
	bool any = false,
	     many = none_dies && revokers == 1 && all_sent >= (steady ? 2 : 1 + log2_up(n)) * n;

	many |= steady && revokers == 1 && 1 << log2_up(n) == n && all_sent >= n;
	for (int i = 0; i < n; i++)
		any |= !members_dead(i) && member[i].knows;
	for (int i = 0; i < n; i++) {
		bool wrong =
			many || (!members_dead(i) && member[i].knows != (any && !member[i].freed));

		wrong |= steady && (member[i].hops > log2_up(n) || member[i].sent > log2_up(n));
		if (!wrong)
			continue;
		fprintf(stderr, "seed %llu: member %d of %d: knows %d, %d hops, %d sent\n",
			(unsigned long long)seed, i, n, member[i].knows, member[i].hops,
			member[i].sent);
		abort();
	}
}

static void revocation_run(uint64_t seed)
{
	int deaths, frees;

	memset(member, 0, sizeof(member));
	all_sent = 0;
	n = 1 + (int)members_rnd(MEMBERS_MAX);
	revokers = 1 + (members_rnd(3) == 0 ? (int)members_rnd(3) : 0);
	deaths = members_rnd(4) == 0 ? 0 : (int)members_rnd((uint64_t)n);
	frees = members_rnd(2) == 0 ? 0 : (int)members_rnd((uint64_t)n + 1);
	none_dies = deaths == 0;
	steady = none_dies && frees == 0;
	members_reset(n, steady, &test);
	for (int i = 0; i < n; i++)
		member[i].flood = (struct ft_flood){.n = n,
			.me = i,
			.absent = member[i].absent,
			.gone = revocation_gone,
			.tell = revocation_tell,
			.arg = &member[i]};
	for (int i = 0; i < frees; i++)
		member[members_rnd((uint64_t)n)].frees = true;
	for (int i = 0; i < n; i++)
		if (member[i].frees)
			members_act_at(i, members_rnd(300));
	for (int i = 0; i < revokers; i++) {
		int m = (int)members_rnd((uint64_t)n);

		if (!member[m].frees) /* not after it has freed it */
			members_act_at(m, members_rnd(200));
	}
	for (int i = 0; i < deaths; i++)
		members_die_some_time((int)members_rnd((uint64_t)n));
	members_run();
	run_check(seed);
}

int main(int argc, char **argv)
{
	return members_main(argc, argv, revocation_run, "revocations, all that live have heard");
}
