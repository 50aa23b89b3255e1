// SPDX-License-Identifier: BSD-3-Clause
/* inter.c - plans between two groups (MPI-5.0 6.2.2, 6.2.3).
 *
 *      group A     0 1 2 3          one direction: the group that has the data collects it at its
 *                  │ X              rank 0 with a plan of one group, rank 0 tells the other side,
 *      group B     0 1 2            and that deals it out with another plan of one group
 *
 * Both groups' members have different processes, so messages inside a group and across use the one
 * context and tag of the call. */
#include "libmpi/coll/coll.h"

#define LEADER 0

static void across(struct sched *s, const struct call *k)
{
	sched_over(s, k->comm->remote);
}

static void inside(struct sched *s, const struct call *k)
{
	sched_over(s, k->comm->group);
}

/* A call of this group alone, with the leader as its root. */
static struct call local_call(const struct call *k, enum verb verb)
{
	struct call local = *k;

	local.verb = verb;
	local.root = LEADER;
	return local;
}

static void local_steps(struct sched *s, const struct call *local)
{
	inside(s, local);
	plan_local(local)(s, local);
	sched_fence(s);
}

/* The leader's data, in rbuf, goes to its group. */
static void spread(struct sched *s, const struct call *k)
{
	struct call local = local_call(k, VERB_BCAST);

	local_steps(s, &local);
}

/* The operands of this group, `count' elements each, are combined; the result is at the leader, at
 * the returned place, which others must not touch. */
static void *collect(struct sched *s, const struct call *k, int64_t count)
{
	struct call local = local_call(k, VERB_REDUCE);

	local.rcount = count;
	local.bytes = count * k->rtype->size;
	local.rbuf = k->me == LEADER ? sched_elems(s, k->rtype, count) : NULL;
	local_steps(s, &local);
	return local.rbuf;
}

void barrier_inter(struct sched *s, const struct call *k)
{
	struct type *byte = type_predefined(MPI_BYTE);
	struct call out = local_call(k, VERB_BARRIER);

	local_steps(s, &out);
	if (k->me == LEADER) {
		across(s, k);
		sched_recv(s, NULL, 0, byte, LEADER);
		sched_send(s, NULL, 0, byte, LEADER);
		sched_fence(s);
	}
	out.rtype = byte;
	spread(s, &out);
}

void bcast_inter(struct sched *s, const struct call *k)
{
	if (k->root == MPI_PROC_NULL)
		return;
	across(s, k);
	if (k->root == MPI_ROOT) {
		sched_send(s, k->rbuf, k->rcount, k->rtype, LEADER);
		return;
	}
	if (k->me == LEADER)
		sched_recv(s, k->rbuf, k->rcount, k->rtype, k->root);
	sched_fence(s);
	spread(s, k);
}

/* And with vectors. */
void gather_inter(struct sched *s, const struct call *k)
{
	across(s, k);
	if (k->root >= 0)
		sched_send(s, k->sbuf, k->scount, k->stype, k->root);
	for (int i = 0; i < k->nin && k->root == MPI_ROOT; i++) {
		struct block b = block_in(k, i);

		sched_recv(s, b.at, b.count, b.type, i);
	}
}

void scatter_inter(struct sched *s, const struct call *k)
{
	across(s, k);
	if (k->root >= 0)
		sched_recv(s, k->rbuf, k->rcount, k->rtype, k->root);
	for (int i = 0; i < k->nout && k->root == MPI_ROOT; i++) {
		struct block b = block_out(k, i);

		sched_send(s, b.at, b.count, b.type, i);
	}
}

/* Allgather and alltoall, with and without vectors: everybody to everybody on the other side. */
void exchange_inter(struct sched *s, const struct call *k)
{
	bool same = k->verb == VERB_ALLGATHER || k->verb == VERB_ALLGATHERV;

	across(s, k);
	for (int i = 0; i < k->nin; i++) {
		int from = (k->me + i) % k->nin;
		struct block b = block_in(k, from);

		sched_recv(s, b.at, b.count, b.type, from);
	}
	for (int i = 0; i < k->nout; i++) {
		int to = (k->me + i) % k->nout;
		struct block b = {(void *)(uintptr_t)k->sbuf, k->scount, k->stype};

		if (!same)
			b = block_out(k, to);
		sched_send(s, b.at, b.count, b.type, to);
	}
}

void reduce_inter(struct sched *s, const struct call *k)
{
	void *mine;

	if (k->root == MPI_PROC_NULL)
		return;
	if (k->root == MPI_ROOT) {
		across(s, k);
		sched_recv(s, k->rbuf, k->rcount, k->rtype, LEADER);
		return;
	}
	mine = collect(s, k, k->rcount);
	if (k->me != LEADER)
		return;
	across(s, k);
	sched_send(s, mine, k->rcount, k->rtype, k->root);
}

/* The leaders exchange the results of their groups. */
static void meet(struct sched *s, const struct call *k, const void *mine, void *theirs, int64_t n)
{
	if (k->me != LEADER)
		return;
	across(s, k);
	sched_recv(s, theirs, n, k->rtype, LEADER);
	sched_send(s, mine, n, k->rtype, LEADER);
	sched_fence(s);
}

void allreduce_inter(struct sched *s, const struct call *k)
{
	meet(s, k, collect(s, k, k->rcount), k->rbuf, k->rcount);
	spread(s, k);
}

/* Both groups have the same number of elements in all, each its own blocks of them. */
void reduce_scatter_inter(struct sched *s, const struct call *k)
{
	int64_t all = block_from(k, k->n), at = 0;
	void *mine = collect(s, k, all), *theirs = NULL;

	if (k->me == LEADER)
		theirs = sched_elems(s, k->rtype, all);
	meet(s, k, mine, theirs, all);
	inside(s, k);
	if (k->me != LEADER) {
		sched_recv(s, k->rbuf, block_size(k, k->me), k->rtype, LEADER);
		return;
	}
	for (int i = 0; i < k->n; i++) {
		if (i == LEADER)
			sched_move(
				s, elem(theirs, k->rtype, at), k->rbuf, block_size(k, i), k->rtype);
		else
			sched_send(s, elem(theirs, k->rtype, at), block_size(k, i), k->rtype, i);
		at += block_size(k, i);
	}
}
