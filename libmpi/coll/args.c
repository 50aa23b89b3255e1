// SPDX-License-Identifier: BSD-3-Clause
/* args.c - the engines of the collective calls: what a call says becomes a struct coll_args, which is
 * checked, and given to one of the two sets of algorithms.
 *
 * bind/ has checked handles, counts >= 0, and the root's range.  Arguments that are significant
 * only at the root arrive elsewhere as zero. */
#include "libmpi/coll/coll_args.h"
#include "libmpi/core/info_object.h"
#include "libmpi/coll/coll_shm.h"
#include "libmpi/core/topo.h"
#include "engine.h"
#include <limits.h>

typedef int coll_shm_fn(const struct coll_args *k);

/* Each verb: its name, and its way through shared memory. */
static const struct {
	const char *name;
	coll_shm_fn *share;
} verbs[COLL_KINDS] = {
	[COLL_BARRIER] = {"MPI_Barrier", coll_shm_barrier},
	[COLL_BCAST] = {"MPI_Bcast", coll_shm_bcast},
	[COLL_GATHER] = {"MPI_Gather", coll_shm_gather},
	[COLL_GATHERV] = {"MPI_Gatherv", NULL},
	[COLL_SCATTER] = {"MPI_Scatter", coll_shm_scatter},
	[COLL_SCATTERV] = {"MPI_Scatterv", NULL},
	[COLL_ALLGATHER] = {"MPI_Allgather", coll_shm_allgather},
	[COLL_ALLGATHERV] = {"MPI_Allgatherv", NULL},
	[COLL_ALLTOALL] = {"MPI_Alltoall", coll_shm_alltoall},
	[COLL_ALLTOALLV] = {"MPI_Alltoallv", NULL},
	[COLL_ALLTOALLW] = {"MPI_Alltoallw", NULL},
	[COLL_REDUCE] = {"MPI_Reduce", coll_shm_reduce},
	[COLL_ALLREDUCE] = {"MPI_Allreduce", coll_shm_allreduce},
	[COLL_REDUCE_SCATTER_BLOCK] = {"MPI_Reduce_scatter_block", coll_shm_reduce_scatter_block},
	[COLL_REDUCE_SCATTER] = {"MPI_Reduce_scatter", NULL},
	[COLL_SCAN] = {"MPI_Scan", coll_shm_scan},
	[COLL_EXSCAN] = {"MPI_Exscan", coll_shm_exscan},
	[COLL_NEIGHBOR_ALLGATHER] = {"MPI_Neighbor_allgather", NULL},
	[COLL_NEIGHBOR_ALLGATHERV] = {"MPI_Neighbor_allgatherv", NULL},
	[COLL_NEIGHBOR_ALLTOALL] = {"MPI_Neighbor_alltoall", NULL},
	[COLL_NEIGHBOR_ALLTOALLV] = {"MPI_Neighbor_alltoallv", NULL},
	[COLL_NEIGHBOR_ALLTOALLW] = {"MPI_Neighbor_alltoallw", NULL},
};

const char *coll_kind_name(enum coll_kind v)
{
	return verbs[v].name;
}

/* --- the three ways ------------------------------------------------------------------------- */

/* What the name of a call has before and after its verb. */
struct form {
	const char *before, *after;
};

static const struct form now = {"", ""}, later = {"I", ""}, again = {"", "_init"};

static void run_steps(struct sched *s, const struct coll_args *k, const void *arg)
{
	(void)arg;
	if (!k->nothing)
		coll_algorithm(k)(s, k);
}

static void run_check_steps(struct sched *s, const struct coll_args *k, const void *arg)
{
	const struct form *form = arg;

	coll_check_steps(s, k, form->before, form->after);
}

/* The members know whether they share memory. */
static inline int joined(struct comm *c)
{
	return unlikely(c->coll == NULL || !c->coll->joined) ? coll_shm_join(c) : 0;
}

