// SPDX-License-Identifier: BSD-3-Clause
/* args.c - the engines of the collective calls: arguments become a struct coll_args.
 *
 *     coll_gather      ──┐                                               ┌──> coll_run
 *     coll_igather     ──┼──> fill_gather: checks ──> struct coll_args ──┼──> coll_run_nonblocking
 *     coll_gather_init ──┘                                               └──> coll_run_persistent
 *
 * bind/ has checked handles, counts >= 0, and the root's range.  Arguments that are significant at
 * the root only are zero elsewhere. */
#include "libmpi/coll/coll_args.h"
#include "libmpi/coll/coll_shm.h"
#include "libmpi/core/info_object.h"
#include "libmpi/coll/reduce_op.h"
#include "libmpi/core/topo.h"
#include "engine.h"

/* --- checking ------------------------------------------------------------------------------- */

static inline void args_begin(struct coll_args *k, struct comm *c, enum coll_kind kind, int root)
{
	k->comm = c;
	k->kind = kind;
	k->n = c->size;
	k->me = k->caller = c->rank;
	k->root = root;
	k->call = coll_digest_call(kind, root);
	k->tag = 0;
	k->inter = c->remote != NULL;
	k->nin = k->nout = k->inter ? c->remote->size : c->size;
	k->at_root = root == (k->inter ? MPI_ROOT : c->rank);
	k->leaf = !k->inter || root >= 0;
	/* Field by field: a memset of this length becomes a string instruction, half of a short
	 * call. */
	k->blocking = k->in_place = k->empty = false;
	k->bytes = 0;
	k->sbuf = NULL;
	k->scount = 0;
	k->stype = NULL;
	k->rbuf = NULL;
	k->rcount = 0;
	k->rtype = NULL;
	k->op = NULL;
	k->scounts.v = k->sdispls.v = k->rcounts.v = k->rdispls.v = NULL;
	k->stypes.v = k->rtypes.v = NULL;
}

/* MPI_ERR_BUFFER if data go from one place to itself.  The place is that of the first byte;
 * datatypes may still make two places of one buffer, or of MPI_BOTTOM.  The side of MPI_IN_PLACE
 * has no datatype (bind gives NULL). */
static int args_disjoint(
	const void *sbuf, const struct type *stype, const void *rbuf, const struct type *rtype)
{
	if (sbuf == MPI_IN_PLACE || rbuf == MPI_IN_PLACE)
		return 0;
	if (sbuf == MPI_BOTTOM && rbuf == MPI_BOTTOM)
		return 0;
	if ((uintptr_t)sbuf + (uintptr_t)stype->true_lb !=
		(uintptr_t)rbuf + (uintptr_t)rtype->true_lb)
		return 0;
	return haft_err(MPI_ERR_BUFFER,
		"the send and the receive buffer are the same (MPI_IN_PLACE says so properly)");
}

/* As args_disjoint, for this member's block to itself.  all: it sends one block to all members. */
static int args_own_disjoint(const struct coll_args *k, bool all)
{
	struct block in, out = {(void *)(uintptr_t)k->sbuf, k->scount, k->stype};

	if (k->in_place || k->inter)
		return 0;
	in = coll_block_in(k, k->me);
	if (!all)
		out = coll_block_out(k, k->me);
	if (coll_block_bytes(in) == 0 || coll_block_bytes(out) == 0)
		return 0;
	return args_disjoint(out.at, out.type, in.at, in.type);
}

/* MPI_ERR_TRUNCATE if this member's block to itself does not fit: the one mismatch of signatures
 * that is seen without a word of others. */
static int args_own_fits(int64_t bytes, int64_t room)
{
	if (bytes <= room)
		return 0;
	return haft_err(MPI_ERR_TRUNCATE,
		"this rank's block for itself is %lld bytes to send, and %lld to receive",
		(long long)bytes, (long long)room);
}

