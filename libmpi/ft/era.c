// SPDX-License-Identifier: BSD-3-Clause
/* era.c - the state machine of one agreement: see era.h.
 *
 *      era_step, after each event:
 *         the lowest living member is another ──> a new ballot: contributions begin anew
 *         root:   decision at hand, or all living have contributed ──> DOWN to those below
 *         others: decision at hand, or all below have contributed  ──> UP to the one above
 *
 * Positions in the tree of ballot b are members minus b; that above p is (p - 1) / 2. */
#include "libmpi/ft/era.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum era_kind { ERA_UP = 1, ERA_DOWN };

/* A message; then the three sets of a part. */
struct era_msg {
	uint8_t kind;    /* enum era_kind */
	uint8_t decided; /* UP: the part is a decision */
	uint8_t pad[2];
	int32_t n, ballot;
	int32_t flag[2];
	uint32_t floor;
	uint64_t id;
	uint32_t pad2;
	int32_t first[FT_ERA_CALLS];
	uint8_t sets[]; /* right behind: the message's length counts on it */
};
static_assert(offsetof(struct era_msg, sets) == sizeof(struct era_msg), "no gap before the sets");

struct ft_era {
	const struct ft_era_ops *ops;
	void *arg;
	int n, me;
	int ballot;          /* its root: the lowest member that is not known to have failed */
	uint8_t *failed;     /* members known to have failed */
	struct ft_part mine; /* contribution */
	struct ft_part sum;  /* contributions of this ballot, of this member and those below */
	struct ft_part word; /* the decision */
	bool found;          /* word is a decision that an UP has brought */
	bool decided;        /* word is the decision, in ballot `since' */
	int since;
	int above;    /* the member to which UP was sent in this ballot; -1: none */
	bool down;    /* DOWN was sent in this ballot, and no member has failed since */
	uint8_t *msg; /* room for a message */
};

size_t ft_era_msg_len(int n)
{
	return sizeof(struct era_msg) + 3 * ft_bits_len(n);
}

/* --- parts ---------------------------------------------------------------------------------- */

static bool part_init(struct ft_part *p, int n)
{
	uint8_t *sets = calloc(3, ft_bits_len(n));

	p->covered = sets;
	p->failed = sets + ft_bits_len(n);
	p->acked = p->failed + ft_bits_len(n);
	return sets != NULL;
}

static void part_copy(struct ft_part *to, const struct ft_part *from, int n)
{
	uint8_t *sets = to->covered;

	*to = *from;
	to->covered = sets;
	to->failed = sets + ft_bits_len(n);
	to->acked = to->failed + ft_bits_len(n);
	memcpy(to->covered, from->covered, ft_bits_len(n));
	memcpy(to->failed, from->failed, ft_bits_len(n));
	memcpy(to->acked, from->acked, ft_bits_len(n));
}

/* But failed: era_learn has those. */
static void part_combine(struct ft_part *sum, const struct ft_part *p, int n)
{
	sum->flag[0] &= p->flag[0];
	sum->flag[1] &= p->flag[1];
	sum->floor = p->floor < sum->floor ? p->floor : sum->floor;
	for (int k = 0; k < FT_ERA_CALLS; k++)
		sum->first[k] = p->first[k] < sum->first[k] ? p->first[k] : sum->first[k];
	for (size_t i = 0; i < ft_bits_len(n); i++) {
		sum->covered[i] |= p->covered[i];
		sum->acked[i] &= p->acked[i];
	}
}

/* --- the tree ------------------------------------------------------------------------------- */

/* The living member above one that is not the root. */
static int era_above(const struct ft_era *e)
{
	int p = e->me - e->ballot;

	do
		p = (p - 1) / 2;
	while (p > 0 && ft_bit(e->failed, e->ballot + p));
	return e->ballot + p;
}

/* How many living members at position p and below have not contributed?  The first max of them. */
static int era_uncovered(const struct ft_era *e, int p, int *members, int max)
{
	int64_t low = p, high = p, m = e->n - e->ballot;
	int n = 0;

	for (; low < m; low = 2 * low + 1, high = 2 * high + 2)
		for (int64_t i = low; i <= high && i < m; i++) {
			int member = e->ballot + (int)i;

			if (ft_bit(e->sum.covered, member) || ft_bit(e->failed, member))
				continue;
			if (n < max)
				members[n] = member;
			n++;
		}
	return n;
}

