// SPDX-License-Identifier: BSD-3-Clause
/* allreduce.c - reductions whose results go to all: allreduce, reduce_scatter, scans.
 *
 *      recursive doubling   groups of 2^s neighboring ranks have a result, and exchange it with the
 *                           group beside: lower op higher, computed equally on both sides; of
 *                           radix 4: groups of 4^s, with the three beside
 *      ring                 long and commutative: part i is reduced on its way round the ring, then
 *                           goes round again
 *      pairwise             commutative: each rank collects its own block from all others
 *      nonoverlapping       reduce to rank 0, then scatter */
#include "libmpi/coll/algorithms.h"

/* --- allreduce ------------------------------------------------------------------------------ */

/* Temps that take turns: the result so far is in temp[own], the others are for operands. */
struct temps {
	void *temp[RADIX_MOST];
	int n, own;
};

static struct temps temps_new(struct sched *s, const struct coll_args *k, int radix)
{
	struct temps t = {.n = radix};

	for (int i = 0; i < radix; i++)
		t.temp[i] = coll_sched_elements(s, k->rtype, k->rcount);
	return t;
}

/* The first 2 * extra ranks form pairs (0,1) (2,3) .., so that a power of two is left.  The rank of
 * the v-th of these: */
static int doubling_rank(int v, int extra)
{
	return v < extra ? 2 * v + 1 : v + extra;
}

/* Exchanges with the members whose distances from v are bit, 2 bit ... and combines, in the order
 * of groups. */
static void doubling_exchange(struct sched *s, const struct coll_args *k, struct temps *t, int v,
	int bit, int groups, int extra)
{
	int mine = v / bit % groups, sum = groups - 1;
	void *in[RADIX_MOST];

	in[mine] = t->temp[t->own];
	for (int i = 1; i < groups; i++) {
		int peer = doubling_rank(v ^ i * bit, extra);

		in[mine ^ i] = t->temp[(t->own + i) % t->n];
		coll_sched_recv(s, in[mine ^ i], k->rcount, k->rtype, peer);
		coll_sched_send(s, in[mine], k->rcount, k->rtype, peer);
	}
	coll_sched_fence(s);
	for (int i = groups - 2; i >= 0; i--)
		coll_sched_reduce(s, in[i], in[sum], in[sum], k->rcount, k->rtype);
	while (t->temp[t->own] != in[sum])
		t->own = (t->own + 1) % t->n;
}

void coll_allreduce_doubling(struct sched *s, const struct coll_args *k, int radix)
{
	int pow2 = num_power_below(k->n), extra = k->n - pow2, v;
	struct temps t = temps_new(s, k, radix);

	if (k->me < 2 * extra && k->me % 2 == 0) {
		coll_sched_send(s, coll_operand(k), k->rcount, k->rtype, k->me + 1);
		coll_sched_fence(s);
		coll_sched_recv(s, k->rbuf, k->rcount, k->rtype, k->me + 1);
		return;
	}
	coll_sched_move(s, coll_operand(k), t.temp[0], k->rcount, k->rtype);
	if (k->me < 2 * extra) {
		coll_sched_recv(s, t.temp[1], k->rcount, k->rtype, k->me - 1);
		coll_sched_fence(s);
		coll_sched_reduce(s, t.temp[1], t.temp[0], t.temp[0], k->rcount, k->rtype);
	}
	v = k->me < 2 * extra ? k->me / 2 : k->me - extra;
	for (int bit = 1; bit < pow2; bit *= radix)
		doubling_exchange(s, k, &t, v, bit, (int)num_min(radix, pow2 / bit), extra);
	if (k->me < 2 * extra)
		coll_sched_send(s, t.temp[t.own], k->rcount, k->rtype, k->me - 1);
	coll_sched_move(s, t.temp[t.own], k->rbuf, k->rcount, k->rtype);
}

void coll_allreduce_recursive_doubling(struct sched *s, const struct coll_args *k)
{
	coll_allreduce_doubling(s, k, coll_radix(k, k->bytes));
}

/* For two members or more.  Results are in rbuf; the temp has room for one part. */
void coll_allreduce_ring(struct sched *s, const struct coll_args *k)
{
	int n = k->n, left = (k->me + n - 1) % n, right = (k->me + 1) % n;
	void *tmp = coll_sched_elements(s, k->rtype, k->rcount / n + 1);

	for (int i = 0; i < 2 * (n - 1); i++) {
		bool sums = i < n - 1;
		int out = (k->me + 2 * n - i) % n, in = (k->me + 2 * n - i - 1) % n;
		int64_t oat = coll_part_at(k->rcount, n, out),
			olen = coll_part_at(k->rcount, n, out + 1) - oat;
		int64_t iat = coll_part_at(k->rcount, n, in),
			ilen = coll_part_at(k->rcount, n, in + 1) - iat;
		void *mine = coll_element(k->rbuf, k->rtype, iat);
		const void *from = i == 0 ? coll_operand(k) : k->rbuf;

		coll_sched_recv(s, sums ? tmp : mine, ilen, k->rtype, left);
		coll_sched_send(s, coll_element(from, k->rtype, oat), olen, k->rtype, right);
		coll_sched_fence(s);
		if (sums)
			coll_sched_reduce(s, tmp, coll_element(coll_operand(k), k->rtype, iat),
				mine, ilen, k->rtype);
	}
}

