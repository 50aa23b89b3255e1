// SPDX-License-Identifier: BSD-3-Clause
/* fold.c - plans of reductions whose results go to all: allreduce, reduce_scatter, scans.
 *
 *      doubling     groups of 2^s neighbours know their own result, then meet the group beside:
 *                   lower group's op higher group's, computed alike on both sides
 *      ring         long and commutative: part i is summed on its way round, then goes round again
 */
#include "libmpi/coll/coll.h"

/* --- allreduce ------------------------------------------------------------------------------ */

/* Two temps: the result so far, and what comes in.  They change places. */
struct pair {
	void *own, *in;
};

static void pair_swap(struct pair *p)
{
	void *t = p->own;

	p->own = p->in;
	p->in = t;
}

static struct pair pair_new(struct sched *s, const struct call *k)
{
	return (struct pair){
		sched_elems(s, k->rtype, k->rcount), sched_elems(s, k->rtype, k->rcount)};
}

/* Exchanges with a partner and combines, the lower rank's operand first.  Result in p->own. */
static void meet(struct sched *s, const struct call *k, struct pair *p, int partner)
{
	sched_recv(s, p->in, k->rcount, k->rtype, partner);
	sched_send(s, p->own, k->rcount, k->rtype, partner);
	sched_fence(s);
	if (partner < k->me) {
		sched_reduce(s, p->in, p->own, p->own, k->rcount, k->rtype);
		return;
	}
	sched_reduce(s, p->own, p->in, p->in, k->rcount, k->rtype);
	pair_swap(p);
}

/* The first 2 * extra ranks work in pairs (0,1) (2,3) ..., so that a power of two is left; rank `v'
 * of these is rank r: */
static int doubling_rank(int v, int extra)
{
	return v < extra ? 2 * v + 1 : v + extra;
}

static int power_below(int n)
{
	int pow2 = 1;

	while (2 * pow2 <= n)
		pow2 *= 2;
	return pow2;
}

void allreduce_doubling(struct sched *s, const struct call *k)
{
	struct pair p = pair_new(s, k);
	int pow2 = power_below(k->n), extra = k->n - pow2, v;

	if (k->me < 2 * extra && k->me % 2 == 0) {
		sched_send(s, operand(k), k->rcount, k->rtype, k->me + 1);
		sched_fence(s);
		sched_recv(s, k->rbuf, k->rcount, k->rtype, k->me + 1);
		return;
	}
	sched_move(s, operand(k), p.own, k->rcount, k->rtype);
	if (k->me < 2 * extra) {
		sched_recv(s, p.in, k->rcount, k->rtype, k->me - 1);
		sched_fence(s);
		sched_reduce(s, p.in, p.own, p.own, k->rcount, k->rtype);
	}
	v = k->me < 2 * extra ? k->me / 2 : k->me - extra;
	for (int bit = 1; bit < pow2; bit <<= 1)
		meet(s, k, &p, doubling_rank(v ^ bit, extra));
	if (k->me < 2 * extra)
		sched_send(s, p.own, k->rcount, k->rtype, k->me - 1);
	sched_move(s, p.own, k->rbuf, k->rcount, k->rtype);
}

/* In place in rbuf; the temp has room for one part. */
void allreduce_ring(struct sched *s, const struct call *k)
{
	int n = k->n, left = (k->me + n - 1) % n, right = (k->me + 1) % n;
	void *tmp = sched_elems(s, k->rtype, k->rcount / n + 1);

	sched_move(s, operand(k), k->rbuf, k->rcount, k->rtype);
	for (int i = 0; i < 2 * (n - 1); i++) {
		bool sums = i < n - 1;
		int out = (k->me + 2 * n - i) % n, in = (k->me + 2 * n - i - 1) % n;
		int64_t oat = part_at(k->rcount, n, out),
			olen = part_at(k->rcount, n, out + 1) - oat;
		int64_t iat = part_at(k->rcount, n, in), ilen = part_at(k->rcount, n, in + 1) - iat;
		void *mine = elem(k->rbuf, k->rtype, iat);

		sched_recv(s, sums ? tmp : mine, ilen, k->rtype, left);
		sched_send(s, elem(k->rbuf, k->rtype, oat), olen, k->rtype, right);
		sched_fence(s);
		if (sums)
			sched_reduce(s, tmp, mine, mine, ilen, k->rtype);
	}
}

