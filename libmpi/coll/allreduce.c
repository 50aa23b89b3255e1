// SPDX-License-Identifier: BSD-3-Clause
/* allreduce.c - reductions whose results go to all: allreduce, reduce_scatter, scans.
 *
 *      recursive doubling   groups of 2^s neighboring ranks have a result, and exchange it with the
 *                           group beside: lower op higher, computed equally on both sides
 *      ring                 long and commutative: part i is reduced on its way round the ring, then
 *                           goes round again
 *      pairwise             commutative: each rank collects its own block from all others
 *      nonoverlapping       reduce to rank 0, then scatter */
#include "libmpi/coll/algorithms.h"

/* --- allreduce ------------------------------------------------------------------------------ */

/* Two temps that take turns: the result so far, and the incoming operand. */
struct pair {
	void *own, *in;
};

static void temp_pair_swap(struct pair *p)
{
	void *t = p->own;

	p->own = p->in;
	p->in = t;
}

static struct pair temp_pair_new(struct sched *s, const struct coll_args *k)
{
	return (struct pair){coll_sched_elements(s, k->rtype, k->rcount),
		coll_sched_elements(s, k->rtype, k->rcount)};
}

/* Exchanges with a partner and combines, the lower rank's operand first.  The result is in p->own.
 */
static void doubling_exchange(
	struct sched *s, const struct coll_args *k, struct pair *p, int partner)
{
	coll_sched_recv(s, p->in, k->rcount, k->rtype, partner);
	coll_sched_send(s, p->own, k->rcount, k->rtype, partner);
	coll_sched_fence(s);
	if (partner < k->me) {
		coll_sched_reduce(s, p->in, p->own, p->own, k->rcount, k->rtype);
		return;
	}
	coll_sched_reduce(s, p->own, p->in, p->in, k->rcount, k->rtype);
	temp_pair_swap(p);
}

/* The first 2 * extra ranks form pairs (0,1) (2,3) .., so that a power of two is left.  The rank of
 * the v-th of these: */
static int doubling_rank(int v, int extra)
{
	return v < extra ? 2 * v + 1 : v + extra;
}

void coll_allreduce_recursive_doubling(struct sched *s, const struct coll_args *k)
{
	struct pair p = temp_pair_new(s, k);
	int pow2 = num_power_below(k->n), extra = k->n - pow2, v;

	if (k->me < 2 * extra && k->me % 2 == 0) {
		coll_sched_send(s, coll_operand(k), k->rcount, k->rtype, k->me + 1);
		coll_sched_fence(s);
		coll_sched_recv(s, k->rbuf, k->rcount, k->rtype, k->me + 1);
		return;
	}
	coll_sched_move(s, coll_operand(k), p.own, k->rcount, k->rtype);
	if (k->me < 2 * extra) {
		coll_sched_recv(s, p.in, k->rcount, k->rtype, k->me - 1);
		coll_sched_fence(s);
		coll_sched_reduce(s, p.in, p.own, p.own, k->rcount, k->rtype);
	}
	v = k->me < 2 * extra ? k->me / 2 : k->me - extra;
	for (int bit = 1; bit < pow2; bit <<= 1)
		doubling_exchange(s, k, &p, doubling_rank(v ^ bit, extra));
	if (k->me < 2 * extra)
		coll_sched_send(s, p.own, k->rcount, k->rtype, k->me - 1);
	coll_sched_move(s, p.own, k->rbuf, k->rcount, k->rtype);
}

/* In place in rbuf; the temp has room for one part. */
void coll_allreduce_ring(struct sched *s, const struct coll_args *k)
{
	int n = k->n, left = (k->me + n - 1) % n, right = (k->me + 1) % n;
	void *tmp = coll_sched_elements(s, k->rtype, k->rcount / n + 1);

	coll_sched_move(s, coll_operand(k), k->rbuf, k->rcount, k->rtype);
	for (int i = 0; i < 2 * (n - 1); i++) {
		bool sums = i < n - 1;
		int out = (k->me + 2 * n - i) % n, in = (k->me + 2 * n - i - 1) % n;
		int64_t oat = coll_part_at(k->rcount, n, out),
			olen = coll_part_at(k->rcount, n, out + 1) - oat;
		int64_t iat = coll_part_at(k->rcount, n, in),
			ilen = coll_part_at(k->rcount, n, in + 1) - iat;
		void *mine = coll_element(k->rbuf, k->rtype, iat);

		coll_sched_recv(s, sums ? tmp : mine, ilen, k->rtype, left);
		coll_sched_send(s, coll_element(k->rbuf, k->rtype, oat), olen, k->rtype, right);
		coll_sched_fence(s);
		if (sums)
			coll_sched_reduce(s, tmp, mine, mine, ilen, k->rtype);
	}
}

/* --- reduce_scatter ------------------------------------------------------------------------- */

/* Commutative: each rank collects its own block from all others, in the order of ranks behind it.
 */
void coll_reduce_scatter_pairwise(struct sched *s, const struct coll_args *k)
{
	int64_t count = coll_block_size(k, k->me), all = coll_block_from(k, k->n);
	void *acc = coll_sched_elements(s, k->rtype, count),
	     *in = coll_sched_elements(s, k->rtype, count);
	int64_t at = coll_block_from(k, k->me);

	coll_sched_move(s, coll_element(coll_operand(k), k->rtype, at), acc, count, k->rtype);
	for (int i = 1; i < k->n; i++) {
		int to = (k->me + k->n - i) % k->n, from = (k->me + i) % k->n;

		at = (at > 0 ? at : all) - coll_block_size(k, to);
		coll_sched_recv(s, in, count, k->rtype, from);
		coll_sched_send(s, coll_element(coll_operand(k), k->rtype, at),
			coll_block_size(k, to), k->rtype, to);
		coll_sched_fence(s);
		coll_sched_reduce(s, in, acc, acc, count, k->rtype);
	}
	coll_sched_move(s, acc, k->rbuf, count, k->rtype);
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

/* Step s: the group of 2^s ranks that ends here sends its result 2^s ranks on.  `before' becomes
 * the result of all ranks below this one, group.own that including this one.  Rank 0 of an
 * exclusive scan has no result. */
void coll_scan_recursive_doubling(struct sched *s, const struct coll_args *k)
{
	struct pair group = temp_pair_new(s, k);
	void *before = coll_sched_elements(s, k->rtype, k->rcount);

	coll_sched_move(s, coll_operand(k), group.own, k->rcount, k->rtype);
	for (int bit = 1; bit < k->n; bit <<= 1) {
		int to = k->me + bit, from = k->me - bit;

		if (from >= 0)
			coll_sched_recv(s, group.in, k->rcount, k->rtype, from);
		if (to < k->n)
			coll_sched_send(s, group.own, k->rcount, k->rtype, to);
		coll_sched_fence(s);
		if (from < 0)
			continue;
		coll_sched_reduce(s, group.in, group.own, group.own, k->rcount, k->rtype);
		if (bit == 1)
			coll_sched_move(s, group.in, before, k->rcount, k->rtype);
		else
			coll_sched_reduce(s, group.in, before, before, k->rcount, k->rtype);
	}
	if (k->kind == COLL_SCAN)
		coll_sched_move(s, group.own, k->rbuf, k->rcount, k->rtype);
	else if (k->me > 0)
		coll_sched_move(s, before, k->rbuf, k->rcount, k->rtype);
}
