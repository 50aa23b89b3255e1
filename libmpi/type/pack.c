// SPDX-License-Identifier: BSD-3-Clause
/* pack.c - between an element's memory and the packed form, for any range of bytes.
 *
 *     at ──> element = at / size, offset in it = at % size ──> piece ──> min(rest of piece, n) ...
 */
#include "libmpi/type/type.h"
#include "libmpi/core/err.h"
#include "libmpi/type/walk.h"
#include <string.h>

#define COPY_CHUNK \
	4096 /* bytes on the stack that a copy between two types with gaps goes through */

/* Where byte `at' of the packed form is: its offset from the buffer's address; *run: bytes from
 * there that are one piece of memory. */
static int64_t place(const struct type *type, int64_t at, int64_t *run)
{
	int64_t elem = at / type->size;
	int64_t off = at - elem * type->size;
	const struct type_piece *p = type->piece;

	if (off >= p->len) {
		off -= p->len;
		p++;
	}
	*run = p->len - off;
	return elem * type->extent + p->off + off;
}

void type_pack_part(const struct type *type, const void *buf, int64_t at, void *dst, int64_t n)
{
	if (type->dense) {
		memcpy(dst, (const char *)buf + at, (size_t)n);
		return;
	}
	if (type->shape != NULL) {
		walk_pack(type, buf, at, dst, n);
		return;
	}
	while (n > 0) {
		int64_t run, off = place(type, at, &run);

		run = run < n ? run : n;
		memcpy(dst, (const char *)buf + off, (size_t)run);
		dst = (char *)dst + run;
		at += run;
		n -= run;
	}
}

void type_unpack_part(const struct type *type, void *buf, int64_t at, const void *src, int64_t n)
{
	if (type->dense) {
		memcpy((char *)buf + at, src, (size_t)n);
		return;
	}
	if (type->shape != NULL) {
		walk_unpack(type, buf, at, src, n);
		return;
	}
	while (n > 0) {
		int64_t run, off = place(type, at, &run);

		run = run < n ? run : n;
		memcpy((char *)buf + off, src, (size_t)run);
		src = (const char *)src + run;
		at += run;
		n -= run;
	}
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