/* Checks a buffer.  type is NULL where it is not significant. */
static int args_buffer(
	const void *buf, int64_t count, int64_t blocks, const struct type *type, const char *which)
{
	return count == 0 || type == NULL ? 0 : type_check(buf, count, blocks, type, which);
}

/* Sets and checks the send buffer, of `blocks' blocks.  MPI_IN_PLACE is allowed if `here', and
 * never between groups. */
static int args_send(struct coll_args *k, const void *buf, int64_t count, struct type *type,
	int blocks, bool here)
{
	k->in_place = buf == MPI_IN_PLACE;
	if (k->in_place && k->inter)
		return haft_err(MPI_ERR_BUFFER, "MPI_IN_PLACE is not for inter-communicators");
	if (k->in_place && !here)
		return haft_err(MPI_ERR_BUFFER, "MPI_IN_PLACE is not allowed at rank %d", k->me);
	k->sbuf = k->in_place ? NULL : buf;
	k->scount = count;
	k->stype = type;
	return k->in_place ? 0 : args_buffer(buf, count, blocks, type, "the send buffer");
}

/* Sets and checks the receive buffer; nothing comes in with MPI_IN_PLACE. */
static int args_recv(struct coll_args *k, void *buf, int64_t count, struct type *type, int blocks)
{
	k->rbuf = buf;
	k->rcount = count;
	k->rtype = type;
	return args_buffer(buf, count, blocks, type, "the receive buffer");
}

/* One side's blocks of a call that ends in v or w, in the order of ranks, or of neighbors. */
struct args_blocks {
	const struct coll_args *k;
	bool out;
	struct haft_counts counts;
	struct haft_types types;
	struct type *type; /* of all, without types */
};

static const char *args_side(const struct args_blocks *b)
{
	return b->out ? "send" : "receive";
}

/* Checks the datatype of a block; bind has checked single ones, and not those of arrays. */
static int args_block_type(const struct args_blocks *b, int i, const struct type *type)
{
	if (type == NULL)
		return haft_err(MPI_ERR_TYPE, "%s type %d is not a datatype", args_side(b), i);
	if (haft_count_at(b->counts, i) > 0 && !type->committed)
		return haft_err(MPI_ERR_TYPE, "%s type %d has not been committed (MPI_Type_commit)",
			args_side(b), i);
	return 0;
}

/* Checks the count, the datatype and the memory of block i. */
static int args_block(const struct args_blocks *b, int i)
{
	const struct type *type = b->types.v != NULL ? haft_type_at(b->types, i) : b->type;
	int64_t count = haft_count_at(b->counts, i);
	const void *at = b->out ? b->k->sbuf : b->k->rbuf;
	int err;

	if (count < 0)
		return haft_err(
			MPI_ERR_COUNT, "%s count %d is %lld", args_side(b), i, (long long)count);
	err = args_block_type(b, i, type);
	if (err != 0)
		return err;
	if (at == MPI_BOTTOM) /* a displacement may be an address */
		at = b->out ? coll_block_out(b->k, i).at : coll_block_in(b->k, i).at;
	return args_buffer(at, count, 1, type, b->out ? "the send buffer" : "the receive buffer");
}

/* Checks all blocks of one side. */
static int args_lists(const struct coll_args *k, bool out)
{
	const struct args_blocks b = {.k = k,
		.out = out,
		.counts = out ? k->scounts : k->rcounts,
		.types = out ? k->stypes : k->rtypes,
		.type = out ? k->stype : k->rtype};
	const void *displs = out ? k->sdispls.v : k->rdispls.v;
	int n = out ? k->nout : k->nin, err = 0;

	if (n > 0 && (b.counts.v == NULL || displs == NULL))
		return haft_err(MPI_ERR_ARG, "the %s %s are NULL", args_side(&b),
			b.counts.v == NULL ? "counts" : "displacements");
	for (int i = 0; i < n && err == 0; i++)
		err = args_block(&b, i);
	return err;
}

