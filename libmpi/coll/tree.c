// SPDX-License-Identifier: BSD-3-Clause
/* tree.c - plans from and to a root: broadcast, reduce, gather, scatter over binomial trees.
 *
 *      virtual rank    0 ── 4 ── 6 ── 7        v = (rank - root) mod n
 *                      ├─ 2 ┐    └─ 5 ...      the parent of v is v without its lowest bit;
 *                      └─ 1 └─ 3               its subtree is v .. v + lowest bit - 1
 *
 * A subtree is an interval, so that a reduction along the tree combines neighbours in order, and a
 * gather sends one piece of memory. */
#include "libmpi/coll/coll.h"

static int virtual_rank(const struct call *k)
{
	return (k->me - k->root + k->n) % k->n;
}

static int real_rank(const struct call *k, int v)
{
	return (v + k->root) % k->n;
}

/* The lowest bit of v; for 0 the first power of two that is not below n. */
static int low_bit(int v, int n)
{
	int bit = 1;

	while (bit < n && !(v & bit))
		bit <<= 1;
	return bit;
}

/* Members of v's subtree, v included. */
static int subtree(int v, int n)
{
	int bit = low_bit(v, n);

	return v + bit <= n ? bit : n - v;
}

/* --- broadcast ------------------------------------------------------------------------------ */

void bcast_binomial(struct sched *s, const struct call *k)
{
	int v = virtual_rank(k), bit = low_bit(v, k->n);

	if (v != 0)
		sched_recv(s, k->rbuf, k->rcount, k->rtype, real_rank(k, v - bit));
	sched_fence(s);
	for (bit >>= 1; bit > 0; bit >>= 1)
		if (v + bit < k->n)
			sched_send(s, k->rbuf, k->rcount, k->rtype, real_rank(k, v + bit));
}

/* The bytes of parts [from, to) of a long broadcast. */
struct range {
	char *at;
	int64_t len;
};

static struct range parts(const struct call *k, char *mem, int from, int to)
{
	int64_t at = part_at(k->bytes, k->n, from);

	return (struct range){mem + at, part_at(k->bytes, k->n, to) - at};
}

/* The whole in n parts: part v goes to v along the tree, then all parts go round the ring. */
static void scatter_ring(struct sched *s, const struct call *k, char *mem)
{
	int v = virtual_rank(k), n = k->n, bit = low_bit(v, n);
	int left = real_rank(k, (v + n - 1) % n), right = real_rank(k, (v + 1) % n);
	struct type *byte = type_predefined(MPI_BYTE);
	struct range r = parts(k, mem, v, v + subtree(v, n));

	if (v != 0)
		sched_recv(s, r.at, r.len, byte, real_rank(k, v - bit));
	sched_fence(s);
	for (bit >>= 1; bit > 0; bit >>= 1) {
		if (v + bit >= n)
			continue;
		r = parts(k, mem, v + bit, v + bit + subtree(v + bit, n));
		sched_send(s, r.at, r.len, byte, real_rank(k, v + bit));
	}
	for (int i = 0; i < n - 1; i++) {
		int out = (v + n - i) % n, in = (v + n - i - 1) % n;

		r = parts(k, mem, in, in + 1);
		sched_recv(s, r.at, r.len, byte, left);
		r = parts(k, mem, out, out + 1);
		sched_send(s, r.at, r.len, byte, right);
		sched_fence(s);
	}
}

void bcast_parts(struct sched *s, const struct call *k)
{
	char *mem;

	if (k->rtype->dense) {
		scatter_ring(s, k, k->rbuf);
		return;
	}
	mem = sched_bytes(s, k->bytes);
	if (k->me == k->root)
		sched_pack(s, k->rbuf, k->rcount, k->rtype, mem, k->bytes);
	scatter_ring(s, k, mem);
	if (k->me != k->root)
		sched_unpack(s, mem, k->rbuf, k->rcount, k->rtype, k->bytes);
}

/* --- reduce --------------------------------------------------------------------------------- */

#define TURNS 3 /* what is received, what is being combined, and the result so far */

/* Receives from the children of v in ascending order and combines: the next is on its way while one
 * is combined.  Returns the operand of the whole subtree: the rank's own, or one of the temps. */
