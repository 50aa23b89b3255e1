// SPDX-License-Identifier: BSD-3-Clause
/* left.c - plans that combine from left to right, ((a0 op a1) op a2) ..., as the reductions through
 * shared memory do: so a call with a request gives the bits of the call without.
 *
 *      gathered    all operands come to who needs the result, who folds them      short
 *      shared      part i of all operands goes to member i, who folds it          long
 *      chain       the result so far goes from rank to rank, in pieces            scans, long */
#include "libmpi/coll/coll.h"

#define PIECE MEAN_OR(64, 16 * 1024) /* bytes of a chain's piece */

/* Folds `n' operands of `count' elements that lie one behind the other in our own memory, from
 * operand `first' on round the end, into out. */
static void fold(struct sched *s, const struct call *k, void *mem, int n, int size, int first,
	int64_t count, void *out)
{
	void *acc = elem(mem, k->rtype, first % size * count);

	for (int i = 1; i < n; i++) {
		void *b = elem(mem, k->rtype, (first + i) % size * count);

		sched_reduce(s, acc, b, i == n - 1 ? out : b, count, k->rtype);
		acc = b;
	}
	if (n == 1)
		sched_move(s, acc, out, count, k->rtype);
}

/* Operand of rank r at place (r - me) mod n. */
static void *gather_all(struct sched *s, const struct call *k)
{
	void *mem = sched_elems(s, k->rtype, k->n * k->rcount);

	sched_move(s, operand(k), mem, k->rcount, k->rtype);
	for (int bit = 1; bit < k->n; bit <<= 1) {
		int64_t count = k->rcount * (2 * bit <= k->n ? bit : k->n - bit);

		sched_recv(s, elem(mem, k->rtype, bit * k->rcount), count, k->rtype,
			(k->me + bit) % k->n);
		sched_send(s, mem, count, k->rtype, (k->me + k->n - bit) % k->n);
		sched_fence(s);
	}
	return mem;
}

void allreduce_gathered(struct sched *s, const struct call *k)
{
	fold(s, k, gather_all(s, k), k->n, k->n, k->n - k->me, k->rcount, k->rbuf);
}

void scan_gathered(struct sched *s, const struct call *k)
{
	int n = k->verb == VERB_SCAN ? k->me + 1 : k->me;
	void *mem = gather_all(s, k);

	if (n > 0)
		fold(s, k, mem, n, k->n, k->n - k->me, k->rcount, k->rbuf);
}

/* Along the tree of tree.c, whose subtrees are intervals from the root on. */
void reduce_gathered(struct sched *s, const struct call *k)
{
	int v = (k->me - k->root + k->n) % k->n, low = 1;
	void *mem;

	while (low < k->n && !(v & low))
		low <<= 1;
	mem = sched_elems(s, k->rtype, (v + low < k->n ? low : k->n - v) * k->rcount);
	sched_move(s, operand(k), mem, k->rcount, k->rtype);
	for (int bit = 1; bit < low && v + bit < k->n; bit <<= 1) {
		int n = v + 2 * bit < k->n ? bit : k->n - v - bit;

		sched_recv(s, elem(mem, k->rtype, bit * k->rcount), n * k->rcount, k->rtype,
			(k->me + bit) % k->n);
	}
	sched_fence(s);
	if (v != 0)
		sched_send(s, mem, (v + low < k->n ? low : k->n - v) * k->rcount, k->rtype,
			(k->me - low + k->n) % k->n);
	else
		fold(s, k, mem, k->n, k->n, k->n - k->me, k->rcount, k->rbuf);
}

/* Where part i of the operands begins: even parts, or the blocks of the call. */
static int64_t from(const struct call *k, int i)
{
	if (k->verb == VERB_ALLREDUCE || k->verb == VERB_REDUCE)
		return part_at(k->rcount, k->n, i);
	return block_from(k, i);
}

