// SPDX-License-Identifier: BSD-3-Clause
/* op_pair.c - MPI_MAXLOC and MPI_MINLOC on pairs that have no loop of their own: any value with any
 * index (MPI-5.0 6.9.4, MPI_Type_get_value_index).
 *
 *      element   | value | gap | index | gap |       two comparisons, each by the basic type
 *
 * Of equal values the smaller index wins; otherwise the pair with the greater (MAXLOC) or smaller
 * value does. */
#include "libmpi/coll/reduce_op.h"

#include "libmpi/type/type.h"
#include <string.h>

__extension__ typedef __int128 int128;
typedef float float128 __attribute__((mode(TF)));

/* The order of *a and *b; UNORDERED: one of them is not a number. */
enum order { LESS = -1, EQUAL, GREATER, UNORDERED };

#define COMPARE(name, type)                                                         \
	static enum order compare_##name(const void *a, const void *b)              \
	{                                                                           \
		type x, y;                                                          \
                                                                                    \
		memcpy(&x, a, sizeof(x));                                           \
		memcpy(&y, b, sizeof(y));                                           \
		return x < y ? LESS : x > y ? GREATER : x == y ? EQUAL : UNORDERED; \
	}

COMPARE(INT8, int8_t)
COMPARE(INT16, int16_t)
COMPARE(INT32, int32_t)
COMPARE(INT64, int64_t)
COMPARE(INT128, int128)
COMPARE(UINT8, uint8_t)
COMPARE(UINT16, uint16_t)
COMPARE(UINT32, uint32_t)
COMPARE(UINT64, uint64_t)
COMPARE(FLOAT, float)
COMPARE(DOUBLE, double)
COMPARE(LDOUBLE, long double)
COMPARE(FLOAT128, float128)

/* Sign and magnitude order as the numbers do; converted to two's complement. */
static enum order compare_FLOAT16(const void *a, const void *b)
{
	uint16_t h[2];
	int x[2];

	memcpy(&h[0], a, sizeof(h[0]));
	memcpy(&h[1], b, sizeof(h[1]));
	for (int i = 0; i < 2; i++) {
		x[i] = h[i] & 0x7fff;
		if (x[i] > 0x7c00)
			return UNORDERED;
		if (h[i] & 0x8000)
			x[i] = -x[i];
	}
	return x[0] < x[1] ? LESS : x[0] > x[1] ? GREATER : EQUAL;
}

typedef enum order compare_fn(const void *a, const void *b);

#define ROW(name) [BASIC_##name] = compare_##name
static compare_fn *const compare[BASIC_COUNT] = {ROW(INT8), ROW(INT16), ROW(INT32), ROW(INT64),
	ROW(INT128), ROW(UINT8), ROW(UINT16), ROW(UINT32), ROW(UINT64), ROW(FLOAT), ROW(DOUBLE),
	ROW(LDOUBLE), ROW(FLOAT16), ROW(FLOAT128)};

void coll_op_pair(
	const void *a, const void *b, void *out, int64_t n, const struct type *pair, bool greater)
{
	const struct type *value, *index;
	enum order want = greater ? GREATER : LESS;

	type_pair_parts(pair, &value, &index);
	for (int64_t i = 0; i < n; i++) {
		const char *x = (const char *)a + i * pair->extent;
		const char *y = (const char *)b + i * pair->extent;
		enum order c = compare[value->basic](x, y);

		if (c == EQUAL)
			c = compare[index->basic](x + pair->part[1].off, y + pair->part[1].off) ==
					    GREATER
				    ? UNORDERED
				    : want;
		memmove((char *)out + i * pair->extent, c == want ? x : y, (size_t)pair->extent);
	}
}
