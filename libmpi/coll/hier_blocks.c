// SPDX-License-Identifier: BSD-3-Clause
/* hier_blocks.c - gathers, scatters and alltoalls over several hosts: one message between two hosts
 * for all blocks of their members, which are copied once more for that.  And reductions and
 * broadcasts of some KiB, cut into a part for each host.
 *
 *      gather     0 1 2 3 | 4 5 6 7     a row: the blocks of one host's members, in the order of
 *                 └┴┴┘      └┴┴┘        their ranks, as long as that of the largest host
 *                 0 <────── 4           leaders send rows
 *
 *      alltoall   each member gives its leader a row for each host; leaders exchange matrices of
 *                 blocks, [from][to] of their members, and scatter column `to' to member `to'
 *
 *      ports      each member of a host exchanges rows, or matrices, with some of the other hosts;
 *                 the members share them before and after (hosts in lanes)
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
	int64_t block = k->bytes, row = h->largest * block, matrix = h->largest * row;
	char *out = hier_bytes(s, h, h->nhosts * matrix),
	     *in = coll_sched_bytes(s, h->nhosts * matrix);

	for (int from = 0; from < h->local.size; from++)
		for (int host = 0; host < h->nhosts; host++)
			coll_sched_move(s, here + (from * h->nhosts + host) * row,
				out + host * matrix + from * row, row, byte);
	hier_leaders_bytes(s, k, h, out, in, matrix);
	for (int host = 0; host < h->nhosts; host++)
		for (int from = 0; from < h->host_sizes[host]; from++)
			for (int to = 0; to < h->local.size; to++)
				coll_sched_move(s, in + host * matrix + from * row + to * block,
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

/* Zeros the places that no host has, from that of distance `d' on, `step' apart.  `all' has only
 * those, in this order; with step 1 it has all, and in the order of coll_port_row. */
static void ports_zero_unused(
	struct sched *s, const struct coll_hier *h, char *all, int64_t row, int d, int step)
{
	for (; d <= coll_port_parts(h) * h->local.size; d += step)
		if (d >= h->nhosts && all != NULL && !coll_sched_is_dry_run(s))
			memset(all + (step > 1 ? (d - 1) / step : coll_port_row(h, d)) * row, 0,
				(size_t)row);
}

/* How many hosts the root's is ahead of this one; and the rank of its member that serves this. */
static int port_root(const struct coll_args *k, const struct coll_hier *h, int *server)
{
	int root = coll_hier_host(h, k->comm, k->root),
	    d = (root - h->my_host + h->nhosts) % h->nhosts;

	*server = d > 0 ? h->leaders[root] + (d - 1) % h->local.size * h->lane_step : -1;
	return d;
}

/* The members of the root's host exchange rows with the leaders of the hosts that they serve, d
 * behind: to `parts', or from there. */
static void ports_serve(struct sched *s, const struct coll_args *k, const struct coll_hier *h,
	char *parts, int64_t row, bool sends)
{
	struct type *byte = type_predefined(MPI_BYTE);

	coll_sched_group(s, k->comm->group);
	for (int d = 1 + h->local.rank; d < h->nhosts; d += h->local.size, parts += row) {
		int leader = h->leaders[(h->my_host - d + h->nhosts) % h->nhosts];

		if (sends)
			coll_sched_send(s, parts, row, byte, leader);
		else
			coll_sched_recv(s, parts, row, byte, leader);
	}
	coll_sched_fence(s);
}

/* Where rank r's block is at the root: among those of its own host, `here', or of others. */
static char *ports_block(
	const struct coll_args *k, struct coll_hier *h, int r, char *here, char *all)
{
	int64_t row = h->local.size * k->bytes, at = hier_block_at(k, h, r, k->bytes) % row;
	int d = port_distance(k, h, r, false);

	return d > 0 ? all + coll_port_row(h, d) * row + at : here + at;
}