static int64_t length(const struct call *k, int i)
{
	if (k->verb == VERB_ALLREDUCE || k->verb == VERB_REDUCE)
		return part_at(k->rcount, k->n, i + 1) - part_at(k->rcount, k->n, i);
	return block_size(k, i);
}

/* Part i of every operand goes to member i, which folds its own into out. */
static void fold_parts(struct sched *s, const struct call *k, void *out)
{
	int64_t count = length(k, k->me), mine = from(k, k->me), at = mine + count;
	void *mem = sched_elems(s, k->rtype, k->n * count);

	for (int i = 1; i < k->n && count > 0; i++) {
		int peer = (k->me + k->n - i) % k->n;

		sched_recv(s, elem(mem, k->rtype, peer * count), count, k->rtype, peer);
	}
	for (int i = 1; i < k->n; i++) {
		int to = (k->me + i) % k->n;
		int64_t n = length(k, to);

		at = to == 0 ? 0 : at;
		if (n > 0)
			sched_send(s, elem(operand(k), k->rtype, at), n, k->rtype, to);
		at += n;
	}
	if (count > 0)
		sched_move(s, elem(operand(k), k->rtype, mine), elem(mem, k->rtype, k->me * count),
			count, k->rtype);
	sched_fence(s);
	if (count > 0)
		fold(s, k, mem, k->n, k->n, 0, count, out);
}

void allreduce_shared(struct sched *s, const struct call *k)
{
	void *out = elem(k->rbuf, k->rtype, from(k, k->me));
	int64_t mine = length(k, k->me);

	fold_parts(s, k, out);
	for (int i = 1; i < k->n; i++) {
		int peer = (k->me + k->n - i) % k->n;

		if (length(k, peer) > 0)
			sched_recv(s, elem(k->rbuf, k->rtype, from(k, peer)), length(k, peer),
				k->rtype, peer);
	}
	for (int i = 1; i < k->n && mine > 0; i++)
		sched_send(s, out, mine, k->rtype, (k->me + i) % k->n);
}

void reduce_shared(struct sched *s, const struct call *k)
{
	int64_t mine = length(k, k->me);
	void *out = k->me == k->root ? elem(k->rbuf, k->rtype, from(k, k->me))
				     : sched_elems(s, k->rtype, mine);

	fold_parts(s, k, out);
	if (k->me != k->root && mine > 0)
		sched_send(s, out, mine, k->rtype, k->root);
	for (int i = 0; i < k->n && k->me == k->root; i++)
		if (i != k->me && length(k, i) > 0)
			sched_recv(
				s, elem(k->rbuf, k->rtype, from(k, i)), length(k, i), k->rtype, i);
}

void scatter_shared(struct sched *s, const struct call *k)
{
	fold_parts(s, k, k->rbuf);
}

/* Each piece: what is before comes from below, with mine it goes on above. */
void scan_chain(struct sched *s, const struct call *k)
{
	int64_t size = k->rtype->size, step = PIECE / size > 0 ? PIECE / size : 1;
	void *mine = k->rbuf, *before = sched_elems(s, k->rtype, step);
	bool last = k->me == k->n - 1, exclusive = k->verb == VERB_EXSCAN;

	if (exclusive)
		mine = sched_elems(s, k->rtype, k->rcount);
	if (!exclusive || !last)
		sched_move(s, operand(k), mine, k->rcount, k->rtype);
	for (int64_t at = 0; at < k->rcount; at += step) {
		int64_t n = k->rcount - at < step ? k->rcount - at : step;
		void *in = exclusive ? elem(k->rbuf, k->rtype, at) : before;
		void *to = elem(mine, k->rtype, at);

		if (k->me > 0) {
			sched_recv(s, in, n, k->rtype, k->me - 1);
			sched_fence(s);
		}
		if (k->me > 0 && !(exclusive && last))
			sched_reduce(s, in, to, to, n, k->rtype);
		if (!last)
			sched_send(s, to, n, k->rtype, k->me + 1);
	}
}
