// SPDX-License-Identifier: BSD-3-Clause
/* acc_apply.c - one run of elements combined with others, by the rule of the window (atomic.h).
 *
 *      rma_acc_apply ──┬── atomics
 *                      ├── plain loops: under an exclusive lock (alone), or for very many elements,
 *                      │   with all atomics excluded meanwhile (a bulk: atomic.h)
 *                      └── stripe by stripe of RMA_STRIPE_BYTES, under the stripe's lock
 *
 * A stripe's lock is a word of the target's control block.  The offset in the target's window alone
 * selects it, so all processes take the same lock. */
#include "libmpi/rma/acc_apply.h"

#include "libmpi/coll/reduce_op.h"
#include "libmpi/core/err.h"
#include "libmpi/rma/atomic.h"
#include "libmpi/rma/win.h"
#include <engine.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define BULK_MOST    MEAN_OR(32, 1 << 18) /* elements: others wait 200 us for them */
#define STRIPE_SPINS 100 /* looks at a taken lock, which is held for about a microsecond */

/* --- stripes -------------------------------------------------------------------------------- */

void rma_stripe_lock(const struct win *w, struct rma_stripe *s)
{
	for (int i = 0; atomic_exchange_explicit(&s->word, 1, memory_order_acquire) != 0; i++) {
		while (atomic_load_explicit(&s->word, memory_order_relaxed) != 0 &&
			i++ < STRIPE_SPINS)
			;
		if (i < STRIPE_SPINS)
			continue;
		if (rma_member_died(w, -1))
			return;
		sched_yield();
	}
}

void rma_stripe_unlock(struct rma_stripe *s)
{
	atomic_store_explicit(&s->word, 0, memory_order_release);
}

struct rma_stripe *rma_stripe_of(const struct rma_acc *a, uint64_t offset)
{
	struct rma_ctl *ctl = a->w->target[a->rank].ctl;

	return &ctl->stripe[offset / (uint64_t)RMA_STRIPE_BYTES % RMA_STRIPES];
}

/* The elements that one stripe's lock guards are those that begin in the stripe. */
int64_t rma_stripe_elements(uint64_t offset, int64_t extent, int64_t n)
{
	int64_t left = RMA_STRIPE_BYTES - (int64_t)(offset % (uint64_t)RMA_STRIPE_BYTES);
	int64_t k = (left + extent - 1) / extent;

	return k < n ? k : n;
}

/* --- one run of elements -------------------------------------------------------------------- */

void rma_acc_combine(const struct rma_acc *a, char *mem, const char *src, char *old, int64_t n)
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

bool rma_acc_misaligned(const struct type *basic, const void *p)
{
	return basic->align > 1 && (uintptr_t)p % basic->align != 0;
}

/* As rma_acc_combine, through the copy `room', for elements that are not aligned. */
static void acc_combine_copy(
	const struct rma_acc *a, char *mem, const char *src, char *old, int64_t n, char *room)
{
	size_t bytes = (size_t)(n * a->basic->extent);

	memcpy(room, mem, bytes);
	rma_acc_combine(a, room, src, old, n);
	memcpy(mem, room, bytes);
}

static int acc_by_stripes(
	const struct rma_acc *a, char *mem, uint64_t offset, const char *src, char *old, int64_t n)
{
	int64_t extent = a->basic->extent;
	char *room = NULL;

	if (rma_acc_misaligned(a->basic, mem)) {
		int64_t most = RMA_STRIPE_BYTES + extent;

		room = malloc((size_t)(n * extent < most ? n * extent : most));
		if (room == NULL)
			return haft_err(MPI_ERR_NO_MEM, "no memory to accumulate in");
	}
	for (int64_t k; n > 0; n -= k) {
		struct rma_stripe *s = rma_stripe_of(a, offset);

		k = rma_stripe_elements(offset, extent, n);
		rma_stripe_lock(a->w, s);
		if (room != NULL)
			acc_combine_copy(a, mem, src, old, k, room);
		else
			rma_acc_combine(a, mem, src, old, k);
		rma_stripe_unlock(s);
		mem += k * extent;
		offset += (uint64_t)(k * extent);
		src += src != NULL ? k * extent : 0;
		old += old != NULL ? k * extent : 0;
	}
	free(room);
	return 0;
}

/* In parts of BULK_MOST elements, so that others get their turn. */
static void acc_bulk(const struct rma_acc *a, char *mem, const char *src, char *old, int64_t n)
{
	for (int64_t k, bytes; n > 0; n -= k) {
		k = n < BULK_MOST ? n : BULK_MOST;
		bytes = k * a->basic->extent;
		rma_atomic_bulk_begin(a->w, a->rank);
		rma_acc_combine(a, mem, src, old, k);
		rma_atomic_bulk_end(a->w, a->rank);
		mem += bytes;
		src += src != NULL ? bytes : 0;
		old += old != NULL ? bytes : 0;
	}
}

int rma_acc_apply(
	const struct rma_acc *a, char *mem, uint64_t offset, const char *src, char *old, int64_t n)
{
	bool atoms = a->shared && rma_atomic_fits(a->basic, mem);

	if (a->w->target[a->rank].exclusive && !rma_acc_misaligned(a->basic, mem)) {
		rma_acc_combine(a, mem, src, old, n);
		return 0;
	}
	if (!atoms)
		return acc_by_stripes(a, mem, offset, src, old, n);
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
