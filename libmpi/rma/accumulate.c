// SPDX-License-Identifier: BSD-3-Clause
/* accumulate.c - the accumulate family (MPI-5.0 12.3.4): elements of the target are combined with others.
 *
 *      origin's type ── gathered ──> elements in a row ──┐
 *      target's type ── type_each_whole ──> runs of elements at mem ──> rma_acc_apply, run by run
 *      result's type <── scattered ── old values in a row ──┘
 *
 *      rma_acc_apply ──┬── atomics (the rule is in atomic.h)
 *                  ├── plain loops: under an exclusive lock of the window (alone), or very many
 *                  │   elements, with all atomics kept away (bulk: atomic.h)
 *                  └── stripe by stripe of RMA_STRIPE_BYTES, under the stripe's lock:
 *                         mapped: in place          VM: read, combine here, write
 *
 * A stripe's lock is a word of the target's control block, and which one follows from the place in
 * the target's window: all processes take the same one. */
#include "libmpi/rma/atomic.h"
#include "libmpi/rma/operation.h"

#include "libmpi/coll/reduce_op.h"
#include "libmpi/core/err.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/mailbox.h"
#include "libmpi/rma/win.h"
#include "libmpi/type/shape.h"
#include "libmpi/type/signature.h"
#include <engine.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define RMA_STRIPE_BYTES ((int64_t)MEAN_OR(64, 65536)) /* one lock, one copy by VM */
#define BULK_MOST        MEAN_OR(32, 1 << 18) /* elements: 200 us of somebody else's wait */
#define ROOM_FEW         256 /* bytes: single elements and small vectors need no malloc */
#define STRIPE_SPINS     100 /* looks at a taken lock: what it guards takes a microsecond or so */

/* --- stripes -------------------------------------------------------------------------------- */

static void stripe_lock(struct rma_stripe *s)
{
	for (int i = 0; atomic_exchange_explicit(&s->word, 1, memory_order_acquire) != 0; i++) {
		while (atomic_load_explicit(&s->word, memory_order_relaxed) != 0 &&
			i++ < STRIPE_SPINS)
			;
		if (i >= STRIPE_SPINS)
			sched_yield();
	}
}

static void stripe_unlock(struct rma_stripe *s)
{
	atomic_store_explicit(&s->word, 0, memory_order_release);
}

/* --- one run of elements -------------------------------------------------------------------- */

/* Combines n elements that nobody else touches; mem and src are aligned for the type. */
static void acc_combine(const struct rma_acc *a, char *mem, const char *src, char *old, int64_t n)
{
	size_t bytes = (size_t)(n * a->basic->extent);

	if (old != NULL)
		memcpy(old, mem, bytes);
	if (a->op == NULL) {
		if (memcmp(mem, a->compare, (size_t)a->basic->size) == 0)
			memcpy(mem, src, (size_t)a->basic->size);
	} else if (a->op == rma_atomic_replace) {
		memmove(mem, src, bytes);
	} else if (a->op != rma_atomic_no_op) {
		coll_op_apply(a->op, mem, src, mem, n, (struct type *)(uintptr_t)a->basic);
	}
}

static bool acc_misaligned(const struct type *basic, const void *p)
{
	return basic->align > 1 && (uintptr_t)p % basic->align != 0;
}

/* The same where elements are not aligned: on a copy. */
static void acc_combine_copy(
	const struct rma_acc *a, char *mem, const char *src, char *old, int64_t n, char *room)
{
	size_t bytes = (size_t)(n * a->basic->extent);

	memcpy(room, mem, bytes);
	acc_combine(a, room, src, old, n);
	memcpy(mem, room, bytes);
}

/* Elements from `place' on that one stripe's lock guards: those that begin in it. */
static int64_t stripe_elements(uint64_t place, int64_t extent, int64_t n)
{
	int64_t left = RMA_STRIPE_BYTES - (int64_t)(place % (uint64_t)RMA_STRIPE_BYTES);
	int64_t k = (left + extent - 1) / extent;

	return k < n ? k : n;
}

