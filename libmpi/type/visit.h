// SPDX-License-Identifier: BSD-3-Clause
/* visit.h - the types that a type is made of, the deepest first. */
#ifndef HAFT_TYPE_VISIT_H
#define HAFT_TYPE_VISIT_H

#include "libmpi/core/type_object.h"

typedef bool type_done_fn(const struct type *t);
typedef int type_make_fn(struct type *t);

/* type_visit calls make for t, and before that for all types inside it for which `done' is false,
 * inner types first. done must be true of a type after make.  No recursion: types nest as deep as
 * users like.  Returns the first error of make, or MPI_ERR_NO_MEM. */
int type_visit(struct type *t, type_done_fn *done, type_make_fn *make);

#endif
