// SPDX-License-Identifier: BSD-3-Clause
/* deal.c - plans that deal blocks over several hosts: one message between two hosts for what all
 * their members have for each other.  Of short blocks, which are copied once more for that.
 *
 *      gather     0 1 2 3 | 4 5 6 7     a row: the blocks of one host's members, in the order of
 *                 └┴┴┘      └┴┴┘        their ranks, as long as the host with the most has them
 *                 0 <────── 4           deputies send rows
 *
 *      alltoall   each member gives its deputy a row for each host; deputies exchange what their
 *                 members have for the other's, [from][to]; and each deals out [from] to its `to'
 *
 * All blocks are packed: bytes.  What a row has too much is zero, and nobody looks at it. */
#include "libmpi/coll/hosts.h"
#include <string.h>

/* --- rows ----------------------------------------------------------------------------------- */

/* `n' bytes, which go out though not all of them will be written. */
static char *zeros(struct sched *s, int64_t n)
{
	char *mem = sched_bytes(s, n);

	if (mem != NULL && !sched_walks(s))
		memset(mem, 0, (size_t)n);
	return mem;
}

/* The same of rows, which are full where all hosts have as many members. */
static char *bytes_of(struct sched *s, const struct hosts *h, int64_t n)
{
	bool even = true;

	for (int i = 0; i < h->nhosts; i++)
		even = even && h->sizes[i] == h->most;
	return even ? sched_bytes(s, n) : zeros(s, n);
}

/* The place of rank r's block in rows of blocks. */
static int64_t place_of(const struct hosts *h, int r)
{
	return (int64_t)h->place[r] * h->most + h->index[r];
}

/* Makes a call one of blocks of `n' bytes. */
static void of_bytes(struct call *c, const void *sbuf, void *rbuf, int64_t n)
{
	c->in_place = false;
	c->sbuf = sbuf;
	c->rbuf = rbuf;
	c->scount = c->rcount = c->bytes = n;
	c->stype = c->rtype = type_predefined(MPI_BYTE);
}

/* A gather, scatter or bcast among this host's members, of n bytes each. */
static void near_bytes(struct sched *s, const struct call *k, struct hosts *h, enum verb verb,
	const void *sbuf, void *rbuf, int64_t n)
{
	struct call in = hosts_call(k, h, verb, hosts_deputy(k, h));

	if (in.n == 1 && sbuf != NULL)
		sched_move(s, sbuf, rbuf, n, type_predefined(MPI_BYTE));
	of_bytes(&in, sbuf, rbuf, n);
	hosts_inside(s, &in);
}

/* A call among the deputies, of n bytes each. */
static void far_bytes(struct sched *s, const struct call *k, struct hosts *h, const void *sbuf,
	void *rbuf, int64_t n)
{
	struct call out = *k;

	of_bytes(&out, sbuf, rbuf, n);
	hosts_between(s, k, h, &out);
}

/* What this member gives to all, or to the root. */
static void pack_own(struct sched *s, const struct call *k, char *mem, int64_t block)
{
	struct block b = {(void *)(uintptr_t)k->sbuf, k->scount, k->stype};

	if (k->in_place)
		b = block_in(k, k->me);
	sched_pack(s, b.at, b.count, b.type, mem, block);
}

/* --- plans ---------------------------------------------------------------------------------- */

void gather_hosts(struct sched *s, const struct call *k)
{
	struct hosts *h = hosts_of(k->comm);
	int64_t block = k->bytes, row = h->most * block;
	bool deputy = k->me == hosts_deputy(k, h), root = k->me == k->root;
	char *mine = sched_bytes(s, block);
	char *here = deputy ? bytes_of(s, h, row) : NULL;
	char *all = root ? sched_bytes(s, h->nhosts * row) : NULL;

	pack_own(s, k, mine, block);
	near_bytes(s, k, h, VERB_GATHER, mine, here, block);
	if (deputy)
		far_bytes(s, k, h, here, all, row);
	for (int r = 0; r < k->n && root; r++)
		if (r != k->me || !k->in_place)
			sched_unpack(s, all + place_of(h, r) * block,
				elem(k->rbuf, k->rtype, r * k->rcount), k->rcount, k->rtype, block);
}

