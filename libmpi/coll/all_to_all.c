// SPDX-License-Identifier: BSD-3-Clause
/* all_to_all.c - algorithms without root or reduction: barrier, allgather, alltoall.
 *
 *      dissemination, Bruck      step s: to me + 2^s, from me - 2^s          log n steps
 *      recursive doubling        step s: exchange with me ^ 2^s              log n steps
 *                                of radix 4: 4^s, 2 * 4^s and 3 * 4^s        half as many
 *      ring                      step s: forward what came before, both ways n / 2 steps
 *      linear                    everything is started at once               each block once
 *      pairwise                  some partners at a time                     each block once */
#include "libmpi/coll/algorithms.h"

void coll_barrier_dissemination(struct sched *s, const struct coll_args *k)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int radix = coll_radix(k, 0);

	for (int bit = 1; bit < k->n; bit *= radix) {
		for (int d = bit; d < k->n && d < radix * bit; d += bit) {
			coll_sched_recv(s, NULL, 0, byte, (k->me + k->n - d) % k->n);
			coll_sched_send(s, NULL, 0, byte, (k->me + d) % k->n);
		}
		coll_sched_fence(s);
	}
}

/* Gather to rank 0 and broadcast, of nothing: the fewest messages. */
void coll_barrier_binomial(struct sched *s, const struct coll_args *k)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int low = num_tree_distance(k->me, k->n);

	for (int bit = 1; bit < low && k->me + bit < k->n; bit <<= 1)
		coll_sched_recv(s, NULL, 0, byte, k->me + bit);
	coll_sched_fence(s);
	if (k->me != 0) {
		coll_sched_send(s, NULL, 0, byte, k->me - low);
		coll_sched_recv(s, NULL, 0, byte, k->me - low);
		coll_sched_fence(s);
	}
	for (int bit = 1; bit < low && k->me + bit < k->n; bit <<= 1)
		coll_sched_send(s, NULL, 0, byte, k->me + bit);
}

/* --- allgather ------------------------------------------------------------------------------ */

/* The caller's own block, where the caller has it.  A peer that reads it there takes no cache line
 * that this process has just written. */
static struct block allgather_own(const struct coll_args *k)
{
	if (k->in_place)
		return coll_block_in(k, k->me);
	return (struct block){(void *)(uintptr_t)k->sbuf, k->scount, k->stype};
}

/* Copies the own block into the result, while its message is under way. */
static void allgather_keep_own(struct sched *s, const struct coll_args *k)
{
	struct block to = coll_block_in(k, k->me);

	if (!k->in_place)
		coll_sched_copy(s, k->sbuf, k->scount, k->stype, to.at, to.count, to.type);
}

/* After step s this rank has blocks me .. me + radix^(s+1) - 1, in mem from 0 on. */
void coll_allgather_bruck(struct sched *s, const struct coll_args *k)
{
	int64_t block = k->bytes;
	char *mem = coll_sched_bytes(s, block * k->n);
	struct type *byte = type_predefined(MPI_BYTE);
	int radix = coll_radix(k, block);

	if (k->in_place)
		coll_sched_pack(s, coll_element(k->rbuf, k->rtype, k->me * k->rcount), k->rcount,
			k->rtype, mem, block);
	else
		coll_sched_pack(s, k->sbuf, k->scount, k->stype, mem, block);
	for (int bit = 1; bit < k->n; bit *= radix) {
		for (int d = bit; d < k->n && d < radix * bit; d += bit) {
			int64_t len = block * num_min(bit, k->n - d);

			coll_sched_recv(s, mem + d * block, len, byte, (k->me + d) % k->n);
			coll_sched_send(s, mem, len, byte, (k->me + k->n - d) % k->n);
		}
		coll_sched_fence(s);
	}
	for (int i = k->in_place; i < k->n; i++) {
		int rank = (k->me + i) % k->n;

		coll_sched_unpack(s, mem + i * block,
			coll_element(k->rbuf, k->rtype, rank * k->rcount), k->rcount, k->rtype,
			block);
	}
}

/* Each block goes half the way round the ring, both ways at once. */
void coll_allgather_ring(struct sched *s, const struct coll_args *k)
{
	int n = k->n, right = (k->me + 1) % n, left = (k->me + n - 1) % n;
	struct block own = allgather_own(k), in, out;

	if (n == 1)
		allgather_keep_own(s, k);
	for (int i = 1; 2 * i <= n; i++) {
		bool both = 2 * i < n; /* the farthest block comes from one side */

		in = coll_block_in(k, (k->me + n - i) % n);
		coll_sched_recv(s, in.at, in.count, in.type, left);
		in = coll_block_in(k, (k->me + i) % n);
		if (both)
			coll_sched_recv(s, in.at, in.count, in.type, right);
		out = i == 1 ? own : coll_block_in(k, (k->me + n - i + 1) % n);
		coll_sched_send(s, out.at, out.count, out.type, right);
		out = i == 1 ? own : coll_block_in(k, (k->me + i - 1) % n);
		if (both)
			coll_sched_send(s, out.at, out.count, out.type, left);
		if (i == 1)
			allgather_keep_own(s, k);
		coll_sched_fence(s);
	}
}

/* A power of two: two, or four, groups of neighbors exchange all their blocks, in place. */
void coll_allgather_recursive_doubling(struct sched *s, const struct coll_args *k)
{
	int radix = coll_radix(k, k->bytes);

	if (k->n == 1)
		allgather_keep_own(s, k);
	for (int bit = 1; bit < k->n; bit *= radix) {
		int mine = k->me & ~(bit - 1);
		struct block in, out = coll_block_in(k, mine);

		out.count *= bit;
		if (bit == 1)
			out = allgather_own(k);
		for (int d = bit; d < k->n && d < radix * bit; d += bit) {
			in = coll_block_in(k, mine ^ d);
			coll_sched_recv(s, in.at, bit * in.count, in.type, k->me ^ d);
			coll_sched_send(s, out.at, out.count, out.type, k->me ^ d);
		}
		if (bit == 1)
			allgather_keep_own(s, k);
		coll_sched_fence(s);
	}
}

