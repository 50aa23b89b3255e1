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

/* What goes out; MPI_IN_PLACE is allowed where `here'. */
static int outgoing(struct call *k, const void *buf, int64_t count, struct type *type, bool here)
{
	k->in_place = buf == MPI_IN_PLACE;
	if (k->in_place && !here)
		return haft_err(MPI_ERR_BUFFER, "MPI_IN_PLACE is not allowed at rank %d", k->me);
	k->sbuf = k->in_place ? NULL : buf;
	k->scount = count;
	k->stype = type;
	return 0;
}

static void incoming(struct call *k, void *buf, int64_t count, struct type *type)
{
	k->rbuf = buf;
	k->rcount = count;
	k->rtype = type;
}

/* The common part of all reductions.  rbuf is significant where `result'. */
static int reduction(struct call *k, const void *sbuf, void *rbuf, int64_t count, struct type *type,
	struct op *op, bool result)
{
	int err = op_check(op, type);

	if (err == 0)
		err = outgoing(k, sbuf, count, type, result);
	if (err != 0)
		return err;
	incoming(k, rbuf, count, type);
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

int coll_bcast(void *buffer, int64_t count, struct type *type, int root, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Bcast", root);

	if (err != 0)
		return err;
	incoming(&k, buffer, count, type);
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
		err = outgoing(&k, sendbuf, sendcount, sendtype, k.me == root);
	if (err != 0)
		return err;
	incoming(&k, recvbuf, recvcount, recvtype);
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
		err = outgoing(&k, sendbuf, sendcount, sendtype, k.me == root);
	if (err != 0)
		return err;
	incoming(&k, recvbuf, 0, recvtype);
	k.rcounts = recvcounts;
	k.rdispls = displs;
	err = agree(&k, AGREE_ANY);
	return err != 0 ? err : msg_gatherv(&k);
}

int coll_scatter(const void *sendbuf, int64_t sendcount, struct type *sendtype, void *recvbuf,
	int64_t recvcount, struct type *recvtype, int root, struct comm *comm)
{
	struct call k;
	int64_t block;
	int err = begin(&k, comm, "MPI_Scatter", root);

	if (err == 0)
		err = outgoing(&k, sendbuf, sendcount, sendtype, false);
	if (err != 0)
		return err;
	incoming(&k, recvbuf, recvcount, recvtype);
	k.in_place = recvbuf == MPI_IN_PLACE;
	if (k.in_place && k.me != root)
		return haft_err(MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root, rank %d", root);
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
	incoming(&k, recvbuf, recvcount, recvtype);
	k.in_place = recvbuf == MPI_IN_PLACE;
	if (k.in_place && k.me != root)
		return haft_err(MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root, rank %d", root);
	err = agree(&k, AGREE_ANY);
	return err != 0 ? err : msg_scatterv(&k);
}

int coll_allgather(const void *sendbuf, int64_t sendcount, struct type *sendtype, void *recvbuf,
	int64_t recvcount, struct type *recvtype, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Allgather", 0);

	if (err == 0)
		err = outgoing(&k, sendbuf, sendcount, sendtype, true);
	if (err != 0)
		return err;
	incoming(&k, recvbuf, recvcount, recvtype);
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
		err = outgoing(&k, sendbuf, sendcount, sendtype, true);
	if (err != 0)
		return err;
	incoming(&k, recvbuf, 0, recvtype);
	k.rcounts = recvcounts;
	k.rdispls = displs;
	err = agree(&k, AGREE_ANY);
	return err != 0 ? err : msg_allgatherv(&k);
}

int coll_alltoall(const void *sendbuf, int64_t sendcount, struct type *sendtype, void *recvbuf,
	int64_t recvcount, struct type *recvtype, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Alltoall", 0);

	if (err == 0)
		err = outgoing(&k, sendbuf, sendcount, sendtype, true);
	if (err != 0)
		return err;
	incoming(&k, recvbuf, recvcount, recvtype);
	err = agree(&k, recvcount * recvtype->size);
	if (err != 0 || empty(&k))
		return err;
	if (sendbuf == recvbuf)
		return same_buffer();
	return choose(&k, share_alltoall, msg_alltoall);
}

int coll_alltoallv(const void *sendbuf, struct haft_counts sendcounts, struct haft_counts sdispls,
	struct type *sendtype, void *recvbuf, struct haft_counts recvcounts,
	struct haft_counts rdispls, struct type *recvtype, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Alltoallv", 0);

	if (err == 0)
		err = outgoing(&k, sendbuf, 0, sendtype, true);
	if (err != 0)
		return err;
	incoming(&k, recvbuf, 0, recvtype);
	k.scounts = sendcounts;
	k.sdispls = sdispls;
	k.rcounts = recvcounts;
	k.rdispls = rdispls;
	err = agree(&k, AGREE_ANY);
	return err != 0 ? err : msg_alltoallv(&k);
}

/* Every type of a list is a valid handle. */
static int types_valid(struct haft_types types, int n, const char *which)
{
	for (int i = 0; i < n; i++)
		if (haft_type_at(types, i) == NULL)
			return haft_err(MPI_ERR_TYPE, "%s[%d] is not a datatype", which, i);
	return 0;
}

int coll_alltoallw(const void *sendbuf, struct haft_counts sendcounts, struct haft_counts sdispls,
	struct haft_types sendtypes, void *recvbuf, struct haft_counts recvcounts,
	struct haft_counts rdispls, struct haft_types recvtypes, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Alltoallw", 0);

	if (err == 0)
		err = outgoing(&k, sendbuf, 0, NULL, true);
	if (err != 0)
		return err;
	incoming(&k, recvbuf, 0, NULL);
	err = types_valid(recvtypes, k.n, "recvtypes");
	if (err == 0 && !k.in_place)
		err = types_valid(sendtypes, k.n, "sendtypes");
	if (err != 0)
		return err;
	k.scounts = sendcounts;
	k.sdispls = sdispls;
	k.stypes = sendtypes;
	k.rcounts = recvcounts;
	k.rdispls = rdispls;
	k.rtypes = recvtypes;
	err = agree(&k, AGREE_ANY);
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
		err = reduction(&k, sendbuf, recvbuf, count, type, op, k.me == root);
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
		err = reduction(&k, sendbuf, recvbuf, count, type, op, true);
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
		err = reduction(&k, sendbuf, recvbuf, recvcount, type, op, true);
	if (err != 0 || empty(&k))
		return err;
	return k.n == 1 ? alone(&k) : choose(&k, share_reduce_scatter_block, msg_reduce_scatter);
}

int coll_reduce_scatter(const void *sendbuf, void *recvbuf, struct haft_counts recvcounts,
	struct type *type, struct op *op, struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Reduce_scatter", 0);

	if (err != 0)
		return err;
	k.rcounts = recvcounts;
	err = reduction(&k, sendbuf, recvbuf, haft_count_at(recvcounts, k.me), type, op, true);
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
		err = reduction(&k, sendbuf, recvbuf, count, type, op, true);
	if (err != 0 || empty(&k))
		return err;
	return k.n == 1 ? alone(&k) : choose(&k, share_scan, msg_scan);
}

int coll_exscan(const void *sendbuf, void *recvbuf, int64_t count, struct type *type, struct op *op,
	struct comm *comm)
{
	struct call k;
	int err = begin(&k, comm, "MPI_Exscan", 0);

	if (err == 0)
		err = reduction(&k, sendbuf, recvbuf, count, type, op, true);
	if (err != 0 || empty(&k) || k.n == 1)
		return err;
	return choose(&k, share_exscan, msg_exscan);
}
