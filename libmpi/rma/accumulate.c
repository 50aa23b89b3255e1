// SPDX-License-Identifier: BSD-3-Clause
/* accumulate.c - MPI_Accumulate and its kin (MPI-5.0 12.3.4): elements of the target are combined.
 *
 *      one predefined type, mapped, open, inside, aligned ──> atomics at once (acc_fast)
 *      everything else ──> struct rma_operation ──> checks ──┬── AM: am_origin.c
 *                                                            ├── VM, small: delegate.c
 *                                                            └── acc_execute.c */
#include "libmpi/rma/acc_apply.h"
#include "libmpi/rma/atomic.h"
#include "libmpi/rma/mailbox.h"
#include "libmpi/rma/operation.h"

#include "libmpi/coll/reduce_op.h"
#include "libmpi/core/err.h"
#include "libmpi/type/shape.h"
#include <engine.h>

/* --- checks --------------------------------------------------------------------------------- */

static bool acc_same_basic(const struct type *a, const struct type *b)
{
	return a == b || (a->basic == b->basic && a->basic != BASIC_NONE && a->extent == b->extent);
}

static int acc_one_basic(const struct type *t, const char *which, const struct type **basic)
{
	char name[MPI_MAX_OBJECT_NAME];

	*basic = rma_acc_basic(t);
	if (*basic != NULL)
		return 0;
	return haft_err(MPI_ERR_TYPE, "the %s type %s is not made of one predefined type", which,
		type_words(t, name));
}

/* Without data nothing can differ. */
static int acc_check_types(const struct rma_operation *j)
{
	char name[MPI_MAX_OBJECT_NAME], other[MPI_MAX_OBJECT_NAME];
	const struct type *t, *o = NULL, *r = NULL;
	int err = acc_one_basic(j->ttype, "target", &t);

	if (err == 0 && j->otype != NULL)
		err = acc_one_basic(j->otype, "origin", &o);
	if (err == 0 && j->fetch)
		err = acc_one_basic(j->rtype, "result", &r);
	if (err != 0)
		return err;
	if (o != NULL && !acc_same_basic(o, t))
		return haft_err(MPI_ERR_TYPE, "the origin is made of %s and the target of %s",
			type_words(o, name), type_words(t, other));
	if (r != NULL && !acc_same_basic(r, t))
		return haft_err(MPI_ERR_TYPE, "the result is made of %s and the target of %s",
			type_words(r, name), type_words(t, other));
	if (j->op == rma_atomic_replace || j->op == rma_atomic_no_op)
		return 0;
	return coll_op_check(j->op, t);
}

static int acc_check_op(const struct rma_operation *j)
{
	if (j->op->loops == NULL)
		return haft_err(
			MPI_ERR_OP, "one-sided communication takes predefined operations only");
	if (j->op == rma_atomic_no_op && !j->fetch)
		return haft_err(MPI_ERR_OP,
			"MPI_NO_OP is valid only for operations that return the old values");
	return 0;
}

/* --- the calls ------------------------------------------------------------------------------ */

/* Executes an operation that has been checked. */
static int acc_run(const struct rma_operation *j)
{
	if (j->method == RMA_AM)
		return rma_am_start(j);
	if (j->method == RMA_VM && rma_delegate(j) == 0)
		return 0;
	return rma_acc_execute(j);
}

static int acc_start(struct rma_operation *j)
{
	bool from = j->otype == NULL || (j->ocount > 0 && j->otype->size > 0);
	bool to = j->tcount > 0 && j->ttype->size > 0;
	int err = acc_check_op(j);

	if (err == 0 && j->rank == MPI_PROC_NULL)
		return 0;
	if (err == 0 && from && to)
		err = acc_check_types(j);
	if (err == 0 && j->op == rma_atomic_no_op)
		j->otype = NULL;
	if (err == 0)
		err = rma_operation_check(j);
	if (err != 0 || !from)
		return err < 0 ? 0 : err;
	return acc_run(j);
}

