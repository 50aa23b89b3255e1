// SPDX-License-Identifier: BSD-3-Clause
/* reduce_op.h - reduction operations: MPI_SUM and its like, and users' functions, on two arrays.
 *
 *      coll_op_apply(op, a, b, out, n, type):     out[i] = a[i] op b[i]      for n elements
 *
 *           predefined:  loops[type->basic](a, b, out, n)
 *           a user's:    out = b, then fn(a, out, &n, &handle of type)
 *
 * `a' is the operand of the lower ranks: operations need not commute.  An element goes from its
 * address to its extent, so gaps are copied with it.
 *
 * Invariants
 *  - Predefined operations are permanent objects on the ABI's numbers, and commute.  They take the
 *    basic datatypes whose entry in their row of loops is not NULL.
 *  - coll_op_check is called once a collective call, before any data move; coll_op_apply checks
 *    nothing. */
#ifndef HAFT_COLL_REDUCE_OP_H
#define HAFT_COLL_REDUCE_OP_H

#include "libmpi/core/op_object.h"
#include "libmpi/core/type_object.h"

/* Registers the predefined operations; haft_objects_open has opened their class.  Later calls do
 * nothing.  0 or MPI_ERR_NO_MEM.  One thread at a time. */
int coll_op_open(void);

/* A predefined operation by its handle (MPI_SUM ...), or NULL.  After coll_op_open. */
struct op *coll_op_predefined(MPI_Op handle);

/* 0, or MPI_ERR_OP with words if op does not take elements of this datatype.  Any thread. */
int coll_op_check(const struct op *op, const struct type *type);

/* out[i] = a[i] op b[i] for n >= 0 elements.  out may be a or b or apart from both, but out == a is
 * for predefined operations only (see coll_op_in_place).  coll_op_check has said 0; areas are
 * aligned for the type.  Runs the user's function: hold no lock. */
void coll_op_apply(
	const struct op *op, const void *a, const void *b, void *out, int64_t n, struct type *type);

/* May coll_op_apply's out be a? */
static inline bool coll_op_in_place(const struct op *op)
{
	return op->loops != NULL;
}

/* The 16 bytes of Fortran's .TRUE. and .FALSE., little-endian and sign-extended: the operands of
 * logical operations on LOGICALs (MPI-5.0 20.4.1).  Once, before the first such call. */
void coll_op_logical_set(const void *yes, const void *no);

/* MAXLOC (greater) or MINLOC of n pairs of BASIC_PAIR: op_pair.c. */
void coll_op_pair(
	const void *a, const void *b, void *out, int64_t n, const struct type *pair, bool greater);

/* The loops of a predefined operation, made in op_loops.c: [BASIC_COUNT], NULL where not allowed.
 */
extern op_loop *const coll_op_max[];
extern op_loop *const coll_op_min[];
extern op_loop *const coll_op_sum[];
extern op_loop *const coll_op_prod[];
extern op_loop *const coll_op_land[];
extern op_loop *const coll_op_band[];
extern op_loop *const coll_op_lor[];
extern op_loop *const coll_op_bor[];
extern op_loop *const coll_op_lxor[];
extern op_loop *const coll_op_bxor[];
extern op_loop *const coll_op_maxloc[];
extern op_loop *const coll_op_minloc[];
extern op_loop *const coll_op_none[];

#endif
