// SPDX-License-Identifier: BSD-3-Clause
/* ordered.c - reductions from left to right, ((a0 op a1) op a2) ..., as shared memory does: a call
 * with a request gives the bits of the blocking call.
 *
 *      ordered_gather     all operands go to each rank that needs the result, which combines them
 *      ordered_scatter    part i of all operands goes to rank i, which combines it: long data; of a
 *                         scan, each result so far goes back
 *      ordered_chain      the result so far goes from rank to rank, in pieces: long scans */
#include "libmpi/coll/algorithms.h"
#include "libmpi/coll/pipelined.h"

/* Combines n of `size' operands of `count' elements that lie in a ring in our memory, from operand
 * `first' on, into out. */
static void ordered_reduce(struct sched *s, const struct coll_args *k, void *mem, int n, int size,
	int first, int64_t count, void *out)
{
	void *acc = coll_element(mem, k->rtype, first % size * count);

	for (int i = 1; i < n; i++) {
		void *b = coll_element(mem, k->rtype, (first + i) % size * count);

		coll_sched_reduce(s, acc, b, i == n - 1 ? out : b, count, k->rtype);
		acc = b;
	}
	if (n == 1)
		coll_sched_move(s, acc, out, count, k->rtype);
}

/* Allgather of operands: that of rank r is at place (r - me) mod n. */
static void *ordered_allgather(struct sched *s, const struct coll_args *k)
{
	void *mem = coll_sched_elements(s, k->rtype, k->n * k->rcount);
	int radix = coll_radix(k, k->bytes);

	coll_sched_move(s, coll_operand(k), mem, k->rcount, k->rtype);
	for (int bit = 1; bit < k->n; bit *= radix) {
		for (int d = bit; d < k->n && d < radix * bit; d += bit) {
			int64_t count = k->rcount * num_min(bit, k->n - d);

			coll_sched_recv(s, coll_element(mem, k->rtype, d * k->rcount), count,
				k->rtype, (k->me + d) % k->n);
			coll_sched_send(s, mem, count, k->rtype, (k->me + k->n - d) % k->n);
		}
		coll_sched_fence(s);
	}
	return mem;
}

void coll_allreduce_ordered_gather(struct sched *s, const struct coll_args *k)
{
	ordered_reduce(s, k, ordered_allgather(s, k), k->n, k->n, k->n - k->me, k->rcount, k->rbuf);
}

void coll_scan_ordered_gather(struct sched *s, const struct coll_args *k)
{
	int n = k->kind == COLL_SCAN ? k->me + 1 : k->me;
	void *mem = ordered_allgather(s, k);

	if (n > 0)
		ordered_reduce(s, k, mem, n, k->n, k->n - k->me, k->rcount, k->rbuf);
}

/* Gather along the tree of rooted.c, whose subtrees are intervals from the root on. */
void coll_reduce_ordered_gather(struct sched *s, const struct coll_args *k)
{
	int v = (k->me - k->root + k->n) % k->n, low = num_tree_distance(v, k->n);
	void *mem;

	mem = coll_sched_elements(s, k->rtype, (v + low < k->n ? low : k->n - v) * k->rcount);
	coll_sched_move(s, coll_operand(k), mem, k->rcount, k->rtype);
	for (int bit = 1; bit < low && v + bit < k->n; bit <<= 1) {
		int n = v + 2 * bit < k->n ? bit : k->n - v - bit;

		coll_sched_recv(s, coll_element(mem, k->rtype, bit * k->rcount), n * k->rcount,
			k->rtype, (k->me + bit) % k->n);
	}
	coll_sched_fence(s);
	if (v != 0)
		coll_sched_send(s, mem, (v + low < k->n ? low : k->n - v) * k->rcount, k->rtype,
			(k->me - low + k->n) % k->n);
	else
		ordered_reduce(s, k, mem, k->n, k->n, k->n - k->me, k->rcount, k->rbuf);
}

/* The first element of part i of the operands: even parts, or the blocks of the call. */
static int64_t ordered_part_from(const struct coll_args *k, int i)
{
	if (k->kind == COLL_REDUCE_SCATTER || k->kind == COLL_REDUCE_SCATTER_BLOCK)
		return coll_block_from(k, i);
	return coll_part_at(k->rcount, k->n, i);
}