/* --- reduce_scatter ------------------------------------------------------------------------- */

/* Commutative: each rank collects its own block from all others, in the order of ranks behind it.
 */
void scatter_pairwise(struct sched *s, const struct call *k)
{
	int64_t count = block_size(k, k->me), all = block_from(k, k->n);
	void *acc = sched_elems(s, k->rtype, count), *in = sched_elems(s, k->rtype, count);
	int64_t at = block_from(k, k->me);

	sched_move(s, elem(operand(k), k->rtype, at), acc, count, k->rtype);
	for (int i = 1; i < k->n; i++) {
		int to = (k->me + k->n - i) % k->n, from = (k->me + i) % k->n;

		at = (at > 0 ? at : all) - block_size(k, to);
		sched_recv(s, in, count, k->rtype, from);
		sched_send(s, elem(operand(k), k->rtype, at), block_size(k, to), k->rtype, to);
		sched_fence(s);
		sched_reduce(s, in, acc, acc, count, k->rtype);
	}
	sched_move(s, acc, k->rbuf, count, k->rtype);
}

/* All of it to rank 0 in order, then block i to rank i. */
void scatter_reduced(struct sched *s, const struct call *k)
{
	struct call part = *k;
	int64_t all = block_from(k, k->n), at = 0;
	void *mem = k->me == 0 ? sched_elems(s, k->rtype, all) : NULL;

	part.root = 0;
	part.rcount = all;
	part.in_place = false;
	part.sbuf = operand(k);
	part.rbuf = mem;
	reduce_binomial(s, &part);
	sched_fence(s);
	if (k->me != 0) {
		sched_recv(s, k->rbuf, block_size(k, k->me), k->rtype, 0);
		return;
	}
	for (int i = 1; i < k->n; i++) {
		at += block_size(k, i - 1);
		sched_send(s, elem(mem, k->rtype, at), block_size(k, i), k->rtype, i);
	}
	sched_move(s, mem, k->rbuf, block_size(k, 0), k->rtype);
}

/* --- scans ---------------------------------------------------------------------------------- */

/* Step s: the group of 2^s ranks that ends here sends its result 2^s ranks on.  `before' becomes
 * the result of all ranks below this one, group.own that of them and me.  The buffer of rank 0 in
 * an exclusive scan is left as it is: there is nothing below. */
void scan_doubling(struct sched *s, const struct call *k)
{
	struct pair group = pair_new(s, k);
	void *before = sched_elems(s, k->rtype, k->rcount);

	sched_move(s, operand(k), group.own, k->rcount, k->rtype);
	for (int bit = 1; bit < k->n; bit <<= 1) {
		int to = k->me + bit, from = k->me - bit;

		if (from >= 0)
			sched_recv(s, group.in, k->rcount, k->rtype, from);
		if (to < k->n)
			sched_send(s, group.own, k->rcount, k->rtype, to);
		sched_fence(s);
		if (from < 0)
			continue;
		sched_reduce(s, group.in, group.own, group.own, k->rcount, k->rtype);
		if (bit == 1)
			sched_move(s, group.in, before, k->rcount, k->rtype);
		else
			sched_reduce(s, group.in, before, before, k->rcount, k->rtype);
	}
	if (k->verb == VERB_SCAN)
		sched_move(s, group.own, k->rbuf, k->rcount, k->rtype);
	else if (k->me > 0)
		sched_move(s, before, k->rbuf, k->rcount, k->rtype);
}
