// SPDX-License-Identifier: BSD-3-Clause
/* putget.c - MPI_Put, MPI_Get and their request-based forms (MPI-5.0 12.3.1, 12.3.2, 12.3.5).
 *
 *      rma_put ──┬── dense types of equal size, mapped, open, inside ──> memmove
 *                └─ else: struct rma_operation ──> rma_operation_check ──┬── DIRECT type_copy
 *                                                                        ├── VM     rma_delegate
 *                                                                        │          rma_vm_move
 *                                                                        └── AM     rma_am_start */
#include "libmpi/rma/operation.h"

#include "libmpi/rma/mailbox.h"
#include <engine.h>
#include <string.h>

/* --- put and get ---------------------------------------------------------------------------- */

/* Moves only the bytes that the source has. */
static int putget(struct rma_operation *j)
{
	int err = rma_operation_check(j);

	if (err != 0)
		return err < 0 ? 0 : err;
	if (j->method == RMA_VM)
		return rma_delegate(j) == 0 ? 0 : rma_vm_move(j);
	if (j->method == RMA_AM)
		return rma_am_start(j);
	if (j->kind == RMA_GET)
		return type_copy(j->at, j->tcount, j->ttype, j->origin, j->ocount, j->otype);
	return type_copy(j->origin, j->ocount, j->otype, j->at, j->tcount, j->ttype);
}

/* Where the target's bytes are mapped, if the call is simple: mapped, open, inside the window,
 * equal sizes (*n bytes), dense types.  Else NULL. */
static inline char *putget_fast_at(const struct rma_args *a, int64_t *n)
{
	const struct rma_target *t;
	int64_t offset, m;

	if (unlikely((unsigned)a->rank >= (unsigned)a->w->size))
		return NULL;
	t = &a->w->target[a->rank];
	if (unlikely(!rma_is_open(a->w, t) || t->method != RMA_DIRECT || !a->otype->dense ||
		     !a->ttype->dense))
		return NULL;
	if (unlikely(__builtin_mul_overflow(a->disp, t->unit, &offset) ||
		     __builtin_mul_overflow(a->ocount, a->otype->size, n) ||
		     __builtin_mul_overflow(a->tcount, a->ttype->size, &m)))
		return NULL;
	if (unlikely(*n != m || (uint64_t)offset > (uint64_t)t->bytes || m > t->bytes - offset ||
		     (uintptr_t)a->origin <= (uintptr_t)MPI_IN_PLACE))
		return NULL;
	return t->base + offset;
}

/* Words are stored as such, so that no process sees half of one. */
static inline void putget_copy(void *to, const void *from, int64_t n)
{
	if (n == 8)
		__builtin_memcpy(to, from, 8);
	else if (n == 4)
		__builtin_memcpy(to, from, 4);
	else
		memmove(to, from, (size_t)n);
}

/* A put or a get, whose kind is a constant. */
static inline __attribute__((always_inline)) int putget_call(
	enum rma_kind kind, const struct rma_args *a)
{
	void *origin = (void *)(uintptr_t)a->origin;
	struct rma_operation j;
	int64_t n;
	char *at = putget_fast_at(a, &n);

	if (likely(at != NULL)) {
		putget_copy(kind == RMA_PUT ? at : origin, kind == RMA_PUT ? origin : at, n);
		return 0;
	}
	j = rma_operation_of(kind, NULL, a);
	return putget(&j);
}

int rma_put(const void *origin, int64_t ocount, struct type *otype, int rank, int64_t disp,
	int64_t tcount, struct type *ttype, struct win *w)
{
	struct rma_args a = {origin, ocount, otype, rank, disp, tcount, ttype, w};

	return putget_call(RMA_PUT, &a);
}

int rma_get(void *origin, int64_t ocount, struct type *otype, int rank, int64_t disp,
	int64_t tcount, struct type *ttype, struct win *w)
{
	struct rma_args a = {origin, ocount, otype, rank, disp, tcount, ttype, w};

	return putget_call(RMA_GET, &a);
}

/* --- with requests -------------------------------------------------------------------------- */

int rma_rput(const void *origin, int64_t ocount, struct type *otype, int rank, int64_t disp,
	int64_t tcount, struct type *ttype, struct win *w, struct req **request)
{
	struct rma_args a = {origin, ocount, otype, rank, disp, tcount, ttype, w};
	struct rma_operation j = rma_operation_of(RMA_PUT, NULL, &a);

	return rma_operation_request(&j, putget, request);
}

int rma_rget(void *origin, int64_t ocount, struct type *otype, int rank, int64_t disp,
	int64_t tcount, struct type *ttype, struct win *w, struct req **request)
{
	struct rma_args a = {origin, ocount, otype, rank, disp, tcount, ttype, w};
	struct rma_operation j = rma_operation_of(RMA_GET, NULL, &a);

	return rma_operation_request(&j, putget, request);
}
