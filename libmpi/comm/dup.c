// SPDX-License-Identifier: BSD-3-Clause
/* dup.c - MPI_Comm_dup and its variants (MPI-5.0 7.4.2).
 *
 *     idup ──> ids left in the parent's block? ── yes ──> complete at once, no message
 *                        │ no
 *                        v
 *     refill of the parent, one at a time         queue:  dup ──> dup ──> dup
 *        rank 0 of the (low) group mints a block, sends it down a binomial tree, and to rank 0 of
 *        the other group; progress forwards it; each member then serves its queue
 *
 * Invariants
 *  - All members call in the same order, so their queues are equal and get equal ids.
 *  - A duplicate takes its ids, or its place in the queue, before callbacks of attributes run: a
 *    callback may call MPI and so complete refills for which other members still wait.
 *  - A duplicate whose attributes cannot be copied uses up its ids: the other members' do.
 *
 * MPI_Comm_dup without ids at hand is MPI_Comm_idup and a wait.  Neither has a phase in shared
 * memory, which would keep the members near each other: coll_calls.c compares their calls.
 *
 * With HAFT_CHECK=coll each MPI_Comm_idup is queued, and takes its ids once the members have
 * compared their calls.  One whose calls differ has the error of that in all members, and takes no
 * ids. */
#include "libmpi/comm/world.h"

#include "libmpi/coll/coll_check.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/core/err.h"
#include "libmpi/core/attr_name.h"
#include "libmpi/core/num.h"
#include "libmpi/core/topo.h"
#include "libmpi/p2p/p2p.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

/* On CTX_MAKE.  Blocking constructors use tag 0 there and may run between. */
#define TAG_REFILL 1
#define FANOUT     32 /* children in a binomial tree of 2^31 ranks, and the other group's leader */

/* A duplicate that waits for ids.  It is queued before the callbacks of attributes run, because
 * these may wait, and make duplicates, while other members' have not run. */
struct dup {
	struct dup *next;
	struct comm *copy;      /* held; NULL: the call failed, and its ids stay unused */
	struct req *req;        /* held; NULL: as copy */
	bool called;            /* its call has not returned; copy and req follow at its end */
	bool served;            /* the call has not returned, and its ids or err are here already */
	struct req *comparison; /* of its calls, without which it is not served; NULL: none */
	struct comm_ids ids;
	int err;
};

struct refill {
	struct refill *next;
	struct comm *c; /* held */
	struct dup *first, **last;
	struct comm_ids block;
	bool begun; /* the block is under way */
	bool got;
	int err, nout;
	struct req in, out[FANOUT];
};

static struct refill *refills; /* all refills that are not complete */

/* --- refill: sending a new block of ids ----------------------------------------------------- */

static void refill_send(struct refill *f)
{
	struct comm *c = f->c, *l = c->remote != NULL ? c->local : c;

	f->got = true;
	if (c->remote != NULL && c->low && c->rank == 0)
		p2p_plane_isend(c, CTX_MAKE, &f->block, sizeof(f->block), 0, TAG_REFILL,
			&f->out[f->nout++]);
	for (int bit = num_tree_distance(c->rank, c->size) / 2; bit > 0; bit /= 2) {
		if (c->rank + bit < c->size)
			p2p_plane_isend(l, CTX_MAKE, &f->block, sizeof(f->block), c->rank + bit,
				TAG_REFILL, &f->out[f->nout++]);
	}
}

static void refill_begin(struct refill *f)
{
	struct comm *c = f->c;

	f->begun = true;
	f->got = false;
	f->nout = 0;
	if (c->rank == 0 && (c->remote == NULL || c->low)) {
		f->block = comm_ctx_mint(CTX_BLOCK);
		refill_send(f);
	} else if (c->rank == 0) {
		p2p_plane_irecv(c, CTX_MAKE, &f->block, sizeof(f->block), 0, TAG_REFILL, &f->in);
	} else {
		p2p_plane_irecv(c->remote != NULL ? c->local : c, CTX_MAKE, &f->block,
			sizeof(f->block), c->rank & (c->rank - 1), TAG_REFILL, &f->in);
	}
}

/* --- the queue ------------------------------------------------------------------------------ */

/* Completes a duplicate that has its ids, or none because of err, and whose call has returned. */
static void dup_deliver(struct dup *d)
{
	if (d->copy != NULL) {
		if (d->err == 0)
			comm_ready(d->copy, d->ids);
		obj_drop(d->copy);
		d->req->res.error = d->err;
		if (d->err != 0)
			d->req->errwords = strdup(haft_err_text(d->err));
		p2p_req_done(d->req);
		obj_drop(d->req);
	}
	free(d);
}

