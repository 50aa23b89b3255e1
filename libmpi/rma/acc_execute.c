// SPDX-License-Identifier: BSD-3-Clause
/* acc_execute.c - a whole accumulate on memory that is mapped here or reached by process_vm calls.
 *
 *      origin's type ── gathered ──> dense elements ──────┐
 *      target's type ── type_each_whole ──> runs of elements ──> rma_acc_apply, run by run
 *      result's type <── scattered ── dense old values ───┘
 *
 *      VM: the runs of one stripe are a batch: its lock, one read, combine here, one write */
#include "libmpi/rma/acc_apply.h"
#include "libmpi/rma/operation.h"

#include "libmpi/core/err.h"
#include "libmpi/rma/atomic.h"
#include "libmpi/type/shape.h"
#include "libmpi/type/signature.h"
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define ROOM_FEW 256 /* bytes: single elements and small vectors need no malloc */

/* --- datatypes ------------------------------------------------------------------------------ */

struct acc_only {
	const struct type *basic;
	bool mixed;
};

static bool acc_only_add(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct acc_only *o = arg;

	(void)mem;
	(void)n;
	if (o->basic != NULL && o->basic != basic)
		o->mixed = true;
	o->basic = basic;
	return !o->mixed;
}

const struct type *rma_acc_basic(const struct type *t)
{
	struct acc_only o = {NULL, false};

	while (t->shape != NULL && t->shape->kind != SHAPE_BASIC && t->shape->kind != SHAPE_FIELDS)
		t = t->shape->child;
	if (t->shape == NULL || t->shape->kind == SHAPE_BASIC)
		return t;
	if (type_each_whole(t, NULL, 1, acc_only_add, &o) != 0 || o.mixed)
		return NULL;
	return o.basic;
}

/* Dense elements in memory form, and the callback that fills or empties it. */
struct acc_dense_cursor {
	char *at;
	int64_t left; /* elements */
	bool out;     /* from the dense ones into the user's memory */
};

static bool acc_dense_step(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct acc_dense_cursor *r = arg;
	size_t bytes;

	n = n < r->left ? n : r->left;
	bytes = (size_t)(n * basic->extent);
	if (r->out)
		type_move(basic, r->at, mem, n);
	else
		memcpy(r->at, mem, bytes);
	r->at += bytes;
	r->left -= n;
	return r->left > 0;
}

/* --- a whole operation ---------------------------------------------------------------------- */

struct acc_whole {
	struct rma_acc acc;
	const struct rma_operation *j;
	const char *src;
	char *old;
	int64_t left; /* elements */
	int err;
	struct vm_batch *batch; /* VM */
};

/* VM: contiguous pieces of one stripe, for which one lock is taken, and one read and one write are
 * made. */
struct vm_batch {
	uint64_t stripe; /* offset of its first byte */
	int n;
	int64_t count;   /* elements in the pieces */
	const char *src; /* of these elements */
	char *old;
	char *room; /* for all elements, or for RMA_STRIPE_BYTES and one more */
	struct iovec run[VM_RUNS];
};

static void vm_batch_flush(struct acc_whole *r)
{
	struct vm_batch *b = r->batch;
	const struct rma_acc *a = &r->acc;
	int64_t bytes = b->count * a->basic->extent;
	struct rma_stripe *s = rma_stripe_of(a, b->stripe);

	if (b->n == 0 || r->err != 0)
		return;
	rma_stripe_lock(a->w, s);
	r->err = rma_vm_runs(a->w, a->rank, false, b->room, b->run, b->n, bytes);
	if (r->err == 0) {
		rma_acc_combine(a, b->room, b->src, b->old, b->count);
		if (a->op != rma_atomic_no_op)
			r->err = rma_vm_runs(a->w, a->rank, true, b->room, b->run, b->n, bytes);
	}
	rma_stripe_unlock(s);
	b->n = 0;
	b->count = 0;
}

/* Adds k elements at mem, `offset' bytes from the target's base, all in one stripe. */
static void vm_batch_add(
	struct acc_whole *r, char *mem, uint64_t offset, const char *src, char *old, int64_t k)
{
	struct vm_batch *b = r->batch;
	uint64_t stripe = offset - offset % (uint64_t)RMA_STRIPE_BYTES;
	int64_t e = r->acc.basic->extent;

	if (b->n == VM_RUNS ||
		(b->n > 0 && (b->stripe != stripe || (b->count + k) * e > RMA_STRIPE_BYTES + e)))
		vm_batch_flush(r);
	if (b->n == 0) {
		b->stripe = stripe;
		b->src = src;
		b->old = old;
	}
	b->run[b->n++] = (struct iovec){mem, (size_t)(k * e)};
	b->count += k;
}

