// SPDX-License-Identifier: BSD-3-Clause
/* kern.c - the loops of kern.h, written once and made for each size and direction.
 *
 *      size b   1 2 3 4 5 6 7 8 12 16 24 32 48 64       a fixed number of loads and stores
 *               9..15  17..31  33..63  65..128          two halves that overlap in the middle
 *               more                                    memcpy
 *
 * move() is inlined with constant arguments, so each loop has the few instructions that its size
 * needs.  This file is built with -O3. */
#include "libmpi/type/kern.h"

#include "libobj/base.h"
#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Moves b bytes; `size' (a constant) says how: b itself, or the end of the range that b is in. */
ALWAYS_INLINE void move(enum plan_way way, size_t size, char *mem, char *packed, size_t b)
{
	char *to = way == PLAN_PACK ? packed : mem;
	const char *from = way == PLAN_PACK ? mem : packed;
	size_t half;

	switch (size) {
	case 15: half = 8; break;
	case 31: half = 16; break;
	case 63: half = 32; break;
	case 128: half = 64; break;
	case SIZE_MAX: memcpy(to, from, b); return;
	default: memcpy(to, from, size); return;
	}
	memcpy(to, from, half);
	memcpy(to + b - half, from + b - half, half);
}

ALWAYS_INLINE void grid(enum plan_way way, size_t size, char *mem, char *packed, int64_t rows,
	int64_t mrow, int64_t prow, int64_t n, int64_t step, size_t b)
{
	for (int64_t r = 0; r < rows; r++) {
		char *m = mem + r * mrow, *p = packed + r * prow;

		for (int64_t i = 0; i < n; i++)
			move(way, size, m + i * step, p + (size_t)i * b, b);
	}
}

ALWAYS_INLINE void comb(enum plan_way way, size_t size, char *mem, char *packed, int64_t n,
	int64_t mstep, int64_t pstep, size_t b)
{
	for (int64_t i = 0; i < n; i++)
		move(way, size, mem + i * mstep, packed + i * pstep, b);
}

ALWAYS_INLINE void list(enum plan_way way, size_t size, char *mem, char *packed, int64_t n,
	const int64_t *off, size_t b)
{
	for (int64_t i = 0; i < n; i++)
		move(way, size, mem + off[i], packed + (size_t)i * b, b);
}

ALWAYS_INLINE void list32(enum plan_way way, size_t size, char *mem, char *packed, int64_t n,
	const int32_t *off, size_t b)
{
	for (int64_t i = 0; i < n; i++)
		move(way, size, mem + off[i], packed + (size_t)i * b, b);
}

/* All sizes in the order of the table, and the length that each loop moves. */
#define SIZES(X, way)  \
	X(way, 1, 1)   \
	X(way, 2, 2)   \
	X(way, 3, 3)   \
	X(way, 4, 4)   \
	X(way, 5, 5)   \
	X(way, 6, 6)   \
	X(way, 7, 7)   \
	X(way, 8, 8)   \
	X(way, 15, b)  \
	X(way, 12, 12) \
	X(way, 16, 16) \
	X(way, 31, b)  \
	X(way, 24, 24) \
	X(way, 32, 32) \
	X(way, 63, b)  \
	X(way, 48, 48) \
	X(way, 64, 64) \
	X(way, 128, b) \
	X(way, SIZE_MAX, b)

#define LOOPS(way, size, len)                                                                \
	static void grid_##way##_##size(char *mem, char *packed, int64_t rows, int64_t mrow, \
		int64_t prow, int64_t n, int64_t step, size_t b)                             \
	{                                                                                    \
		(void)b;                                                                     \
		grid(PLAN_##way, size, mem, packed, rows, mrow, prow, n, step, len);         \
	}                                                                                    \
	static void comb_##way##_##size(                                                     \
		char *mem, char *packed, int64_t n, int64_t mstep, int64_t pstep, size_t b)  \
	{                                                                                    \
		(void)b;                                                                     \
		comb(PLAN_##way, size, mem, packed, n, mstep, pstep, len);                   \
	}                                                                                    \
	static void list_##way##_##size(                                                     \
		char *mem, char *packed, int64_t n, const int64_t *off, size_t b)            \
	{                                                                                    \
		(void)b;                                                                     \
		list(PLAN_##way, size, mem, packed, n, off, len);                            \
	}                                                                                    \
	static void list32_##way##_##size(                                                   \
		char *mem, char *packed, int64_t n, const int32_t *off, size_t b)            \
	{                                                                                    \
		(void)b;                                                                     \
		list32(PLAN_##way, size, mem, packed, n, off, len);                          \
	}
SIZES(LOOPS, PACK)
SIZES(LOOPS, UNPACK)

#define ROW(way, size, len) \
	{grid_##way##_##size, comb_##way##_##size, list_##way##_##size, list32_##way##_##size},

static const struct kern kerns[2][19] = {{SIZES(ROW, PACK)}, {SIZES(ROW, UNPACK)}};

/* Row of the table for blocks of 0 .. 64 bytes. */
static const uint8_t row_of[65] = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 9, 8, 8, 8, 10, 11, 11, 11,
	11, 11, 11, 11, 12, 11, 11, 11, 11, 11, 11, 11, 13, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
	14, 14, 14, 14, 14, 15, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 16};

const struct kern *kern_of(enum plan_way way, int64_t b)
{
	int row = b <= 64 ? row_of[b] : b <= 128 ? 17 : 18;

	return &kerns[way][row];
}
