// SPDX-License-Identifier: BSD-3-Clause
/* fold.c - by messages, reductions whose results go to all: allreduce, reduce_scatter, scans.
 *
 *      doubling     groups of 2^s neighbours know their own result, then meet the group beside:
 *                   lower group's op higher group's, computed alike on both sides
 *      ring         long and commutative: part i is summed on its way round, then goes round again
 */
#include "libmpi/coll/coll.h"
#include <stdlib.h>
#include <string.h>

#define RING_LONG MEAN_OR(64, 64 * 1024) /* bytes from which an allreduce goes round the ring */

/* --- allreduce
 * ------------------------------------------------------------------------------------ */

/* Two temps: the result so far, and what comes in.  They change places. */
struct pair {
	struct temp own, in;
};

static void pair_swap(struct pair *p)
{
	struct temp t = p->own;

	p->own = p->in;
	p->in = t;
}

/* Exchanges with a partner and combines, the lower rank's operand first.  Result in p->own. */
static int meet(const struct call *k, struct pair *p, int partner)
{
	int err = p2p_coll_sendrecv(k->comm, p->own.at, k->rcount, k->rtype, partner, p->in.at,
		k->rcount, k->rtype, partner, k->tag);

	if (err != 0)
		return err;
	if (partner < k->me) {
		op_apply(k->op, p->in.at, p->own.at, p->own.at, k->rcount, k->rtype);
		return 0;
	}
	op_apply(k->op, p->own.at, p->in.at, p->in.at, k->rcount, k->rtype);
	pair_swap(p);
	return 0;
}

/* The first 2 * extra ranks work in pairs (0,1) (2,3) ..., so that a power of two is left; rank `v'
 * of these is rank r: */
static int doubling_rank(int v, int extra)
{
	return v < extra ? 2 * v + 1 : v + extra;
}

static int allreduce_doubling(const struct call *k, struct pair *p)
{
	int pow2 = 1, extra, v, err = 0;

	while (2 * pow2 <= k->n)
		pow2 *= 2;
	extra = k->n - pow2;
	if (k->me < 2 * extra && k->me % 2 == 0) {
		err = p2p_coll_send(k->comm, p->own.at, k->rcount, k->rtype, k->me + 1, k->tag);
		if (err != 0)
			return err;
		return p2p_coll_recv(k->comm, p->own.at, k->rcount, k->rtype, k->me + 1, k->tag);
	}
	if (k->me < 2 * extra) {
		err = p2p_coll_recv(k->comm, p->in.at, k->rcount, k->rtype, k->me - 1, k->tag);
		if (err != 0)
			return err;
		op_apply(k->op, p->in.at, p->own.at, p->own.at, k->rcount, k->rtype);
	}
	v = k->me < 2 * extra ? k->me / 2 : k->me - extra;
	for (int bit = 1; bit < pow2 && err == 0; bit <<= 1)
		err = meet(k, p, doubling_rank(v ^ bit, extra));
	if (err == 0 && k->me < 2 * extra)
		err = p2p_coll_send(k->comm, p->own.at, k->rcount, k->rtype, k->me - 1, k->tag);
	return err;
}

/* Where part i of `count' elements begins. */
static int64_t part_at(int64_t count, int n, int i)
{
	return count / n * i + (count % n < i ? count % n : i);
}

/* In place in rbuf; tmp has room for one part. */
static int allreduce_ring(const struct call *k, struct temp *tmp)
{
	int n = k->n, left = (k->me + n - 1) % n, right = (k->me + 1) % n, err = 0;

	for (int s = 0; s < 2 * (n - 1) && err == 0; s++) {
		bool sums = s < n - 1;
		int out = (k->me + 2 * n - s) % n, in = (k->me + 2 * n - s - 1) % n;
		int64_t oat = part_at(k->rcount, n, out),
			olen = part_at(k->rcount, n, out + 1) - oat;
		int64_t iat = part_at(k->rcount, n, in), ilen = part_at(k->rcount, n, in + 1) - iat;
		void *mine = elem(k->rbuf, k->rtype, iat);

		err = p2p_coll_sendrecv(k->comm, elem(k->rbuf, k->rtype, oat), olen, k->rtype,
			right, sums ? tmp->at : mine, ilen, k->rtype, left, k->tag);
		if (err == 0 && sums)
			op_apply(k->op, tmp->at, mine, mine, ilen, k->rtype);
	}
	return err;
}

int msg_allreduce(const struct call *k)
{
	struct pair p = {{NULL, NULL}, {NULL, NULL}};
	bool ring = k->op->commute && k->op->loops != NULL && k->rcount >= k->n &&
		    k->rcount * k->rtype->size >= RING_LONG;
	int err;

	if (ring) {
		if (!k->in_place)
			type_move(k->rtype, k->sbuf, k->rbuf, k->rcount);
		err = temp_new(&p.in, k->rtype, k->rcount / k->n + 1);
		if (err == 0)
			err = allreduce_ring(k, &p.in);
		temp_free(&p.in);
		return err;
	}
	err = temp_new(&p.own, k->rtype, k->rcount);
	if (err == 0)
		err = temp_new(&p.in, k->rtype, k->rcount);
	if (err == 0) {
		type_move(k->rtype, operand(k), p.own.at, k->rcount);
		err = allreduce_doubling(k, &p);
	}
	if (err == 0)
		type_move(k->rtype, p.own.at, k->rbuf, k->rcount);
	temp_free(&p.own);
	temp_free(&p.in);
	return err;
}

