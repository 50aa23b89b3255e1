// SPDX-License-Identifier: BSD-3-Clause
/* ring.c - plans from all to all without reduction: barrier, allgather, alltoall.
 *
 *      dissemination, Bruck      step s: to me + 2^s, from me - 2^s        log n steps
 *      ring                      step s: pass on what came                 n - 1 steps, each block
 * once spread                    everything started at once                one block a partner */
#include "libmpi/coll/coll.h"

void barrier_dissemination(struct sched *s, const struct call *k)
{
	struct type *byte = type_predefined(MPI_BYTE);

	for (int bit = 1; bit < k->n; bit <<= 1) {
		sched_recv(s, NULL, 0, byte, (k->me + k->n - bit) % k->n);
		sched_send(s, NULL, 0, byte, (k->me + bit) % k->n);
		sched_fence(s);
	}
}

/* --- allgather
 * ------------------------------------------------------------------------------------ */

/* After step s this rank has blocks me .. me + 2^(s+1) - 1, in mem from 0 on. */
void allgather_bruck(struct sched *s, const struct call *k)
{
	int64_t block = k->bytes;
	char *mem = sched_bytes(s, block * k->n);
	struct type *byte = type_predefined(MPI_BYTE);

	if (k->in_place)
		sched_pack(s, elem(k->rbuf, k->rtype, k->me * k->rcount), k->rcount, k->rtype, mem);
	else
		sched_pack(s, k->sbuf, k->scount, k->stype, mem);
	for (int bit = 1; bit < k->n; bit <<= 1) {
		int64_t len = block * (2 * bit <= k->n ? bit : k->n - bit);

		sched_recv(s, mem + bit * block, len, byte, (k->me + bit) % k->n);
		sched_send(s, mem, len, byte, (k->me + k->n - bit) % k->n);
		sched_fence(s);
	}
	for (int i = k->in_place; i < k->n; i++) {
		int rank = (k->me + i) % k->n;

		sched_unpack(s, mem + i * block, elem(k->rbuf, k->rtype, rank * k->rcount),
			k->rcount, k->rtype);
	}
}

void allgather_ring(struct sched *s, const struct call *k)
{
	int left = (k->me + k->n - 1) % k->n, right = (k->me + 1) % k->n;
	struct block out = block_in(k, k->me), in;

	if (!k->in_place)
		sched_copy(s, k->sbuf, k->scount, k->stype, out.at, out.count, out.type);
	for (int i = 1; i < k->n; i++, out = in) {
		in = block_in(k, (k->me + k->n - i) % k->n);
		sched_recv(s, in.at, in.count, in.type, left);
		sched_send(s, out.at, out.count, out.type, right);
		sched_fence(s);
	}
}

/* --- alltoall
 * ------------------------------------------------------------------------------------- */

/* One partner at a time, each pair in the same step on both sides: partners of step s add up to s
 * mod n.  What goes out is packed first, because what comes in takes its place. */
static void exchange_in_place(struct sched *s, const struct call *k)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int64_t most = 0;
	char *mem;

	for (int i = 0; i < k->n; i++) {
		struct block b = block_in(k, i);

		if (i != k->me && b.count * b.type->size > most)
			most = b.count * b.type->size;
	}
	mem = sched_bytes(s, most);
	for (int i = 0; i < k->n; i++) {
		int peer = (i + k->n - k->me) % k->n;
		struct block b = block_in(k, peer);

		if (peer == k->me)
			continue;
		sched_pack(s, b.at, b.count, b.type, mem);
		sched_recv(s, b.at, b.count, b.type, peer);
		sched_send(s, mem, b.count * b.type->size, byte, peer);
		sched_fence(s);
	}
}

void alltoall_spread(struct sched *s, const struct call *k)
{
	struct block in, out;

	if (k->in_place) {
		exchange_in_place(s, k);
		return;
	}
	for (int i = 1; i < k->n; i++) {
		int from = (k->me + k->n - i) % k->n;

		in = block_in(k, from);
		sched_recv(s, in.at, in.count, in.type, from);
	}
	for (int i = 1; i < k->n; i++) {
		int to = (k->me + i) % k->n;

		out = block_out(k, to);
		sched_send(s, out.at, out.count, out.type, to);
	}
	in = block_in(k, k->me);
	out = block_out(k, k->me);
	sched_copy(s, out.at, out.count, out.type, in.at, in.count, in.type);
}
