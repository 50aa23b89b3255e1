// SPDX-License-Identifier: BSD-3-Clause
/* call.c - the engines of the collective calls: what a call says becomes a struct call, which is
 * checked, and given to one of the two sets of algorithms.
 *
 * bind/ has checked handles, counts >= 0, and the root's range.  Arguments that are significant
 * only at the root arrive elsewhere as zero. */
#include "libmpi/coll/coll.h"
#include "libmpi/coll/share.h"
#include "engine.h"

static int begin(struct call *k, struct comm *c, const char *name, int root)
{
	if (c->remote != NULL)
		return haft_err(
			MPI_ERR_UNSUPPORTED_OPERATION, "inter-communicators are not there yet");
	k->comm = c;
	k->name = name;
	k->n = c->size;
	k->me = c->rank;
	k->root = root;
	k->tag = (int)(c->coll_seq++ & INT32_MAX);
	/* field by field: a memset of this length becomes a string instruction, half of a short
	 * call */
	k->sbuf = NULL;
	k->scount = 0;
	k->stype = NULL;
	k->rbuf = NULL;
	k->rcount = 0;
	k->rtype = NULL;
	k->op = NULL;
	k->in_place = false;
	k->scounts.v = k->sdispls.v = k->rcounts.v = k->rdispls.v = NULL;
	k->stypes.v = k->rtypes.v = NULL;
	return likely(c->coll != NULL) ? 0 : share_join(c);
}

static inline int agree(const struct call *k, int64_t bytes)
{
	return unlikely(k->comm->coll->check) ? share_agree(k, bytes) : 0;
}

typedef int algorithm(const struct call *k);

/* Through shared memory if it is there and wants the call, else by messages. */
static inline int choose(const struct call *k, algorithm *share, algorithm *msg)
{
	int err = SHARE_NONE;

	if (likely(k->comm->coll->block != NULL))
		err = share(k);
	return likely(err != SHARE_NONE) ? err : msg(k);
}

static int same_buffer(void)
{
	return haft_err(MPI_ERR_BUFFER,
		"the send and the receive buffer are the same (MPI_IN_PLACE says so properly)");
}

/* type is NULL where the buffer is not significant. */
static int buffer(
	const void *buf, int64_t count, int64_t blocks, const struct type *type, const char *which)
{
	return count == 0 || type == NULL ? 0 : type_check(buf, count, blocks, type, which);
}

/* What goes out, in `blocks' blocks; MPI_IN_PLACE is allowed where `here'. */
static int outgoing(
	struct call *k, const void *buf, int64_t count, struct type *type, int blocks, bool here)
{
	k->in_place = buf == MPI_IN_PLACE;
	if (k->in_place && !here)
		return haft_err(MPI_ERR_BUFFER, "MPI_IN_PLACE is not allowed at rank %d", k->me);
	k->sbuf = k->in_place ? NULL : buf;
	k->scount = count;
	k->stype = type;
	return k->in_place ? 0 : buffer(buf, count, blocks, type, "the send buffer");
}

/* What comes in; with MPI_IN_PLACE, nothing. */
static int incoming(struct call *k, void *buf, int64_t count, struct type *type, int blocks)
{
	k->rbuf = buf;
	k->rcount = count;
	k->rtype = type;
	return buffer(buf, count, blocks, type, "the receive buffer");
}

/* The blocks of a call that ends in v or w: their numbers, and the memory of each.  In
 * order of ranks. */
static int lists(const struct call *k, bool out)
{
	struct haft_counts counts = out ? k->scounts : k->rcounts;
	struct haft_counts displs = out ? k->sdispls : k->rdispls;
	struct haft_types types = out ? k->stypes : k->rtypes;
	const char *which = out ? "send" : "receive";
	struct type *type = out ? k->stype : k->rtype;
	const void *buf = out ? k->sbuf : k->rbuf;

	if (counts.v == NULL || displs.v == NULL)
		return haft_err(MPI_ERR_ARG, "the %s %s are NULL", which,
			counts.v == NULL ? "counts" : "displacements");
	for (int i = 0; i < k->n; i++) {
		int64_t count = haft_count_at(counts, i);
		int err;

		if (types.v != NULL)
			type = haft_type_at(types, i);
		if (type == NULL)
			return haft_err(MPI_ERR_TYPE, "%s type %d is not a datatype", which, i);
		if (count < 0)
			return haft_err(
				MPI_ERR_COUNT, "%s count %d is %lld", which, i, (long long)count);
		err = buffer(buf, count, 1, type, out ? "the send buffer" : "the receive buffer");
		if (err != 0)
			return err;
	}
	return 0;
}

