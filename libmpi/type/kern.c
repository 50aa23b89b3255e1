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

/* Four blocks, `mstep' apart in memory and `pstep' packed. */
ALWAYS_INLINE void move4(enum plan_way way, size_t size, char *restrict mem, int64_t mstep,
	char *restrict packed, int64_t pstep, size_t b)
{
	move(way, size, mem, packed, b);
	move(way, size, mem + mstep, packed + pstep, b);
	move(way, size, mem + 2 * mstep, packed + 2 * pstep, b);
	move(way, size, mem + 3 * mstep, packed + 3 * pstep, b);
}

typedef double pair __attribute__((vector_size(16)));

/* Two blocks of 8 bytes in one store. */
ALWAYS_INLINE void gather2(const char *mem, int64_t mstep, char *packed)
{
	double a, b;
	pair both;

	memcpy(&a, mem, 8);
	memcpy(&b, mem + mstep, 8);
	both = (pair){a, b};
	memcpy(packed, &both, 16);
}

/* Four blocks that are packed without gaps. */
ALWAYS_INLINE void row4(enum plan_way way, size_t size, char *restrict mem, int64_t mstep,
	char *restrict packed, size_t b)
{
	if (way == PLAN_PACK && size == 8) {
		gather2(mem, mstep, packed);
		gather2(mem + 2 * mstep, mstep, packed + 16);
	} else {
		move4(way, size, mem, mstep, packed, (int64_t)b, b);
	}
}

ALWAYS_INLINE void grid(enum plan_way way, size_t size, char *mem, char *packed, int64_t rows,
	int64_t mrow, int64_t prow, int64_t n, int64_t step, size_t b)
{
	for (int64_t r = 0; r < rows; r++) {
		char *restrict m = mem + r * mrow, *restrict p = packed + r * prow;
		int64_t i = n;

		for (; i >= 4; i -= 4, m += 4 * step, p += 4 * b)
			row4(way, size, m, step, p, b);
		for (; i > 0; i--, m += step, p += b)
			move(way, size, m, p, b);
	}
}

ALWAYS_INLINE void comb(enum plan_way way, size_t size, char *restrict mem, char *restrict packed,
	int64_t n, int64_t mstep, int64_t pstep, size_t b)
{
	for (; n >= 4; n -= 4, mem += 4 * mstep, packed += 4 * pstep)
		move4(way, size, mem, mstep, packed, pstep, b);
	for (; n > 0; n--, mem += mstep, packed += pstep)
		move(way, size, mem, packed, b);
}

/* The same for both widths of offsets. */
#define LIST(way, size, mem, packed, n, off, b)                             \
	do {                                                                \
		for (; n >= 4; n -= 4, off += 4, packed += 4 * (b)) {       \
			move(way, size, mem + off[0], packed, b);           \
			move(way, size, mem + off[1], packed + (b), b);     \
			move(way, size, mem + off[2], packed + 2 * (b), b); \
			move(way, size, mem + off[3], packed + 3 * (b), b); \
		}                                                           \
		for (; n > 0; n--, off++, packed += (b))                    \
			move(way, size, mem + off[0], packed, b);           \
	} while (0)

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
		LIST(PLAN_##way, size, mem, packed, n, off, len);                            \
	}                                                                                    \
	static void list32_##way##_##size(                                                   \
		char *mem, char *packed, int64_t n, const int32_t *off, size_t b)            \
	{                                                                                    \
		(void)b;                                                                     \
		LIST(PLAN_##way, size, mem, packed, n, off, len);                            \
	}
SIZES(LOOPS, PACK)
SIZES(LOOPS, UNPACK)

#define ROW(way, size, len) \
	{grid_##way##_##size, comb_##way##_##size, list_##way##_##size, list32_##way##_##size},

const struct kern kern_table[2][KERN_ROWS] = {{SIZES(ROW, PACK)}, {SIZES(ROW, UNPACK)}};

const uint8_t kern_row[KERN_SMALL + 1] = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 9, 8, 8, 8, 10, 11,
	11, 11, 11, 11, 11, 11, 12, 11, 11, 11, 11, 11, 11, 11, 13, 14, 14, 14, 14, 14, 14, 14, 14,
	14, 14, 14, 14, 14, 14, 14, 15, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
	16};
