// SPDX-License-Identifier: BSD-3-Clause
/* tree.c - by messages, from and to a root: broadcast, reduce, gather, scatter over binomial trees.
 *
 *      virtual rank    0 ── 4 ── 6 ── 7        v = (rank - root) mod n
 *                      ├─ 2 ┐    └─ 5 ...      the parent of v is v without its lowest bit;
 *                      └─ 1 └─ 3               its subtree is v .. v + lowest bit - 1
 *
 * A subtree is an interval, so that a reduction along the tree combines neighbours in order, and a
 * gather sends one piece of memory. */
#include "libmpi/coll/coll.h"
#include <stdlib.h>
#include <string.h>

#define BCAST_LONG                                                                               \
	MEAN_OR(64, 128 * 1024)           /* bytes from which a broadcast goes as scatter + ring \
					   */
#define BLOCK_SHORT MEAN_OR(16, 4 * 1024) /* bytes of a block up to which gather uses the tree */

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

/* --- broadcast
 * ------------------------------------------------------------------------------------ */

static int bcast_tree(const struct call *k)
{
	int v = virtual_rank(k), bit = low_bit(v, k->n), err = 0;

	if (v != 0)
		err = p2p_coll_recv(
			k->comm, k->rbuf, k->rcount, k->rtype, real_rank(k, v - bit), k->tag);
	for (bit >>= 1; bit > 0 && err == 0; bit >>= 1)
		if (v + bit < k->n)
			err = p2p_coll_send(k->comm, k->rbuf, k->rcount, k->rtype,
				real_rank(k, v + bit), k->tag);
	return err;
}

/* Where block i of a long broadcast begins, bytes. */
static int64_t part_at(int64_t bytes, int n, int i)
{
	return bytes / n * i + (bytes % n < i ? bytes % n : i);
}

/* The whole in n parts: part v goes to v along the tree, then all parts go round the ring. */
static int bcast_parts(const struct call *k, char *mem, int64_t bytes)
{
	int v = virtual_rank(k), n = k->n, bit = low_bit(v, n), err = 0;
	int left = real_rank(k, (v + n - 1) % n), right = real_rank(k, (v + 1) % n);
	struct type *byte = type_predefined(MPI_BYTE);
	int64_t at = part_at(bytes, n, v), end = part_at(bytes, n, v + subtree(v, n));

	if (v != 0)
		err = p2p_coll_recv(
			k->comm, mem + at, end - at, byte, real_rank(k, v - bit), k->tag);
	for (bit >>= 1; bit > 0 && err == 0; bit >>= 1) {
		int to = v + bit;

		if (to >= n)
			continue;
		at = part_at(bytes, n, to);
		end = part_at(bytes, n, to + subtree(to, n));
		err = p2p_coll_send(k->comm, mem + at, end - at, byte, real_rank(k, to), k->tag);
	}
	for (int i = 0; i < n - 1 && err == 0; i++) {
		int out = (v + n - i) % n, in = (v + n - i - 1) % n;
		int64_t oat = part_at(bytes, n, out), iat = part_at(bytes, n, in);

		err = p2p_coll_sendrecv(k->comm, mem + oat, part_at(bytes, n, out + 1) - oat, byte,
			right, mem + iat, part_at(bytes, n, in + 1) - iat, byte, left, k->tag);
	}
	return err;
}

int msg_bcast(const struct call *k)
{
	int64_t bytes = k->rcount * k->rtype->size;
	char *mem;
	int err;

	if (bytes < BCAST_LONG || k->n < 3)
		return bcast_tree(k);
	if (k->rtype->dense)
		return bcast_parts(k, k->rbuf, bytes);
	mem = malloc((size_t)bytes);
	if (mem == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a packed copy of %lld bytes",
			(long long)bytes);
	if (k->me == k->root)
		type_pack(k->rtype, k->rbuf, k->rcount, 0, mem, bytes);
	err = bcast_parts(k, mem, bytes);
	if (err == 0 && k->me != k->root)
		type_unpack(k->rtype, k->rbuf, k->rcount, 0, mem, bytes);
	free(mem);
	return err;
}