/* --- reduce_scatter ------------------------------------------------------------------------- */

/* Exchanges blocks with the ranks of step i. */
static void pairwise_start(
	struct sched *s, const struct coll_args *k, void *in, int64_t count, int i, int64_t at)
{
	int to = (k->me + k->n - i) % k->n;

	coll_sched_recv(s, in, count, k->rtype, (k->me + i) % k->n);
	coll_sched_send(s, coll_element(coll_operand(k), k->rtype, at), coll_block_size(k, to),
		k->rtype, to);
}

/* Commutative: each rank collects its own block from all others, in the order of ranks behind it;
 * the next is under way while one is combined. */
void coll_reduce_scatter_pairwise(struct sched *s, const struct coll_args *k)
{
	int64_t count = coll_block_size(k, k->me), all = coll_block_from(k, k->n);
	void *acc = coll_sched_elements(s, k->rtype, count);
	void *in[2] = {
		coll_sched_elements(s, k->rtype, count), coll_sched_elements(s, k->rtype, count)};
	int64_t at = coll_block_from(k, k->me);
	const void *sum = coll_element(coll_operand(k), k->rtype, at);

	for (int i = 1; i <= k->n; i++) {
		void *out = i == k->n && !k->in_place ? k->rbuf : acc;

		coll_sched_fence(s);
		at = (at > 0 ? at : all) - coll_block_size(k, (k->me + k->n - i) % k->n);
		if (i < k->n)
			pairwise_start(s, k, in[i % 2], count, i, at);
		if (i == 1)
			continue;
		coll_sched_reduce(s, in[1 - i % 2], sum, out, count, k->rtype);
		sum = out;
	}
	coll_sched_move(s, sum, k->rbuf, count, k->rtype);
}

/* Reduces everything to rank 0 in order, then sends block i to rank i. */
void coll_reduce_scatter_nonoverlapping(struct sched *s, const struct coll_args *k)
{
	struct coll_args part = *k;
	int64_t all = coll_block_from(k, k->n), at = 0;
	void *mem = k->me == 0 ? coll_sched_elements(s, k->rtype, all) : NULL;

	part.root = 0;
	part.rcount = all;
	part.in_place = false;
	part.sbuf = coll_operand(k);
	part.rbuf = mem;
	coll_reduce_binomial(s, &part);
	coll_sched_fence(s);
	if (k->me != 0) {
		coll_sched_recv(s, k->rbuf, coll_block_size(k, k->me), k->rtype, 0);
		return;
	}
	for (int i = 1; i < k->n; i++) {
		at += coll_block_size(k, i - 1);
		coll_sched_send(
			s, coll_element(mem, k->rtype, at), coll_block_size(k, i), k->rtype, i);
	}
	coll_sched_move(s, mem, k->rbuf, coll_block_size(k, 0), k->rtype);
}

/* --- scans ---------------------------------------------------------------------------------- */

/* Step s: the group of radix^s ranks that ends here sends its result radix^s ranks on, and two and
 * three times as far.  `before' becomes the result of all ranks below this one, `own' with this
 * one.  Rank 0 of an exclusive scan has no result. */
void coll_scan_recursive_doubling(struct sched *s, const struct coll_args *k)
{
	int radix = coll_radix(k, k->bytes);
	struct temps t = temps_new(s, k, radix);
	void *own = t.temp[0], *before = coll_sched_elements(s, k->rtype, k->rcount), *sum;

	coll_sched_move(s, coll_operand(k), own, k->rcount, k->rtype);
	for (int bit = 1; bit < k->n; bit *= radix) {
		for (int i = 1; i < radix; i++) {
			if (k->me - i * bit >= 0)
				coll_sched_recv(s, t.temp[i], k->rcount, k->rtype, k->me - i * bit);
			if (k->me + i * bit < k->n)
				coll_sched_send(s, own, k->rcount, k->rtype, k->me + i * bit);
		}
		coll_sched_fence(s);
		sum = t.temp[1];
		for (int i = 2; i < radix && k->me - i * bit >= 0; i++)
			coll_sched_reduce(s, t.temp[i], sum, sum, k->rcount, k->rtype);
		if (k->me - bit < 0)
			continue;
		coll_sched_reduce(s, sum, own, own, k->rcount, k->rtype);
		if (bit == 1)
			coll_sched_move(s, sum, before, k->rcount, k->rtype);
		else
			coll_sched_reduce(s, sum, before, before, k->rcount, k->rtype);
	}
	if (k->kind == COLL_SCAN)
		coll_sched_move(s, own, k->rbuf, k->rcount, k->rtype);
	else if (k->me > 0)
		coll_sched_move(s, before, k->rbuf, k->rcount, k->rtype);
}
