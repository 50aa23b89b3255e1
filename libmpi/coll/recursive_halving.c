// SPDX-License-Identifier: BSD-3-Clause
/* recursive_halving.c - recursive halving (Rabenseifner), for long operands.
 *
 *      not a power of two: 0>1 2>3 | 4 ...    the first of each pair gives its operand, then waits
 *
 *      0: |aaaaaaaa|  ──>  |aaaa|       ──>  |aa|           each keeps a half and combines it with
 *      1: |bbbbbbbb|  <──       |bbbb|  ...      |bb|       the partner's; then back the same way
 *
 * The closest partner comes first, so the operands combined belong to neighboring groups of ranks,
 * in order.  Only reduce_scatter begins with the farthest, because its halves must end at their
 * ranks.  Each rank sends 2 * bytes in all, and combines bytes once. */
#include "libmpi/coll/algorithms.h"

#define LEVELS 31

/* Members that take part in all steps: v is 0 .. pow2 - 1. */
struct team {
	int pow2, extra, v; /* v < 0: this one gives its operand, and waits */
};

/* The ranges of elements at each level, each a half of the one before. */
struct halves {
	int64_t lo[LEVELS + 1], hi[LEVELS + 1];
	int level;
};

static int halving_rank(const struct team *t, int v)
{
	return v < t->extra ? 2 * v + 1 : v + t->extra;
}

static struct team halving_team(const struct coll_args *k, int rank)
{
	struct team t = {.pow2 = num_power_below(k->n)};

	t.extra = k->n - t.pow2;
	t.v = rank - t.extra;
	if (rank < 2 * t.extra)
		t.v = rank % 2 == 0 ? -1 : rank / 2;
	return t;
}

/* Elements [lo, hi) of the work. */
struct halving_range {
	int64_t lo, hi;
};

/* Where the result so far is: the operand at first, so that it need not be copied; then work. */
struct halving_memory {
	const void *from;
	void *work, *tmp;
};

/* Sends the partner's range, and combines the own one. */
static void halving_exchange(struct sched *s, const struct coll_args *k,
	const struct halving_memory *m, struct halving_range own, struct halving_range other,
	int partner)
{
	const void *mine = coll_element(m->from, k->rtype, own.lo);
	void *out = coll_element(m->work, k->rtype, own.lo);

	coll_sched_recv(s, m->tmp, own.hi - own.lo, k->rtype, partner);
	coll_sched_send(s, coll_element(m->from, k->rtype, other.lo), other.hi - other.lo, k->rtype,
		partner);
	coll_sched_fence(s);
	if (partner < k->me)
		coll_sched_reduce(s, m->tmp, mine, out, own.hi - own.lo, k->rtype);
	else
		coll_sched_reduce(s, mine, m->tmp, out, own.hi - own.lo, k->rtype);
}

/* The second of a pair takes the operand of the first. */
static void halving_take_pair(struct sched *s, const struct coll_args *k, const struct team *t,
	struct halving_memory *m, int64_t count)
{
	if (k->me >= 2 * t->extra)
		return;
	coll_sched_recv(s, m->tmp, count, k->rtype, k->me - 1);
	coll_sched_fence(s);
	coll_sched_reduce(s, m->tmp, m->from, m->work, count, k->rtype);
	m->from = m->work;
}

/* Reduce_scatter by halving: work has this member's share in the end, [lo, hi) of the last level.
 */
static void halving_reduce_scatter(struct sched *s, const struct coll_args *k, const struct team *t,
	struct halving_memory *m, struct halves *h)
{
	h->level = 0;
	h->lo[0] = 0;
	h->hi[0] = k->rcount;
	for (int bit = 1; bit < t->pow2; bit <<= 1) {
		int64_t lo = h->lo[h->level], hi = h->hi[h->level], mid = lo + (hi - lo) / 2;
		int partner = halving_rank(t, t->v ^ bit);
		struct halving_range low = {lo, mid}, high = {mid, hi};

		if (t->v & bit)
			halving_exchange(s, k, m, high, low, partner);
		else
			halving_exchange(s, k, m, low, high, partner);
		m->from = m->work;
		h->level++;
		h->lo[h->level] = t->v & bit ? mid : lo;
		h->hi[h->level] = t->v & bit ? hi : mid;
	}
}

/* The range that the partner has at this level. */
static void halving_sibling(const struct halves *h, int level, int64_t *lo, int64_t *hi)
{
	bool upper = h->lo[level] != h->lo[level - 1];

	if (h->lo[level - 1] == h->hi[level - 1])
		upper = false; /* an empty range */
	*lo = upper ? h->lo[level - 1] : h->hi[level];
	*hi = upper ? h->lo[level] : h->hi[level - 1];
}

void coll_allreduce_rabenseifner(struct sched *s, const struct coll_args *k)
{
	struct team t = halving_team(k, k->me);
	struct halving_memory m;
	struct halves h;
	void *tmp, *work = k->rbuf;

	if (t.v < 0) {
		coll_sched_send(s, coll_operand(k), k->rcount, k->rtype, k->me + 1);
		coll_sched_fence(s);
		coll_sched_recv(s, k->rbuf, k->rcount, k->rtype, k->me + 1);
		return;
	}
	tmp = coll_sched_elements(s, k->rtype, k->me < 2 * t.extra ? k->rcount : k->rcount / 2 + 1);
	m = (struct halving_memory){coll_operand(k), work, tmp};
	halving_take_pair(s, k, &t, &m, k->rcount);
	halving_reduce_scatter(s, k, &t, &m, &h);
	for (int bit = t.pow2 >> 1; bit > 0; bit >>= 1, h.level--) {
		int partner = halving_rank(&t, t.v ^ bit);
		int64_t lo, hi;

		halving_sibling(&h, h.level, &lo, &hi);
		coll_sched_recv(s, coll_element(work, k->rtype, lo), hi - lo, k->rtype, partner);
		coll_sched_send(s, coll_element(work, k->rtype, h.lo[h.level]),
			h.hi[h.level] - h.lo[h.level], k->rtype, partner);
		coll_sched_fence(s);
	}
	if (k->me < 2 * t.extra)
		coll_sched_send(s, work, k->rcount, k->rtype, k->me - 1);
}