/* Through shared memory; COLL_SHM_NONE: that is not there, or does not want the call. */
static int run_shm(const struct coll_args *k, coll_shm_fn *share)
{
	struct comm *c = k->comm;
	int err = joined(c);

	if (unlikely(err != 0))
		return err;
	if (unlikely(c->coll == NULL || c->coll->block == NULL || share == NULL || k->nothing ||
		     coll_algorithm_forced[k->verb] != NULL))
		return COLL_SHM_NONE;
	err = share(k);
	if (likely(err != COLL_SHM_NONE || !c->coll->astray))
		return err;
	c->coll->astray = false;
	return haft_err(MPI_ERR_TRUNCATE,
		"another member is in another collective call, or gives less in this one "
		"(HAFT_CHECK=coll says who)");
}

/* Before memory is touched: who makes another call will not come there. */
static int run_check(const struct coll_args *k)
{
	return coll_sched_run(k, run_check_steps, &now);
}

int coll_run_local(const struct coll_args *k, const struct p2p_error_msg *sorry)
{
	int err = joined(k->comm);
	struct coll *s = k->comm->coll;
	struct p2p_error_msg heard;

	if (err != 0)
		return err;
	if (s != NULL) {
		s->hears = true;
		s->sorry = sorry;
	}
	err = run_shm(k, verbs[k->verb].share);
	if (s != NULL)
		s->sorry = NULL;
	if (err == COLL_SHM_NONE)
		return sorry != NULL ? coll_sched_run_failed(k, run_steps, NULL, sorry)
				     : coll_sched_run(k, run_steps, NULL);
	if (err == 0 && sorry == NULL && coll_phase_error(s, s->epoch, &heard))
		err = p2p_error_take(&heard);
	return err;
}

static inline int run_blocking(struct coll_args *k)
{
	int err = 0;

	k->now = true;

	k->tag = coll_next_tag(k->comm);
	if (unlikely(coll_check_wanted))
		err = run_check(k);
	if (unlikely(err != 0))
		return err;
	err = COLL_SHM_NONE;
	if (likely(!k->inter))
		err = run_shm(k, verbs[k->verb].share);
	return likely(err != COLL_SHM_NONE) ? err : coll_sched_run(k, run_steps, NULL);
}

/* What a schedule uses after its call has returned. */
static void run_hold(struct sched *s, const struct coll_args *k)
{
	coll_sched_hold(s, k->stype);
	coll_sched_hold(s, k->rtype);
	for (int i = 0; i < k->nout && k->stypes.v != NULL; i++)
		coll_sched_hold(s, haft_type_at(k->stypes, i));
	for (int i = 0; i < k->nin && k->rtypes.v != NULL; i++)
		coll_sched_hold(s, haft_type_at(k->rtypes, i));
}

/* All of a call with a request.  Who is without memory is so in the comparison, after which nobody
 * goes on. */
static void run_all_steps(struct sched *s, const struct coll_args *k, const void *form)
{
	if (unlikely(coll_check_wanted)) {
		run_check_steps(s, k, form);
		if (coll_sched_is_dry_run(s))
			return;
	}
	run_steps(s, k, NULL);
	run_hold(s, k);
}

static int run_nonblocking(struct coll_args *k, struct req **request)
{
	k->tag = coll_next_tag(k->comm);
	return coll_sched_begin(k, run_all_steps, &later, request);
}

/* An _init call is not local (MPI-5.0 6.13): all members have their steps, or none has the request.
 */
static int run_persistent(struct coll_args *k, struct req **request)
{
	struct req *r = NULL;
	int err, odd;

	k->tag = coll_next_tag(k->comm) | TAG_AGAIN;
	err = coll_sched_init(k, run_all_steps, &again, &r);
	odd = err == 0 ? INT_MAX : k->me;
	err = coll_allreduce_min(k->comm, coll_next_tag(k->comm), &odd);
	if (likely(err == 0 && odd == INT_MAX)) {
		*request = r;
		return 0;
	}
	if (r != NULL)
		p2p_request_free(&r);
	if (err == 0)
		err = haft_err(MPI_ERR_NO_MEM,
			"at rank %d: no memory for the steps of a collective call", odd);
	return err;
}

/* --- checking ------------------------------------------------------------------------------- */