void scatter_hosts(struct sched *s, const struct call *k)
{
	struct hosts *h = hosts_of(k->comm);
	int64_t block = k->bytes, row = h->most * block;
	bool deputy = k->me == hosts_deputy(k, h), root = k->me == k->root;
	char *mine = sched_bytes(s, block);
	char *here = deputy ? sched_bytes(s, row) : NULL;
	char *all = root ? bytes_of(s, h, h->nhosts * row) : NULL;

	for (int r = 0; r < k->n && root; r++)
		sched_pack(s, elem(k->sbuf, k->stype, r * k->scount), k->scount, k->stype,
			all + place_of(h, r) * block, block);
	if (deputy)
		far_bytes(s, k, h, all, here, row);
	near_bytes(s, k, h, VERB_SCATTER, here, mine, block);
	if (!k->in_place)
		sched_unpack(s, mine, k->rbuf, k->rcount, k->rtype, block);
}

/* Blocks of different lengths are all as long as the longest. */
void allgather_hosts(struct sched *s, const struct call *k)
{
	struct hosts *h = hosts_of(k->comm);
	bool vector = k->rcounts.v != NULL, deputy = k->me == h->lead[h->mine];
	int64_t block = vector ? block_longest(k) : k->bytes, row = h->most * block;
	struct call rootless = *k;
	char *mine = vector ? zeros(s, block) : sched_bytes(s, block);
	char *here = deputy ? bytes_of(s, h, row) : NULL;
	char *all = sched_bytes(s, h->nhosts * row);

	rootless.root = -1;
	rootless.verb = VERB_ALLGATHER;
	rootless.rcounts.v = rootless.rdispls.v = NULL;
	pack_own(s, k, mine, block);
	near_bytes(s, &rootless, h, VERB_GATHER, mine, here, block);
	if (deputy)
		far_bytes(s, &rootless, h, here, all, row);
	near_bytes(s, &rootless, h, VERB_BCAST, NULL, all, h->nhosts * row);
	for (int r = 0; r < k->n; r++) {
		struct block b = block_in(k, r);

		if (r != k->me || !k->in_place)
			sched_unpack(s, all + place_of(h, r) * block, b.at, b.count, b.type, block);
	}
}

/* The deputies: what the members of this host, `here' [from][host][to], have for others, who get
 * `there' [to][host][from]. */
static void exchange_rows(
	struct sched *s, const struct call *k, struct hosts *h, const char *here, char *there)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int64_t block = k->bytes, row = h->most * block, square = h->most * row;
	char *out = bytes_of(s, h, h->nhosts * square), *in = sched_bytes(s, h->nhosts * square);

	for (int from = 0; from < h->near.size; from++)
		for (int host = 0; host < h->nhosts; host++)
			sched_move(s, here + (from * h->nhosts + host) * row,
				out + host * square + from * row, row, byte);
	far_bytes(s, k, h, out, in, square);
	for (int host = 0; host < h->nhosts; host++)
		for (int from = 0; from < h->sizes[host]; from++)
			for (int to = 0; to < h->near.size; to++)
				sched_move(s, in + host * square + from * row + to * block,
					there + (to * h->nhosts + host) * row + from * block, block,
					byte);
}

void alltoall_hosts(struct sched *s, const struct call *k)
{
	struct hosts *h = hosts_of(k->comm);
	int64_t block = k->bytes, rows = h->nhosts * h->most * block;
	struct call rootless = *k;
	char *mine = bytes_of(s, h, rows), *here = NULL, *there = NULL;
	struct block b;

	rootless.root = -1;
	for (int r = 0; r < k->n; r++) {
		b = k->in_place ? block_in(k, r) : block_out(k, r);
		sched_pack(s, b.at, b.count, b.type, mine + place_of(h, r) * block, block);
	}
	if (k->me == h->lead[h->mine]) {
		here = sched_bytes(s, h->near.size * rows);
		there = bytes_of(s, h, h->near.size * rows);
	}
	near_bytes(s, &rootless, h, VERB_GATHER, mine, here, rows);
	if (here != NULL)
		exchange_rows(s, &rootless, h, here, there);
	near_bytes(s, &rootless, h, VERB_SCATTER, there, mine, rows);
	for (int r = 0; r < k->n; r++) {
		b = block_in(k, r);
		sched_unpack(s, mine + place_of(h, r) * block, b.at, b.count, b.type, block);
	}
}
