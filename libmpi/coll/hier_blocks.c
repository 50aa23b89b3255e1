// SPDX-License-Identifier: BSD-3-Clause
/* hier_blocks.c - gathers, scatters and alltoalls over several hosts: one message between two hosts
 * for all blocks of their members.  For short blocks, which are copied once more for that.
 *
 *      gather     0 1 2 3 | 4 5 6 7     a row: the blocks of one host's members, in the order of
 *                 └┴┴┘      └┴┴┘        their ranks, as long as that of the largest host
 *                 0 <────── 4           leaders send rows
 *
 *      alltoall   each member gives its leader a row for each host; leaders exchange squares,
 *                 [from][to] of their members; each leader scatters column `to' to its member `to'
 *
 *      ports      each member of a host exchanges squares with some of the other hosts; the members
 *                 share them before and after (hosts in lanes)
 *
 * Blocks are packed: bytes.  Unused places of a row are zero and never read. */
#include "libmpi/coll/hierarchical.h"
#include <string.h>

/* --- rows ----------------------------------------------------------------------------------- */

/* n bytes of zeros: they are sent although not all of them are written. */
static char *hier_zeros(struct sched *s, int64_t n)
{
	char *mem = coll_sched_bytes(s, n);

	if (mem != NULL && !coll_sched_is_dry_run(s))
		memset(mem, 0, (size_t)n);
	return mem;
}

/* n bytes of rows, which are full if all hosts have equally many members. */
static char *hier_bytes(struct sched *s, const struct coll_hier *h, int64_t n)
{
	bool even = true;

	for (int i = 0; i < h->nhosts; i++)
		even = even && h->host_sizes[i] == h->largest;
	return even ? coll_sched_bytes(s, n) : hier_zeros(s, n);
}

/* The place of rank r's block in rows of blocks of so many bytes.  Asked for all ranks of k in
 * ascending order, beginning with 0. */
static int64_t hier_block_at(const struct coll_args *k, struct coll_hier *h, int r, int64_t block)
{
	int host = coll_hier_host(h, k->comm, r);

	if (r == 0)
		memset(h->filled, 0, (size_t)h->nhosts * sizeof(*h->filled));
	return ((int64_t)host * h->largest + h->filled[host]++) * block;
}

/* Turns a call into one of n bytes. */
static void args_of_bytes(struct coll_args *c, const void *sbuf, void *rbuf, int64_t n)
{
	c->in_place = false;
	c->sbuf = sbuf;
	c->rbuf = rbuf;
	c->scount = c->rcount = c->bytes = n;
	c->stype = c->rtype = type_predefined(MPI_BYTE);
}

/* A gather, scatter or bcast among this host's members, of n bytes each. */
static void hier_local_bytes(struct sched *s, const struct coll_args *k, struct coll_hier *h,
	enum coll_kind kind, const void *sbuf, void *rbuf, int64_t n)
{
	struct coll_args in = coll_hier_local_args(k, h, kind, coll_hier_leader(k, h));

	if (in.n == 1 && sbuf != NULL)
		coll_sched_move(s, sbuf, rbuf, n, type_predefined(MPI_BYTE));
	args_of_bytes(&in, sbuf, rbuf, n);
	coll_hier_local(s, &in);
}

/* A call among the leaders, of n bytes each. */
static void hier_leaders_bytes(struct sched *s, const struct coll_args *k, struct coll_hier *h,
	const void *sbuf, void *rbuf, int64_t n)
{
	struct coll_args out = *k;

	args_of_bytes(&out, sbuf, rbuf, n);
	coll_hier_leaders(s, k, h, &out);
}

/* Packs the block that this member gives to all, or to the root. */
static void hier_pack_own(struct sched *s, const struct coll_args *k, char *mem, int64_t block)
{
	struct block b = {(void *)(uintptr_t)k->sbuf, k->scount, k->stype};

	if (k->in_place)
		b = coll_block_in(k, k->me);
	coll_sched_pack(s, b.at, b.count, b.type, mem, block);
}

/* --- plans ---------------------------------------------------------------------------------- */