static inline void args_begin(struct coll_args *k, struct comm *c, enum coll_kind verb, int root)
{
	k->comm = c;
	k->verb = verb;
	k->n = c->size;
	k->me = k->who = c->rank;
	k->root = root;
	k->tag = 0;
	k->inter = c->remote != NULL;
	k->nin = k->nout = k->inter ? c->remote->size : c->size;
	k->root_here = root == (k->inter ? MPI_ROOT : c->rank);
	k->leaf = !k->inter || root >= 0;
	/* field by field: a memset of this length becomes a string instruction, half of a short
	 * call */
	k->now = k->in_place = k->nothing = false;
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

/* Data go from one place to itself?  The place is where the first byte is, and there is one: types
 * that know better may make two of one buffer, or of MPI_BOTTOM.  The side of MPI_IN_PLACE
 * has no type (bind gives NULL), and there is nothing to compare. */
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

/* The same for this member's own block, which it gets from itself; `all': what it gives is the same
 * for all. */
static int args_own_disjoint(const struct coll_args *k, bool all)
{
	struct block in, out = {(void *)(uintptr_t)k->sbuf, k->scount, k->stype};

	if (k->in_place || k->inter)
		return 0;
	in = coll_block_in(k, k->me);
	if (!all)
		out = coll_block_out(k, k->me);
	if (in.count * in.type->size == 0 || out.count * out.type->size == 0)
		return 0;
	return args_disjoint(out.at, out.type, in.at, in.type);
}

/* What a member gives to itself does not fit where it gets it: the one case of a signature that
 * does not match which needs no word of others. */
static int args_own_fits(int64_t bytes, int64_t room)
{
	if (bytes <= room)
		return 0;
	return haft_err(MPI_ERR_TRUNCATE,
		"this rank's block for itself is %lld bytes to send, and %lld to receive",
		(long long)bytes, (long long)room);
}

/* type is NULL where the buffer is not significant. */
static int args_buffer(
	const void *buf, int64_t count, int64_t blocks, const struct type *type, const char *which)
{
	return count == 0 || type == NULL ? 0 : type_check(buf, count, blocks, type, which);
}

/* What goes out, in `blocks' blocks; MPI_IN_PLACE is allowed where `here', and never between
 * groups. */
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

/* What comes in; with MPI_IN_PLACE, nothing. */
static int args_recv(struct coll_args *k, void *buf, int64_t count, struct type *type, int blocks)
{
	k->rbuf = buf;
	k->rcount = count;
	k->rtype = type;
	return args_buffer(buf, count, blocks, type, "the receive buffer");
}

/* The blocks of a call that ends in v or w: their numbers, and the memory of each.  In
 * order of ranks, or of neighbours. */
static int args_lists(const struct coll_args *k, bool out)
{
	struct haft_counts counts = out ? k->scounts : k->rcounts;
	struct haft_counts displs = out ? k->sdispls : k->rdispls;
	struct haft_types types = out ? k->stypes : k->rtypes;
	const char *which = out ? "send" : "receive";
	struct type *type = out ? k->stype : k->rtype;
	const void *buf = out ? k->sbuf : k->rbuf;
	int n = out ? k->nout : k->nin;

	if (n > 0 && (counts.v == NULL || displs.v == NULL))
		return haft_err(MPI_ERR_ARG, "the %s %s are NULL", which,
			counts.v == NULL ? "counts" : "displacements");
	for (int i = 0; i < n; i++) {
		int64_t count = haft_count_at(counts, i);
		const void *at = buf;
		int err;

		if (types.v != NULL)
			type = haft_type_at(types, i);
		if (type == NULL)
			return haft_err(MPI_ERR_TYPE, "%s type %d is not a datatype", which, i);
		if (count < 0)
			return haft_err(
				MPI_ERR_COUNT, "%s count %d is %lld", which, i, (long long)count);
		if (count > 0 && !type->committed) /* of an array; others the binding has seen */
			return haft_err(MPI_ERR_TYPE,
				"%s type %d has not been committed (MPI_Type_commit)", which, i);
		if (buf == MPI_BOTTOM) /* a displacement may be an address */
			at = out ? coll_block_out(k, i).at : coll_block_in(k, i).at;
		err = args_buffer(
			at, count, 1, type, out ? "the send buffer" : "the receive buffer");
		if (err != 0)
			return err;
	}
	return 0;
}

/* The number of bytes that all members know alike; with none, nothing is done. */
static void args_size(struct coll_args *k, int64_t count, const struct type *type)
{
	k->bytes = type != NULL ? count * type->size : 0;
	k->nothing = k->bytes == 0;
}

/* Blocks between everybody: two groups may have nothing for each other in one direction only. */
static int args_blocks_size(struct coll_args *k, bool all)
{
	int err;

	args_size(k, k->rcount, k->rtype);
	if (k->inter)
		k->nothing = false;
	err = k->in_place || k->inter ? 0 : args_own_fits(k->scount * k->stype->size, k->bytes);
	if (err != 0 || k->bytes == 0 || k->in_place)
		return err;
	err = args_disjoint(k->sbuf, k->stype, k->rbuf, k->rtype);
	return err != 0 ? err : args_own_disjoint(k, all);
}

/* The common part of all reductions, of `blocks' times `count' elements, of which one block is this
 * rank's result.  rbuf is significant where `result', sbuf where `gives'. */
static int args_reduction(struct coll_args *k, const void *sbuf, void *rbuf, int64_t count,
	int blocks, struct type *type, struct op *op, bool result, bool gives)
{
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
	return result && gives && !k->nothing ? args_disjoint(sbuf, type, rbuf, type) : 0;
}

/* --- without reduction ---------------------------------------------------------------------- */

static int fill_barrier(struct coll_args *k, struct comm *comm)
{
	args_begin(k, comm, COLL_BARRIER, 0);
	return 0;
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
		err = args_send(k, sendbuf, sendcount, sendtype, 1, k->root_here);
	if (err == 0)
		err = args_recv(k, recvbuf, recvcount, recvtype, k->nin);
	if (err != 0)
		return err;
	if (k->root_here)
		args_size(k, recvcount, recvtype);
	else
		args_size(k, sendcount, sendtype);
	if (!k->root_here || !k->leaf)
		return 0;
	err = k->in_place ? 0 : args_own_fits(sendcount * sendtype->size, k->bytes);
	return err != 0 || k->nothing ? err : args_disjoint(sendbuf, sendtype, recvbuf, recvtype);
}

static int fill_gatherv(struct coll_args *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, struct haft_counts recvcounts,
	struct haft_counts displs, struct type *recvtype, int root, struct comm *comm)
{
	int err = 0;

	args_begin(k, comm, COLL_GATHERV, root);
	if (k->leaf)
		err = args_send(k, sendbuf, sendcount, sendtype, 1, k->root_here);
	args_recv(k, recvbuf, 0, recvtype, 1);
	k->rcounts = recvcounts;
	k->rdispls = displs;
	k->bytes = AGREE_ANY;
	if (err != 0 || !k->root_here)
		return err;
	err = args_lists(k, false);
	return err != 0 ? err : args_own_disjoint(k, true);
}

/* Where a scatter's block goes; the root's may stay where it is. */
static int args_scattered(struct coll_args *k, void *buf, int64_t count, struct type *type)
{
	if (!k->leaf)
		return 0;
	k->in_place = buf == MPI_IN_PLACE;
	if (k->in_place && !k->root_here)
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
	if (k->root_here)
		err = args_send(k, sendbuf, sendcount, sendtype, k->nout, false);
	if (err == 0)
		err = args_scattered(k, recvbuf, recvcount, recvtype);
	if (err != 0)
		return err;
	if (k->root_here)
		args_size(k, sendcount, sendtype);
	else
		args_size(k, recvcount, recvtype);
	if (!k->root_here || !k->leaf)
		return 0;
	err = k->in_place ? 0 : args_own_fits(k->bytes, recvcount * recvtype->size);
	return err != 0 || k->nothing ? err : args_disjoint(sendbuf, sendtype, recvbuf, recvtype);
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
	k->bytes = AGREE_ANY;
	err = args_scattered(k, recvbuf, recvcount, recvtype);
	if (err == 0 && k->root_here)
		err = args_lists(k, true);
	if (err != 0 || !k->root_here || k->in_place || k->inter || recvcount == 0)
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
	k->bytes = AGREE_ANY;
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

/* The vectors of an alltoallv or w: of what comes, and unless it is in place, of what goes. */
static int args_exchange(struct coll_args *k)
{
	int err = args_lists(k, false);

	k->bytes = AGREE_ANY;
	if (err == 0 && !k->in_place)
		err = args_lists(k, true);
	return err;
}

static int args_vectors(struct coll_args *k, const void *sendbuf, struct haft_counts sendcounts,
	struct haft_counts sdispls, struct type *sendtype, void *recvbuf,
	struct haft_counts recvcounts, struct haft_counts rdispls, struct type *recvtype)
{
	int err = args_send(k, sendbuf, 0, sendtype, 1, true);

	args_recv(k, recvbuf, 0, recvtype, 1);
	k->scounts = sendcounts;
	k->sdispls = sdispls;
	k->rcounts = recvcounts;
	k->rdispls = rdispls;
	return err != 0 ? err : args_exchange(k);
}

static int fill_alltoallv(struct coll_args *k, const void *sendbuf, struct haft_counts sendcounts,
	struct haft_counts sdispls, struct type *sendtype, void *recvbuf,
	struct haft_counts recvcounts, struct haft_counts rdispls, struct type *recvtype,
	struct comm *comm)
{
	int err;

	args_begin(k, comm, COLL_ALLTOALLV, 0);
	err = args_vectors(
		k, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype);
	return err != 0 ? err : args_own_disjoint(k, false);
}

static int args_typed(struct coll_args *k, const void *sendbuf, struct haft_counts sendcounts,
	struct haft_counts sdispls, struct haft_types sendtypes, void *recvbuf,
	struct haft_counts recvcounts, struct haft_counts rdispls, struct haft_types recvtypes)
{
	bool in_place = sendbuf == MPI_IN_PLACE;

	if ((recvtypes.v == NULL && k->nin > 0) ||
		(sendtypes.v == NULL && !in_place && k->nout > 0))
		return haft_err(MPI_ERR_ARG, "the list of datatypes is NULL");
	if (!in_place)
		k->stypes = sendtypes;
	k->rtypes = recvtypes;
	return args_vectors(
		k, sendbuf, sendcounts, sdispls, NULL, recvbuf, recvcounts, rdispls, NULL);
}

static int fill_alltoallw(struct coll_args *k, const void *sendbuf, struct haft_counts sendcounts,
	struct haft_counts sdispls, struct haft_types sendtypes, void *recvbuf,
	struct haft_counts recvcounts, struct haft_counts rdispls, struct haft_types recvtypes,
	struct comm *comm)
{
	int err;

	args_begin(k, comm, COLL_ALLTOALLW, 0);
	err = args_typed(k, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
		recvtypes);
	return err != 0 ? err : args_own_disjoint(k, false);
}

/* --- reductions ----------------------------------------------------------------------------- */

static int fill_reduce(struct coll_args *k, const void *sendbuf, void *recvbuf, int64_t count,
	struct type *type, struct op *op, int root, struct comm *comm)
{
	args_begin(k, comm, COLL_REDUCE, root);
	k->nothing = true;
	if (op == NULL) /* beside the root, between groups */
		return 0;
	return args_reduction(k, sendbuf, recvbuf, count, 1, type, op, k->root_here, k->leaf);
}

static int fill_allreduce(struct coll_args *k, const void *sendbuf, void *recvbuf, int64_t count,
	struct type *type, struct op *op, struct comm *comm)
{
	args_begin(k, comm, COLL_ALLREDUCE, 0);
	return args_reduction(k, sendbuf, recvbuf, count, 1, type, op, true, true);
}

static int fill_reduce_scatter_block(struct coll_args *k, const void *sendbuf, void *recvbuf,
	int64_t recvcount, struct type *type, struct op *op, struct comm *comm)
{
	args_begin(k, comm, COLL_REDUCE_SCATTER_BLOCK, 0);
	return args_reduction(k, sendbuf, recvbuf, recvcount, k->n, type, op, true, true);
}

/* The elements of all blocks of MPI_Reduce_scatter. */
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
			op, true, true);
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
	return err != 0 ? err : args_reduction(k, sendbuf, recvbuf, count, 1, type, op, true, true);
}