/* --- alltoall ------------------------------------------------------------------------------- */

/* Sends the caller's own block; or, in a call of leaders, data of its host's members, which may
 * have failed. */
static void alltoall_send(struct sched *s, const struct coll_args *k, struct block b, int to)
{
	if (k->n == k->comm->size)
		coll_sched_send_own(s, b.at, b.count, b.type, to);
	else
		coll_sched_send(s, b.at, b.count, b.type, to);
}

/* In place: one partner at a time, each pair in the same step on both sides (partners of step s add
 * up to s mod n).  The outgoing block is packed first, because the incoming one replaces it. */
static void alltoall_in_place(struct sched *s, const struct coll_args *k)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int64_t most = 0;
	char *mem;

	for (int i = 0; i < k->n; i++)
		if (i != k->me)
			most = num_max(most, coll_block_bytes(coll_block_in(k, i)));
	mem = coll_sched_bytes(s, most);
	for (int i = 0; i < k->n; i++) {
		int peer = (i + k->n - k->me) % k->n;
		struct block b = coll_block_in(k, peer);

		if (peer == k->me)
			continue;
		coll_sched_pack(s, b.at, b.count, b.type, mem, most);
		coll_sched_recv(s, b.at, b.count, b.type, peer);
		coll_sched_send_own(s, mem, coll_block_bytes(b), byte, peer);
		coll_sched_fence(s);
	}
}

void coll_alltoall_linear(struct sched *s, const struct coll_args *k)
{
	struct block in, out;

	if (k->in_place) {
		alltoall_in_place(s, k);
		return;
	}
	for (int i = 1; i < k->n; i++) {
		int from = (k->me + k->n - i) % k->n;

		in = coll_block_in(k, from);
		coll_sched_recv(s, in.at, in.count, in.type, from);
	}
	for (int i = 1; i < k->n; i++) {
		int to = (k->me + i) % k->n;

		out = coll_block_out(k, to);
		coll_sched_send(s, out.at, out.count, out.type, to);
	}
	in = coll_block_in(k, k->me);
	out = coll_block_out(k, k->me);
	coll_sched_copy(s, out.at, out.count, out.type, in.at, in.count, in.type);
}

#define PARTNERS 32 /* at a time: they hide each other's latency, and need memory for requests */

/* Some partners at a time. */
void coll_alltoall_pairwise(struct sched *s, const struct coll_args *k)
{
	struct block in = coll_block_in(k, k->me), out;

	if (k->in_place) {
		alltoall_in_place(s, k);
		return;
	}
	out = coll_block_out(k, k->me);
	coll_sched_copy(s, out.at, out.count, out.type, in.at, in.count, in.type);
	for (int i = 1; i < k->n; i++) {
		int from = (k->me + k->n - i) % k->n, to = (k->me + i) % k->n;

		in = coll_block_in(k, from);
		out = coll_block_out(k, to);
		coll_sched_recv(s, in.at, in.count, in.type, from);
		alltoall_send(s, k, out, to);
		if (i % PARTNERS == 0)
			coll_sched_fence(s);
	}
}

/* Moves the blocks of mem whose digit at `bit' is d / bit into out, or back.  Returns how many. */
static int64_t bruck_move(struct sched *s, const struct coll_args *k, int radix, int bit, int d,
	char *mem, char *out, bool back)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int64_t n = 0;

	for (int i = d; i < k->n; i++) {
		char *at = mem + i * k->bytes, *to = out + n * k->bytes;

		if (i / bit % radix != d / bit)
			continue;
		coll_sched_move(s, back ? to : at, back ? at : to, k->bytes, byte);
		n++;
	}
	return n;
}

/* Bruck, for short blocks: a block for rank me + i makes a hop for each digit of i, together with
 * others.  Block i of mem is first for rank me + i, in the end from rank me - i. */
void coll_alltoall_bruck(struct sched *s, const struct coll_args *k)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int64_t block = k->bytes;
	int radix = coll_radix(k, block);
	char *mem = coll_sched_bytes(s, block * k->n);
	int stay = (k->n + radix - 1) / radix; /* at least so many have the digit 0 in a step */
	char *out = coll_sched_bytes(s, block * (k->n - stay));
	char *in = coll_sched_bytes(s, block * (k->n - stay));

	for (int i = 0; i < k->n; i++) {
		int to = (k->me + i) % k->n;
		struct block b = coll_block_given(k, to);

		coll_sched_pack(s, b.at, b.count, b.type, mem + i * block, block);
	}
	for (int bit = 1; bit < k->n; bit *= radix) {
		int64_t at = 0, len;

		for (int d = bit; d < k->n && d < radix * bit; d += bit, at += len) {
			len = block * bruck_move(s, k, radix, bit, d, mem, out + at, false);
			coll_sched_recv(s, in + at, len, byte, (k->me + k->n - d) % k->n);
			coll_sched_send(s, out + at, len, byte, (k->me + d) % k->n);
		}
		coll_sched_fence(s);
		at = 0;
		for (int d = bit; d < k->n && d < radix * bit; d += bit)
			at += block * bruck_move(s, k, radix, bit, d, mem, in + at, true);
	}
	for (int i = 0; i < k->n; i++) {
		struct block b = coll_block_in(k, (k->me + k->n - i) % k->n);

		coll_sched_unpack(s, mem + i * block, b.at, b.count, b.type, block);
	}
}