/* The common part of all reductions, of `blocks' times `count' elements, of which one block is this
 * rank's result.  rbuf is significant where `result'. */
static int reduction(struct call *k, const void *sbuf, void *rbuf, int64_t count, int blocks,
	struct type *type, struct op *op, bool result)
{
	int err = op_check(op, type);

	if (err == 0)
		err = outgoing(k, sbuf, count, type, blocks, result);
	if (err == 0)
		err = incoming(k, rbuf, result ? count : 0, type, k->in_place ? blocks : 1);
	if (err != 0)
		return err;
	k->rcount = count;
	k->op = op;
	if (result && sbuf == rbuf && count > 0 && type->size > 0)
		return same_buffer();
	return agree(k, k->rcounts.v != NULL ? AGREE_ANY : count * type->size);
}

/* A communicator of one: the operand is the result. */
static int alone(const struct call *k)
{
	if (!k->in_place)
		type_move(k->rtype, k->sbuf, k->rbuf, k->rcount);
	return 0;
}

static bool empty(const struct call *k)
{
	return k->rcount == 0 || k->rtype->size == 0;
}

/* --- without reduction
 * ---------------------------------------------------------------------------- */

int coll_barrier(struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Barrier", 0);

	if (err == 0)
		err = agree(&k, 0);
	if (err != 0 || k.n == 1)
		return err;
	return choose(&k, share_barrier, msg_barrier);
}

int coll_bcast(void *buf, int64_t count, struct type *type, int root, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Bcast", root);

	if (err == 0)
		err = incoming(&k, buf, count, type, 1);
	if (err == 0)
		err = agree(&k, count * type->size);
	if (err != 0 || k.n == 1 || empty(&k))
		return err;
	return choose(&k, share_bcast, msg_bcast);
}