static struct rma_stripe *stripe_of(const struct rma_acc *a, uint64_t place)
{
	struct rma_ctl *ctl = a->w->target[a->rank].ctl;

	return &ctl->stripe[place / (uint64_t)RMA_STRIPE_BYTES % RMA_STRIPES];
}

static int acc_by_stripes(
	const struct rma_acc *a, char *mem, uint64_t place, const char *src, char *old, int64_t n)
{
	int64_t extent = a->basic->extent;
	char *room = NULL;

	if (acc_misaligned(a->basic, mem)) {
		int64_t most = RMA_STRIPE_BYTES + extent;

		room = malloc((size_t)(n * extent < most ? n * extent : most));
		if (room == NULL)
			return haft_err(MPI_ERR_NO_MEM, "no memory to accumulate in");
	}
	for (int64_t k; n > 0; n -= k) {
		struct rma_stripe *s = stripe_of(a, place);

		k = stripe_elements(place, extent, n);
		stripe_lock(s);
		if (room != NULL)
			acc_combine_copy(a, mem, src, old, k, room);
		else
			acc_combine(a, mem, src, old, k);
		stripe_unlock(s);
		mem += k * extent;
		place += (uint64_t)(k * extent);
		src += src != NULL ? k * extent : 0;
		old += old != NULL ? k * extent : 0;
	}
	free(room);
	return 0;
}

/* Piece by piece, so that others get in between. */
static void acc_bulk(const struct rma_acc *a, char *mem, const char *src, char *old, int64_t n)
{
	for (int64_t k, bytes; n > 0; n -= k) {
		k = n < BULK_MOST ? n : BULK_MOST;
		bytes = k * a->basic->extent;
		rma_atomic_bulk_begin(a->w, a->rank);
		acc_combine(a, mem, src, old, k);
		rma_atomic_bulk_end(a->w, a->rank);
		mem += bytes;
		src += src != NULL ? bytes : 0;
		old += old != NULL ? bytes : 0;
	}
}

int rma_acc_apply(
	const struct rma_acc *a, char *mem, uint64_t place, const char *src, char *old, int64_t n)
{
	bool atoms = a->shared && rma_atomic_fits(a->basic, mem);

	if (a->w->target[a->rank].alone && !acc_misaligned(a->basic, mem)) {
		acc_combine(a, mem, src, old, n);
		return 0;
	}
	if (!atoms)
		return acc_by_stripes(a, mem, place, src, old, n);
	if (n >= ATOMIC_BULK) {
		acc_bulk(a, mem, src, old, n);
		return 0;
	}
	rma_atomic_enter(a->w, a->rank);
	if (a->op != NULL)
		rma_atomic_apply(a->op, a->basic, mem, src, old, n);
	else
		rma_atomic_swap(a->basic, mem, a->compare, src, old);
	rma_atomic_leave(a->w);
	return 0;
}

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

static bool acc_same_basic(const struct type *a, const struct type *b)
{
	return a == b || (a->basic == b->basic && a->basic != BASIC_NONE && a->extent == b->extent);
}

/* A row of elements in memory form, and the walk through a datatype that fills or empties it. */
struct acc_row_cursor {
	char *at;
	int64_t left; /* elements */
	bool out;     /* from the row into the user's memory */
};