/* Rank 0 has no result, and its rbuf means nothing (6.11.2); if it is its sbuf, so it is with the
 * others, who refuse the call: rank 0 would wait for them. */
static int fill_exscan(struct coll_args *k, const void *sendbuf, void *recvbuf, int64_t count,
	struct type *type, struct op *op, struct comm *comm)
{
	bool result = comm->rank > 0 || sendbuf == MPI_IN_PLACE;
	int err;

	args_begin(k, comm, COLL_EXSCAN, 0);
	err = args_intra(k);
	if (err == 0)
		err = args_reduction(k, sendbuf, recvbuf, count, 1, type, op, result, true);
	if (err != 0 || result || k->nothing || k->n == 1)
		return err;
	return args_disjoint(sendbuf, type, recvbuf, type);
}

/* --- neighbours ----------------------------------------------------------------------------- */

/* How many bytes go along an edge is an affair of its two ends. */
static int args_begin_neighbor(
	struct coll_args *k, struct comm *comm, enum coll_kind verb, const void *sendbuf)
{
	struct topo_neighbors near = {0};
	int err = topo_neighbors(comm, &near);

	args_begin(k, comm, verb, 0);
	k->bytes = AGREE_ANY;
	if (err != 0)
		return err;
	k->nin = near.nin;
	k->nout = near.nout;
	if (sendbuf == MPI_IN_PLACE)
		return haft_err(MPI_ERR_BUFFER, "MPI_IN_PLACE is not for neighbourhoods");
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