/* --- reduce_scatter
 * ------------------------------------------------------------------------------- */

static int64_t block_count(const struct call *k, int i)
{
	return k->rcounts.v == NULL ? k->rcount : haft_count_at(k->rcounts, i);
}

/* Commutative: each rank collects its own block from all others, in the order of ranks behind it.
 */
static int scatter_direct(const struct call *k, const int64_t *at)
{
	int64_t count = block_count(k, k->me);
	struct temp acc, in = {NULL, NULL};
	int err = temp_new(&acc, k->rtype, count);

	if (err == 0)
		err = temp_new(&in, k->rtype, count);
	if (err == 0)
		type_move(k->rtype, elem(operand(k), k->rtype, at[k->me]), acc.at, count);
	for (int i = 1; i < k->n && err == 0; i++) {
		int to = (k->me + k->n - i) % k->n, from = (k->me + i) % k->n;

		err = p2p_coll_sendrecv(k->comm, elem(operand(k), k->rtype, at[to]),
			block_count(k, to), k->rtype, to, in.at, count, k->rtype, from, k->tag);
		if (err == 0)
			op_apply(k->op, in.at, acc.at, acc.at, count, k->rtype);
	}
	if (err == 0)
		type_move(k->rtype, acc.at, k->rbuf, count);
	temp_free(&acc);
	temp_free(&in);
	return err;
}

/* Not commutative: all of it to rank 0 in order, then block i to rank i. */
static int scatter_ordered(const struct call *k, const int64_t *at)
{
	struct temp all;
	struct call part = *k;
	int err = temp_new(&all, k->rtype, k->me == 0 ? at[k->n] : 0);

	if (err != 0)
		return err;
	part.root = 0;
	part.rcount = at[k->n];
	part.in_place = false;
	part.sbuf = operand(k);
	part.rbuf = all.at;
	err = msg_reduce(&part);
	for (int i = 1; i < k->n && err == 0 && k->me == 0; i++)
		err = p2p_coll_send(k->comm, elem(all.at, k->rtype, at[i]), block_count(k, i),
			k->rtype, i, k->tag);
	if (err == 0 && k->me == 0)
		type_move(k->rtype, all.at, k->rbuf, block_count(k, 0));
	else if (err == 0)
		err = p2p_coll_recv(k->comm, k->rbuf, block_count(k, k->me), k->rtype, 0, k->tag);
	temp_free(&all);
	return err;
}

int msg_reduce_scatter(const struct call *k)
{
	int64_t *at = malloc(sizeof(*at) * ((size_t)k->n + 1));
	int err;

	if (at == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for %d displacements", k->n);
	at[0] = 0;
	for (int i = 0; i < k->n; i++)
		at[i + 1] = at[i] + block_count(k, i);
	err = k->op->commute ? scatter_direct(k, at) : scatter_ordered(k, at);
	free(at);
	return err;
}

/* --- scans
 * ---------------------------------------------------------------------------------------- */

/* Step s: the group of 2^s ranks that ends here sends its result 2^s ranks on.  `before' becomes
 * the result of all ranks below this one (*any: there is one), group.own that of them and me. */
static int scan_doubling(const struct call *k, struct pair *group, struct temp *before, bool *any)
{
	int err = 0;

	*any = false;
	for (int bit = 1; bit < k->n && err == 0; bit <<= 1) {
		int to = k->me + bit, from = k->me - bit;

		if (to < k->n && from >= 0)
			err = p2p_coll_sendrecv(k->comm, group->own.at, k->rcount, k->rtype, to,
				group->in.at, k->rcount, k->rtype, from, k->tag);
		else if (to < k->n)
			err = p2p_coll_send(
				k->comm, group->own.at, k->rcount, k->rtype, to, k->tag);
		else if (from >= 0)
			err = p2p_coll_recv(
				k->comm, group->in.at, k->rcount, k->rtype, from, k->tag);
		if (err != 0 || from < 0)
			continue;
		op_apply(k->op, group->in.at, group->own.at, group->own.at, k->rcount, k->rtype);
		if (*any)
			op_apply(k->op, group->in.at, before->at, before->at, k->rcount, k->rtype);
		else
			type_move(k->rtype, group->in.at, before->at, k->rcount);
		*any = true;
	}
	return err;
}

static int scan(const struct call *k, bool inclusive)
{
	struct pair group = {{NULL, NULL}, {NULL, NULL}};
	struct temp before = {NULL, NULL};
	bool any = false;
	int err = temp_new(&group.own, k->rtype, k->rcount);

	if (err == 0)
		err = temp_new(&group.in, k->rtype, k->rcount);
	if (err == 0)
		err = temp_new(&before, k->rtype, k->rcount);
	if (err == 0) {
		type_move(k->rtype, operand(k), group.own.at, k->rcount);
		err = scan_doubling(k, &group, &before, &any);
	}
	if (err == 0 && inclusive)
		type_move(k->rtype, group.own.at, k->rbuf, k->rcount);
	else if (err == 0 && any)
		type_move(k->rtype, before.at, k->rbuf, k->rcount);
	temp_free(&group.own);
	temp_free(&group.in);
	temp_free(&before);
	return err;
}

int msg_scan(const struct call *k)
{
	return scan(k, true);
}

/* The buffer of rank 0 is left as it is: there is nothing below. */
int msg_exscan(const struct call *k)
{
	return scan(k, false);
}