static bool acc_row_step(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct acc_row_cursor *r = arg;
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

struct acc_run {
	struct rma_acc acc;
	const struct rma_operation *j;
	const char *src;
	char *old;
	int64_t left; /* elements */
	int err;
	struct vm_batch *batch; /* VM */
};

/* VM: pieces of one stripe, for which one lock is taken, one read made and one write. */
struct vm_batch {
	uint64_t stripe; /* place of its first byte */
	int n;
	int64_t count;   /* elements in the pieces */
	const char *src; /* theirs */
	char *old;
	char *room; /* for all, or for RMA_STRIPE_BYTES and an element more */
	struct iovec run[VM_RUNS];
};

static void vm_batch_flush(struct acc_run *r)
{
	struct vm_batch *b = r->batch;
	const struct rma_acc *a = &r->acc;
	int64_t bytes = b->count * a->basic->extent;
	struct rma_stripe *s = stripe_of(a, b->stripe);

	if (b->n == 0 || r->err != 0)
		return;
	stripe_lock(s);
	r->err = rma_vm_runs(a->w, a->rank, false, b->room, b->run, b->n, bytes);
	if (r->err == 0) {
		acc_combine(a, b->room, b->src, b->old, b->count);
		if (a->op != rma_atomic_no_op)
			r->err = rma_vm_runs(a->w, a->rank, true, b->room, b->run, b->n, bytes);
	}
	stripe_unlock(s);
	b->n = 0;
	b->count = 0;
}

/* k elements at mem, all of them of the stripe where `place' is. */
static void vm_batch_add(
	struct acc_run *r, char *mem, uint64_t place, const char *src, char *old, int64_t k)
{
	struct vm_batch *b = r->batch;
	uint64_t stripe = place - place % (uint64_t)RMA_STRIPE_BYTES;
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
	struct acc_run *r, char *mem, uint64_t place, const char *src, char *old, int64_t n)
{
	int64_t e = r->acc.basic->extent;

	for (int64_t k, bytes; n > 0; n -= k) {
		k = stripe_elements(place, e, n);
		vm_batch_add(r, mem, place, src, old, k);
		bytes = k * e;
		mem += bytes;
		place += (uint64_t)bytes;
		src += src != NULL ? bytes : 0;
		old += old != NULL ? bytes : 0;
	}
}

static bool acc_run_step(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct acc_run *r = arg;
	uint64_t place = r->j->place + (uint64_t)(mem - r->j->at);
	int64_t bytes;

	n = n < r->left ? n : r->left;
	bytes = n * basic->extent;
	if (r->batch != NULL)
		vm_batch_all(r, mem, place, r->src, r->old, n);
	else
		r->err = rma_acc_apply(&r->acc, mem, place, r->src, r->old, n);
	r->src += r->src != NULL ? bytes : 0;
	r->old += r->old != NULL ? bytes : 0;
	r->left -= n;
	return r->err == 0 && r->left > 0;
}

/* The origin's elements in a row: where they are if they are one.  *room: malloc'ed, or NULL. */
static int acc_gather(const struct rma_operation *j, const struct type *basic, int64_t n,
	const char **src, char **room)
{
	int err;

	*room = NULL;
	*src = j->origin;
	if (j->otype == NULL)
		*src = NULL;
	if (j->otype == NULL || (j->otype->shape == NULL && !acc_misaligned(basic, j->origin)))
		return 0;
	err = rma_acc_row(j, basic, n, false, room);
	*src = *room;
	return err;
}

int rma_acc_row(
	const struct rma_operation *j, const struct type *basic, int64_t n, bool swap, char **row)
{
	struct acc_row_cursor r = {.left = n};

	*row = r.at = malloc((size_t)((n + swap) * basic->extent));
	if (*row == NULL)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory for a copy of %lld elements", (long long)n);
	if (swap)
		memcpy(r.at + n * basic->extent, j->compare, (size_t)basic->extent);
	return type_each_whole(j->otype, j->origin, j->ocount, acc_row_step, &r);
}

static int acc_scatter(const struct rma_operation *j, char *old, int64_t n)
{
	struct acc_row_cursor row = {.at = old, .left = n, .out = true};

	return type_each_whole(j->rtype, j->result, j->rcount, acc_row_step, &row);
}

static int acc_runs(struct acc_run *r)
{
	const struct rma_operation *j = r->j;
	int64_t e = r->acc.basic->extent, most = RMA_STRIPE_BYTES + e;
	_Alignas(16) char few[ROOM_FEW];
	struct vm_batch b;
	int err;

	if (j->way == RMA_VM) {
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
	struct acc_run r = {.j = j, .left = size / basic->size};
	int64_t n = r.left;
	char *room, *old = NULL;
	int err;

	r.acc = (struct rma_acc){j->w, j->rank, j->shared, j->op, basic, j->compare};
	if (n == 0 || (j->way == RMA_VM && rma_delegate(j) == 0))
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

/* --- checks --------------------------------------------------------------------------------- */

static int acc_one_basic(const struct type *t, const char *which, const struct type **basic)
{
	char name[MPI_MAX_OBJECT_NAME];

	*basic = rma_acc_basic(t);
	if (*basic != NULL)
		return 0;
	return haft_err(MPI_ERR_TYPE, "the %s type %s is not made of one predefined type", which,
		type_words(t, name));
}

/* Without data there is nothing that could differ. */
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
		return haft_err(MPI_ERR_OP, "one-sided communication takes predefined operations "
					    "only");
	if (j->op == rma_atomic_no_op && !j->fetch)
		return haft_err(MPI_ERR_OP, "MPI_NO_OP is for operations that bring old values");
	return 0;
}

/* --- the calls ------------------------------------------------------------------------------ */

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
	return j->way == RMA_AM ? rma_am_start(j) : rma_acc_execute(j);
}

/* The simple case: elements of one predefined type, mapped, open, inside, aligned, combined by
 * atomics.  NULL: it is not that simple. */
static inline char *acc_fast_at(const struct win *w, int rank, int64_t disp, int64_t count,
	const struct type *type, const struct op *op)
{
	const struct rma_target *t;
	int64_t place, n;
	char *at;

	if (unlikely((unsigned)rank >= (unsigned)w->size))
		return NULL;
	t = &w->target[rank];
	if (unlikely(!rma_is_open(w, t) || t->way != RMA_DIRECT || !t->shared ||
		     type->shape != NULL || count >= ATOMIC_BULK))
		return NULL;
	if (unlikely(__builtin_mul_overflow(disp, t->unit, &place) ||
		     __builtin_mul_overflow(count, type->extent, &n) ||
		     (uint64_t)place > (uint64_t)t->bytes || n > t->bytes - place))
		return NULL;
	at = t->base + place;
	if (unlikely(!rma_atomic_fits(type, at)))
		return NULL;
	if (op == NULL || op == rma_atomic_replace || op == rma_atomic_no_op)
		return at;
	return op->loops != NULL && op->loops[type->basic] != NULL ? at : NULL;
}

static inline bool is_buffer(const void *p)
{
	return likely((uintptr_t)p > (uintptr_t)MPI_IN_PLACE);
}

int rma_accumulate(const void *origin, int64_t ocount, struct type *otype, int rank, int64_t disp,
	int64_t tcount, struct type *ttype, struct op *op, struct win *w)
{
	struct rma_operation j;

	if (likely(otype == ttype && ocount == tcount && is_buffer(origin) &&
		    op != rma_atomic_no_op)) {
		char *at = acc_fast_at(w, rank, disp, tcount, ttype, op);

		if (likely(at != NULL)) {
			rma_atomic_enter(w, rank);
			rma_atomic_apply(op, ttype, at, origin, NULL, tcount);
			rma_atomic_leave(w);
			return 0;
		}
	}
	j = rma_operation_of(RMA_ACC, op, origin, ocount, otype, rank, disp, tcount, ttype, w);
	return acc_start(&j);
}

static struct rma_operation fetch_operation(const void *origin, int64_t ocount, struct type *otype,
	void *result, int64_t rcount, struct type *rtype, int rank, int64_t disp, int64_t tcount,
	struct type *ttype, struct op *op, struct win *w)
{
	struct rma_operation j =
		rma_operation_of(RMA_ACC, op, origin, ocount, otype, rank, disp, tcount, ttype, w);

	j.fetch = true;
	j.result = result;
	j.rcount = rcount;
	j.rtype = rtype;
	return j;
}

int rma_get_accumulate(const void *origin, int64_t ocount, struct type *otype, void *result,
	int64_t rcount, struct type *rtype, int rank, int64_t disp, int64_t tcount,
	struct type *ttype, struct op *op, struct win *w)
{
	struct rma_operation j;

	if (rtype == ttype && rcount == tcount && is_buffer(result) &&
		(op == rma_atomic_no_op ||
			(otype == ttype && ocount == tcount && is_buffer(origin)))) {
		char *at = acc_fast_at(w, rank, disp, tcount, ttype, op);

		if (likely(at != NULL)) {
			rma_atomic_enter(w, rank);
			rma_atomic_apply(op, ttype, at, origin, result, tcount);
			rma_atomic_leave(w);
			return 0;
		}
	}
	j = fetch_operation(
		origin, ocount, otype, result, rcount, rtype, rank, disp, tcount, ttype, op, w);
	return acc_start(&j);
}

static int only_predefined(const struct type *type)
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
	char *at = NULL;
	int err;

	if (likely(is_buffer(result) && (is_buffer(origin) || op == rma_atomic_no_op)))
		at = acc_fast_at(w, rank, disp, 1, type, op);
	if (likely(at != NULL)) {
		rma_atomic_enter(w, rank);
		rma_atomic_apply(op, type, at, origin, result, 1);
		rma_atomic_leave(w);
		return 0;
	}
	err = only_predefined(type);
	if (err != 0)
		return err;
	j = fetch_operation(origin, 1, type, result, 1, type, rank, disp, 1, type, op, w);
	return acc_start(&j);
}