static int64_t ordered_part_size(const struct coll_args *k, int i)
{
	return ordered_part_from(k, i + 1) - ordered_part_from(k, i);
}

/* Sends part i of this operand to member i.  Returns the own part of all operands, by ranks. */
static void *ordered_exchange_parts(struct sched *s, const struct coll_args *k)
{
	int64_t count = ordered_part_size(k, k->me), mine = ordered_part_from(k, k->me),
		at = mine + count;
	void *mem = coll_sched_elements(s, k->rtype, k->n * count);

	for (int i = 1; i < k->n && count > 0; i++) {
		int peer = (k->me + k->n - i) % k->n;

		coll_sched_recv(
			s, coll_element(mem, k->rtype, peer * count), count, k->rtype, peer);
	}
	for (int i = 1; i < k->n; i++) {
		int to = (k->me + i) % k->n;
		int64_t n = ordered_part_size(k, to);

		at = to == 0 ? 0 : at;
		if (n > 0)
			coll_sched_send(
				s, coll_element(coll_operand(k), k->rtype, at), n, k->rtype, to);
		at += n;
	}
	if (count > 0)
		coll_sched_move(s, coll_element(coll_operand(k), k->rtype, mine),
			coll_element(mem, k->rtype, k->me * count), count, k->rtype);
	coll_sched_fence(s);
	return mem;
}

/* Combines the own part of all operands into out. */
static void ordered_reduce_parts(struct sched *s, const struct coll_args *k, void *out)
{
	int64_t count = ordered_part_size(k, k->me);
	void *mem = ordered_exchange_parts(s, k);

	if (count > 0)
		ordered_reduce(s, k, mem, k->n, k->n, 0, count, out);
}

void coll_allreduce_ordered_scatter(struct sched *s, const struct coll_args *k)
{
	void *out = coll_element(k->rbuf, k->rtype, ordered_part_from(k, k->me));
	int64_t mine = ordered_part_size(k, k->me);

	ordered_reduce_parts(s, k, out);
	for (int i = 1; i < k->n; i++) {
		int peer = (k->me + k->n - i) % k->n;

		if (ordered_part_size(k, peer) > 0)
			coll_sched_recv(s,
				coll_element(k->rbuf, k->rtype, ordered_part_from(k, peer)),
				ordered_part_size(k, peer), k->rtype, peer);
	}
	for (int i = 1; i < k->n && mine > 0; i++)
		coll_sched_send(s, out, mine, k->rtype, (k->me + i) % k->n);
}

void coll_reduce_ordered_scatter(struct sched *s, const struct coll_args *k)
{
	int64_t mine = ordered_part_size(k, k->me);
	void *out = k->me == k->root ? coll_element(k->rbuf, k->rtype, ordered_part_from(k, k->me))
				     : coll_sched_elements(s, k->rtype, mine);

	ordered_reduce_parts(s, k, out);
	if (k->me != k->root && mine > 0)
		coll_sched_send(s, out, mine, k->rtype, k->root);
	for (int i = 0; i < k->n && k->me == k->root; i++)
		if (i != k->me && ordered_part_size(k, i) > 0)
			coll_sched_recv(s, coll_element(k->rbuf, k->rtype, ordered_part_from(k, i)),
				ordered_part_size(k, i), k->rtype, i);
}

void coll_reduce_scatter_ordered(struct sched *s, const struct coll_args *k)
{
	ordered_reduce_parts(s, k, k->rbuf);
}

/* Each member makes one part of all results, and sends it to them. */
void coll_scan_ordered_scatter(struct sched *s, const struct coll_args *k)
{
	int64_t count = ordered_part_size(k, k->me), at = ordered_part_from(k, k->me);
	int before = k->kind == COLL_EXSCAN; /* rank r gets the result of r - before */
	char *mem = ordered_exchange_parts(s, k);

	for (int r = 1; r < k->n - before && count > 0; r++)
		coll_sched_reduce(s, coll_element(mem, k->rtype, (r - 1) * count),
			coll_element(mem, k->rtype, r * count),
			coll_element(mem, k->rtype, r * count), count, k->rtype);
	for (int i = 1; i < k->n && k->me >= before; i++) {
		int from = (k->me + k->n - i) % k->n;

		if (ordered_part_size(k, from) > 0)
			coll_sched_recv(s,
				coll_element(k->rbuf, k->rtype, ordered_part_from(k, from)),
				ordered_part_size(k, from), k->rtype, from);
	}
	for (int i = 1; i < k->n && count > 0; i++) {
		int to = (k->me + i) % k->n;

		if (to >= before)
			coll_sched_send(s, coll_element(mem, k->rtype, (to - before) * count),
				count, k->rtype, to);
	}
	if (k->me >= before && count > 0)
		coll_sched_move(s, coll_element(mem, k->rtype, (k->me - before) * count),
			coll_element(k->rbuf, k->rtype, at), count, k->rtype);
}