/* Gathers the shares to the root.  A root without partner gets the result from the second of its
 * pair. */
void coll_reduce_rabenseifner(struct sched *s, const struct coll_args *k)
{
	struct team t = halving_team(k, k->me), r = halving_team(k, k->root);
	struct halving_memory m;
	struct halves h;
	void *tmp, *work = k->rbuf;

	if (t.v < 0) {
		coll_sched_send(s, coll_operand(k), k->rcount, k->rtype, k->me + 1);
		coll_sched_fence(s);
		if (k->me == k->root)
			coll_sched_recv(s, k->rbuf, k->rcount, k->rtype, k->me + 1);
		return;
	}
	if (r.v < 0)
		r.v = k->root / 2;
	tmp = coll_sched_elements(s, k->rtype, k->me < 2 * t.extra ? k->rcount : k->rcount / 2 + 1);
	if (k->me != k->root)
		work = coll_sched_elements(s, k->rtype, k->rcount);
	coll_sched_move(s, coll_operand(k), work, k->rcount, k->rtype);
	m = (struct halving_memory){work, work, tmp};
	halving_take_pair(s, k, &t, &m, k->rcount);
	halving_reduce_scatter(s, k, &t, &m, &h);
	for (int bit = t.pow2 >> 1; bit > 0; bit >>= 1, h.level--) {
		int partner = halving_rank(&t, t.v ^ bit);
		int64_t lo = h.lo[h.level], hi = h.hi[h.level];

		if ((t.v & bit) != (r.v & bit)) {
			coll_sched_send(
				s, coll_element(work, k->rtype, lo), hi - lo, k->rtype, partner);
			return;
		}
		halving_sibling(&h, h.level, &lo, &hi);
		coll_sched_recv(s, coll_element(work, k->rtype, lo), hi - lo, k->rtype, partner);
		coll_sched_fence(s);
	}
	if (k->me != k->root)
		coll_sched_send(s, work, k->rcount, k->rtype, k->root);
}

/* The first block of the range that v has in the end; v == pow2: the end of all blocks. */
static int64_t halving_first(const struct coll_args *k, const struct team *t, int v)
{
	return coll_block_from(k, v < t->extra ? 2 * v : v + t->extra);
}

/* Of the blocks of `left' members, among whom this one is, cut into groups: gives each group's to
 * its member like this one, and combines those of this one's, the neighbor's first. */
static void halving_give(struct sched *s, const struct coll_args *k, const struct team *t,
	void *work, int left, int groups)
{
	int part = left / groups, first = t->v - t->v % part;
	int64_t lo = halving_first(k, t, first), n = halving_first(k, t, first + part) - lo;
	void *mine = coll_element(work, k->rtype, lo);
	void *tmp = coll_sched_elements(s, k->rtype, (groups - 1) * n);

	for (int i = 1; i < groups; i++) {
		int partner = halving_rank(t, t->v ^ i * part), other = first ^ i * part;
		int64_t at = halving_first(k, t, other);

		coll_sched_recv(s, coll_element(tmp, k->rtype, (i - 1) * n), n, k->rtype, partner);
		coll_sched_send(s, coll_element(work, k->rtype, at),
			halving_first(k, t, other + part) - at, k->rtype, partner);
	}
	coll_sched_fence(s);
	for (int i = 1; i < groups; i++)
		coll_sched_reduce(
			s, coll_element(tmp, k->rtype, (i - 1) * n), mine, mine, n, k->rtype);
}

/* Commutative: each step gives away the blocks of others, the half or three quarters. */
void coll_reduce_scatter_recursive_halving(struct sched *s, const struct coll_args *k)
{
	struct team t = halving_team(k, k->me);
	int64_t all = coll_block_from(k, k->n), at = coll_block_from(k, k->me);
	int radix = coll_radix(k, k->bytes), groups;
	void *work;

	if (t.v < 0) {
		coll_sched_send(s, coll_operand(k), all, k->rtype, k->me + 1);
		coll_sched_fence(s);
		coll_sched_recv(s, k->rbuf, coll_block_size(k, k->me), k->rtype, k->me + 1);
		return;
	}
	work = coll_sched_elements(s, k->rtype, all);
	if (k->me < 2 * t.extra) {
		struct halving_memory m = {
			coll_operand(k), work, coll_sched_elements(s, k->rtype, all)};

		halving_take_pair(s, k, &t, &m, all);
	} else
		coll_sched_move(s, coll_operand(k), work, all, k->rtype);
	for (int left = t.pow2; left > 1; left /= groups) {
		groups = (int)num_min(radix, left);
		halving_give(s, k, &t, work, left, groups);
	}
	if (k->me < 2 * t.extra)
		coll_sched_send(s, coll_element(work, k->rtype, coll_block_from(k, k->me - 1)),
			coll_block_size(k, k->me - 1), k->rtype, k->me - 1);
	coll_sched_move(
		s, coll_element(work, k->rtype, at), k->rbuf, coll_block_size(k, k->me), k->rtype);
}