/* --- reduce
 * --------------------------------------------------------------------------------------- */

/* Receives from the children of v in ascending order and combines; *acc is the operand of the whole
 * subtree afterwards, in own (the rank's own operand) or one of the two temps. */
static int reduce_children(const struct call *k, int v, struct temp t[2], const void **acc)
{
	int turn = 0, err = 0;

	for (int bit = 1; bit < low_bit(v, k->n) && v + bit < k->n && err == 0; bit <<= 1) {
		void *in;

		if (t[turn].mem == NULL)
			err = temp_new(&t[turn], k->rtype, k->rcount);
		if (err != 0)
			return err;
		in = t[turn].at;
		err = p2p_coll_recv(
			k->comm, in, k->rcount, k->rtype, real_rank(k, v + bit), k->tag);
		if (err == 0)
			op_apply(k->op, *acc, in, in, k->rcount, k->rtype);
		*acc = in;
		turn = !turn;
	}
	return err;
}

/* Operations that do not commute are reduced to rank 0, which sends the result to the root. */
int msg_reduce(const struct call *k)
{
	struct call tree = *k;
	struct temp t[2] = {{NULL, NULL}, {NULL, NULL}};
	const void *acc = operand(k);
	int v, err;

	if (!k->op->commute)
		tree.root = 0;
	v = virtual_rank(&tree);
	err = reduce_children(&tree, v, t, &acc);
	if (err == 0 && v != 0)
		err = p2p_coll_send(k->comm, acc, k->rcount, k->rtype,
			real_rank(&tree, v - low_bit(v, k->n)), k->tag);
	else if (err == 0 && k->me != k->root)
		err = p2p_coll_send(k->comm, acc, k->rcount, k->rtype, k->root, k->tag);
	else if (err == 0 && acc != k->rbuf)
		type_move(k->rtype, acc, k->rbuf, k->rcount);
	if (err == 0 && k->me == k->root && v != 0)
		err = p2p_coll_recv(k->comm, k->rbuf, k->rcount, k->rtype, 0, k->tag);
	temp_free(&t[0]);
	temp_free(&t[1]);
	return err;
}

/* --- gather and scatter
 * --------------------------------------------------------------------------- */

/* Bytes of one rank's block, as this rank knows them. */
static int64_t block_bytes(const struct call *k, bool receive)
{
	return receive ? k->rcount * k->rtype->size : k->scount * k->stype->size;
}

static int gather_tree(const struct call *k, int64_t block)
{
	int v = virtual_rank(k), low = low_bit(v, k->n), err = 0;
	char *mem = malloc((size_t)(block * subtree(v, k->n)));

	if (mem == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to gather %lld bytes",
			(long long)(block * subtree(v, k->n)));
	if (!k->in_place)
		type_pack(k->stype, k->sbuf, k->scount, 0, mem, block);
	for (int bit = 1; bit < low && v + bit < k->n && err == 0; bit <<= 1)
		err = p2p_coll_recv(k->comm, mem + bit * block, subtree(v + bit, k->n) * block,
			type_predefined(MPI_BYTE), real_rank(k, v + bit), k->tag);
	if (err == 0 && v != 0)
		err = p2p_coll_send(k->comm, mem, subtree(v, k->n) * block,
			type_predefined(MPI_BYTE), real_rank(k, v - low), k->tag);
	for (int i = k->in_place; i < k->n && err == 0 && v == 0; i++)
		type_unpack(k->rtype, elem(k->rbuf, k->rtype, real_rank(k, i) * k->rcount),
			k->rcount, 0, mem + i * block, block);
	free(mem);
	return err;
}