void coll_gather_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int64_t block = k->bytes, row = h->largest * block;
	bool leader = k->me == coll_hier_leader(k, h), root = k->me == k->root;
	char *mine = coll_sched_bytes(s, block);
	char *here = leader ? hier_bytes(s, h, row) : NULL;
	char *all = root ? coll_sched_bytes(s, h->nhosts * row) : NULL;

	hier_pack_own(s, k, mine, block);
	hier_local_bytes(s, k, h, COLL_GATHER, mine, here, block);
	if (leader)
		hier_leaders_bytes(s, k, h, here, all, row);
	for (int r = 0; r < k->n && root; r++) {
		int64_t at = hier_block_at(k, h, r, block);

		if (r != k->me || !k->in_place)
			coll_sched_unpack(s, all + at,
				coll_element(k->rbuf, k->rtype, r * k->rcount), k->rcount, k->rtype,
				block);
	}
}

void coll_scatter_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int64_t block = k->bytes, row = h->largest * block;
	bool leader = k->me == coll_hier_leader(k, h), root = k->me == k->root;
	char *mine = coll_sched_bytes(s, block);
	char *here = leader ? coll_sched_bytes(s, row) : NULL;
	char *all = root ? hier_bytes(s, h, h->nhosts * row) : NULL;

	for (int r = 0; r < k->n && root; r++)
		coll_sched_pack(s, coll_element(k->sbuf, k->stype, r * k->scount), k->scount,
			k->stype, all + hier_block_at(k, h, r, block), block);
	if (leader)
		hier_leaders_bytes(s, k, h, all, here, row);
	hier_local_bytes(s, k, h, COLL_SCATTER, here, mine, block);
	if (!k->in_place)
		coll_sched_unpack(s, mine, k->rbuf, k->rcount, k->rtype, block);
}

/* Blocks of different lengths are sent with the length of the longest. */
void coll_allgather_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	bool vector = k->rcounts.v != NULL, leader = k->me == h->leaders[h->my_host];
	int64_t block = vector ? coll_block_longest(k) : k->bytes, row = h->largest * block;
	struct coll_args rootless = *k;
	char *mine = vector ? hier_zeros(s, block) : coll_sched_bytes(s, block);
	char *here = leader ? hier_bytes(s, h, row) : NULL;
	char *all = coll_sched_bytes(s, h->nhosts * row);

	rootless.root = -1;
	rootless.kind = COLL_ALLGATHER;
	rootless.rcounts.v = rootless.rdispls.v = NULL;
	hier_pack_own(s, k, mine, block);
	hier_local_bytes(s, &rootless, h, COLL_GATHER, mine, here, block);
	if (leader)
		hier_leaders_bytes(s, &rootless, h, here, all, row);
	hier_local_bytes(s, &rootless, h, COLL_BCAST, NULL, all, h->nhosts * row);
	for (int r = 0; r < k->n; r++) {
		struct block b = coll_block_in(k, r);
		int64_t at = hier_block_at(k, h, r, block);

		if (r != k->me || !k->in_place)
			coll_sched_unpack(s, all + at, b.at, b.count, b.type, block);
	}
}

/* Leaders exchange the rows of their members, `here' [from][host][to], and get `there'
 * [to][host][from]. */
static void hier_exchange_rows(struct sched *s, const struct coll_args *k, struct coll_hier *h,
	const char *here, char *there)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int64_t block = k->bytes, row = h->largest * block, square = h->largest * row;
	char *out = hier_bytes(s, h, h->nhosts * square),
	     *in = coll_sched_bytes(s, h->nhosts * square);

	for (int from = 0; from < h->local.size; from++)
		for (int host = 0; host < h->nhosts; host++)
			coll_sched_move(s, here + (from * h->nhosts + host) * row,
				out + host * square + from * row, row, byte);
	hier_leaders_bytes(s, k, h, out, in, square);
	for (int host = 0; host < h->nhosts; host++)
		for (int from = 0; from < h->host_sizes[host]; from++)
			for (int to = 0; to < h->local.size; to++)
				coll_sched_move(s, in + host * square + from * row + to * block,
					there + (to * h->nhosts + host) * row + from * block, block,
					byte);
}

