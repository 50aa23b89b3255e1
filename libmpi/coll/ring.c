// SPDX-License-Identifier: BSD-3-Clause
/* ring.c - by messages, from all to all without reduction: barrier, allgather, alltoall.
 *
 *      dissemination, Bruck      step s: to me + 2^s, from me - 2^s        log n steps
 *      ring                      step s: pass on what came                 n - 1 steps, each block
 * once exchange                  everything posted at once                 one block a partner */
#include "libmpi/coll/coll.h"
#include <stdlib.h>
#include <string.h>

#define RING_LONG MEAN_OR(16, 4 * 1024) /* bytes of a block from which allgather uses the ring */

int msg_barrier(const struct call *k)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int err = 0;

	for (int bit = 1; bit < k->n && err == 0; bit <<= 1)
		err = p2p_coll_sendrecv(k->comm, NULL, 0, byte, (k->me + bit) % k->n, NULL, 0, byte,
			(k->me + k->n - bit) % k->n, k->tag);
	return err;
}

/* --- allgather
 * ------------------------------------------------------------------------------------ */

/* After step s this rank has blocks me .. me + 2^(s+1) - 1, in mem from 0 on. */
static int allgather_bruck(const struct call *k, int64_t block)
{
	char *mem = malloc((size_t)(block * k->n));
	int err = 0;

	if (mem == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to gather %lld bytes",
			(long long)(block * k->n));
	if (k->in_place)
		type_pack(k->rtype, elem(k->rbuf, k->rtype, k->me * k->rcount), k->rcount, 0, mem,
			block);
	else
		type_pack(k->stype, k->sbuf, k->scount, 0, mem, block);
	for (int bit = 1; bit < k->n && err == 0; bit <<= 1) {
		int64_t len = block * (2 * bit <= k->n ? bit : k->n - bit);

		err = p2p_coll_sendrecv(k->comm, mem, len, type_predefined(MPI_BYTE),
			(k->me + k->n - bit) % k->n, mem + bit * block, len,
			type_predefined(MPI_BYTE), (k->me + bit) % k->n, k->tag);
	}
	for (int i = k->in_place; i < k->n && err == 0; i++) {
		int rank = (k->me + i) % k->n;

		type_unpack(k->rtype, elem(k->rbuf, k->rtype, rank * k->rcount), k->rcount, 0,
			mem + i * block, block);
	}
	free(mem);
	return err;
}

static int64_t ring_count(const struct call *k, int i)
{
	return k->rcounts.v == NULL ? k->rcount : haft_count_at(k->rcounts, i);
}

static void *ring_at(const struct call *k, int i)
{
	int64_t at = k->rcounts.v == NULL ? i * k->rcount : haft_count_at(k->rdispls, i);

	return elem(k->rbuf, k->rtype, at);
}

int msg_allgatherv(const struct call *k)
{
	int left = (k->me + k->n - 1) % k->n, right = (k->me + 1) % k->n, err = 0;

	if (!k->in_place)
		err = type_copy(k->sbuf, k->scount, k->stype, ring_at(k, k->me),
			ring_count(k, k->me), k->rtype);
	for (int i = 0; i < k->n - 1 && err == 0; i++) {
		int out = (k->me + k->n - i) % k->n, in = (k->me + k->n - i - 1) % k->n;

		err = p2p_coll_sendrecv(k->comm, ring_at(k, out), ring_count(k, out), k->rtype,
			right, ring_at(k, in), ring_count(k, in), k->rtype, left, k->tag);
	}
	return err;
}

int msg_allgather(const struct call *k)
{
	int64_t block = k->rcount * k->rtype->size;

	return block < RING_LONG ? allgather_bruck(k, block) : msg_allgatherv(k);
}

/* --- alltoall
 * ------------------------------------------------------------------------------------- */

/* What goes to, or comes from, a rank. */
struct part {
	void *at;
	int64_t count;
	struct type *type;
};

/* The displacements of MPI_Alltoallw, whose types differ, are bytes. */
static struct part part_of(const void *buf, int64_t count, struct type *type,
	struct haft_counts counts, struct haft_counts displs, struct haft_types types, int i)
{
	if (counts.v == NULL)
		return (struct part){elem(buf, type, i * count), count, type};
	if (types.v == NULL)
		return (struct part){
			elem(buf, type, haft_count_at(displs, i)), haft_count_at(counts, i), type};
	return (struct part){(char *)(uintptr_t)buf + haft_count_at(displs, i),
		haft_count_at(counts, i), haft_type_at(types, i)};
}

static struct part part_out(const struct call *k, int i)
{
	return part_of(k->sbuf, k->scount, k->stype, k->scounts, k->sdispls, k->stypes, i);
}

static struct part part_in(const struct call *k, int i)
{
	return part_of(k->rbuf, k->rcount, k->rtype, k->rcounts, k->rdispls, k->rtypes, i);
}

/* One partner at a time, each pair in the same step on both sides: partners of step s add up to s
 * mod n.  What goes out is packed first, because what comes in takes its place. */
static int exchange_in_place(const struct call *k)
{
	char *mem = NULL;
	int64_t room = 0;
	int err = 0;

	for (int s = 0; s < k->n && err == 0; s++) {
		int peer = (s + k->n - k->me) % k->n;
		struct part p = part_in(k, peer);
		int64_t bytes = p.count * p.type->size;

		if (peer == k->me)
			continue;
		if (bytes > room) {
			free(mem);
			room = bytes;
			mem = malloc((size_t)room);
			if (mem == NULL)
				return haft_err(MPI_ERR_NO_MEM,
					"no memory for a copy of %lld bytes", (long long)bytes);
		}
		if (bytes > 0)
			type_pack(p.type, p.at, p.count, 0, mem, bytes);
		err = p2p_coll_sendrecv(k->comm, mem, bytes, type_predefined(MPI_BYTE), peer, p.at,
			p.count, p.type, peer, k->tag);
	}
	free(mem);
	return err;
}

int msg_alltoallv(const struct call *k)
{
	struct req *reqs;
	struct part in, out;
	int n = 0, err, first;

	if (k->in_place)
		return exchange_in_place(k);
	reqs = calloc((size_t)k->n * 2, sizeof(*reqs));
	if (reqs == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for %d requests", 2 * k->n);
	for (int i = 1; i < k->n; i++) {
		int from = (k->me + k->n - i) % k->n;

		in = part_in(k, from);
		p2p_coll_irecv(k->comm, in.at, in.count, in.type, from, k->tag, &reqs[n++]);
	}
	for (int i = 1; i < k->n; i++) {
		int to = (k->me + i) % k->n;

		out = part_out(k, to);
		p2p_coll_isend(k->comm, out.at, out.count, out.type, to, k->tag, &reqs[n++]);
	}
	in = part_in(k, k->me);
	out = part_out(k, k->me);
	err = type_copy(out.at, out.count, out.type, in.at, in.count, in.type);
	first = p2p_coll_wait(reqs, n);
	free(reqs);
	return err != 0 ? err : first;
}

int msg_alltoall(const struct call *k)
{
	return msg_alltoallv(k);
}
