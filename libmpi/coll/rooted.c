// SPDX-License-Identifier: BSD-3-Clause
/* rooted.c - algorithms with a root: broadcast, reduce, gather, scatter, mostly on binomial trees,
 * or on those of radix 4, with half as many levels (coll_radix).
 *
 *      virtual rank    0 ── 4 ── 6 ── 7        v = (rank - root) mod n
 *                      ├─ 2 ┐    └─ 5 ...      the parent of v is v without its lowest bit;
 *                      └─ 1 └─ 3               its subtree is v .. v + lowest bit - 1
 *                                              radix 4: digit instead of bit
 *
 * A subtree is an interval.  So a reduction along the tree combines neighboring ranks in order, and
 * a gather sends one contiguous range. */
#include "libmpi/coll/algorithms.h"

static int tree_virtual_rank(const struct coll_args *k)
{
	return (k->me - k->root + k->n) % k->n;
}

static int tree_rank(const struct coll_args *k, int v)
{
	return (v + k->root) % k->n;
}

/* The parent of v != 0. */
static int tree_parent(int v, int n, int radix)
{
	return v - (int)(v % (radix * (int64_t)num_tree_reach(v, n, radix)));
}

/* The next distance of a child, away from v; and towards it, 0: there is none. */
static int tree_next(int d, int radix)
{
	return d + num_radix_power(d, radix);
}

static int tree_before(int d, int radix)
{
	return d > 1 ? d - num_radix_power(d - 1, radix) : 0;
}

/* The number of members of v's subtree, v included. */
static int tree_size(int v, int n, int radix)
{
	int bit = num_tree_reach(v, n, radix);

	return v + bit <= n ? bit : n - v;
}

/* --- broadcast ------------------------------------------------------------------------------ */

void coll_bcast_binomial(struct sched *s, const struct coll_args *k)
{
	int v = tree_virtual_rank(k), radix = coll_radix(k, k->bytes),
	    d = num_tree_reach(v, k->n, radix);

	if (v != 0)
		coll_sched_recv(
			s, k->rbuf, k->rcount, k->rtype, tree_rank(k, tree_parent(v, k->n, radix)));
	coll_sched_fence(s);
	while ((d = tree_before(d, radix)) > 0)
		if (v + d < k->n)
			coll_sched_send(s, k->rbuf, k->rcount, k->rtype, tree_rank(k, v + d));
}

/* The bytes of parts [from, to) of a long broadcast. */
struct range {
	char *at;
	int64_t len;
};

static struct range bcast_parts_range(const struct coll_args *k, char *mem, int from, int to)
{
	int64_t at = coll_part_at(k->bytes, k->n, from);

	return (struct range){mem + at, coll_part_at(k->bytes, k->n, to) - at};
}

/* Part v goes to v along the tree. */
static void bcast_scatter(struct sched *s, const struct coll_args *k, char *mem)
{
	int v = tree_virtual_rank(k), n = k->n, bit = num_tree_distance(v, n);
	struct type *byte = type_predefined(MPI_BYTE);
	struct range r = bcast_parts_range(k, mem, v, v + tree_size(v, n, 2));

	if (v != 0)
		coll_sched_recv(s, r.at, r.len, byte, tree_rank(k, v - bit));
	coll_sched_fence(s);
	for (bit >>= 1; bit > 0; bit >>= 1) {
		if (v + bit >= n)
			continue;
		r = bcast_parts_range(k, mem, v + bit, v + bit + tree_size(v + bit, n, 2));
		coll_sched_send(s, r.at, r.len, byte, tree_rank(k, v + bit));
	}
}

/* All parts go round the ring. */
static void bcast_ring(struct sched *s, const struct coll_args *k, char *mem)
{
	int v = tree_virtual_rank(k), n = k->n;
	int left = tree_rank(k, (v + n - 1) % n), right = tree_rank(k, (v + 1) % n);
	struct type *byte = type_predefined(MPI_BYTE);

	for (int i = 0; i < n - 1; i++) {
		int out = (v + n - i) % n, in = (v + n - i - 1) % n;
		struct range r = bcast_parts_range(k, mem, in, in + 1);

		coll_sched_recv(s, r.at, r.len, byte, left);
		r = bcast_parts_range(k, mem, out, out + 1);
		coll_sched_send(s, r.at, r.len, byte, right);
		coll_sched_fence(s);
	}
}

/* Sends or receives parts [from, from + count) mod n: in two messages, if they wrap. */
static void bcast_parts(struct sched *s, const struct coll_args *k, char *mem, int from, int count,
	int peer, bool sends)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int first = from % k->n, end = first + count < k->n ? first + count : k->n;
	struct range r[2] = {bcast_parts_range(k, mem, first, end),
		bcast_parts_range(k, mem, 0, count - (end - first))};

	for (int i = 0; i < (end - first < count ? 2 : 1); i++)
		if (sends)
			coll_sched_send(s, r[i].at, r[i].len, byte, tree_rank(k, peer));
		else
			coll_sched_recv(s, r[i].at, r[i].len, byte, tree_rank(k, peer));
}

