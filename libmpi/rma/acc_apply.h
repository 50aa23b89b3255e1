// SPDX-License-Identifier: BSD-3-Clause
/* acc_apply.h - runs of elements of a member's memory, combined by the rule of its window. */
#ifndef HAFT_RMA_ACC_APPLY_H
#define HAFT_RMA_ACC_APPLY_H

#include "libmpi/rma/rma.h"

#define RMA_STRIPE_BYTES ((int64_t)MEAN_OR(64, 65536)) /* under one lock; one copy by VM */

/* An accumulate on elements of one predefined type. */
struct rma_acc {
	struct win *w;
	int rank;            /* of the member whose memory it is */
	bool shared;         /* which lies in the segment */
	const struct op *op; /* NULL: compare and swap of one element */
	const struct type *basic;
	const void *compare;
};

/* Combines n elements at mem, which is mapped here and `offset' bytes from the target's base.
 * src: n elements in memory form, NULL with MPI_NO_OP.  old: NULL, or where the old values go.
 * 0, or MPI_ERR_NO_MEM with words. */
int rma_acc_apply(
	const struct rma_acc *a, char *mem, uint64_t offset, const char *src, char *old, int64_t n);

/* As rma_acc_apply, for n elements that nothing else accesses now; mem and src are aligned. */
void rma_acc_combine(const struct rma_acc *a, char *mem, const char *src, char *old, int64_t n);

/* Is p not at a multiple of the type's alignment? */
bool rma_acc_misaligned(const struct type *basic, const void *p);

/* Is the type one for compare and swap (12.3.4)? */
bool rma_acc_comparable(const struct type *type);

/* The lock for elements that begin at `offset', and how many of n elements from there on it
 * guards.  rma_stripe_lock goes on without it once a member of the window has died. */
struct rma_stripe *rma_stripe_of(const struct rma_acc *a, uint64_t offset);
int64_t rma_stripe_elements(uint64_t offset, int64_t extent, int64_t n);
void rma_stripe_lock(const struct win *w, struct rma_stripe *s);
void rma_stripe_unlock(struct rma_stripe *s);

#endif