static void vm_batch_all(
	struct acc_whole *r, char *mem, uint64_t offset, const char *src, char *old, int64_t n)
{
	int64_t e = r->acc.basic->extent;

	for (int64_t k, bytes; n > 0; n -= k) {
		k = rma_stripe_elements(offset, e, n);
		vm_batch_add(r, mem, offset, src, old, k);
		bytes = k * e;
		mem += bytes;
		offset += (uint64_t)bytes;
		src += src != NULL ? bytes : 0;
		old += old != NULL ? bytes : 0;
	}
}

static bool acc_run_step(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct acc_whole *r = arg;
	uint64_t offset = r->j->offset + (uint64_t)(mem - r->j->at);
	int64_t bytes;

	n = n < r->left ? n : r->left;
	bytes = n * basic->extent;
	if (r->batch != NULL)
		vm_batch_all(r, mem, offset, r->src, r->old, n);
	else
		r->err = rma_acc_apply(&r->acc, mem, offset, r->src, r->old, n);
	r->src += r->src != NULL ? bytes : 0;
	r->old += r->old != NULL ? bytes : 0;
	r->left -= n;
	return r->err == 0 && r->left > 0;
}

int rma_acc_gather(
	const struct rma_operation *j, const struct type *basic, int64_t n, bool swap, char **dense)
{
	struct acc_dense_cursor r = {.left = n};

	*dense = r.at = malloc((size_t)((n + swap) * basic->extent));
	if (*dense == NULL)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory for a copy of %lld elements", (long long)n);
	if (swap)
		memcpy(r.at + n * basic->extent, j->compare, (size_t)basic->extent);
	return type_each_whole(j->otype, j->origin, j->ocount, acc_dense_step, &r);
}

/* The origin's dense elements: the user's buffer if it is one.  *room: malloc'ed, or NULL. */
static int acc_gather(const struct rma_operation *j, const struct type *basic, int64_t n,
	const char **src, char **room)
{
	int err;

	*room = NULL;
	*src = j->origin;
	if (j->otype == NULL)
		*src = NULL;
	if (j->otype == NULL || (j->otype->shape == NULL && !rma_acc_misaligned(basic, j->origin)))
		return 0;
	err = rma_acc_gather(j, basic, n, false, room);
	*src = *room;
	return err;
}

static int acc_scatter(const struct rma_operation *j, char *old, int64_t n)
{
	struct acc_dense_cursor cursor = {.at = old, .left = n, .out = true};

	return type_each_whole(j->rtype, j->result, j->rcount, acc_dense_step, &cursor);
}

static int acc_runs(struct acc_whole *r)
{
	const struct rma_operation *j = r->j;
	int64_t e = r->acc.basic->extent, most = RMA_STRIPE_BYTES + e;
	_Alignas(16) char few[ROOM_FEW];
	struct vm_batch b;
	int err;

	if (j->method == RMA_VM) {
		b.n = 0;
		b.count = 0;
		most = r->left * e < most ? r->left * e : most;
		b.room = most <= ROOM_FEW ? few : malloc((size_t)most);
		if (b.room == NULL)
			return haft_err(MPI_ERR_NO_MEM, "no memory to accumulate in");
		r->batch = &b;
	}
	err = type_each_whole(j->ttype, j->at, j->tcount, acc_run_step, r);
	if (r->batch != NULL) {
		vm_batch_flush(r);
		if (b.room != few)
			free(b.room);
	}
	return err != 0 ? err : r->err;
}

int rma_acc_execute(const struct rma_operation *j)
{
	const struct type *basic = rma_acc_basic(j->ttype);
	int64_t size = j->otype != NULL ? j->ocount * j->otype->size : j->tcount * j->ttype->size;
	struct acc_whole r = {.j = j, .left = size / basic->size};
	int64_t n = r.left;
	char *room, *old = NULL;
	int err;

	r.acc = (struct rma_acc){j->w, j->rank, j->shared, j->op, basic, j->compare};
	if (n == 0)
		return 0;
	err = acc_gather(j, basic, n, &r.src, &room);
	if (err == 0 && j->fetch && j->rtype->shape != NULL) {
		r.old = old = malloc((size_t)(n * basic->extent));
		if (old == NULL)
			err = haft_err(
				MPI_ERR_NO_MEM, "no memory for %lld old values", (long long)n);
	} else if (j->fetch) {
		r.old = j->result;
	}
	if (err == 0)
		err = acc_runs(&r);
	if (err == 0 && old != NULL)
		err = acc_scatter(j, old, n);
	free(old);
	free(room);
	return err;
}
