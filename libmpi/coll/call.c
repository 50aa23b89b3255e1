// SPDX-License-Identifier: BSD-3-Clause
/* call.c - the engines of the collective calls: what a call says becomes a struct call, which is
 * checked, and given to one of the two sets of algorithms.
 *
 * bind/ has checked handles, counts >= 0, and the root's range.  Arguments that are significant
 * only at the root arrive elsewhere as zero. */
#include "libmpi/coll/coll.h"
#include "libmpi/core/info_object.h"
#include "libmpi/coll/share.h"
#include "libmpi/core/topo.h"
#include "engine.h"
#include <limits.h>

typedef int share_fn(const struct call *k);

/* Each verb: its name, and its way through shared memory. */
static const struct {
	const char *name;
	share_fn *share;
} verbs[VERBS] = {
	[VERB_BARRIER] = {"MPI_Barrier", share_barrier},
	[VERB_BCAST] = {"MPI_Bcast", share_bcast},
	[VERB_GATHER] = {"MPI_Gather", share_gather},
	[VERB_GATHERV] = {"MPI_Gatherv", NULL},
	[VERB_SCATTER] = {"MPI_Scatter", share_scatter},
	[VERB_SCATTERV] = {"MPI_Scatterv", NULL},
	[VERB_ALLGATHER] = {"MPI_Allgather", share_allgather},
	[VERB_ALLGATHERV] = {"MPI_Allgatherv", NULL},
	[VERB_ALLTOALL] = {"MPI_Alltoall", share_alltoall},
	[VERB_ALLTOALLV] = {"MPI_Alltoallv", NULL},
	[VERB_ALLTOALLW] = {"MPI_Alltoallw", NULL},
	[VERB_REDUCE] = {"MPI_Reduce", share_reduce},
	[VERB_ALLREDUCE] = {"MPI_Allreduce", share_allreduce},
	[VERB_REDUCE_SCATTER_BLOCK] = {"MPI_Reduce_scatter_block", share_reduce_scatter_block},
	[VERB_REDUCE_SCATTER] = {"MPI_Reduce_scatter", NULL},
	[VERB_SCAN] = {"MPI_Scan", share_scan},
	[VERB_EXSCAN] = {"MPI_Exscan", share_exscan},
	[VERB_NEIGHBOR_ALLGATHER] = {"MPI_Neighbor_allgather", NULL},
	[VERB_NEIGHBOR_ALLGATHERV] = {"MPI_Neighbor_allgatherv", NULL},
	[VERB_NEIGHBOR_ALLTOALL] = {"MPI_Neighbor_alltoall", NULL},
	[VERB_NEIGHBOR_ALLTOALLV] = {"MPI_Neighbor_alltoallv", NULL},
	[VERB_NEIGHBOR_ALLTOALLW] = {"MPI_Neighbor_alltoallw", NULL},
};

const char *verb_name(enum verb v)
{
	return verbs[v].name;
}

/* --- the three ways ------------------------------------------------------------------------- */

/* What the name of a call has before and after its verb. */
struct form {
	const char *before, *after;
};

static const struct form now = {"", ""}, later = {"I", ""}, again = {"", "_init"};

static void plan_steps(struct sched *s, const struct call *k, const void *arg)
{
	(void)arg;
	if (!k->nothing)
		plan_choose(k)(s, k);
}

static void compare_steps(struct sched *s, const struct call *k, const void *arg)
{
	const struct form *form = arg;

	agree_steps(s, k, form->before, form->after);
}

/* The members know whether they share memory. */
static inline int joined(struct comm *c)
{
	return unlikely(c->coll == NULL || !c->coll->joined) ? share_join(c) : 0;
}

/* Through shared memory; SHARE_NONE: that is not there, or does not want the call. */
static int by_memory(const struct call *k, share_fn *share)
{
	struct comm *c = k->comm;
	int err = joined(c);

	if (unlikely(err != 0))
		return err;
	if (unlikely(c->coll == NULL || c->coll->block == NULL || share == NULL || k->nothing ||
		     plan_forced[k->verb] != NULL))
		return SHARE_NONE;
	err = share(k);
	if (likely(err != SHARE_NONE || !c->coll->astray))
		return err;
	c->coll->astray = false;
	return haft_err(MPI_ERR_TRUNCATE,
		"another member is in another collective call, or gives less in this one "
		"(HAFT_CHECK=coll says who)");
}