static void dup_serve(struct dup *d, struct comm_ids ids, int err)
{
	d->ids = ids;
	d->err = err;
	d->served = true;
	if (!d->called)
		dup_deliver(d);
}

/* The call returns.  copy and req are NULL if it failed. */
static void dup_settle(struct dup *d, struct comm *copy, struct req *req)
{
	d->copy = copy;
	d->req = req;
	d->called = false;
	if (copy != NULL) {
		obj_hold(copy);
		obj_hold(req);
	}
	if (d->served)
		dup_deliver(d);
}

/* Has a duplicate's comparison ended, or is there none?  *err: the difference that it has found. */
static bool dup_compared(struct dup *d, int *err)
{
	if (likely(d->comparison == NULL))
		return true;
	if (!d->comparison->done)
		return false;
	*err = p2p_wait(&d->comparison, MPI_STATUS_IGNORE);
	return true;
}

/* Gives ids to the queue, as far as they reach; gives the error to all of it if the refill
 * failed.  True: the first one needs a block. */
static bool refill_serve(struct refill *f)
{
	while (f->first != NULL) {
		struct comm_ids ids = {0};
		struct dup *d = f->first;
		int err = 0;

		if (!dup_compared(d, &err))
			return false;
		if (err == 0)
			err = f->err;
		if (err == 0 && !comm_ctx_take(f->c, &ids))
			return true;
		f->first = d->next;
		if (f->first == NULL)
			f->last = &f->first;
		dup_serve(d, ids, err);
	}
	return false;
}

/* The block does not come: tells the members below. */
static void refill_send_error(const struct refill *f)
{
	struct comm *c = f->c, *l = c->remote != NULL ? c->local : c;

	for (int bit = num_tree_distance(c->rank, c->size) / 2; bit > 0; bit /= 2)
		if (c->rank + bit < c->size)
			p2p_plane_send_error(l, CTX_MAKE, f->err, c->rank + bit, TAG_REFILL);
}

/* Advances a refill.  True: its block is here and has been sent on, or it failed. */
static bool refill_done(struct refill *f)
{
	if (!f->got) {
		if (!f->in.done)
			return false;
		f->err = p2p_coll_wait(&f->in, 1);
		if (f->err != 0) {
			refill_send_error(f);
			return true;
		}
		refill_send(f);
	}
	for (int i = 0; i < f->nout; i++) {
		if (!f->out[i].done)
			return false;
	}
	f->err = p2p_coll_wait(f->out, f->nout);
	return true;
}

/* Advances all refills; called by p2p's progress.  Returns how many have moved. */
static int refill_progress(void)
{
	struct refill **at = &refills;
	int moved = 0;

	while (*at != NULL) {
		struct refill *f = *at;
		const struct dup *first = f->first;

		if (f->begun ? !refill_done(f) : !first->comparison->done) {
			at = &f->next;
			continue;
		}
		moved++;
		if (f->begun && f->err == 0)
			comm_ctx_give(f->c, f->block);
		f->begun = false;
		if (refill_serve(f))
			refill_begin(f);
		if (f->first != NULL)
			continue;
		*at = f->next;
		obj_drop(f->c);
		free(f);
	}
	return moved;
}

static struct refill *refill_of(const struct comm *c)
{
	struct refill *f = refills;

	while (f != NULL && f->c != c)
		f = f->next;
	return f;
}

/* Queues a duplicate for c's refill, and begins one if there is none, unless its calls are compared
 * first.  NULL: MPI_ERR_NO_MEM, with words. */
static struct dup *dup_enqueue(struct comm *c, struct req *comparison)
{
	struct refill *f = refill_of(c);
	struct dup *d = calloc(1, sizeof(*d));
	bool fresh = f == NULL;

	if (fresh && d != NULL && (c->remote == NULL || comm_local(c) != NULL))
		f = calloc(1, sizeof(*f));
	if (f == NULL || d == NULL) {
		free(d);
		haft_err(MPI_ERR_NO_MEM, "no memory to copy a communicator");
		return NULL;
	}
	d->called = true;
	d->comparison = comparison;
	if (fresh) {
		f->c = c;
		obj_hold(c);
		f->last = &f->first;
		f->next = refills;
		refills = f;
		p2p_progress_hook(refill_progress);
	}
	*f->last = d;
	f->last = &d->next;
	if (fresh && comparison == NULL)
		refill_begin(f);
	return d;
}

/* The request of a duplicate waits for the block that its refill receives. */
static int dup_needs(const struct req *r)
{
	const struct refill *f = refill_of(r->comm);

	return f == NULL || !f->begun || f->got ? -1 : f->in.peer;
}