/* 12.3.4: C and Fortran integers, logicals, multi-language types and bytes. */
bool rma_acc_comparable(const struct type *type)
{
	switch (type->basic) {
	case BASIC_INT8:
	case BASIC_INT16:
	case BASIC_INT32:
	case BASIC_INT64:
	case BASIC_INT128:
	case BASIC_UINT8:
	case BASIC_UINT16:
	case BASIC_UINT32:
	case BASIC_UINT64:
	case BASIC_BOOL:
	case BASIC_LOGICAL:
	case BASIC_LOGICAL1:
	case BASIC_LOGICAL2:
	case BASIC_LOGICAL8:
	case BASIC_LOGICAL16:
	case BASIC_BYTE: return true;
	}
	return false;
}

int rma_compare_and_swap(const void *origin, const void *compare, void *result, struct type *type,
	int rank, int64_t disp, struct win *w)
{
	char name[MPI_MAX_OBJECT_NAME], *at = NULL;
	struct rma_operation j;
	int err;

	if (unlikely(!type_is_predefined(type) || !rma_acc_comparable(type)))
		return haft_err(MPI_ERR_TYPE, "%s is not a type of integers, logicals or bytes",
			type_words(type, name));
	if (likely(is_buffer(origin) && is_buffer(compare) && is_buffer(result)))
		at = acc_fast_at(w, rank, disp, 1, type, NULL);
	if (likely(at != NULL)) {
		rma_atomic_enter(w, rank);
		rma_atomic_swap(type, at, compare, origin, result);
		rma_atomic_leave(w);
		return 0;
	}
	j = fetch_operation(origin, 1, type, result, 1, type, rank, disp, 1, type, NULL, w);
	j.swap = true;
	j.compare = compare;
	err = rank == MPI_PROC_NULL ? 0
				    : type_check(compare, 1, 1, type, "the buffer to compare with");
	if (err == 0)
		err = rma_operation_check(&j);
	if (err != 0)
		return err < 0 ? 0 : err;
	return j.way == RMA_AM ? rma_am_start(&j) : rma_acc_execute(&j);
}

int rma_raccumulate(const void *origin, int64_t ocount, struct type *otype, int rank, int64_t disp,
	int64_t tcount, struct type *ttype, struct op *op, struct win *w, struct req **request)
{
	struct rma_operation j =
		rma_operation_of(RMA_ACC, op, origin, ocount, otype, rank, disp, tcount, ttype, w);

	return rma_operation_request(&j, acc_start, request);
}

int rma_rget_accumulate(const void *origin, int64_t ocount, struct type *otype, void *result,
	int64_t rcount, struct type *rtype, int rank, int64_t disp, int64_t tcount,
	struct type *ttype, struct op *op, struct win *w, struct req **request)
{
	struct rma_operation j = fetch_operation(
		origin, ocount, otype, result, rcount, rtype, rank, disp, tcount, ttype, op, w);

	return rma_operation_request(&j, acc_start, request);
}