static int scatter_tree(const struct call *k, int64_t block)
{
	int v = virtual_rank(k), low = low_bit(v, k->n), err = 0;
	char *mem = malloc((size_t)(block * subtree(v, k->n)));

	if (mem == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to scatter %lld bytes",
			(long long)(block * subtree(v, k->n)));
	for (int i = k->in_place; i < k->n && v == 0; i++)
		type_pack(k->stype, elem(k->sbuf, k->stype, real_rank(k, i) * k->scount), k->scount,
			0, mem + i * block, block);
	if (v != 0)
		err = p2p_coll_recv(k->comm, mem, subtree(v, k->n) * block,
			type_predefined(MPI_BYTE), real_rank(k, v - low), k->tag);
	for (int bit = low >> 1; bit > 0 && err == 0; bit >>= 1)
		if (v + bit < k->n)
			err = p2p_coll_send(k->comm, mem + bit * block,
				subtree(v + bit, k->n) * block, type_predefined(MPI_BYTE),
				real_rank(k, v + bit), k->tag);
	if (err == 0 && !k->in_place)
		type_unpack(k->rtype, k->rbuf, k->rcount, 0, mem, block);
	free(mem);
	return err;
}

/* Block i at the root: its address, count and type. */
struct block {
	void *at;
	int64_t count;
	struct type *type;
};

static struct block root_block(const struct call *k, bool receive, int i)
{
	const void *buf = receive ? k->rbuf : k->sbuf;
	struct type *type = receive ? k->rtype : k->stype;
	struct haft_counts counts = receive ? k->rcounts : k->scounts;
	struct haft_counts displs = receive ? k->rdispls : k->sdispls;
	int64_t count = receive ? k->rcount : k->scount;

	if (counts.v == NULL)
		return (struct block){elem(buf, type, i * count), count, type};
	return (struct block){
		elem(buf, type, haft_count_at(displs, i)), haft_count_at(counts, i), type};
}

/* The root talks to each rank: long blocks, and blocks of different lengths. */
static int root_linear(const struct call *k, bool receive)
{
	struct req *reqs = calloc((size_t)k->n, sizeof(*reqs));
	int started = 0, err = 0, first;

	if (reqs == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for %d requests", k->n);
	for (int i = 1; i < k->n; i++) {
		int rank = real_rank(k, i);
		struct block b = root_block(k, receive, rank);

		if (receive)
			p2p_coll_irecv(
				k->comm, b.at, b.count, b.type, rank, k->tag, &reqs[started++]);
		else
			p2p_coll_isend(
				k->comm, b.at, b.count, b.type, rank, k->tag, &reqs[started++]);
	}
	if (!k->in_place) {
		struct block b = root_block(k, receive, k->root);

		if (receive)
			err = type_copy(k->sbuf, k->scount, k->stype, b.at, b.count, b.type);
		else
			err = type_copy(b.at, b.count, b.type, k->rbuf, k->rcount, k->rtype);
	}
	first = p2p_coll_wait(reqs, started);
	free(reqs);
	return err != 0 ? err : first;
}

int msg_gatherv(const struct call *k)
{
	if (k->me == k->root)
		return root_linear(k, true);
	return p2p_coll_send(k->comm, k->sbuf, k->scount, k->stype, k->root, k->tag);
}

int msg_scatterv(const struct call *k)
{
	if (k->me == k->root)
		return root_linear(k, false);
	return p2p_coll_recv(k->comm, k->rbuf, k->rcount, k->rtype, k->root, k->tag);
}

int msg_gather(const struct call *k)
{
	int64_t block = block_bytes(k, k->me == k->root);

	return block <= BLOCK_SHORT ? gather_tree(k, block) : msg_gatherv(k);
}

int msg_scatter(const struct call *k)
{
	int64_t block = block_bytes(k, k->me != k->root);

	return block <= BLOCK_SHORT ? scatter_tree(k, block) : msg_scatterv(k);
}