/* Combines a piece of the result so far, `in', with this member's operand, from element `at' on.
 * Returns the result for the next rank, which is `sum' in an exscan. */
static void *chain_combine(struct sched *s, const struct coll_args *k, const void *in, void *sum,
	int64_t at, int64_t n)
{
	void *out = k->kind == COLL_EXSCAN ? sum : coll_element(k->rbuf, k->rtype, at);
	void *mine = coll_element(coll_operand(k), k->rtype, at);

	if (k->kind == COLL_EXSCAN && k->me == k->n - 1)
		return NULL;
	coll_sched_reduce(s, in, mine, out, n, k->rtype);
	return out;
}

/* Where pieces come from the rank below: two temps in turn, as the next piece comes while one is
 * combined; the result of an exscan, unless the operand is there. */
static void *chain_room(
	const struct coll_args *k, void *const temp[2], int64_t at, int64_t step, bool direct)
{
	return direct ? coll_element(k->rbuf, k->rtype, at) : temp[at / step % 2];
}

/* The first rank sends its operand. */
static void chain_first(struct sched *s, const struct coll_args *k, int64_t step)
{
	for (int64_t at = 0; at < k->rcount && k->n > 1; at += step)
		coll_sched_send(s, coll_element(coll_operand(k), k->rtype, at),
			num_min(step, k->rcount - at), k->rtype, 1);
	if (k->kind == COLL_SCAN)
		coll_sched_move(s, coll_operand(k), k->rbuf, k->rcount, k->rtype);
}

/* Sends the result so far of the piece at `at' to the rank above. */
static void chain_send(
	struct sched *s, const struct coll_args *k, const void *out, int64_t at, int64_t step)
{
	if (k->me < k->n - 1)
		coll_sched_send(s, out, num_min(step, k->rcount - at), k->rtype, k->me + 1);
}

/* Each piece of the result so far comes from the rank below, and goes on with this operand; long
 * ones while the next is combined. */
void coll_scan_ordered_chain(struct sched *s, const struct coll_args *k)
{
	int64_t step = num_max(
		coll_segment(k, k->rcount * k->rtype->size) / num_max(k->rtype->size, 1), 1);
	bool exclusive = k->kind == COLL_EXSCAN, direct = exclusive && !k->in_place;
	bool late = coll_segment_late(step * k->rtype->size);
	void *temp[2] = {NULL, NULL}, *sum[2] = {NULL, NULL}, *in, *out = NULL;
	int64_t at;

	if (k->me == 0 || k->rcount == 0) {
		chain_first(s, k, step);
		return;
	}
	for (int i = 0; i < 2 && !direct; i++)
		temp[i] = coll_sched_elements(s, k->rtype, step);
	for (int i = 0; i < 2 && exclusive; i++)
		sum[i] = coll_sched_elements(s, k->rtype, step);
	coll_sched_recv(s, chain_room(k, temp, 0, step, direct), num_min(step, k->rcount), k->rtype,
		k->me - 1);
	for (at = 0; at < k->rcount; at += step) {
		int64_t n = num_min(step, k->rcount - at);

		in = chain_room(k, temp, at, step, direct);
		coll_sched_fence(s);
		if (at + n < k->rcount)
			coll_sched_recv(s, chain_room(k, temp, at + n, step, direct),
				num_min(step, k->rcount - at - n), k->rtype, k->me - 1);
		if (late && at > 0)
			chain_send(s, k, out, at - step, step);
		out = chain_combine(s, k, in, sum[at / step % 2], at, n);
		if (exclusive && !direct)
			coll_sched_move(s, in, coll_element(k->rbuf, k->rtype, at), n, k->rtype);
		if (!late)
			chain_send(s, k, out, at, step);
	}
	if (late)
		chain_send(s, k, out, at - step, step);
}