void coll_alltoall_hier(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int64_t block = k->bytes, rows = h->nhosts * h->largest * block;
	struct coll_args rootless = *k;
	char *mine = hier_bytes(s, h, rows), *here = NULL, *there = NULL;
	struct block b;

	rootless.root = -1;
	for (int r = 0; r < k->n; r++) {
		b = coll_block_given(k, r);
		coll_sched_pack(
			s, b.at, b.count, b.type, mine + hier_block_at(k, h, r, block), block);
	}
	if (k->me == h->leaders[h->my_host]) {
		here = coll_sched_bytes(s, h->local.size * rows);
		there = hier_bytes(s, h, h->local.size * rows);
	}
	hier_local_bytes(s, &rootless, h, COLL_GATHER, mine, here, rows);
	if (here != NULL)
		hier_exchange_rows(s, &rootless, h, here, there);
	hier_local_bytes(s, &rootless, h, COLL_SCATTER, there, mine, rows);
	for (int r = 0; r < k->n; r++) {
		b = coll_block_in(k, r);
		coll_sched_unpack(
			s, mine + hier_block_at(k, h, r, block), b.at, b.count, b.type, block);
	}
}

/* --- ports ---------------------------------------------------------------------------------- */

/* How many hosts rank r's is behind this one; ahead of it. */
static int port_distance(const struct coll_args *k, const struct coll_hier *h, int r, bool ahead)
{
	int d = h->my_host - coll_hier_host(h, k->comm, r);

	return ((ahead ? -d : d) + h->nhosts) % h->nhosts;
}

/* Members have given each other the blocks that they exchange with other hosts, [from][part][to].
 * They go as squares, [part][from][to].  Returns those of other hosts. */
static char *ports_exchange_squares(struct sched *s, const struct coll_args *k, struct coll_hier *h,
	const char *lots, int64_t row)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int each = h->local.size, parts = coll_port_parts(h);
	char *out = coll_sched_bytes(s, parts * each * row);

	for (int from = 0; from < each; from++)
		for (int i = 0; i < parts; i++)
			coll_sched_move(s, lots + (from * parts + i) * row,
				out + (i * each + from) * row, row, byte);
	return coll_port_exchange(s, k, h, out, each * row, each * row, byte);
}

/* `bundle' is what a member gives another in the end: a block of each member of the hosts whose
 * squares it has got, and its own. */
void coll_alltoall_ports(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	struct type *byte = type_predefined(MPI_BYTE);
	int each = h->local.size, rows = coll_port_parts(h) * each;
	int64_t block = k->bytes, row = each * block, bundle = rows * block + block;
	struct coll_args rootless = *k;
	char *mine = hier_zeros(s, rows * row), *lots = coll_sched_bytes(s, rows * row);
	char *back = coll_sched_bytes(s, each * bundle), *got = coll_sched_bytes(s, each * bundle);
	char *in;

	rootless.root = -1;
	for (int r = 0; r < k->n; r++) {
		struct block b = coll_block_given(k, r);
		int64_t at = hier_block_at(k, h, r, block) % row;
		int d = port_distance(k, h, r, true);

		coll_sched_pack(s, b.at, b.count, b.type,
			d > 0 ? mine + coll_port_row(h, d) * row + at
			      : back + at / block * bundle + rows * block,
			block);
	}
	hier_local_bytes(s, &rootless, h, COLL_ALLTOALL, mine, lots, rows * block);
	in = ports_exchange_squares(s, k, h, lots, row);
	for (int to = 0; to < each; to++)
		for (int i = 0; i < rows; i++)
			coll_sched_move(s, in + i * row + to * block,
				back + to * bundle + i * block, block, byte);
	hier_local_bytes(s, &rootless, h, COLL_ALLTOALL, back, got, bundle);
	for (int r = 0; r < k->n; r++) {
		struct block b = coll_block_in(k, r);
		int64_t at = hier_block_at(k, h, r, block) % row;
		int d = port_distance(k, h, r, false);

		coll_sched_unpack(s,
			d > 0 ? got + (d - 1) % each * bundle + (d - 1) / each * row + at
			      : got + at / block * bundle + rows * block,
			b.at, b.count, b.type, block);
	}
}