static bool era_covered(const struct ft_era *e, int p)
{
	return era_uncovered(e, p, NULL, 0) == 0;
}

/* --- messages ------------------------------------------------------------------------------- */

static void era_send(struct ft_era *e, int to, enum era_kind kind, const struct ft_part *p,
	bool decided, int ballot)
{
	struct era_msg *m = (struct era_msg *)(void *)e->msg;
	size_t len = ft_bits_len(e->n);

	*m = (struct era_msg){.kind = (uint8_t)kind,
		.decided = decided,
		.n = e->n,
		.ballot = ballot,
		.flag = {p->flag[0], p->flag[1]},
		.floor = p->floor,
		.id = p->id};
	memcpy(m->first, p->first, sizeof(m->first));
	memcpy(m->sets, p->covered, len);
	memcpy(m->sets + len, p->failed, len);
	memcpy(m->sets + 2 * len, p->acked, len);
	e->ops->send(e->arg, to, m, ft_era_msg_len(e->n));
}

/* Sends the decision to the living members below position p, past those that have failed. */
static void era_send_down(struct ft_era *e, int p)
{
	int64_t m = e->n - e->ballot;

	for (int64_t c = 2 * (int64_t)p + 1; c <= 2 * (int64_t)p + 2 && c < m; c++) {
		int member = e->ballot + (int)c;

		if (ft_bit(e->failed, member))
			era_send_down(e, (int)c);
		else
			era_send(e, member, ERA_DOWN, &e->word, true, e->ballot);
	}
}

/* --- steps ---------------------------------------------------------------------------------- */

/* The decision in e->word holds in this ballot. */
static void era_decide(struct ft_era *e)
{
	bool first = !e->decided;

	e->decided = true;
	e->since = e->ballot;
	e->down = false;
	if (first)
		e->ops->decided(e->arg);
}

/* Sends the decision down, again if a member has failed since: those below it may lack it. */
static void era_pass_down(struct ft_era *e)
{
	if (!e->decided || e->since != e->ballot || e->down)
		return;
	e->down = true;
	era_send_down(e, e->me - e->ballot);
}

static void era_root(struct ft_era *e)
{
	if (e->decided || e->found) {
		if (!e->decided || e->since < e->ballot)
			era_decide(e);
		return;
	}
	if (!era_covered(e, 0))
		return;
	part_copy(&e->word, &e->sum, e->n);
	for (size_t i = 0; i < ft_bits_len(e->n); i++)
		e->word.failed[i] |= e->failed[i];
	e->word.id = e->ops->mint(e->arg);
	era_decide(e);
}

/* It sends UP once to each member above, as no decision comes from below after that: those below
 * have sent UP without one in this ballot, and get one from above alone. */
static void era_member(struct ft_era *e)
{
	bool known = e->decided || e->found;
	int above = era_above(e);

	if ((e->decided && e->since == e->ballot) || e->above == above ||
		(!known && !era_covered(e, e->me - e->ballot)))
		return;
	e->above = above;
	if (!known)
		for (size_t i = 0; i < ft_bits_len(e->n); i++)
			e->sum.failed[i] |= e->failed[i];
	era_send(e, above, ERA_UP, known ? &e->word : &e->sum, known, e->ballot);
}

static void era_ballot(struct ft_era *e)
{
	int root = 0;

	while (ft_bit(e->failed, root)) /* not this member */
		root++;
	if (root == e->ballot)
		return;
	e->ballot = root;
	part_copy(&e->sum, &e->mine, e->n);
	e->above = -1;
}

static void era_step(struct ft_era *e)
{
	era_ballot(e);
	if (e->me == e->ballot)
		era_root(e);
	else
		era_member(e);
	era_pass_down(e);
}

/* --- events --------------------------------------------------------------------------------- */

void ft_era_failed(struct ft_era *e, int member)
{
	if (member == e->me || ft_bit(e->failed, member))
		return;
	ft_bit_set(e->failed, member);
	e->down = false;
	era_step(e);
}

