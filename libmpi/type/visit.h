// SPDX-License-Identifier: BSD-3-Clause
/* visit.h - the types that a type is made of, the deepest first. */
#ifndef HAFT_TYPE_VISIT_H
#define HAFT_TYPE_VISIT_H

#include "libmpi/core/type_object.h"

typedef bool type_done_fn(const struct type *t);
typedef int type_make_fn(struct type *t);

/* type_visit calls make for t and before that for all types inside it for which `done' says no,
 * each after its own kids; done says yes afterwards.  Types nest as deep as users like: no
 * recursion. Returns the first error of make, or MPI_ERR_NO_MEM. */
int type_visit(struct type *t, type_done_fn *done, type_make_fn *make);

#endif