static const struct req_ops dup_request_ops = {.needs = dup_needs};

/* --- the calls ------------------------------------------------------------------------------ */

/* Copies c: info, topology, attributes.  ids: the copy's; {0}: they follow.  On failure *copy is
 * NULL. */
static int dup_copy(struct comm *c, struct comm_ids ids, struct info *info, struct comm **copy)
{
	struct comm_spec how = {
		.parent = c, .group = c->group, .remote = c->remote, .low = c->low, .ids = ids};
	int err = comm_make(&how, copy);

	if (err != 0) {
		*copy = NULL;
		return err;
	}
	(*copy)->topo = topo_hold(c->topo);
	comm_set_hints(*copy, info);
	err = haft_attr_dup(c, *copy);
	if (err != 0) {
		obj_free_obj(*copy);
		*copy = NULL;
	}
	return err;
}

/* Takes ids at once, before callbacks run, which might take some themselves.  False: there are
 * none, or earlier duplicates wait for them. */
static bool dup_ids_now(struct comm *c, struct comm_ids *ids)
{
	return (refills == NULL || refill_of(c) == NULL) && comm_ctx_take(c, ids);
}

/* The call of `maker' on c that has just taken its number.  comparison: of its calls
 * (HAFT_CHECK=coll), which is given away; or NULL. */
static int dup_begin(struct comm *c, struct info *info, enum coll_maker maker,
	struct req *comparison, struct comm **newcomm, struct req **request)
{
	struct comm *copy = NULL;
	struct req *req = NULL;
	struct comm_ids ids = {0};
	struct dup *queued = NULL;
	int err = MPI_ERR_NO_MEM, tag = coll_last_tag(c);
	bool now;

	if ((c->hints & COMM_REVOKED) != 0)
		return p2p_comm_error(c);
	now = comparison == NULL && dup_ids_now(c, &ids);
	if (!now)
		queued = dup_enqueue(c, comparison);
	if (!now && queued == NULL) {
		if (comparison != NULL)
			p2p_req_abandon(comparison);
		return err;
	}
	if (!now)
		coll_calls_maker_waits(c, maker);
	obj_hold(c); /* callbacks may free it */
	err = dup_copy(c, ids, info, &copy);
	if (err == 0)
		req = p2p_req_new(c, &dup_request_ops);
	obj_drop(c);
	if (err == 0 && req == NULL) {
		err = haft_err(MPI_ERR_NO_MEM, "no memory for another request");
		obj_free_obj(copy);
		copy = NULL;
	}
	if (req != NULL) {
		req->kind = REQ_COLL;
		req->tag = tag;
	}
	if (queued != NULL) {
		if (copy != NULL)
			comm_set_incomplete(copy);
		dup_settle(queued, copy, req);
	} else if (req != NULL) {
		p2p_req_done(req);
	}
	if (err != 0)
		return err;
	*newcomm = copy;
	*request = req;
	return 0;
}

int comm_idup(struct comm *c, struct comm **newcomm, struct req **request)
{
	return comm_idup_with_info(c, NULL, newcomm, request);
}

int comm_idup_with_info(
	struct comm *c, struct info *info, struct comm **newcomm, struct req **request)
{
	struct req *comparison = NULL;
	int err = 0;

	if ((c->hints & COMM_REVOKED) == 0) {
		coll_calls_begin_maker(c, COLL_COMM_IDUP);
		if (unlikely(coll_check_wanted))
			err = coll_check_constructor_begin(c, COLL_COMM_IDUP, &comparison);
	}
	return err != 0 ? err : dup_begin(c, info, COLL_COMM_IDUP, comparison, newcomm, request);
}

/* Makes no request if ids are at hand. */
int comm_dup_with_info(struct comm *c, struct info *info, struct comm **newcomm)
{
	struct req *req;
	struct comm_ids ids;
	int err = 0;

	if (unlikely((c->hints & COMM_REVOKED) != 0))
		return p2p_comm_error(c);
	if (unlikely(coll_check_wanted))
		err = coll_check_constructor(c, COLL_COMM_DUP);
	else
		coll_calls_begin_maker(c, COLL_COMM_DUP);
	if (err != 0)
		return err;
	if (dup_ids_now(c, &ids))
		return dup_copy(c, ids, info, newcomm);
	err = dup_begin(c, info, COLL_COMM_DUP, NULL, newcomm, &req);
	if (err != 0)
		return err;
	err = p2p_wait(&req, MPI_STATUS_IGNORE);
	if (err != 0)
		obj_free_obj(*newcomm);
	return err;
}

int comm_dup(struct comm *c, struct comm **newcomm)
{
	return comm_dup_with_info(c, NULL, newcomm);
}
