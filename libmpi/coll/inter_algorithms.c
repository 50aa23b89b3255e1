// SPDX-License-Identifier: BSD-3-Clause
/* inter_algorithms.c - algorithms between two groups (MPI-5.0 6.2.2, 6.2.3).
 *
 *      group A     0 1 2 3          one direction: group A collects the data at its leader, rank 0,
 *                  │ ╲              by an algorithm of one group; leader A sends them to leader B;
 *      group B     0 1 2            group B distributes them, by an algorithm of one group
 *
 * The groups have no process in common, so messages inside a group and between groups share the
 * context id and the tag of the call. */
#include "libmpi/coll/algorithms.h"

#define LEADER 0

static void inter_remote(struct sched *s, const struct coll_args *k)
{
	coll_sched_group(s, k->comm->remote);
}

static void inter_local(struct sched *s, const struct coll_args *k)
{
	coll_sched_group(s, k->comm->group);
}

/* A call within this group, with the leader as its root. */
static struct coll_args inter_local_args(const struct coll_args *k, enum coll_kind kind)
{
	struct coll_args local = *k;

	local.kind = kind;
	local.root = LEADER;
	return local;
}

static void inter_local_steps(struct sched *s, const struct coll_args *local)
{
	inter_local(s, local);
	coll_algorithm_local(local)(s, local);
	coll_sched_fence(s);
}

/* Broadcasts the leader's data, in rbuf, within its group. */
static void inter_bcast(struct sched *s, const struct coll_args *k)
{
	struct coll_args local = inter_local_args(k, COLL_BCAST);

	inter_local_steps(s, &local);
}

/* Reduces the operands of this group, of `count' elements.  The result is at the leader, at the
 * returned place. */
static void *inter_reduce(struct sched *s, const struct coll_args *k, int64_t count)
{
	struct coll_args local = inter_local_args(k, COLL_REDUCE);

	local.rcount = count;
	local.bytes = count * k->rtype->size;
	local.rbuf = k->me == LEADER ? coll_sched_elements(s, k->rtype, count) : NULL;
	inter_local_steps(s, &local);
	return local.rbuf;
}

void coll_barrier_inter(struct sched *s, const struct coll_args *k)
{
	struct type *byte = type_predefined(MPI_BYTE);
	struct coll_args out = inter_local_args(k, COLL_BARRIER);

	inter_local_steps(s, &out);
	if (k->me == LEADER) {
		inter_remote(s, k);
		coll_sched_recv(s, NULL, 0, byte, LEADER);
		coll_sched_send(s, NULL, 0, byte, LEADER);
		coll_sched_fence(s);
	}
	out.rtype = byte;
	inter_bcast(s, &out);
}

void coll_bcast_inter(struct sched *s, const struct coll_args *k)
{
	if (k->root == MPI_PROC_NULL)
		return;
	inter_remote(s, k);
	if (k->root == MPI_ROOT) {
		coll_sched_send(s, k->rbuf, k->rcount, k->rtype, LEADER);
		return;
	}
	if (k->me == LEADER)
		coll_sched_recv(s, k->rbuf, k->rcount, k->rtype, k->root);
	coll_sched_fence(s);
	inter_bcast(s, k);
}

/* Also with vectors. */
void coll_gather_inter(struct sched *s, const struct coll_args *k)
{
	inter_remote(s, k);
	if (k->root >= 0)
		coll_sched_send(s, k->sbuf, k->scount, k->stype, k->root);
	for (int i = 0; i < k->nin && k->root == MPI_ROOT; i++) {
		struct block b = coll_block_in(k, i);

		coll_sched_recv(s, b.at, b.count, b.type, i);
	}
}

void coll_scatter_inter(struct sched *s, const struct coll_args *k)
{
	inter_remote(s, k);
	if (k->root >= 0)
		coll_sched_recv(s, k->rbuf, k->rcount, k->rtype, k->root);
	for (int i = 0; i < k->nout && k->root == MPI_ROOT; i++) {
		struct block b = coll_block_out(k, i);

		coll_sched_send(s, b.at, b.count, b.type, i);
	}
}

/* Allgather and alltoall, also with vectors: every rank sends to every rank of the other group. */
void coll_alltoall_inter(struct sched *s, const struct coll_args *k)
{
	bool same = k->kind == COLL_ALLGATHER || k->kind == COLL_ALLGATHERV;

	inter_remote(s, k);
	for (int i = 0; i < k->nin; i++) {
		int from = (k->me + i) % k->nin;
		struct block b = coll_block_in(k, from);

		coll_sched_recv(s, b.at, b.count, b.type, from);
	}
	for (int i = 0; i < k->nout; i++) {
		int to = (k->me + i) % k->nout;
		struct block b = {(void *)(uintptr_t)k->sbuf, k->scount, k->stype};

		if (!same)
			b = coll_block_out(k, to);
		coll_sched_send(s, b.at, b.count, b.type, to);
	}
}

void coll_reduce_inter(struct sched *s, const struct coll_args *k)
{
	void *mine;

	if (k->root == MPI_PROC_NULL)
		return;
	if (k->root == MPI_ROOT) {
		inter_remote(s, k);
		coll_sched_recv(s, k->rbuf, k->rcount, k->rtype, LEADER);
		return;
	}
	mine = inter_reduce(s, k, k->rcount);
	if (k->me != LEADER)
		return;
	inter_remote(s, k);
	coll_sched_send(s, mine, k->rcount, k->rtype, k->root);
}

/* The leaders exchange the results of their groups. */
static void inter_leader_swap(
	struct sched *s, const struct coll_args *k, const void *mine, void *theirs, int64_t n)
{
	if (k->me != LEADER)
		return;
	inter_remote(s, k);
	coll_sched_recv(s, theirs, n, k->rtype, LEADER);
	coll_sched_send(s, mine, n, k->rtype, LEADER);
	coll_sched_fence(s);
}

void coll_allreduce_inter(struct sched *s, const struct coll_args *k)
{
	inter_leader_swap(s, k, inter_reduce(s, k, k->rcount), k->rbuf, k->rcount);
	inter_bcast(s, k);
}

/* Both groups have equally many elements in all, each divided into its own blocks. */
void coll_reduce_scatter_inter(struct sched *s, const struct coll_args *k)
{
	int64_t all = coll_block_from(k, k->n), at = 0;
	void *mine = inter_reduce(s, k, all), *theirs = NULL;

	if (k->me == LEADER)
		theirs = coll_sched_elements(s, k->rtype, all);
	inter_leader_swap(s, k, mine, theirs, all);
	inter_local(s, k);
	if (k->me != LEADER) {
		coll_sched_recv(s, k->rbuf, coll_block_size(k, k->me), k->rtype, LEADER);
		return;
	}
	for (int i = 0; i < k->n; i++) {
		if (i == LEADER)
			coll_sched_move(s, coll_element(theirs, k->rtype, at), k->rbuf,
				coll_block_size(k, i), k->rtype);
		else
			coll_sched_send(s, coll_element(theirs, k->rtype, at),
				coll_block_size(k, i), k->rtype, i);
		at += coll_block_size(k, i);
	}
}