int coll_gather(const void *sendbuf, int64_t sendcount, struct type *sendtype, void *recvbuf,
	int64_t recvcount, struct type *recvtype, int root, struct comm *comm)
{
	struct call k;
	int64_t block;
	int err = begin(&k, comm, "MPI_Gather", root);

	if (err == 0)
		err = outgoing(&k, sendbuf, sendcount, sendtype, 1, k.me == root);
	if (err == 0)
		err = incoming(&k, recvbuf, recvcount, recvtype, k.n);
	if (err != 0)
		return err;
	block = k.me == root ? recvcount * recvtype->size : sendcount * sendtype->size;
	err = agree(&k, block);
	if (err != 0 || block == 0)
		return err;
	if (k.me == root && sendbuf == recvbuf)
		return same_buffer();
	if (k.n > 1)
		return choose(&k, share_gather, msg_gather);
	return k.in_place ? 0
			  : type_copy(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}

int coll_gatherv(const void *sendbuf, int64_t sendcount, struct type *sendtype, void *recvbuf,
	struct haft_counts recvcounts, struct haft_counts displs, struct type *recvtype, int root,
	struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Gatherv", root);

	if (err == 0)
		err = outgoing(&k, sendbuf, sendcount, sendtype, 1, k.me == root);
	if (err != 0)
		return err;
	incoming(&k, recvbuf, 0, recvtype, 1);
	k.rcounts = recvcounts;
	k.rdispls = displs;
	if (k.me == root)
		err = lists(&k, false);
	if (err == 0)
		err = agree(&k, AGREE_ANY);
	return err != 0 ? err : msg_gatherv(&k);
}

/* Where a scatter's block goes; the root's may stay where it is. */
static int scattered(struct call *k, void *buf, int64_t count, struct type *type)
{
	k->in_place = buf == MPI_IN_PLACE;
	if (k->in_place && k->me != k->root)
		return haft_err(MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root, rank %d", k->root);
	return incoming(k, buf, k->in_place ? 0 : count, type, 1);
}

int coll_scatter(const void *sendbuf, int64_t sendcount, struct type *sendtype, void *recvbuf,
	int64_t recvcount, struct type *recvtype, int root, struct comm *comm)
{
	struct call k;
	int64_t block;
	int err = begin(&k, comm, "MPI_Scatter", root);

	if (err == 0)
		err = outgoing(&k, sendbuf, sendcount, sendtype, k.n, k.me != root);
	if (err == 0)
		err = scattered(&k, recvbuf, recvcount, recvtype);
	if (err != 0)
		return err;
	block = k.me == root ? sendcount * sendtype->size : recvcount * recvtype->size;
	err = agree(&k, block);
	if (err != 0 || block == 0)
		return err;
	if (k.me == root && sendbuf == recvbuf)
		return same_buffer();
	if (k.n > 1)
		return choose(&k, share_scatter, msg_scatter);
	return k.in_place ? 0
			  : type_copy(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}

int coll_scatterv(const void *sendbuf, struct haft_counts sendcounts, struct haft_counts displs,
	struct type *sendtype, void *recvbuf, int64_t recvcount, struct type *recvtype, int root,
	struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Scatterv", root);

	if (err != 0)
		return err;
	k.sbuf = sendbuf;
	k.stype = sendtype;
	k.scounts = sendcounts;
	k.sdispls = displs;
	err = scattered(&k, recvbuf, recvcount, recvtype);
	if (err == 0 && k.me == root)
		err = lists(&k, true);
	if (err == 0)
		err = agree(&k, AGREE_ANY);
	return err != 0 ? err : msg_scatterv(&k);
}

int coll_allgather(const void *sendbuf, int64_t sendcount, struct type *sendtype, void *recvbuf,
	int64_t recvcount, struct type *recvtype, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Allgather", 0);

	if (err == 0)
		err = outgoing(&k, sendbuf, sendcount, sendtype, 1, true);
	if (err == 0)
		err = incoming(&k, recvbuf, recvcount, recvtype, k.n);
	if (err == 0)
		err = agree(&k, recvcount * recvtype->size);
	if (err != 0 || empty(&k))
		return err;
	if (sendbuf == recvbuf)
		return same_buffer();
	if (k.n > 1)
		return choose(&k, share_allgather, msg_allgather);
	return k.in_place ? 0
			  : type_copy(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}

int coll_allgatherv(const void *sendbuf, int64_t sendcount, struct type *sendtype, void *recvbuf,
	struct haft_counts recvcounts, struct haft_counts displs, struct type *recvtype,
	struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Allgatherv", 0);

	if (err == 0)
		err = outgoing(&k, sendbuf, sendcount, sendtype, 1, true);
	if (err != 0)
		return err;
	incoming(&k, recvbuf, 0, recvtype, 1);
	k.rcounts = recvcounts;
	k.rdispls = displs;
	err = lists(&k, false);
	if (err == 0)
		err = agree(&k, AGREE_ANY);
	return err != 0 ? err : msg_allgatherv(&k);
}

int coll_alltoall(const void *sendbuf, int64_t sendcount, struct type *sendtype, void *recvbuf,
	int64_t recvcount, struct type *recvtype, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Alltoall", 0);

	if (err == 0)
		err = outgoing(&k, sendbuf, sendcount, sendtype, k.n, true);
	if (err == 0)
		err = incoming(&k, recvbuf, recvcount, recvtype, k.n);
	if (err == 0)
		err = agree(&k, recvcount * recvtype->size);
	if (err != 0 || empty(&k))
		return err;
	if (sendbuf == recvbuf)
		return same_buffer();
	return choose(&k, share_alltoall, msg_alltoall);
}

/* The lists of all to all, of which in place only those of what comes in count. */
static int exchange(const struct call *k)
{
	int err = lists(k, false);

	if (err == 0 && !k->in_place)
		err = lists(k, true);
	return err == 0 ? agree(k, AGREE_ANY) : err;
}

int coll_alltoallv(const void *sendbuf, struct haft_counts sendcounts, struct haft_counts sdispls,
	struct type *sendtype, void *recvbuf, struct haft_counts recvcounts,
	struct haft_counts rdispls, struct type *recvtype, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Alltoallv", 0);

	if (err == 0)
		err = outgoing(&k, sendbuf, 0, sendtype, 1, true);
	if (err != 0)
		return err;
	incoming(&k, recvbuf, 0, recvtype, 1);
	k.scounts = sendcounts;
	k.sdispls = sdispls;
	k.rcounts = recvcounts;
	k.rdispls = rdispls;
	err = exchange(&k);
	return err != 0 ? err : msg_alltoallv(&k);
}

int coll_alltoallw(const void *sendbuf, struct haft_counts sendcounts, struct haft_counts sdispls,
	struct haft_types sendtypes, void *recvbuf, struct haft_counts recvcounts,
	struct haft_counts rdispls, struct haft_types recvtypes, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Alltoallw", 0);

	if (err == 0)
		err = outgoing(&k, sendbuf, 0, NULL, 1, true);
	if (err != 0)
		return err;
	incoming(&k, recvbuf, 0, NULL, 1);
	k.scounts = sendcounts;
	k.sdispls = sdispls;
	k.stypes = sendtypes;
	k.rcounts = recvcounts;
	k.rdispls = rdispls;
	k.rtypes = recvtypes;
	if (recvtypes.v == NULL || (sendtypes.v == NULL && !k.in_place))
		return haft_err(MPI_ERR_ARG, "the list of datatypes is NULL");
	err = exchange(&k);
	return err != 0 ? err : msg_alltoallv(&k);
}

/* --- reductions
 * ----------------------------------------------------------------------------------- */

int coll_reduce(const void *sendbuf, void *recvbuf, int64_t count, struct type *type, struct op *op,
	int root, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Reduce", root);

	if (err == 0)
		err = reduction(&k, sendbuf, recvbuf, count, 1, type, op, k.me == root);
	if (err != 0 || empty(&k))
		return err;
	return k.n == 1 ? alone(&k) : choose(&k, share_reduce, msg_reduce);
}

int coll_allreduce(const void *sendbuf, void *recvbuf, int64_t count, struct type *type,
	struct op *op, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Allreduce", 0);

	if (err == 0)
		err = reduction(&k, sendbuf, recvbuf, count, 1, type, op, true);
	if (err != 0 || empty(&k))
		return err;
	return k.n == 1 ? alone(&k) : choose(&k, share_allreduce, msg_allreduce);
}

int coll_reduce_scatter_block(const void *sendbuf, void *recvbuf, int64_t recvcount,
	struct type *type, struct op *op, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Reduce_scatter_block", 0);

	if (err == 0)
		err = reduction(&k, sendbuf, recvbuf, recvcount, k.n, type, op, true);
	if (err != 0 || empty(&k))
		return err;
	return k.n == 1 ? alone(&k) : choose(&k, share_reduce_scatter_block, msg_reduce_scatter);
}

/* The elements of all blocks of MPI_Reduce_scatter. */
static int sum(const struct call *k, int64_t *all)
{
	*all = 0;
	if (k->rcounts.v == NULL)
		return haft_err(MPI_ERR_ARG, "the receive counts are NULL");
	for (int i = 0; i < k->n; i++) {
		int64_t count = haft_count_at(k->rcounts, i);

		if (count < 0 || __builtin_add_overflow(*all, count, all))
			return haft_err(
				MPI_ERR_COUNT, "receive count %d is %lld", i, (long long)count);
	}
	return 0;
}

int coll_reduce_scatter(const void *sendbuf, void *recvbuf, struct haft_counts recvcounts,
	struct type *type, struct op *op, struct comm *comm)
{
	struct call k;
	int64_t all;
	int err = begin(&k, comm, "MPI_Reduce_scatter", 0);

	if (err != 0)
		return err;
	k.rcounts = recvcounts;
	err = sum(&k, &all);
	if (err == 0)
		err = outgoing(&k, sendbuf, all, type, 1, true);
	if (err == 0)
		err = reduction(
			&k, sendbuf, recvbuf, haft_count_at(recvcounts, k.me), 1, type, op, true);
	if (err != 0)
		return err;
	return k.n == 1 ? alone(&k) : msg_reduce_scatter(&k);
}

int coll_scan(const void *sendbuf, void *recvbuf, int64_t count, struct type *type, struct op *op,
	struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Scan", 0);

	if (err == 0)
		err = reduction(&k, sendbuf, recvbuf, count, 1, type, op, true);
	if (err != 0 || empty(&k))
		return err;
	return k.n == 1 ? alone(&k) : choose(&k, share_scan, msg_scan);
}

/* Rank 0 has no result, and its rbuf means nothing (6.11.2). */
int coll_exscan(const void *sendbuf, void *recvbuf, int64_t count, struct type *type, struct op *op,
	struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Exscan", 0);

	if (err == 0)
		err = reduction(&k, sendbuf, recvbuf, count, 1, type, op,
			k.me > 0 || sendbuf == MPI_IN_PLACE);
	if (err != 0 || empty(&k) || k.n == 1)
		return err;
	return choose(&k, share_exscan, msg_exscan);
}