	return err != 0 ? err
			: args_vectors(k, sendbuf, sendcounts, sdispls, sendtype, recvbuf,
				  recvcounts, rdispls, recvtype);
}

static int fill_neighbor_alltoallw(struct coll_args *k, const void *sendbuf,
	struct haft_counts sendcounts, struct haft_counts sdispls, struct haft_types sendtypes,
	void *recvbuf, struct haft_counts recvcounts, struct haft_counts rdispls,
	struct haft_types recvtypes, struct comm *comm)
{
	int err = args_begin_neighbor(k, comm, COLL_NEIGHBOR_ALLTOALLW, sendbuf);

	return err != 0 ? err
			: args_typed(k, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
				  recvcounts, rdispls, recvtypes);
}

/* --- the engines: three of each ------------------------------------------------------------- */

#define ENGINES(verb, args, ...)                                                     \
	int coll_##verb(__VA_ARGS__)                                                 \
	{                                                                            \
		struct coll_args k;                                                  \
		int err = fill_##verb args;                                          \
                                                                                     \
		return unlikely(err != 0) ? err : run_blocking(&k);                  \
	}                                                                            \
                                                                                     \
	int coll_i##verb(__VA_ARGS__, struct req **request)                          \
	{                                                                            \
		struct coll_args k;                                                  \
		int err = fill_##verb args;                                          \
                                                                                     \
		return err != 0 ? err : run_nonblocking(&k, request);                \
	}                                                                            \
                                                                                     \
	/* No hint changes anything. */                                              \
	int coll_##verb##_init(__VA_ARGS__, struct info *info, struct req **request) \
	{                                                                            \
		struct coll_args k;                                                  \
		int err = fill_##verb args;                                          \
                                                                                     \
		(void)info;                                                          \
		return err != 0 ? err : run_persistent(&k, request);                 \
	}