void coll_gather_ports(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int64_t block = k->bytes, row = h->local.size * block, rows = coll_port_parts(h) * row;
	bool root = k->me == k->root, leader = k->me == coll_hier_leader(k, h);
	char *mine = coll_sched_bytes(s, block), *parts, *all;
	char *here = leader ? coll_sched_bytes(s, row) : NULL;
	int server, d = port_root(k, h, &server);

	hier_pack_own(s, k, mine, block);
	hier_local_bytes(s, k, h, COLL_GATHER, mine, here, block);
	if (d > 0) {
		coll_sched_group(s, k->comm->group);
		if (leader)
			coll_sched_send(s, here, row, type_predefined(MPI_BYTE), server);
		return;
	}
	parts = coll_sched_bytes(s, rows);
	ports_zero_unused(s, h, parts, row, 1 + h->local.rank, h->local.size);
	all = root ? coll_sched_bytes(s, h->local.size * rows) : NULL;
	ports_serve(s, k, h, parts, row, false);
	hier_local_bytes(s, k, h, COLL_GATHER, parts, all, rows);
	for (int r = 0; r < k->n && root; r++) {
		char *at = ports_block(k, h, r, here, all);

		if (r != k->me || !k->in_place)
			coll_sched_unpack(s, at, coll_element(k->rbuf, k->rtype, r * k->rcount),
				k->rcount, k->rtype, block);
	}
}

void coll_scatter_ports(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int64_t block = k->bytes, row = h->local.size * block, rows = coll_port_parts(h) * row;
	bool root = k->me == k->root, leader = k->me == coll_hier_leader(k, h);
	char *mine = coll_sched_bytes(s, block), *parts, *all;
	char *here = leader ? coll_sched_bytes(s, row) : NULL;
	int server, d = port_root(k, h, &server);

	if (d == 0) {
		parts = coll_sched_bytes(s, rows);
		all = root ? coll_sched_bytes(s, h->local.size * rows) : NULL;
		ports_zero_unused(s, h, all, row, 1, 1);
		for (int r = 0; r < k->n && root; r++)
			coll_sched_pack(s, coll_element(k->sbuf, k->stype, r * k->scount),
				k->scount, k->stype, ports_block(k, h, r, here, all), block);
		hier_local_bytes(s, k, h, COLL_SCATTER, all, parts, rows);
		ports_serve(s, k, h, parts, row, true);
	} else if (leader) {
		coll_sched_group(s, k->comm->group);
		coll_sched_recv(s, here, row, type_predefined(MPI_BYTE), server);
		coll_sched_fence(s);
	}
	hier_local_bytes(s, k, h, COLL_SCATTER, here, mine, block);
	if (!k->in_place)
		coll_sched_unpack(s, mine, k->rbuf, k->rcount, k->rtype, block);
}

/* Members have given each other the blocks for other hosts, `given' [from][part][to].  They go as
 * matrices, [part][from][to].  Returns those of other hosts. */
static char *ports_exchange_matrices(struct sched *s, const struct coll_args *k,
	struct coll_hier *h, const char *given, int64_t row)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int each = h->local.size, parts = coll_port_parts(h);
	char *out = coll_sched_bytes(s, parts * each * row);

	for (int from = 0; from < each; from++)
		for (int i = 0; i < parts; i++)
			coll_sched_move(s, given + (from * parts + i) * row,
				out + (i * each + from) * row, row, byte);
	return coll_port_exchange(s, k, h, out, each * row, each * row, byte);
}

/* All members get the blocks of their host, exchange them with other hosts, and share those. */
void coll_allgather_ports(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	int64_t block = k->bytes, row = h->local.size * block, rows = coll_port_parts(h) * row;
	struct coll_args rootless = *k;
	char *mine = coll_sched_bytes(s, block), *here = coll_sched_bytes(s, row);
	char *all = coll_sched_bytes(s, h->local.size * rows), *parts;

	rootless.root = -1;
	hier_pack_own(s, k, mine, block);
	hier_local_bytes(s, &rootless, h, COLL_ALLGATHER, mine, here, block);
	parts = coll_port_exchange(s, k, h, here, 0, row, type_predefined(MPI_BYTE));
	hier_local_bytes(s, &rootless, h, COLL_ALLGATHER, parts, all, rows);
	for (int r = 0; r < k->n; r++) {
		struct block b = coll_block_in(k, r);
		int64_t at = hier_block_at(k, h, r, block) % row;
		int d = port_distance(k, h, r, false);

		if (r != k->me || !k->in_place)
			coll_sched_unpack(s,
				d > 0 ? all + coll_port_row(h, d) * row + at : here + at, b.at,
				b.count, b.type, block);
	}
}

/* `column' is what a member gives another in the end: a block of each member of the hosts whose
 * matrices it has got, and its own. */