/* Bruck: after step s this member has the parts v .. v + 2^(s+1) - 1. */
static void bcast_bruck(struct sched *s, const struct coll_args *k, char *mem)
{
	int v = tree_virtual_rank(k), n = k->n;

	coll_sched_fence(s); /* messages of the tree may be of parts that come again */
	for (int bit = 1; bit < n; bit <<= 1) {
		int count = 2 * bit <= n ? bit : n - bit;

		bcast_parts(s, k, mem, v + bit, count, (v + bit) % n, false);
		bcast_parts(s, k, mem, v, count, (v + n - bit) % n, true);
		coll_sched_fence(s);
	}
}

static void bcast_long(struct sched *s, const struct coll_args *k,
	void (*allgather)(struct sched *s, const struct coll_args *k, char *mem))
{
	char *mem = k->rtype->dense ? k->rbuf : coll_sched_bytes(s, k->bytes);

	if (!k->rtype->dense && k->me == k->root)
		coll_sched_pack(s, k->rbuf, k->rcount, k->rtype, mem, k->bytes);
	bcast_scatter(s, k, mem);
	allgather(s, k, mem);
	if (!k->rtype->dense && k->me != k->root)
		coll_sched_unpack(s, mem, k->rbuf, k->rcount, k->rtype, k->bytes);
}

void coll_bcast_scatter_allgather(struct sched *s, const struct coll_args *k)
{
	bcast_long(s, k, bcast_ring);
}

void coll_bcast_scatter_bruck(struct sched *s, const struct coll_args *k)
{
	bcast_long(s, k, bcast_bruck);
}

/* --- reduce --------------------------------------------------------------------------------- */

#define TEMPS 3 /* temps: received, being combined, and the result so far */

/* Receives from the children of v in ascending order and combines; the next message is in flight
 * meanwhile.  Returns the result of the subtree: the rank's own operand, or a temp. */
static const void *tree_reduce_children(struct sched *s, const struct coll_args *k, int v)
{
	const void *acc = coll_operand(k);
	void *in[TEMPS] = {NULL}, *last = NULL;
	int at = 0, radix = coll_radix(k, k->bytes), low = num_tree_reach(v, k->n, radix);

	for (int d = 1; d < low && v + d < k->n; d = tree_next(d, radix)) {
		if (in[at] == NULL)
			in[at] = coll_sched_elements(s, k->rtype, k->rcount);
		coll_sched_fence(s);
		coll_sched_recv(s, in[at], k->rcount, k->rtype, tree_rank(k, v + d));
		if (last != NULL) {
			coll_sched_reduce(s, acc, last, last, k->rcount, k->rtype);
			acc = last;
		}
		last = in[at];
		at = (at + 1) % TEMPS;
	}
	coll_sched_fence(s);
	if (last == NULL)
		return acc;
	coll_sched_reduce(s, acc, last, last, k->rcount, k->rtype);
	return last;
}

/* Operations that do not commute are reduced to rank 0, which sends the result to the root. */
void coll_reduce_binomial(struct sched *s, const struct coll_args *k)
{
	struct coll_args tree = *k;
	const void *acc;
	int v;

	if (!k->op->commute)
		tree.root = 0;
	v = tree_virtual_rank(&tree);
	acc = tree_reduce_children(s, &tree, v);
	if (v != 0)
		coll_sched_send(s, acc, k->rcount, k->rtype,
			tree_rank(&tree, tree_parent(v, k->n, coll_radix(k, k->bytes))));
	else if (k->me != k->root)
		coll_sched_send(s, acc, k->rcount, k->rtype, k->root);
	else
		coll_sched_move(s, acc, k->rbuf, k->rcount, k->rtype);
	if (k->me == k->root && v != 0) {
		coll_sched_fence(s); /* the message sent may be the operand in place */
		coll_sched_recv(s, k->rbuf, k->rcount, k->rtype, 0);
	}
}

/* --- gather and scatter --------------------------------------------------------------------- */

/* Where blocks v .. v + n - 1 of a child's subtree are at the root: in the user's buffer if they
 * lie there as they are sent, else in mem. */
static bool tree_direct(const struct coll_args *k, int v, int n, const struct type *type)
{
	return type->dense && tree_rank(k, v) + n <= k->n;
}

static char *tree_blocks(const struct coll_args *k, int v, int n, struct block b, char *mem)
{
	if (k->me == k->root && tree_direct(k, v, n, b.type))
		return coll_element(b.at, b.type, tree_rank(k, v) * b.count);
	return mem + (k->me == k->root ? v : v - tree_virtual_rank(k)) * k->bytes;
}