/* The arguments of a call that the fast path needs. */
struct acc_args {
	struct win *w;
	int rank;
	int64_t disp, count;
	const struct type *type;
	const struct op *op; /* NULL: compare and swap */
	const void *origin, *compare;
	void *result; /* NULL: the old values are not wanted */
};

/* Where the target's elements are mapped, if the call is simple: one predefined type, mapped, open,
 * inside the window, aligned, few, an operation on this type.  Else NULL. */
static inline __attribute__((always_inline)) char *acc_fast_at(const struct acc_args *a)
{
	const struct type *type = a->type;
	const struct op *op = a->op;
	const struct rma_target *t;
	int64_t offset, n;
	char *at;

	if (unlikely((unsigned)a->rank >= (unsigned)a->w->size))
		return NULL;
	t = &a->w->target[a->rank];
	if (unlikely(!rma_is_open(a->w, t) || t->method != RMA_DIRECT || !t->shared ||
		     type->shape != NULL || a->count >= ATOMIC_BULK))
		return NULL;
	if (unlikely(__builtin_mul_overflow(a->disp, t->unit, &offset) ||
		     __builtin_mul_overflow(a->count, type->extent, &n) ||
		     (uint64_t)offset > (uint64_t)t->bytes || n > t->bytes - offset))
		return NULL;
	at = t->base + offset;
	if (unlikely(!rma_atomic_fits(type, at)))
		return NULL;
	if (op == NULL || op == rma_atomic_replace || op == rma_atomic_no_op)
		return at;
	return op->loops != NULL && op->loops[type->basic] != NULL ? at : NULL;
}

/* Executes a simple call.  False: it is not simple, and nothing was done.  Inlined into each
 * caller, so that the arguments that a caller leaves out are constants. */
static inline __attribute__((always_inline)) bool acc_fast(const struct acc_args *a)
{
	char *at = acc_fast_at(a);

	if (unlikely(at == NULL))
		return false;
	rma_atomic_enter(a->w, a->rank);
	if (a->compare != NULL)
		rma_atomic_swap(a->type, at, a->compare, a->origin, a->result);
	else
		rma_atomic_apply(a->op, a->type, at, a->origin, a->result, a->count);
	rma_atomic_leave(a->w);
	return true;
}

static inline bool is_buffer(const void *p)
{
	return likely((uintptr_t)p > (uintptr_t)MPI_IN_PLACE);
}

/* acc_fast of a call whose buffers are all elements of one type. */
static inline __attribute__((always_inline)) bool acc_try(const void *origin, void *result,
	int64_t count, struct type *type, int rank, int64_t disp, struct op *op, struct win *w)
{
	return acc_fast(&(struct acc_args){.w = w,
		.rank = rank,
		.disp = disp,
		.count = count,
		.type = type,
		.op = op,
		.origin = origin,
		.result = result});
}

int rma_accumulate(const void *origin, int64_t ocount, struct type *otype, int rank, int64_t disp,
	int64_t tcount, struct type *ttype, struct op *op, struct win *w)
{
	struct rma_operation j;

	if (likely(otype == ttype && ocount == tcount && is_buffer(origin) &&
		    op != rma_atomic_no_op) &&
		acc_try(origin, NULL, tcount, ttype, rank, disp, op, w))
		return 0;
	j = rma_operation_of(RMA_ACC, op,
		&(struct rma_args){origin, ocount, otype, rank, disp, tcount, ttype, w});
	return acc_start(&j);
}

/* Asks for the old values as well. */
static void acc_fetch(struct rma_operation *j, void *result, int64_t rcount, struct type *rtype)
{
	j->fetch = true;
	j->result = result;
	j->rcount = rcount;
	j->rtype = rtype;
}

int rma_get_accumulate(const void *origin, int64_t ocount, struct type *otype, void *result,
	int64_t rcount, struct type *rtype, int rank, int64_t disp, int64_t tcount,
	struct type *ttype, struct op *op, struct win *w)
{
	bool alike = otype == ttype && ocount == tcount && is_buffer(origin);
	struct rma_operation j;