/* Sets the number of bytes, which all members know to be equal. */
static void args_size(struct coll_args *k, int64_t count, const struct type *type)
{
	k->bytes = type != NULL ? count * type->size : 0;
	k->empty = k->bytes == 0;
}

/* As args_size, for blocks from all to all.  Between two groups one direction may be empty. */
static int args_blocks_size(struct coll_args *k, bool all)
{
	int err;

	args_size(k, k->rcount, k->rtype);
	if (k->inter)
		k->empty = false;
	err = k->in_place || k->inter ? 0 : args_own_fits(k->scount * k->stype->size, k->bytes);
	if (err != 0 || k->bytes == 0 || k->in_place)
		return err;
	err = args_disjoint(k->sbuf, k->stype, k->rbuf, k->rtype);
	return err != 0 ? err : args_own_disjoint(k, all);
}

/* A member's part in a reduction: sbuf is significant, rbuf is. */
enum args_part { ARGS_NONE, ARGS_GIVES = 1, ARGS_RESULT = 2, ARGS_BOTH = 3 };

/* Sets and checks a reduction of `blocks' times `count' elements, of which one block is this rank's
 * result. */
static int args_reduction(struct coll_args *k, const void *sbuf, void *rbuf, int64_t count,
	int blocks, struct type *type, struct op *op, enum args_part part)
{
	bool result = (part & ARGS_RESULT) != 0, gives = (part & ARGS_GIVES) != 0;
	int err = coll_op_check(op, type);

	if (err == 0 && gives)
		err = args_send(k, sbuf, count, type, blocks, result);
	if (err == 0)
		err = args_recv(k, rbuf, result ? count : 0, type, k->in_place ? blocks : 1);
	if (err != 0)
		return err;
	k->rcount = count;
	k->op = op;
	args_size(k, count, type);
	return result && gives && !k->empty ? args_disjoint(sbuf, type, rbuf, type) : 0;
}

/* --- data movement -------------------------------------------------------------------------- */

static int fill_barrier(struct coll_args *k, struct comm *comm)
{
	args_begin(k, comm, COLL_BARRIER, 0);
	return 0;
}

HAFT_START int coll_barrier_last(struct comm *c)
{
	struct coll_args k;

	fill_barrier(&k, c);
	k.bytes = COLL_BARRIER_LAST;
	if (c->coll != NULL)
		coll_calls_publish(c->coll);
	return coll_run(&k);
}

static int fill_bcast(struct coll_args *k, void *buf, int64_t count, struct type *type, int root,
	struct comm *comm)
{
	int err;

	args_begin(k, comm, COLL_BCAST, root);
	err = args_recv(k, buf, count, type, 1);
	if (err == 0)
		args_size(k, count, type);
	return err;
}

static int fill_gather(struct coll_args *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, int64_t recvcount, struct type *recvtype, int root,
	struct comm *comm)
{
	int err = 0;

	args_begin(k, comm, COLL_GATHER, root);
	if (k->leaf)
		err = args_send(k, sendbuf, sendcount, sendtype, 1, k->at_root);
	if (err == 0)
		err = args_recv(k, recvbuf, recvcount, recvtype, k->nin);
	if (err != 0)
		return err;
	if (k->at_root)
		args_size(k, recvcount, recvtype);
	else
		args_size(k, sendcount, sendtype);
	if (!k->at_root || !k->leaf)
		return 0;
	err = k->in_place ? 0 : args_own_fits(sendcount * sendtype->size, k->bytes);
	return err != 0 || k->empty ? err : args_disjoint(sendbuf, sendtype, recvbuf, recvtype);
}

static int fill_gatherv(struct coll_args *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, struct haft_counts recvcounts,
	struct haft_counts displs, struct type *recvtype, int root, struct comm *comm)
{
	int err = 0;

