// SPDX-License-Identifier: BSD-3-Clause
/* op.h - reduction operations: what MPI_SUM and a user's function do to two arrays.
 *
 *      op_apply(op, in, inout, n, type):     inout[i] = in[i] op inout[i]      for n elements
 *
 *                    predefined: loops[type->basic]         user's: fn(in, inout, &n, &type's handle)
 *
 * `in' is the operand of the lower ranks: operations need not commute.
 *
 * Invariants
 *  - Predefined operations are permanent objects on the ABI's numbers and commute; which basic types
 *    one takes is the non-NULL entries of its row of loops, and nothing else.
 *  - op_check is called once a collective call, before any data moves; op_apply checks nothing. */
#ifndef HAFT_COLL_OP_H
#define HAFT_COLL_OP_H

#include "libmpi/core/mpo.h"

/* op_open registers the predefined operations; haft_objects_open has opened their class.  The second
 * call and later ones do nothing.  0 or MPI_ERR_NO_MEM.  One thread at a time. */
int op_open(void);

/* May op be applied to elements of this type?  0, or MPI_ERR_OP with words that say why not.  Any
 * thread. */
int op_check(const struct op *op, const struct type *type);

/* inout[i] = in[i] op inout[i] for n >= 0 elements.  op_check has said 0.  Areas are aligned for the
 * type and do not overlap.  Runs the user's function: hold no lock. */
void op_apply(const struct op *op, const void *in, void *inout, int64_t n, struct type *type);

/* The loops of a predefined operation, made in loops.c: [BASIC_COUNT], NULL where not allowed. */
extern op_loop *const op_max[],
	*const op_min[],
		*const op_sum[],
			*const op_prod[],
				*const op_land[],
					*const op_band[],
						*const op_lor[],
							*const op_bor[],
								*const op_lxor[],
									*const op_bxor[],
										*const op_maxloc[],
											*const op_minloc[],
												*const op_none
													[];

#endif