void coll_alltoall_ports(struct sched *s, const struct coll_args *k)
{
	struct coll_hier *h = coll_hier_of(k->comm);
	struct type *byte = type_predefined(MPI_BYTE);
	int each = h->local.size, rows = coll_port_parts(h) * each;
	int64_t block = k->bytes, row = each * block, column = rows * block + block;
	struct coll_args rootless = *k;
	char *mine = hier_zeros(s, rows * row), *given = coll_sched_bytes(s, rows * row);
	char *back = coll_sched_bytes(s, each * column), *got = coll_sched_bytes(s, each * column);
	char *in;

	rootless.root = -1;
	for (int r = 0; r < k->n; r++) {
		struct block b = coll_block_given(k, r);
		int64_t at = hier_block_at(k, h, r, block) % row;
		int d = port_distance(k, h, r, true);

		coll_sched_pack(s, b.at, b.count, b.type,
			d > 0 ? mine + coll_port_row(h, d) * row + at
			      : back + at / block * column + rows * block,
			block);
	}
	hier_local_bytes(s, &rootless, h, COLL_ALLTOALL, mine, given, rows * block);
	in = ports_exchange_matrices(s, k, h, given, row);
	for (int to = 0; to < each; to++)
		for (int i = 0; i < rows; i++)
			coll_sched_move(s, in + i * row + to * block,
				back + to * column + i * block, block, byte);
	hier_local_bytes(s, &rootless, h, COLL_ALLTOALL, back, got, column);
	for (int r = 0; r < k->n; r++) {
		struct block b = coll_block_in(k, r);
		int64_t at = hier_block_at(k, h, r, block) % row;
		int d = port_distance(k, h, r, false);

		coll_sched_unpack(s,
			d > 0 ? got + (d - 1) % each * column + (d - 1) / each * row + at
			      : got + at / block * column + rows * block,
			b.at, b.count, b.type, block);
	}
}

/* --- parts: data of some KiB, all members of a host send ------------------------------------ */

/*
 *      allreduce  local    reduce_scatter: member j has its host's sum of the parts of the hosts
 *                          that it serves, j * per .. j * per + per - 1
 *                 ports    each part goes to its host, which so gets one from every host
 *                 local    alltoall and allgather: the host's members combine these
 *                 ports    each host's result goes to all hosts
 *                 local    allgather
 *
 *      reduce_scatter_block  the same up to the second ports
 *
 *      reduce     likewise, where results go to the root's host
 *      bcast      scatter on the root's host; ports; bcast of the part on each host; and as
 *                 allreduce from its second ports on
 *
 * Between hosts are two steps, whatever their number, and no more bytes than a scatter and an
 * allgather need (van de Geijn).  port_tree.c has shorter data.  For hosts in lanes. */

/* How the data are cut, in elements: a share is what a member combines of its host's part. */
struct parts {
	const struct coll_args *k;
	struct coll_hier *h;
	int per;             /* hosts that a member serves; the last members may serve fewer */
	int64_t share, part; /* of a member, and of a host */
	int64_t mine, all;   /* of the hosts that a member serves, and of all members */
};

static struct parts parts_of(const struct coll_args *k, struct coll_hier *h)
{
	int each = h->local.size;
	int64_t shares = (int64_t)each * h->nhosts;
	struct parts p = {.k = k, .h = h, .per = (h->nhosts - 1) / each + 1};

	p.share = (k->rcount + shares - 1) / shares;
	p.part = each * p.share;
	p.mine = p.per * p.part;
	p.all = each * p.mine;
	return p;
}

/* The i-th host that this member serves; -1: there is none. */
static int parts_host(const struct parts *p, int i)
{
	int host = p->h->local.rank * p->per + i;

	return host < p->h->nhosts ? host : -1;
}

/* The member of a host that serves this one. */
static int parts_partner(const struct parts *p, int host)
{
	return p->h->leaders[host] + p->h->my_host / p->per * p->h->lane_step;
}

/* The leader of this host for a call whose root serves a host. */
static int parts_leader(const struct parts *p, int served)
{
	return p->h->leaders[p->h->my_host] + served / p->per * p->h->lane_step;
}

static void *parts_memory(struct sched *s, const struct parts *p, int64_t count)
{
	return coll_sched_elements(s, p->k->rtype, count);
}

static void *parts_at(const struct parts *p, const void *mem, int64_t at)
{
	return coll_element(mem, p->k->rtype, at);
}