	args_begin(k, comm, COLL_GATHERV, root);
	if (k->leaf)
		err = args_send(k, sendbuf, sendcount, sendtype, 1, k->at_root);
	args_recv(k, recvbuf, 0, recvtype, 1);
	k->rcounts = recvcounts;
	k->rdispls = displs;
	k->bytes = COLL_BYTES_DIFFER;
	if (err != 0 || !k->at_root)
		return err;
	err = args_lists(k, false);
	return err != 0 ? err : args_own_disjoint(k, true);
}

/* Sets and checks the receive buffer of a scatter; the root's block may stay in place. */
static int args_scattered(struct coll_args *k, void *buf, int64_t count, struct type *type)
{
	if (!k->leaf)
		return 0;
	k->in_place = buf == MPI_IN_PLACE;
	if (k->in_place && !k->at_root)
		return haft_err(
			MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root in its own group only");
	return args_recv(k, buf, k->in_place ? 0 : count, type, 1);
}

static int fill_scatter(struct coll_args *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, int64_t recvcount, struct type *recvtype, int root,
	struct comm *comm)
{
	int err = 0;

	args_begin(k, comm, COLL_SCATTER, root);
	if (k->at_root)
		err = args_send(k, sendbuf, sendcount, sendtype, k->nout, false);
	if (err == 0)
		err = args_scattered(k, recvbuf, recvcount, recvtype);
	if (err != 0)
		return err;
	if (k->at_root)
		args_size(k, sendcount, sendtype);
	else
		args_size(k, recvcount, recvtype);
	if (!k->at_root || !k->leaf)
		return 0;
	err = k->in_place ? 0 : args_own_fits(k->bytes, recvcount * recvtype->size);
	return err != 0 || k->empty ? err : args_disjoint(sendbuf, sendtype, recvbuf, recvtype);
}

static int fill_scatterv(struct coll_args *k, const void *sendbuf, struct haft_counts sendcounts,
	struct haft_counts displs, struct type *sendtype, void *recvbuf, int64_t recvcount,
	struct type *recvtype, int root, struct comm *comm)
{
	int err;

	args_begin(k, comm, COLL_SCATTERV, root);
	k->sbuf = sendbuf;
	k->stype = sendtype;
	k->scounts = sendcounts;
	k->sdispls = displs;
	k->bytes = COLL_BYTES_DIFFER;
	err = args_scattered(k, recvbuf, recvcount, recvtype);
	if (err == 0 && k->at_root)
		err = args_lists(k, true);
	if (err != 0 || !k->at_root || k->in_place || k->inter || recvcount == 0)
		return err;
	return args_disjoint(coll_block_out(k, k->me).at, sendtype, recvbuf, recvtype);
}

static int fill_allgather(struct coll_args *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, int64_t recvcount, struct type *recvtype,
	struct comm *comm)
{
	int err;

	args_begin(k, comm, COLL_ALLGATHER, 0);
	err = args_send(k, sendbuf, sendcount, sendtype, 1, true);
	if (err == 0)
		err = args_recv(k, recvbuf, recvcount, recvtype, k->nin);
	return err != 0 ? err : args_blocks_size(k, true);
}

static int fill_allgatherv(struct coll_args *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, struct haft_counts recvcounts,
	struct haft_counts displs, struct type *recvtype, struct comm *comm)
{
	int err;

	args_begin(k, comm, COLL_ALLGATHERV, 0);
	err = args_send(k, sendbuf, sendcount, sendtype, 1, true);
	args_recv(k, recvbuf, 0, recvtype, 1);
	k->rcounts = recvcounts;
	k->rdispls = displs;
	k->bytes = COLL_BYTES_DIFFER;
	if (err == 0)
		err = args_lists(k, false);
	return err != 0 ? err : args_own_disjoint(k, true);
}

static int fill_alltoall(struct coll_args *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, int64_t recvcount, struct type *recvtype,
	struct comm *comm)
{
	int err;

	args_begin(k, comm, COLL_ALLTOALL, 0);
	err = args_send(k, sendbuf, sendcount, sendtype, k->nout, true);
	if (err == 0)
		err = args_recv(k, recvbuf, recvcount, recvtype, k->nin);
	return err != 0 ? err : args_blocks_size(k, false);
}

/* Checks the vectors of an alltoallv or w: of the receive buffer, and unless it is in place, of the
 * send buffer. */
static int args_exchange(struct coll_args *k)
{
	int err = args_lists(k, false);

	k->bytes = COLL_BYTES_DIFFER;
	if (err == 0 && !k->in_place)
		err = args_lists(k, true);
	return err;
}

static void args_counts(struct coll_args *k, struct haft_counts sendcounts,
	struct haft_counts sdispls, struct haft_counts recvcounts, struct haft_counts rdispls)
{
	k->scounts = sendcounts;
	k->sdispls = sdispls;
	k->rcounts = recvcounts;
	k->rdispls = rdispls;
}

/* After args_counts. */
static int args_vectors(struct coll_args *k, const void *sendbuf, struct type *sendtype,
	void *recvbuf, struct type *recvtype)
{
	int err = args_send(k, sendbuf, 0, sendtype, 1, true);

	args_recv(k, recvbuf, 0, recvtype, 1);
	return err != 0 ? err : args_exchange(k);
}

static int fill_alltoallv(struct coll_args *k, const void *sendbuf, struct haft_counts sendcounts,
	struct haft_counts sdispls, struct type *sendtype, void *recvbuf,
	struct haft_counts recvcounts, struct haft_counts rdispls, struct type *recvtype,
	struct comm *comm)
{
	int err;

	args_begin(k, comm, COLL_ALLTOALLV, 0);
	args_counts(k, sendcounts, sdispls, recvcounts, rdispls);
	err = args_vectors(k, sendbuf, sendtype, recvbuf, recvtype);
	return err != 0 ? err : args_own_disjoint(k, false);
}

/* After args_counts. */
static int args_typed(struct coll_args *k, const void *sendbuf, struct haft_types sendtypes,
	void *recvbuf, struct haft_types recvtypes)
{
	bool in_place = sendbuf == MPI_IN_PLACE;

	if ((recvtypes.v == NULL && k->nin > 0) ||
		(sendtypes.v == NULL && !in_place && k->nout > 0))
		return haft_err(MPI_ERR_ARG, "the list of datatypes is NULL");
	if (!in_place)
		k->stypes = sendtypes;
	k->rtypes = recvtypes;
	return args_vectors(k, sendbuf, NULL, recvbuf, NULL);
}

static int fill_alltoallw(struct coll_args *k, const void *sendbuf, struct haft_counts sendcounts,
	struct haft_counts sdispls, struct haft_types sendtypes, void *recvbuf,
	struct haft_counts recvcounts, struct haft_counts rdispls, struct haft_types recvtypes,
	struct comm *comm)
{
	int err;

	args_begin(k, comm, COLL_ALLTOALLW, 0);
	args_counts(k, sendcounts, sdispls, recvcounts, rdispls);
	err = args_typed(k, sendbuf, sendtypes, recvbuf, recvtypes);
	return err != 0 ? err : args_own_disjoint(k, false);
}

/* --- reductions ----------------------------------------------------------------------------- */

static int fill_reduce(struct coll_args *k, const void *sendbuf, void *recvbuf, int64_t count,
	struct type *type, struct op *op, int root, struct comm *comm)
{
	args_begin(k, comm, COLL_REDUCE, root);
	k->empty = true;
	if (op == NULL) /* MPI_PROC_NULL, between groups */
		return 0;
	return args_reduction(k, sendbuf, recvbuf, count, 1, type, op,
		(k->at_root ? ARGS_RESULT : ARGS_NONE) | (k->leaf ? ARGS_GIVES : ARGS_NONE));
}

static int fill_allreduce(struct coll_args *k, const void *sendbuf, void *recvbuf, int64_t count,
	struct type *type, struct op *op, struct comm *comm)
{
	args_begin(k, comm, COLL_ALLREDUCE, 0);
	return args_reduction(k, sendbuf, recvbuf, count, 1, type, op, ARGS_BOTH);
}

static int fill_reduce_scatter_block(struct coll_args *k, const void *sendbuf, void *recvbuf,
	int64_t recvcount, struct type *type, struct op *op, struct comm *comm)
{
	args_begin(k, comm, COLL_REDUCE_SCATTER_BLOCK, 0);
	return args_reduction(k, sendbuf, recvbuf, recvcount, k->n, type, op, ARGS_BOTH);
}

/* Sets *all to the number of elements of all blocks of MPI_Reduce_scatter. */
static int args_sum(const struct coll_args *k, int64_t *all)
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

static int fill_reduce_scatter(struct coll_args *k, const void *sendbuf, void *recvbuf,
	struct haft_counts recvcounts, struct type *type, struct op *op, struct comm *comm)
{
	int64_t all;
	int err;

	args_begin(k, comm, COLL_REDUCE_SCATTER, 0);
	k->rcounts = recvcounts;
	err = args_sum(k, &all);
	if (err == 0)
		err = args_send(k, sendbuf, all, type, 1, true);
	if (err == 0)
		err = args_reduction(k, sendbuf, recvbuf, haft_count_at(recvcounts, k->me), 1, type,
			op, ARGS_BOTH);
	if (err == 0)
		args_size(k, all, type);
	return err;
}

static int args_intra(const struct coll_args *k)
{
	return k->inter ? haft_err(MPI_ERR_COMM, "not for inter-communicators (6.11)") : 0;
}

static int fill_scan(struct coll_args *k, const void *sendbuf, void *recvbuf, int64_t count,
	struct type *type, struct op *op, struct comm *comm)
{
	int err;

	args_begin(k, comm, COLL_SCAN, 0);
	err = args_intra(k);
	return err != 0 ? err : args_reduction(k, sendbuf, recvbuf, count, 1, type, op, ARGS_BOTH);
}

/* Rank 0 has no result, so its rbuf is not significant (6.11.2).  But if it is its sbuf, the same
 * is true of the others, which refuse the call; rank 0 would wait for them. */
static int fill_exscan(struct coll_args *k, const void *sendbuf, void *recvbuf, int64_t count,
	struct type *type, struct op *op, struct comm *comm)
{
	bool result = comm->rank > 0 || sendbuf == MPI_IN_PLACE;
	int err;

	args_begin(k, comm, COLL_EXSCAN, 0);
	err = args_intra(k);
	if (err == 0)
		err = args_reduction(
			k, sendbuf, recvbuf, count, 1, type, op, result ? ARGS_BOTH : ARGS_GIVES);
	if (err != 0 || result || k->empty || k->n == 1)
		return err;
	return args_disjoint(sendbuf, type, recvbuf, type);
}

/* --- neighborhoods -------------------------------------------------------------------------- */

/* The number of bytes along an edge concerns its two ends only. */
static int args_begin_neighbor(
	struct coll_args *k, struct comm *comm, enum coll_kind kind, const void *sendbuf)
{
	struct topo_neighbors nbr = {0};
	int err = topo_neighbors(comm, &nbr);

	args_begin(k, comm, kind, 0);
	k->bytes = COLL_BYTES_DIFFER;
	if (err != 0)
		return err;
	k->nin = nbr.nin;
	k->nout = nbr.nout;
	if (sendbuf == MPI_IN_PLACE)
		return haft_err(MPI_ERR_BUFFER, "MPI_IN_PLACE is not for neighborhoods");
	return 0;
}

static int fill_neighbor_allgather(struct coll_args *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, int64_t recvcount, struct type *recvtype,
	struct comm *comm)
{
	int err = args_begin_neighbor(k, comm, COLL_NEIGHBOR_ALLGATHER, sendbuf);

	if (err == 0)
		err = args_send(k, sendbuf, sendcount, sendtype, k->nout > 0, false);
	return err != 0 ? err : args_recv(k, recvbuf, recvcount, recvtype, k->nin);
}

static int fill_neighbor_allgatherv(struct coll_args *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, struct haft_counts recvcounts,
	struct haft_counts displs, struct type *recvtype, struct comm *comm)
{
	int err = args_begin_neighbor(k, comm, COLL_NEIGHBOR_ALLGATHERV, sendbuf);

	if (err == 0)
		err = args_send(k, sendbuf, sendcount, sendtype, k->nout > 0, false);
	if (err != 0)
		return err;
	args_recv(k, recvbuf, 0, recvtype, 1);
	k->rcounts = recvcounts;
	k->rdispls = displs;
	return args_lists(k, false);
}

static int fill_neighbor_alltoall(struct coll_args *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, int64_t recvcount, struct type *recvtype,
	struct comm *comm)
{
	int err = args_begin_neighbor(k, comm, COLL_NEIGHBOR_ALLTOALL, sendbuf);

	if (err == 0)
		err = args_send(k, sendbuf, sendcount, sendtype, k->nout, false);
	return err != 0 ? err : args_recv(k, recvbuf, recvcount, recvtype, k->nin);
}

static int fill_neighbor_alltoallv(struct coll_args *k, const void *sendbuf,
	struct haft_counts sendcounts, struct haft_counts sdispls, struct type *sendtype,
	void *recvbuf, struct haft_counts recvcounts, struct haft_counts rdispls,
	struct type *recvtype, struct comm *comm)
{
	int err = args_begin_neighbor(k, comm, COLL_NEIGHBOR_ALLTOALLV, sendbuf);

	args_counts(k, sendcounts, sdispls, recvcounts, rdispls);
	return err != 0 ? err : args_vectors(k, sendbuf, sendtype, recvbuf, recvtype);
}

static int fill_neighbor_alltoallw(struct coll_args *k, const void *sendbuf,
	struct haft_counts sendcounts, struct haft_counts sdispls, struct haft_types sendtypes,
	void *recvbuf, struct haft_counts recvcounts, struct haft_counts rdispls,
	struct haft_types recvtypes, struct comm *comm)
{
	int err = args_begin_neighbor(k, comm, COLL_NEIGHBOR_ALLTOALLW, sendbuf);

	args_counts(k, sendcounts, sdispls, recvcounts, rdispls);
	return err != 0 ? err : args_typed(k, sendbuf, sendtypes, recvbuf, recvtypes);
}

/* --- the engines: three of each ------------------------------------------------------------- */

/* Parameters that several calls have, and their names as arguments. */
#define SEND const void *sbuf, int64_t scount, struct type *stype
#define RECV void *rbuf, int64_t rcount, struct type *rtype
#define SENDV \
	const void *sbuf, struct haft_counts scounts, struct haft_counts sdispls, struct type *stype
#define RECVV void *rbuf, struct haft_counts rcounts, struct haft_counts rdispls, struct type *rtype
#define SENDW                                                                     \
	const void *sbuf, struct haft_counts scounts, struct haft_counts sdispls, \
		struct haft_types stypes
#define RECVW \
	void *rbuf, struct haft_counts rcounts, struct haft_counts rdispls, struct haft_types rtypes
#define REDUCE(counts)      const void *sbuf, void *rbuf, counts, struct type *type, struct op *op
#define SEND_ARGS           sbuf, scount, stype
#define RECV_ARGS           rbuf, rcount, rtype
#define SENDV_ARGS          sbuf, scounts, sdispls, stype
#define RECVV_ARGS          rbuf, rcounts, rdispls, rtype
#define SENDW_ARGS          sbuf, scounts, sdispls, stypes
#define RECVW_ARGS          rbuf, rcounts, rdispls, rtypes
#define REDUCE_ARGS(counts) sbuf, rbuf, counts, type, op

/* Loops of these two have more switches of processes than data. */
HAFT_HOT int coll_barrier(struct comm *c);
HAFT_HOT int coll_allreduce(REDUCE(int64_t count), struct comm *c);

#define ENGINES(name, args, ...)                                                     \
	int coll_##name(__VA_ARGS__)                                                 \
	{                                                                            \
		struct coll_args k;                                                  \
		int err = fill_##name args;                                          \
                                                                                     \
		return unlikely(err != 0) ? err : coll_run(&k);                      \
	}                                                                            \
                                                                                     \
	int coll_i##name(__VA_ARGS__, struct req **request)                          \
	{                                                                            \
		struct coll_args k;                                                  \
		int err = fill_##name args;                                          \
                                                                                     \
		return err != 0 ? err : coll_run_nonblocking(&k, request);           \
	}                                                                            \
                                                                                     \
	/* No info key has an effect. */                                             \
	int coll_##name##_init(__VA_ARGS__, struct info *info, struct req **request) \
	{                                                                            \
		struct coll_args k;                                                  \
		int err = fill_##name args;                                          \
                                                                                     \
		(void)info;                                                          \
		return err != 0 ? err : coll_run_persistent(&k, request);            \
	}

/* clang-format off */
ENGINES(barrier, (&k, c), struct comm *c)
ENGINES(bcast, (&k, RECV_ARGS, root, c), RECV, int root, struct comm *c)
ENGINES(gather, (&k, SEND_ARGS, RECV_ARGS, root, c), SEND, RECV, int root, struct comm *c)
ENGINES(gatherv, (&k, SEND_ARGS, RECVV_ARGS, root, c), SEND, RECVV, int root, struct comm *c)
ENGINES(scatter, (&k, SEND_ARGS, RECV_ARGS, root, c), SEND, RECV, int root, struct comm *c)
ENGINES(scatterv, (&k, SENDV_ARGS, RECV_ARGS, root, c), SENDV, RECV, int root, struct comm *c)
ENGINES(allgather, (&k, SEND_ARGS, RECV_ARGS, c), SEND, RECV, struct comm *c)
ENGINES(allgatherv, (&k, SEND_ARGS, RECVV_ARGS, c), SEND, RECVV, struct comm *c)
ENGINES(alltoall, (&k, SEND_ARGS, RECV_ARGS, c), SEND, RECV, struct comm *c)
ENGINES(alltoallv, (&k, SENDV_ARGS, RECVV_ARGS, c), SENDV, RECVV, struct comm *c)
ENGINES(alltoallw, (&k, SENDW_ARGS, RECVW_ARGS, c), SENDW, RECVW, struct comm *c)
ENGINES(reduce, (&k, REDUCE_ARGS(count), root, c), REDUCE(int64_t count), int root, struct comm *c)
ENGINES(allreduce, (&k, REDUCE_ARGS(count), c), REDUCE(int64_t count), struct comm *c)
ENGINES(reduce_scatter_block, (&k, REDUCE_ARGS(count), c), REDUCE(int64_t count), struct comm *c)
ENGINES(reduce_scatter, (&k, REDUCE_ARGS(counts), c), REDUCE(struct haft_counts counts),
	struct comm *c)
ENGINES(scan, (&k, REDUCE_ARGS(count), c), REDUCE(int64_t count), struct comm *c)
ENGINES(exscan, (&k, REDUCE_ARGS(count), c), REDUCE(int64_t count), struct comm *c)
ENGINES(neighbor_allgather, (&k, SEND_ARGS, RECV_ARGS, c), SEND, RECV, struct comm *c)
ENGINES(neighbor_allgatherv, (&k, SEND_ARGS, RECVV_ARGS, c), SEND, RECVV, struct comm *c)
ENGINES(neighbor_alltoall, (&k, SEND_ARGS, RECV_ARGS, c), SEND, RECV, struct comm *c)
ENGINES(neighbor_alltoallv, (&k, SENDV_ARGS, RECVV_ARGS, c), SENDV, RECVV, struct comm *c)
ENGINES(neighbor_alltoallw, (&k, SENDW_ARGS, RECVW_ARGS, c), SENDW, RECVW, struct comm *c)
/* clang-format on */
