// SPDX-License-Identifier: BSD-3-Clause
/* scale.h - a datatype in the units of another data representation (MPI-5.0 2.4, 14.5).
 *
 *      memory, MPI_LONG          | l l l l l l l l | . . . . . . . . | l l l l l l l l |   vector
 *      file, "external32"        | l l l l | . . . . | l l l l |                           scaled
 *
 * A portable type is a predefined one, or made of a portable one by contiguous, vector, indexed,
 * indexed_block, subarray, dup or darray.  Its displacements and bounds are numbers of elements, so
 * they are scaled.  Of any other type displacements and bounds remain as in memory. */
#ifndef HAFT_TYPE_SCALE_H
#define HAFT_TYPE_SCALE_H

#include "libmpi/core/type_object.h"

/* Bytes of a predefined type in the representation; -CLASS: an error with words (haft_err). */
typedef int64_t type_extent_fn(void *arg, const struct type *basic);

/* True for the portable types of 14.1.1: their displacements can be scaled. */
bool type_is_portable(const struct type *t);

/* type_scaled makes the type whose elements are those of t in a file: the data of each predefined
 * type is `extent' bytes of MPI_BYTE.  Pairs are asked for as one type.  *scaled is committed; it
 * is t itself if nothing differs.  The caller drops it.  0; MPI_ERR_NO_MEM, MPI_ERR_ARG (a number
 * exceeds 64 bits), or the class that `extent' has returned.  Under the library's lock. */
int type_scaled(struct type *t, type_extent_fn *extent, void *arg, struct type **scaled);

#endif
