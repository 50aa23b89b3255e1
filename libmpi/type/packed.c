// SPDX-License-Identifier: BSD-3-Clause
/* packed.c - between an element's memory and the packed form, for any range of bytes.
 *
 *     dense ──> memcpy        else ──> the type's plan (pack_plan.h), executed by plan_execute.c */
#include "libmpi/type/type.h"
#include "libmpi/core/err.h"
#include "libmpi/type/kernel.h"
#include <string.h>

/* Bytes on the stack through which types of different structure are copied. */
#define COPY_CHUNK MEAN_OR(32, 4096)

/* Is the data of [at, at + n) contiguous, as in one element without inner gaps? */
static inline bool packed_is_contiguous(const struct type *type, int64_t at, int64_t n)
{
	return type->dense || (type->solid && at + n <= type->size);
}

/* An address in the data, also if the type is absolute and buf is NULL. */
static inline char *packed_at(const struct type *type, const void *buf, int64_t at)
{
	return (char *)((uintptr_t)buf + (uintptr_t)(type->true_lb + at));
}

/* Is it one whole element that is one loop?  Short messages often are, and then each step
 * counts. */
static inline bool packed_is_row(const struct type_plan *p, int64_t at, int64_t n)
{
	return p->kind == PLAN_NEST && p->dims == 1 && p->leaf == NULL && at == 0 && n == p->size;
}

void type_pack_part(const struct type *type, const void *buf, int64_t at, void *dst, int64_t n)
{
	if (packed_is_contiguous(type, at, n))
		memcpy(dst, packed_at(type, buf, at), (size_t)n);
	else if (n > 0 && packed_is_row(type->plan, at, n))
		type_kernel_move_row(type->plan, PLAN_PACK,
			(char *)((uintptr_t)buf + (uintptr_t)type->plan->off), dst);
	else if (n > 0)
		type_plan_move(
			type->plan, PLAN_PACK, (char *)(uintptr_t)buf, type->extent, at, dst, n);
}

void type_unpack_part(const struct type *type, void *buf, int64_t at, const void *src, int64_t n)
{
	if (packed_is_contiguous(type, at, n))
		memcpy(packed_at(type, buf, at), src, (size_t)n);
	else if (n > 0 && packed_is_row(type->plan, at, n))
		type_kernel_move_row(type->plan, PLAN_UNPACK,
			(char *)((uintptr_t)buf + (uintptr_t)type->plan->off),
			(char *)(uintptr_t)src);
	else if (n > 0)
		type_plan_move(
			type->plan, PLAN_UNPACK, buf, type->extent, at, (char *)(uintptr_t)src, n);
}

void type_pack_whole(const struct type *type, const void *buf, int64_t count, void *dst)
{
	if (packed_is_row(type->plan, 0, count * type->size))
		type_kernel_move_row(type->plan, PLAN_PACK,
			(char *)((uintptr_t)buf + (uintptr_t)type->plan->off), dst);
	else
		type_plan_move_whole(
			type->plan, PLAN_PACK, (char *)(uintptr_t)buf, type->extent, count, dst);
}

void type_unpack_whole(const struct type *type, void *buf, int64_t count, const void *src)
{
	char *packed = (char *)(uintptr_t)src;

	if (packed_is_row(type->plan, 0, count * type->size))
		type_kernel_move_row(type->plan, PLAN_UNPACK,
			(char *)((uintptr_t)buf + (uintptr_t)type->plan->off), packed);
	else
		type_plan_move_whole(type->plan, PLAN_UNPACK, buf, type->extent, count, packed);
}

void type_copy_bytes(
	const void *src, const struct type *stype, void *dst, const struct type *rtype, int64_t n)
{
	char part[COPY_CHUNK];

	if (stype->dense) {
		type_unpack_part(rtype, dst, 0, src, n);
		return;
	}
	if (rtype->dense) {
		type_pack_part(stype, src, 0, dst, n);
		return;
	}
	if (n % stype->size == 0 && type_plan_copy(stype->plan, src, stype->extent, rtype->plan,
					    dst, rtype->extent, n / stype->size))
		return;
	for (int64_t at = 0, m; at < n; at += m) {
		m = n - at < COPY_CHUNK ? n - at : COPY_CHUNK;
		type_pack_part(stype, src, at, part, m);
		type_unpack_part(rtype, dst, at, part, m);
	}
}

int type_copy(const void *src, int64_t scount, const struct type *stype, void *dst, int64_t rcount,
	const struct type *rtype)
{
	int64_t n = scount * stype->size;

	if (n > rcount * rtype->size)
		return haft_err(MPI_ERR_TRUNCATE, "%lld bytes do not fit into room for %lld",
			(long long)n, (long long)(rcount * rtype->size));
	if (n > 0)
		type_copy_bytes(src, stype, dst, rtype, n);
	return 0;
}