/* Before memory is touched: who makes another call will not come there. */
static int compared(const struct call *k)
{
	return sched_run(k, compare_steps, &now);
}

int call_inside(const struct call *k, const struct p2p_sorry *sorry)
{
	int err = joined(k->comm);
	struct coll *s = k->comm->coll;
	struct p2p_sorry heard;

	if (err != 0)
		return err;
	if (s != NULL) {
		s->hears = true;
		s->sorry = sorry;
	}
	err = by_memory(k, verbs[k->verb].share);
	if (s != NULL)
		s->sorry = NULL;
	if (err == SHARE_NONE)
		return sorry != NULL ? sched_walk(k, plan_steps, NULL, sorry)
				     : sched_run(k, plan_steps, NULL);
	if (err == 0 && sorry == NULL && epoch_heard(s, s->epoch, &heard))
		err = p2p_sorry_take(&heard);
	return err;
}

static inline int call_now(struct call *k)
{
	int err = 0;

	k->now = true;

	k->tag = call_tag(k->comm);
	if (unlikely(agree_wanted))
		err = compared(k);
	if (unlikely(err != 0))
		return err;
	err = SHARE_NONE;
	if (likely(!k->inter))
		err = by_memory(k, verbs[k->verb].share);
	return likely(err != SHARE_NONE) ? err : sched_run(k, plan_steps, NULL);
}

/* What a schedule uses after its call has returned. */
static void hold(struct sched *s, const struct call *k)
{
	sched_hold(s, k->stype);
	sched_hold(s, k->rtype);
	for (int i = 0; i < k->nout && k->stypes.v != NULL; i++)
		sched_hold(s, haft_type_at(k->stypes, i));
	for (int i = 0; i < k->nin && k->rtypes.v != NULL; i++)
		sched_hold(s, haft_type_at(k->rtypes, i));
}

/* All of a call with a request.  Who is without memory is so in the comparison, after which nobody
 * goes on. */
static void all_steps(struct sched *s, const struct call *k, const void *form)
{
	if (unlikely(agree_wanted)) {
		compare_steps(s, k, form);
		if (sched_walks(s))
			return;
	}
	plan_steps(s, k, NULL);
	hold(s, k);
}

static int call_later(struct call *k, struct req **request)
{
	k->tag = call_tag(k->comm);
	return sched_begin(k, all_steps, &later, request);
}

/* An _init call is not local (MPI-5.0 6.13): all members have their steps, or none has the request.
 */
