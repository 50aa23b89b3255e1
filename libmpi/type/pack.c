// SPDX-License-Identifier: BSD-3-Clause
/* pack.c - between an element's memory and the packed form, for any range of bytes.
 *
 *     dense ──> memcpy        else ──> the type's plan (plan.h), which move.c executes */
#include "libmpi/type/type.h"
#include "libmpi/core/err.h"
#include "libmpi/type/plan.h"
#include <string.h>

#define COPY_CHUNK \
	4096 /* bytes on the stack that a copy between two types with gaps goes through */

void type_pack_part(const struct type *type, const void *buf, int64_t at, void *dst, int64_t n)
{
	if (type->dense)
		memcpy(dst, (const char *)buf + at, (size_t)n);
	else if (n > 0)
		plan_move(type->plan, PLAN_PACK, (char *)(uintptr_t)buf, type->extent, at, dst, n);
}

void type_unpack_part(const struct type *type, void *buf, int64_t at, const void *src, int64_t n)
{
	if (type->dense)
		memcpy((char *)buf + at, src, (size_t)n);
	else if (n > 0)
		plan_move(
			type->plan, PLAN_UNPACK, buf, type->extent, at, (char *)(uintptr_t)src, n);
}

int type_copy(const void *src, int64_t scount, const struct type *stype, void *dst, int64_t rcount,
	const struct type *rtype)
{
	int64_t n = scount * stype->size;
	char part[COPY_CHUNK];

	if (n > rcount * rtype->size)
		return haft_err(MPI_ERR_TRUNCATE, "%lld bytes do not fit into room for %lld",
			(long long)n, (long long)(rcount * rtype->size));
	if (n == 0)
		return 0;
	if (stype->dense) {
		type_unpack(rtype, dst, rcount, 0, src, n);
		return 0;
	}
	if (rtype->dense) {
		type_pack(stype, src, scount, 0, dst, n);
		return 0;
	}
	for (int64_t at = 0, m; at < n; at += m) {
		m = n - at < COPY_CHUNK ? n - at : COPY_CHUNK;
		type_pack(stype, src, scount, at, part, m);
		type_unpack(rtype, dst, rcount, at, part, m);
	}
	return 0;
}