	if (rtype == ttype && rcount == tcount && is_buffer(result) &&
		(op == rma_atomic_no_op || alike) &&
		acc_try(origin, result, tcount, ttype, rank, disp, op, w))
		return 0;
	j = rma_operation_of(RMA_ACC, op,
		&(struct rma_args){origin, ocount, otype, rank, disp, tcount, ttype, w});
	acc_fetch(&j, result, rcount, rtype);
	return acc_start(&j);
}

static int acc_only_predefined(const struct type *type)
{
	char name[MPI_MAX_OBJECT_NAME];

	if (type_is_predefined(type))
		return 0;
	return haft_err(MPI_ERR_TYPE, "%s is not a predefined type", type_words(type, name));
}

int rma_fetch_and_op(const void *origin, void *result, struct type *type, int rank, int64_t disp,
	struct op *op, struct win *w)
{
	struct rma_operation j;
	int err;

	if (likely(is_buffer(result) && (is_buffer(origin) || op == rma_atomic_no_op)) &&
		acc_try(origin, result, 1, type, rank, disp, op, w))
		return 0;
	err = acc_only_predefined(type);
	if (err != 0)
		return err;
	j = rma_operation_of(
		RMA_ACC, op, &(struct rma_args){origin, 1, type, rank, disp, 1, type, w});
	acc_fetch(&j, result, 1, type);
	return acc_start(&j);
}

/* A compare and swap that is not simple. */
static int acc_swap(struct rma_operation *j, const void *compare)
{
	int err = 0;

	j->swap = true;
	j->compare = compare;
	if (j->rank != MPI_PROC_NULL)
		err = type_check(compare, 1, 1, j->ttype, "the buffer to compare with");
	if (err == 0)
		err = rma_operation_check(j);
	if (err != 0)
		return err < 0 ? 0 : err;
	return acc_run(j);
}

int rma_compare_and_swap(const void *origin, const void *compare, void *result, struct type *type,
	int rank, int64_t disp, struct win *w)
{
	char name[MPI_MAX_OBJECT_NAME];
	struct rma_operation j;

	if (unlikely(!type_is_predefined(type) || !rma_acc_comparable(type)))
		return haft_err(MPI_ERR_TYPE, "%s is not a type of integers, logicals or bytes",
			type_words(type, name));
	if (likely(is_buffer(origin) && is_buffer(compare) && is_buffer(result)) &&
		acc_fast(&(struct acc_args){.w = w,
			.rank = rank,
			.disp = disp,
			.count = 1,
			.type = type,
			.origin = origin,
			.compare = compare,
			.result = result}))
		return 0;
	j = rma_operation_of(
		RMA_ACC, NULL, &(struct rma_args){origin, 1, type, rank, disp, 1, type, w});
	acc_fetch(&j, result, 1, type);
	return acc_swap(&j, compare);
}

int rma_raccumulate(const void *origin, int64_t ocount, struct type *otype, int rank, int64_t disp,
	int64_t tcount, struct type *ttype, struct op *op, struct win *w, struct req **request)
{
	struct rma_operation j = rma_operation_of(RMA_ACC, op,
		&(struct rma_args){origin, ocount, otype, rank, disp, tcount, ttype, w});

	return rma_operation_request(&j, acc_start, request);
}

int rma_rget_accumulate(const void *origin, int64_t ocount, struct type *otype, void *result,
	int64_t rcount, struct type *rtype, int rank, int64_t disp, int64_t tcount,
	struct type *ttype, struct op *op, struct win *w, struct req **request)
{
	struct rma_operation j = rma_operation_of(RMA_ACC, op,
		&(struct rma_args){origin, ocount, otype, rank, disp, tcount, ttype, w});

	acc_fetch(&j, result, rcount, rtype);
	return rma_operation_request(&j, acc_start, request);
}