ENGINES(barrier, (&k, c), struct comm *c)
ENGINES(bcast, (&k, buf, count, type, root, c), void *buf, int64_t count, struct type *type,
	int root, struct comm *c)
ENGINES(gather, (&k, sbuf, scount, stype, rbuf, rcount, rtype, root, c), const void *sbuf,
	int64_t scount, struct type *stype, void *rbuf, int64_t rcount, struct type *rtype,
	int root, struct comm *c)
ENGINES(gatherv, (&k, sbuf, scount, stype, rbuf, rcounts, displs, rtype, root, c), const void *sbuf,
	int64_t scount, struct type *stype, void *rbuf, struct haft_counts rcounts,
	struct haft_counts displs, struct type *rtype, int root, struct comm *c)
ENGINES(scatter, (&k, sbuf, scount, stype, rbuf, rcount, rtype, root, c), const void *sbuf,
	int64_t scount, struct type *stype, void *rbuf, int64_t rcount, struct type *rtype,
	int root, struct comm *c)
ENGINES(scatterv, (&k, sbuf, scounts, displs, stype, rbuf, rcount, rtype, root, c),
	const void *sbuf, struct haft_counts scounts, struct haft_counts displs, struct type *stype,
	void *rbuf, int64_t rcount, struct type *rtype, int root, struct comm *c)