static int call_again(struct call *k, struct req **request)
{
	struct req *r = NULL;
	int err, odd;

	k->tag = call_tag(k->comm) | TAG_AGAIN;
	err = sched_keep(k, all_steps, &again, &r);
	odd = err == 0 ? INT_MAX : k->me;
	err = coll_least(k->comm, call_tag(k->comm), &odd);
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

static inline void begin(struct call *k, struct comm *c, enum verb verb, int root)
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
static int apart(
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
static int own_apart(const struct call *k, bool all)
{
	struct block in, out = {(void *)(uintptr_t)k->sbuf, k->scount, k->stype};

	if (k->in_place || k->inter)
		return 0;
	in = block_in(k, k->me);
	if (!all)
		out = block_out(k, k->me);
	if (in.count * in.type->size == 0 || out.count * out.type->size == 0)
		return 0;
	return apart(out.at, out.type, in.at, in.type);
}

/* What a member gives to itself does not fit where it gets it: the one case of a signature that
 * does not match which needs no word of others. */
static int own_fits(int64_t bytes, int64_t room)
{
	if (bytes <= room)
		return 0;
	return haft_err(MPI_ERR_TRUNCATE,
		"this rank's block for itself is %lld bytes to send, and %lld to receive",
		(long long)bytes, (long long)room);
}

/* type is NULL where the buffer is not significant. */
static int buffer(
	const void *buf, int64_t count, int64_t blocks, const struct type *type, const char *which)
{
	return count == 0 || type == NULL ? 0 : type_check(buf, count, blocks, type, which);
}

/* What goes out, in `blocks' blocks; MPI_IN_PLACE is allowed where `here', and never between
 * groups. */
static int outgoing(
	struct call *k, const void *buf, int64_t count, struct type *type, int blocks, bool here)
{
	k->in_place = buf == MPI_IN_PLACE;
	if (k->in_place && k->inter)
		return haft_err(MPI_ERR_BUFFER, "MPI_IN_PLACE is not for inter-communicators");
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
 * order of ranks, or of neighbours. */
static int lists(const struct call *k, bool out)
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
			at = out ? block_out(k, i).at : block_in(k, i).at;
		err = buffer(at, count, 1, type, out ? "the send buffer" : "the receive buffer");
		if (err != 0)
			return err;
	}
	return 0;
}

/* The number of bytes that all members know alike; with none, nothing is done. */
static void sized(struct call *k, int64_t count, const struct type *type)
{
	k->bytes = type != NULL ? count * type->size : 0;
	k->nothing = k->bytes == 0;
}

/* Blocks between everybody: two groups may have nothing for each other in one direction only. */
static int blocks_sized(struct call *k, bool all)
{
	int err;

	sized(k, k->rcount, k->rtype);
	if (k->inter)
		k->nothing = false;
	err = k->in_place || k->inter ? 0 : own_fits(k->scount * k->stype->size, k->bytes);
	if (err != 0 || k->bytes == 0 || k->in_place)
		return err;
	err = apart(k->sbuf, k->stype, k->rbuf, k->rtype);
	return err != 0 ? err : own_apart(k, all);
}

/* The common part of all reductions, of `blocks' times `count' elements, of which one block is this
 * rank's result.  rbuf is significant where `result', sbuf where `gives'. */
static int reduction(struct call *k, const void *sbuf, void *rbuf, int64_t count, int blocks,
	struct type *type, struct op *op, bool result, bool gives)
{
	int err = op_check(op, type);

	if (err == 0 && gives)
		err = outgoing(k, sbuf, count, type, blocks, result);
	if (err == 0)
		err = incoming(k, rbuf, result ? count : 0, type, k->in_place ? blocks : 1);
	if (err != 0)
		return err;
	k->rcount = count;
	k->op = op;
	sized(k, count, type);
	return result && gives && !k->nothing ? apart(sbuf, type, rbuf, type) : 0;
}

/* --- without reduction ---------------------------------------------------------------------- */

static int fill_barrier(struct call *k, struct comm *comm)
{
	begin(k, comm, VERB_BARRIER, 0);
	return 0;
}

static int fill_bcast(
	struct call *k, void *buf, int64_t count, struct type *type, int root, struct comm *comm)
{
	int err;

	begin(k, comm, VERB_BCAST, root);
	err = incoming(k, buf, count, type, 1);
	if (err == 0)
		sized(k, count, type);
	return err;
}

static int fill_gather(struct call *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, int64_t recvcount, struct type *recvtype, int root,
	struct comm *comm)
{
	int err = 0;

	begin(k, comm, VERB_GATHER, root);
	if (k->leaf)
		err = outgoing(k, sendbuf, sendcount, sendtype, 1, k->root_here);
	if (err == 0)
		err = incoming(k, recvbuf, recvcount, recvtype, k->nin);
	if (err != 0)
		return err;
	if (k->root_here)
		sized(k, recvcount, recvtype);
	else
		sized(k, sendcount, sendtype);
	if (!k->root_here || !k->leaf)
		return 0;
	err = k->in_place ? 0 : own_fits(sendcount * sendtype->size, k->bytes);
	return err != 0 || k->nothing ? err : apart(sendbuf, sendtype, recvbuf, recvtype);
}

static int fill_gatherv(struct call *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, struct haft_counts recvcounts,
	struct haft_counts displs, struct type *recvtype, int root, struct comm *comm)
{
	int err = 0;

	begin(k, comm, VERB_GATHERV, root);
	if (k->leaf)
		err = outgoing(k, sendbuf, sendcount, sendtype, 1, k->root_here);
	incoming(k, recvbuf, 0, recvtype, 1);
	k->rcounts = recvcounts;
	k->rdispls = displs;
	k->bytes = AGREE_ANY;
	if (err != 0 || !k->root_here)
		return err;
	err = lists(k, false);
	return err != 0 ? err : own_apart(k, true);
}

/* Where a scatter's block goes; the root's may stay where it is. */
static int scattered(struct call *k, void *buf, int64_t count, struct type *type)
{
	if (!k->leaf)
		return 0;
	k->in_place = buf == MPI_IN_PLACE;
	if (k->in_place && !k->root_here)
		return haft_err(
			MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root in its own group only");
	return incoming(k, buf, k->in_place ? 0 : count, type, 1);
}

static int fill_scatter(struct call *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, int64_t recvcount, struct type *recvtype, int root,
	struct comm *comm)
{
	int err = 0;

	begin(k, comm, VERB_SCATTER, root);
	if (k->root_here)
		err = outgoing(k, sendbuf, sendcount, sendtype, k->nout, false);
	if (err == 0)
		err = scattered(k, recvbuf, recvcount, recvtype);
	if (err != 0)
		return err;
	if (k->root_here)
		sized(k, sendcount, sendtype);
	else
		sized(k, recvcount, recvtype);
	if (!k->root_here || !k->leaf)
		return 0;
	err = k->in_place ? 0 : own_fits(k->bytes, recvcount * recvtype->size);
	return err != 0 || k->nothing ? err : apart(sendbuf, sendtype, recvbuf, recvtype);
}

static int fill_scatterv(struct call *k, const void *sendbuf, struct haft_counts sendcounts,
	struct haft_counts displs, struct type *sendtype, void *recvbuf, int64_t recvcount,
	struct type *recvtype, int root, struct comm *comm)
{
	int err;

	begin(k, comm, VERB_SCATTERV, root);
	k->sbuf = sendbuf;
	k->stype = sendtype;
	k->scounts = sendcounts;
	k->sdispls = displs;
	k->bytes = AGREE_ANY;
	err = scattered(k, recvbuf, recvcount, recvtype);
	if (err == 0 && k->root_here)
		err = lists(k, true);
	if (err != 0 || !k->root_here || k->in_place || k->inter || recvcount == 0)
		return err;
	return apart(block_out(k, k->me).at, sendtype, recvbuf, recvtype);
}

static int fill_allgather(struct call *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, int64_t recvcount, struct type *recvtype,
	struct comm *comm)
{
	int err;

	begin(k, comm, VERB_ALLGATHER, 0);
	err = outgoing(k, sendbuf, sendcount, sendtype, 1, true);
	if (err == 0)
		err = incoming(k, recvbuf, recvcount, recvtype, k->nin);
	return err != 0 ? err : blocks_sized(k, true);
}

static int fill_allgatherv(struct call *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, struct haft_counts recvcounts,
	struct haft_counts displs, struct type *recvtype, struct comm *comm)
{
	int err;

	begin(k, comm, VERB_ALLGATHERV, 0);
	err = outgoing(k, sendbuf, sendcount, sendtype, 1, true);
	incoming(k, recvbuf, 0, recvtype, 1);
	k->rcounts = recvcounts;
	k->rdispls = displs;
	k->bytes = AGREE_ANY;
	if (err == 0)
		err = lists(k, false);
	return err != 0 ? err : own_apart(k, true);
}

static int fill_alltoall(struct call *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, int64_t recvcount, struct type *recvtype,
	struct comm *comm)
{
	int err;

	begin(k, comm, VERB_ALLTOALL, 0);
	err = outgoing(k, sendbuf, sendcount, sendtype, k->nout, true);
	if (err == 0)
		err = incoming(k, recvbuf, recvcount, recvtype, k->nin);
	return err != 0 ? err : blocks_sized(k, false);
}

/* The vectors of an alltoallv or w: of what comes, and unless it is in place, of what goes. */
static int exchange(struct call *k)
{
	int err = lists(k, false);

	k->bytes = AGREE_ANY;
	if (err == 0 && !k->in_place)
		err = lists(k, true);
	return err;
}

static int vectors(struct call *k, const void *sendbuf, struct haft_counts sendcounts,
	struct haft_counts sdispls, struct type *sendtype, void *recvbuf,
	struct haft_counts recvcounts, struct haft_counts rdispls, struct type *recvtype)
{
	int err = outgoing(k, sendbuf, 0, sendtype, 1, true);

	incoming(k, recvbuf, 0, recvtype, 1);
	k->scounts = sendcounts;
	k->sdispls = sdispls;
	k->rcounts = recvcounts;
	k->rdispls = rdispls;
	return err != 0 ? err : exchange(k);
}

static int fill_alltoallv(struct call *k, const void *sendbuf, struct haft_counts sendcounts,
	struct haft_counts sdispls, struct type *sendtype, void *recvbuf,
	struct haft_counts recvcounts, struct haft_counts rdispls, struct type *recvtype,
	struct comm *comm)
{
	int err;

	begin(k, comm, VERB_ALLTOALLV, 0);
	err = vectors(
		k, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype);
	return err != 0 ? err : own_apart(k, false);
}

static int typed(struct call *k, const void *sendbuf, struct haft_counts sendcounts,
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
	return vectors(k, sendbuf, sendcounts, sdispls, NULL, recvbuf, recvcounts, rdispls, NULL);
}

static int fill_alltoallw(struct call *k, const void *sendbuf, struct haft_counts sendcounts,
	struct haft_counts sdispls, struct haft_types sendtypes, void *recvbuf,
	struct haft_counts recvcounts, struct haft_counts rdispls, struct haft_types recvtypes,
	struct comm *comm)
{
	int err;

	begin(k, comm, VERB_ALLTOALLW, 0);
	err = typed(k, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
		recvtypes);
	return err != 0 ? err : own_apart(k, false);
}

/* --- reductions ----------------------------------------------------------------------------- */

static int fill_reduce(struct call *k, const void *sendbuf, void *recvbuf, int64_t count,
	struct type *type, struct op *op, int root, struct comm *comm)
{
	begin(k, comm, VERB_REDUCE, root);
	k->nothing = true;
	if (op == NULL) /* beside the root, between groups */
		return 0;
	return reduction(k, sendbuf, recvbuf, count, 1, type, op, k->root_here, k->leaf);
}

static int fill_allreduce(struct call *k, const void *sendbuf, void *recvbuf, int64_t count,
	struct type *type, struct op *op, struct comm *comm)
{
	begin(k, comm, VERB_ALLREDUCE, 0);
	return reduction(k, sendbuf, recvbuf, count, 1, type, op, true, true);
}

static int fill_reduce_scatter_block(struct call *k, const void *sendbuf, void *recvbuf,
	int64_t recvcount, struct type *type, struct op *op, struct comm *comm)
{
	begin(k, comm, VERB_REDUCE_SCATTER_BLOCK, 0);
	return reduction(k, sendbuf, recvbuf, recvcount, k->n, type, op, true, true);
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

static int fill_reduce_scatter(struct call *k, const void *sendbuf, void *recvbuf,
	struct haft_counts recvcounts, struct type *type, struct op *op, struct comm *comm)
{
	int64_t all;
	int err;

	begin(k, comm, VERB_REDUCE_SCATTER, 0);
	k->rcounts = recvcounts;
	err = sum(k, &all);
	if (err == 0)
		err = outgoing(k, sendbuf, all, type, 1, true);
	if (err == 0)
		err = reduction(k, sendbuf, recvbuf, haft_count_at(recvcounts, k->me), 1, type, op,
			true, true);
	if (err == 0)
		sized(k, all, type);
	return err;
}

static int no_groups(const struct call *k)
{
	return k->inter ? haft_err(MPI_ERR_COMM, "not for inter-communicators (6.11)") : 0;
}

static int fill_scan(struct call *k, const void *sendbuf, void *recvbuf, int64_t count,
	struct type *type, struct op *op, struct comm *comm)
{
	int err;

	begin(k, comm, VERB_SCAN, 0);
	err = no_groups(k);
	return err != 0 ? err : reduction(k, sendbuf, recvbuf, count, 1, type, op, true, true);
}

/* Rank 0 has no result, and its rbuf means nothing (6.11.2); if it is its sbuf, so it is with the
 * others, who refuse the call: rank 0 would wait for them. */
static int fill_exscan(struct call *k, const void *sendbuf, void *recvbuf, int64_t count,
	struct type *type, struct op *op, struct comm *comm)
{
	bool result = comm->rank > 0 || sendbuf == MPI_IN_PLACE;
	int err;

	begin(k, comm, VERB_EXSCAN, 0);
	err = no_groups(k);
	if (err == 0)
		err = reduction(k, sendbuf, recvbuf, count, 1, type, op, result, true);
	if (err != 0 || result || k->nothing || k->n == 1)
		return err;
	return apart(sendbuf, type, recvbuf, type);
}

/* --- neighbours ----------------------------------------------------------------------------- */

/* How many bytes go along an edge is an affair of its two ends. */
static int begin_near(struct call *k, struct comm *comm, enum verb verb, const void *sendbuf)
{
	struct topo_neighbors near = {0};
	int err = topo_neighbors(comm, &near);

	begin(k, comm, verb, 0);
	k->bytes = AGREE_ANY;
	if (err != 0)
		return err;
	k->nin = near.nin;
	k->nout = near.nout;
	if (sendbuf == MPI_IN_PLACE)
		return haft_err(MPI_ERR_BUFFER, "MPI_IN_PLACE is not for neighbourhoods");
	return 0;
}

static int fill_neighbor_allgather(struct call *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, int64_t recvcount, struct type *recvtype,
	struct comm *comm)
{
	int err = begin_near(k, comm, VERB_NEIGHBOR_ALLGATHER, sendbuf);

	if (err == 0)
		err = outgoing(k, sendbuf, sendcount, sendtype, k->nout > 0, false);
	return err != 0 ? err : incoming(k, recvbuf, recvcount, recvtype, k->nin);
}

static int fill_neighbor_allgatherv(struct call *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, struct haft_counts recvcounts,
	struct haft_counts displs, struct type *recvtype, struct comm *comm)
{
	int err = begin_near(k, comm, VERB_NEIGHBOR_ALLGATHERV, sendbuf);

	if (err == 0)
		err = outgoing(k, sendbuf, sendcount, sendtype, k->nout > 0, false);
	if (err != 0)
		return err;
	incoming(k, recvbuf, 0, recvtype, 1);
	k->rcounts = recvcounts;
	k->rdispls = displs;
	return lists(k, false);
}

static int fill_neighbor_alltoall(struct call *k, const void *sendbuf, int64_t sendcount,
	struct type *sendtype, void *recvbuf, int64_t recvcount, struct type *recvtype,
	struct comm *comm)
{
	int err = begin_near(k, comm, VERB_NEIGHBOR_ALLTOALL, sendbuf);

	if (err == 0)
		err = outgoing(k, sendbuf, sendcount, sendtype, k->nout, false);
	return err != 0 ? err : incoming(k, recvbuf, recvcount, recvtype, k->nin);
}

static int fill_neighbor_alltoallv(struct call *k, const void *sendbuf,
	struct haft_counts sendcounts, struct haft_counts sdispls, struct type *sendtype,
	void *recvbuf, struct haft_counts recvcounts, struct haft_counts rdispls,
	struct type *recvtype, struct comm *comm)
{
	int err = begin_near(k, comm, VERB_NEIGHBOR_ALLTOALLV, sendbuf);

	return err != 0 ? err
			: vectors(k, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
				  rdispls, recvtype);
}

static int fill_neighbor_alltoallw(struct call *k, const void *sendbuf,
	struct haft_counts sendcounts, struct haft_counts sdispls, struct haft_types sendtypes,
	void *recvbuf, struct haft_counts recvcounts, struct haft_counts rdispls,
	struct haft_types recvtypes, struct comm *comm)
{
	int err = begin_near(k, comm, VERB_NEIGHBOR_ALLTOALLW, sendbuf);

	return err != 0 ? err
			: typed(k, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
				  rdispls, recvtypes);
}

/* --- the engines: three of each ------------------------------------------------------------- */

#define ENGINES(verb, args, ...)                                                     \
	int coll_##verb(__VA_ARGS__)                                                 \
	{                                                                            \
		struct call k;                                                       \
		int err = fill_##verb args;                                          \
                                                                                     \
		return unlikely(err != 0) ? err : call_now(&k);                      \
	}                                                                            \
                                                                                     \
	int coll_i##verb(__VA_ARGS__, struct req **request)                          \
	{                                                                            \
		struct call k;                                                       \
		int err = fill_##verb args;                                          \
                                                                                     \
		return err != 0 ? err : call_later(&k, request);                     \
	}                                                                            \
                                                                                     \
	/* No hint changes anything. */                                              \
	int coll_##verb##_init(__VA_ARGS__, struct info *info, struct req **request) \
	{                                                                            \
		struct call k;                                                       \
		int err = fill_##verb args;                                          \
                                                                                     \
		(void)info;                                                          \
		return err != 0 ? err : call_again(&k, request);                     \
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
