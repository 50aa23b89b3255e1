// SPDX-License-Identifier: BSD-3-Clause
/* walk.h - packing by walking the shape: for types without a plan.  As type_pack_part and
 * type_unpack_part. */
#ifndef HAFT_TYPE_WALK_H
#define HAFT_TYPE_WALK_H

#include "libmpi/core/mpo.h"

void walk_pack(const struct type *type, const void *buf, int64_t at, void *dst, int64_t n);
void walk_unpack(const struct type *type, void *buf, int64_t at, const void *src, int64_t n);

#endif