ENGINES(allgather, (&k, sbuf, scount, stype, rbuf, rcount, rtype, c), const void *sbuf,
	int64_t scount, struct type *stype, void *rbuf, int64_t rcount, struct type *rtype,
	struct comm *c)
ENGINES(allgatherv, (&k, sbuf, scount, stype, rbuf, rcounts, displs, rtype, c), const void *sbuf,
	int64_t scount, struct type *stype, void *rbuf, struct haft_counts rcounts,
	struct haft_counts displs, struct type *rtype, struct comm *c)
ENGINES(alltoall, (&k, sbuf, scount, stype, rbuf, rcount, rtype, c), const void *sbuf,
	int64_t scount, struct type *stype, void *rbuf, int64_t rcount, struct type *rtype,
	struct comm *c)
ENGINES(alltoallv, (&k, sbuf, scounts, sdispls, stype, rbuf, rcounts, rdispls, rtype, c),
	const void *sbuf, struct haft_counts scounts, struct haft_counts sdispls,
	struct type *stype, void *rbuf, struct haft_counts rcounts, struct haft_counts rdispls,
	struct type *rtype, struct comm *c)
ENGINES(alltoallw, (&k, sbuf, scounts, sdispls, stypes, rbuf, rcounts, rdispls, rtypes, c),
	const void *sbuf, struct haft_counts scounts, struct haft_counts sdispls,
	struct haft_types stypes, void *rbuf, struct haft_counts rcounts,
	struct haft_counts rdispls, struct haft_types rtypes, struct comm *c)
ENGINES(reduce, (&k, sbuf, rbuf, count, type, op, root, c), const void *sbuf, void *rbuf,
	int64_t count, struct type *type, struct op *op, int root, struct comm *c)
ENGINES(allreduce, (&k, sbuf, rbuf, count, type, op, c), const void *sbuf, void *rbuf,
	int64_t count, struct type *type, struct op *op, struct comm *c)
ENGINES(reduce_scatter_block, (&k, sbuf, rbuf, rcount, type, op, c), const void *sbuf, void *rbuf,
	int64_t rcount, struct type *type, struct op *op, struct comm *c)
ENGINES(reduce_scatter, (&k, sbuf, rbuf, rcounts, type, op, c), const void *sbuf, void *rbuf,
	struct haft_counts rcounts, struct type *type, struct op *op, struct comm *c)
ENGINES(scan, (&k, sbuf, rbuf, count, type, op, c), const void *sbuf, void *rbuf, int64_t count,
	struct type *type, struct op *op, struct comm *c)
ENGINES(exscan, (&k, sbuf, rbuf, count, type, op, c), const void *sbuf, void *rbuf, int64_t count,
	struct type *type, struct op *op, struct comm *c)
ENGINES(neighbor_allgather, (&k, sbuf, scount, stype, rbuf, rcount, rtype, c), const void *sbuf,
	int64_t scount, struct type *stype, void *rbuf, int64_t rcount, struct type *rtype,
	struct comm *c)
ENGINES(neighbor_allgatherv, (&k, sbuf, scount, stype, rbuf, rcounts, displs, rtype, c),
	const void *sbuf, int64_t scount, struct type *stype, void *rbuf,
	struct haft_counts rcounts, struct haft_counts displs, struct type *rtype, struct comm *c)
ENGINES(neighbor_alltoall, (&k, sbuf, scount, stype, rbuf, rcount, rtype, c), const void *sbuf,
	int64_t scount, struct type *stype, void *rbuf, int64_t rcount, struct type *rtype,
	struct comm *c)
ENGINES(neighbor_alltoallv, (&k, sbuf, scounts, sdispls, stype, rbuf, rcounts, rdispls, rtype, c),
	const void *sbuf, struct haft_counts scounts, struct haft_counts sdispls,
	struct type *stype, void *rbuf, struct haft_counts rcounts, struct haft_counts rdispls,
	struct type *rtype, struct comm *c)
ENGINES(neighbor_alltoallw, (&k, sbuf, scounts, sdispls, stypes, rbuf, rcounts, rdispls, rtypes, c),
	const void *sbuf, struct haft_counts scounts, struct haft_counts sdispls,
	struct haft_types stypes, void *rbuf, struct haft_counts rcounts,
	struct haft_counts rdispls, struct haft_types rtypes, struct comm *c)