static void parts_move(
	struct sched *s, const struct parts *p, const void *from, void *to, int64_t count)
{
	coll_sched_move(s, from, to, count, p->k->rtype);
}

static void parts_local(struct sched *s, const struct parts *p, enum coll_kind kind, int leader,
	const void *sbuf, void *rbuf, int64_t count)
{
	coll_hier_local_elements(s, p->k, p->h, kind, leader, sbuf, rbuf, count);
}

static int parts_first(const struct parts *p)
{
	return p->h->leaders[p->h->my_host];
}

/* Exchanges a part with each host that this member serves: i-th at mem + i * stride.  Returns
 * those of the other hosts, and the own one, in the order of hosts. */
static void *parts_exchange(struct sched *s, const struct parts *p, const void *mem, int64_t stride)
{
	void *in = parts_memory(s, p, p->mine);

	coll_sched_group(s, p->k->comm->group);
	for (int item = 0; item < p->per; item++) {
		int i = (p->h->my_host + item) % p->per; /* hosts begin with different ones */
		int host = parts_host(p, i);
		void *to = parts_at(p, in, i * p->part);
		const void *from = parts_at(p, mem, i * stride);

		if (host < 0 || host == p->h->my_host) {
			parts_move(s, p, from, to, p->part);
			continue;
		}
		coll_sched_recv(s, to, p->part, p->k->rtype, parts_partner(p, host));
		coll_sched_send(s, from, p->part, p->k->rtype, parts_partner(p, host));
	}
	coll_sched_fence(s);
	return in;
}

/* The host's sums of the parts that this member serves. */
static void *parts_reduce_local(struct sched *s, const struct parts *p)
{
	void *sums = parts_memory(s, p, p->mine);
	const void *operand = coll_padded(s, p->k, coll_operand(p->k), p->k->rcount, p->all);

	parts_local(s, p, COLL_REDUCE_SCATTER_BLOCK, parts_first(p), operand, sums, p->mine);
	return sums;
}

/* Each member combines the parts that it has of the hosts that it serves, and then a share of
 * the data of all members of the host, in the order of hosts.  Returns this share. */
static void *parts_combine(struct sched *s, const struct parts *p, void *in)
{
	int last = (p->h->nhosts - 1) / p->per, i = p->per - 1;
	void *got = parts_memory(s, p, p->part), *sum;

	while (i > 0 && parts_host(p, i) < 0)
		i--;
	sum = parts_at(p, in, i * p->part);
	while (--i >= 0)
		coll_sched_reduce(s, parts_at(p, in, i * p->part), sum, sum, p->part, p->k->rtype);
	parts_local(s, p, COLL_ALLTOALL, parts_first(p), sum, got, p->share);
	sum = parts_at(p, got, last * p->share);
	for (i = last - 1; i >= 0; i--)
		coll_sched_reduce(
			s, parts_at(p, got, i * p->share), sum, sum, p->share, p->k->rtype);
	return sum;
}

/* All have their hosts' parts: brings those of all hosts together, on each, in `result'. */
static void parts_allgather(
	struct sched *s, const struct parts *p, const void *slots, void *result, bool wanted)
{
	bool whole = p->all == p->k->rcount && wanted;
	void *all = whole ? result : parts_memory(s, p, p->all);

	parts_local(s, p, COLL_ALLGATHER, parts_first(p), slots, all, p->mine);
	if (!whole && wanted)
		parts_move(s, p, all, result, p->k->rcount);
}

void coll_allreduce_parts(struct sched *s, const struct coll_args *k)
{
	struct parts p = parts_of(k, coll_hier_of(k->comm));
	void *in = parts_exchange(s, &p, parts_reduce_local(s, &p), p.part);
	const void *share = parts_combine(s, &p, in);
	void *part = parts_memory(s, &p, p.part);

	parts_local(s, &p, COLL_ALLGATHER, parts_first(&p), share, part, p.share);
	parts_allgather(s, &p, parts_exchange(s, &p, part, 0), k->rbuf, true);
}

/* Blocks of one length, for hosts that are intervals of ranks: a host's part is its members'
 * blocks, and a member's share is its own. */
void coll_reduce_scatter_parts(struct sched *s, const struct coll_args *k)
{
	int64_t block = coll_block_size(k, 0);
	struct coll_args whole = *k;
	struct parts p;
	void *in;

	whole.rcount = k->n * block;
	p = parts_of(&whole, coll_hier_of(k->comm));
	in = parts_exchange(s, &p, parts_reduce_local(s, &p), p.part);
	coll_sched_move(s, parts_combine(s, &p, in), k->rbuf, block, k->rtype);
}