/* Takes over the failures that a message knows: no member before its root lives. */
static void era_learn(struct ft_era *e, const struct ft_part *p, int ballot)
{
	for (int i = 0; i < e->n; i++) {
		if (ft_bit(e->failed, i) || (i >= ballot && !ft_bit(p->failed, i)))
			continue;
		ft_bit_set(e->failed, i);
		e->down = false;
	}
	era_ballot(e);
}

static void era_got_up(
	struct ft_era *e, int from, const struct ft_part *p, bool decided, int ballot)
{
	if (e->decided && e->since == e->ballot) {
		era_send(e, from, ERA_DOWN, &e->word, true, e->since);
		return;
	}
	if (ballot != e->ballot)
		return; /* its sender will notice that the root has failed, and send again */
	if (decided && !e->decided) {
		part_copy(&e->word, p, e->n);
		e->found = true;
	}
	if (!decided)
		part_combine(&e->sum, p, e->n);
	era_step(e);
}

static void era_got_down(struct ft_era *e, const struct ft_part *p, int ballot)
{
	if (ballot != e->ballot || (e->decided && e->since == ballot))
		return;
	if (!e->decided)
		part_copy(&e->word, p, e->n);
	era_decide(e);
}

/* Does each of the first members exist? */
static bool era_first_valid(const struct ft_era *e, const struct era_msg *m)
{
	for (int k = 0; k < FT_ERA_CALLS; k++)
		if (m->first[k] < 0 || (m->first[k] >= e->n && m->first[k] != INT32_MAX))
			return false;
	return true;
}

bool ft_era_got(struct ft_era *e, int from, const void *msg, size_t len)
{
	const struct era_msg *m = msg;
	size_t set = ft_bits_len(e->n);
	struct ft_part p;

	if (len != ft_era_msg_len(e->n) || m->n != e->n || m->ballot < 0 || m->ballot > e->me ||
		from < 0 || from >= e->n || (m->kind != ERA_UP && m->kind != ERA_DOWN) ||
		!era_first_valid(e, m))
		return false;
	p = (struct ft_part){.flag = {m->flag[0], m->flag[1]},
		.floor = m->floor,
		.id = m->id,
		.covered = (uint8_t *)(uintptr_t)m->sets,
		.failed = (uint8_t *)(uintptr_t)m->sets + set,
		.acked = (uint8_t *)(uintptr_t)m->sets + 2 * set};
	memcpy(p.first, m->first, sizeof(p.first));
	if (ft_bit(p.failed, e->me))
		return false;
	era_learn(e, &p, m->ballot);
	if (m->kind == ERA_UP)
		era_got_up(e, from, &p, m->decided != 0, m->ballot);
	else
		era_got_down(e, &p, m->ballot);
	era_step(e);
	return true;
}

const struct ft_part *ft_era_decision(const struct ft_era *e)
{
	return e->decided ? &e->word : NULL;
}

int ft_era_missing(const struct ft_era *e, int *members, int max)
{
	if (e->decided)
		return 0;
	if (e->above < 0)
		return era_uncovered(e, e->me - e->ballot, members, max);
	if (max > 0)
		members[0] = e->above;
	return 1;
}

struct ft_era *ft_era_new(
	int n, int me, const struct ft_part *mine, const struct ft_era_ops *ops, void *arg)
{
	struct ft_era *e = calloc(1, sizeof(*e));

	if (e == NULL)
		return NULL;
	e->ops = ops;
	e->arg = arg;
	e->n = n;
	e->me = me;
	e->ballot = -1;
	e->failed = calloc(1, ft_bits_len(n));
	e->msg = calloc(1, ft_era_msg_len(n));
	if (!part_init(&e->mine, n) || !part_init(&e->sum, n) || !part_init(&e->word, n) ||
		e->failed == NULL || e->msg == NULL) {
		ft_era_free(e);
		return NULL;
	}
	part_copy(&e->mine, mine, n);
	memset(e->mine.covered, 0, ft_bits_len(n));
	ft_bit_set(e->mine.covered, me);
	memcpy(e->failed, mine->failed, ft_bits_len(n));
	era_step(e);
	return e;
}

void ft_era_free(struct ft_era *e)
{
	if (e == NULL)
		return;
	free(e->mine.covered);
	free(e->sum.covered);
	free(e->word.covered);
	free(e->failed);
	free(e->msg);
	free(e);
}