static void gather_unpack(struct sched *s, const struct coll_args *k, const char *mem, int v, int n)
{
	for (int i = v; i < v + n; i++)
		coll_sched_unpack(s, mem + i * k->bytes,
			coll_element(k->rbuf, k->rtype, tree_rank(k, i) * k->rcount), k->rcount,
			k->rtype, k->bytes);
}

void coll_gather_binomial(struct sched *s, const struct coll_args *k)
{
	int v = tree_virtual_rank(k), radix = coll_radix(k, k->bytes);
	int low = num_tree_reach(v, k->n, radix), size = tree_size(v, k->n, radix);
	char *mem = coll_sched_bytes(s, k->bytes * size);
	struct type *byte = type_predefined(MPI_BYTE);
	struct block all = {k->rbuf, k->rcount, k->rtype};

	if (!k->in_place)
		coll_sched_pack(s, k->sbuf, k->scount, k->stype, mem, k->bytes);
	for (int d = 1; d < low && v + d < k->n; d = tree_next(d, radix)) {
		int n = tree_size(v + d, k->n, radix);

		coll_sched_recv(s, tree_blocks(k, v + d, n, all, mem), n * k->bytes, byte,
			tree_rank(k, v + d));
	}
	coll_sched_fence(s);
	if (v != 0) {
		coll_sched_send(
			s, mem, size * k->bytes, byte, tree_rank(k, tree_parent(v, k->n, radix)));
		return;
	}
	gather_unpack(s, k, mem, 0, !k->in_place);
	for (int d = 1; d < low && d < k->n; d = tree_next(d, radix))
		if (!tree_direct(k, d, tree_size(d, k->n, radix), k->rtype))
			gather_unpack(s, k, mem, d, tree_size(d, k->n, radix));
}

static void scatter_pack(struct sched *s, const struct coll_args *k, char *mem, int v, int n)
{
	for (int i = v; i < v + n; i++)
		coll_sched_pack(s, coll_element(k->sbuf, k->stype, tree_rank(k, i) * k->scount),
			k->scount, k->stype, mem + i * k->bytes, k->bytes);
}

void coll_scatter_binomial(struct sched *s, const struct coll_args *k)
{
	int v = tree_virtual_rank(k), radix = coll_radix(k, k->bytes);
	int low = num_tree_reach(v, k->n, radix), size = tree_size(v, k->n, radix);
	char *mem = coll_sched_bytes(s, k->bytes * size);
	struct type *byte = type_predefined(MPI_BYTE);
	struct block all = {(void *)(uintptr_t)k->sbuf, k->scount, k->stype};

	if (v != 0)
		coll_sched_recv(
			s, mem, size * k->bytes, byte, tree_rank(k, tree_parent(v, k->n, radix)));
	for (int d = 1; d < low && d < k->n && v == 0; d = tree_next(d, radix))
		if (!tree_direct(k, d, tree_size(d, k->n, radix), k->stype))
			scatter_pack(s, k, mem, d, tree_size(d, k->n, radix));
	coll_sched_fence(s);
	for (int d = low; (d = tree_before(d, radix)) > 0;) {
		int n = v + d < k->n ? tree_size(v + d, k->n, radix) : 0;

		if (n > 0)
			coll_sched_send(s, tree_blocks(k, v + d, n, all, mem), n * k->bytes, byte,
				tree_rank(k, v + d));
	}
	if (k->in_place)
		return;
	if (v == 0)
		scatter_pack(s, k, mem, 0, 1);
	coll_sched_unpack(s, mem, k->rbuf, k->rcount, k->rtype, k->bytes);
}

/* The root exchanges a message with each rank: long blocks, and blocks of different lengths. */
void coll_gather_linear(struct sched *s, const struct coll_args *k)
{
	struct block b;

	if (k->me != k->root) {
		coll_sched_send(s, k->sbuf, k->scount, k->stype, k->root);
		return;
	}
	for (int i = 1; i < k->n; i++) {
		b = coll_block_in(k, tree_rank(k, i));
		coll_sched_recv(s, b.at, b.count, b.type, tree_rank(k, i));
	}
	if (k->in_place)
		return;
	b = coll_block_in(k, k->me);
	coll_sched_copy(s, k->sbuf, k->scount, k->stype, b.at, b.count, b.type);
}

void coll_scatter_linear(struct sched *s, const struct coll_args *k)
{
	struct block b;

	if (k->me != k->root) {
		coll_sched_recv(s, k->rbuf, k->rcount, k->rtype, k->root);
		return;
	}
	for (int i = 1; i < k->n; i++) {
		b = coll_block_out(k, tree_rank(k, i));
		coll_sched_send(s, b.at, b.count, b.type, tree_rank(k, i));
	}
	if (k->in_place)
		return;
	b = coll_block_out(k, k->me);
	coll_sched_copy(s, b.at, b.count, b.type, k->rbuf, k->rcount, k->rtype);
}