static const void *reduce_children(struct sched *s, const struct call *k, int v)
{
	const void *acc = operand(k);
	void *in[TURNS] = {NULL}, *last = NULL;
	int turn = 0;

	for (int bit = 1; bit < low_bit(v, k->n) && v + bit < k->n; bit <<= 1) {
		if (in[turn] == NULL)
			in[turn] = sched_elems(s, k->rtype, k->rcount);
		sched_fence(s);
		sched_recv(s, in[turn], k->rcount, k->rtype, real_rank(k, v + bit));
		if (last != NULL) {
			sched_reduce(s, acc, last, last, k->rcount, k->rtype);
			acc = last;
		}
		last = in[turn];
		turn = (turn + 1) % TURNS;
	}
	sched_fence(s);
	if (last == NULL)
		return acc;
	sched_reduce(s, acc, last, last, k->rcount, k->rtype);
	return last;
}

/* Operations that do not commute are reduced to rank 0, which sends the result to the root. */
void reduce_binomial(struct sched *s, const struct call *k)
{
	struct call tree = *k;
	const void *acc;
	int v;

	if (!k->op->commute)
		tree.root = 0;
	v = virtual_rank(&tree);
	acc = reduce_children(s, &tree, v);
	if (v != 0)
		sched_send(s, acc, k->rcount, k->rtype, real_rank(&tree, v - low_bit(v, k->n)));
	else if (k->me != k->root)
		sched_send(s, acc, k->rcount, k->rtype, k->root);
	else
		sched_move(s, acc, k->rbuf, k->rcount, k->rtype);
	if (k->me == k->root && v != 0) {
		sched_fence(s); /* what went out may be the operand in place */
		sched_recv(s, k->rbuf, k->rcount, k->rtype, 0);
	}
}

/* --- gather and scatter --------------------------------------------------------------------- */

void gather_binomial(struct sched *s, const struct call *k)
{
	int v = virtual_rank(k), low = low_bit(v, k->n);
	int64_t block = k->bytes;
	char *mem = sched_bytes(s, block * subtree(v, k->n));
	struct type *byte = type_predefined(MPI_BYTE);

	if (!k->in_place)
		sched_pack(s, k->sbuf, k->scount, k->stype, mem, block);
	for (int bit = 1; bit < low && v + bit < k->n; bit <<= 1)
		sched_recv(s, mem + bit * block, subtree(v + bit, k->n) * block, byte,
			real_rank(k, v + bit));
	sched_fence(s);
	if (v != 0)
		sched_send(s, mem, subtree(v, k->n) * block, byte, real_rank(k, v - low));
	for (int i = k->in_place; i < k->n && v == 0; i++)
		sched_unpack(s, mem + i * block,
			elem(k->rbuf, k->rtype, real_rank(k, i) * k->rcount), k->rcount, k->rtype,
			block);
}

void scatter_binomial(struct sched *s, const struct call *k)
{
	int v = virtual_rank(k), low = low_bit(v, k->n);
	int64_t block = k->bytes;
	char *mem = sched_bytes(s, block * subtree(v, k->n));
	struct type *byte = type_predefined(MPI_BYTE);

	for (int i = k->in_place; i < k->n && v == 0; i++)
		sched_pack(s, elem(k->sbuf, k->stype, real_rank(k, i) * k->scount), k->scount,
			k->stype, mem + i * block, block);
	if (v != 0)
		sched_recv(s, mem, subtree(v, k->n) * block, byte, real_rank(k, v - low));
	sched_fence(s);
	for (int bit = low >> 1; bit > 0; bit >>= 1)
		if (v + bit < k->n)
			sched_send(s, mem + bit * block, subtree(v + bit, k->n) * block, byte,
				real_rank(k, v + bit));
	if (!k->in_place)
		sched_unpack(s, mem, k->rbuf, k->rcount, k->rtype, block);
}

/* The root talks to each rank: long blocks, and blocks of different lengths. */
void gather_linear(struct sched *s, const struct call *k)
{
	struct block b;

	if (k->me != k->root) {
		sched_send(s, k->sbuf, k->scount, k->stype, k->root);
		return;
	}
	for (int i = 1; i < k->n; i++) {
		b = block_in(k, real_rank(k, i));
		sched_recv(s, b.at, b.count, b.type, real_rank(k, i));
	}
	if (k->in_place)
		return;
	b = block_in(k, k->me);
	sched_copy(s, k->sbuf, k->scount, k->stype, b.at, b.count, b.type);
}

void scatter_linear(struct sched *s, const struct call *k)
{
	struct block b;

	if (k->me != k->root) {
		sched_recv(s, k->rbuf, k->rcount, k->rtype, k->root);
		return;
	}
	for (int i = 1; i < k->n; i++) {
		b = block_out(k, real_rank(k, i));
		sched_send(s, b.at, b.count, b.type, real_rank(k, i));
	}
	if (k->in_place)
		return;
	b = block_out(k, k->me);
	sched_copy(s, b.at, b.count, b.type, k->rbuf, k->rcount, k->rtype);
}