/* Results go to the root's host, each by the member that serves it. */
static void parts_to_root(
	struct sched *s, const struct parts *p, int root, const void *part, void *slots)
{
	coll_sched_group(s, p->k->comm->group);
	if (p->h->my_host != root && p->h->local.rank == root / p->per)
		coll_sched_send(s, part, p->part, p->k->rtype, parts_partner(p, root));
	for (int i = 0; i < p->per && p->h->my_host == root; i++) {
		int host = parts_host(p, i);
		void *to = parts_at(p, slots, i * p->part);

		if (host == root)
			parts_move(s, p, part, to, p->part);
		else if (host >= 0)
			coll_sched_recv(s, to, p->part, p->k->rtype, parts_partner(p, host));
	}
	coll_sched_fence(s);
}

void coll_reduce_parts(struct sched *s, const struct coll_args *k)
{
	struct parts p = parts_of(k, coll_hier_of(k->comm));
	int root = coll_hier_host(p.h, k->comm, k->root);
	void *slots = parts_exchange(s, &p, parts_reduce_local(s, &p), p.part), *all = k->rbuf;
	const void *share = parts_combine(s, &p, slots);
	void *part = parts_memory(s, &p, p.part);

	parts_local(s, &p, COLL_GATHER, parts_leader(&p, root), share, part, p.share);
	parts_to_root(s, &p, root, part, slots);
	if (p.h->my_host != root)
		return;
	if (k->me == k->root && p.all != k->rcount)
		all = parts_memory(s, &p, p.all);
	parts_local(s, &p, COLL_GATHER, k->root, slots, all, p.mine);
	if (k->me == k->root && p.all != k->rcount)
		parts_move(s, &p, all, k->rbuf, k->rcount);
}

/* The root's host scatters the data; each other host gets its part.  Returns it, where there is
 * one: at the member that serves the root's host. */
static void *parts_scatter(
	struct sched *s, const struct parts *p, int root, const void *data, void *slots)
{
	void *part = parts_memory(s, p, p->part);

	if (p->h->my_host == root) {
		if (p->k->me == p->k->root)
			data = coll_padded(s, p->k, data, p->k->rcount, p->all);
		parts_local(s, p, COLL_SCATTER, p->k->root, data, slots, p->mine);
	}
	coll_sched_group(s, p->k->comm->group);
	for (int i = 0; i < p->per && p->h->my_host == root; i++) {
		int host = parts_host(p, i);
		void *from = parts_at(p, slots, i * p->part);

		if (host == root)
			parts_move(s, p, from, part, p->part);
		else if (host >= 0)
			coll_sched_send(s, from, p->part, p->k->rtype, parts_partner(p, host));
	}
	if (p->h->my_host != root && p->h->local.rank == root / p->per)
		coll_sched_recv(s, part, p->part, p->k->rtype, parts_partner(p, root));
	coll_sched_fence(s);
	return part;
}

/* As bcast_long in rooted.c: of bytes. */
void coll_bcast_parts(struct sched *s, const struct coll_args *k)
{
	struct coll_args bytes = *k;
	bool sends = k->me == k->root;
	struct parts p;
	void *slots, *part;
	char *mem = k->rtype->dense ? k->rbuf : coll_sched_bytes(s, k->bytes);
	int root;

	bytes.rtype = type_predefined(MPI_BYTE);
	bytes.rcount = k->bytes;
	p = parts_of(&bytes, coll_hier_of(k->comm));
	root = coll_hier_host(p.h, k->comm, k->root);
	if (!k->rtype->dense && sends)
		coll_sched_pack(s, k->rbuf, k->rcount, k->rtype, mem, k->bytes);
	slots = parts_memory(s, &p, p.mine);
	part = parts_scatter(s, &p, root, mem, slots);
	parts_local(s, &p, COLL_BCAST, parts_leader(&p, root), NULL, part, p.part);
	slots = parts_exchange(s, &p, part, 0);
	parts_allgather(s, &p, slots, mem, !sends);
	if (!k->rtype->dense && !sends)
		coll_sched_unpack(s, mem, k->rbuf, k->rcount, k->rtype, k->bytes);
}
