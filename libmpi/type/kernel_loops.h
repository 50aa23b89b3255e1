// SPDX-License-Identifier: BSD-3-Clause
/* kernel_loops.h - the loops of kernel.h, written once.  Each includer gets them for all sizes and
 * both directions.  LOOPS_TARGET says for which processor: kernel.c for any, kernel_wide_os.c for
 * one with registers of 32 bytes (LOOPS_WIDE 1).
 *
 *      size b   1 2 3 4 5 6 7 8 12 16 24 32 48 64              a fixed number of loads and stores
 *               9..15  17..31  33..63  65..96  97..128         two moves that overlap in the middle
 *               more                                           memcpy
 *
 * move() is inlined with constant arguments, so each loop has the few instructions that its size
 * needs. Files that include this are built with -O3. */
#ifndef HAFT_TYPE_KERNEL_LOOPS_H
#define HAFT_TYPE_KERNEL_LOOPS_H

#include "libmpi/type/kernel.h"

#include "libobj/base.h"
#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* 32 bytes at any address: one load and one store where the target can, else two. */
typedef char piece32 __attribute__((vector_size(32), aligned(1), may_alias));

/* Moves a constant number of bytes. */
ALWAYS_INLINE void kernel_fixed(char *to, const char *from, size_t size)
{
	if (size % 32 != 0)
		memcpy(to, from, size);
	else
		for (size_t i = 0; i < size; i += 32)
			*(piece32 *)(to + i) = *(const piece32 *)(from + i);
}

/* Moves b bytes.  `size', a constant, is b itself or the end of the range that b is in. */
ALWAYS_INLINE void move(enum plan_direction dir, size_t size, char *mem, char *packed, size_t b)
{
	char *to = dir == PLAN_PACK ? packed : mem;
	const char *from = dir == PLAN_PACK ? mem : packed;
	size_t head, tail;

	switch (size) {
	case 15: head = tail = 8; break;
	case 31: head = tail = 16; break;
	case 63: head = tail = 32; break;
	case 96: head = 64, tail = 32; break;
	case 128: head = tail = 64; break;
	case SIZE_MAX: memcpy(to, from, b); return;
	default: kernel_fixed(to, from, size); return;
	}
	kernel_fixed(to, from, head);
	kernel_fixed(to + b - tail, from + b - tail, tail);
}

/* Moves four blocks, `mstep' apart in memory and `pstep' in packed form. */
ALWAYS_INLINE void kernel_move4(enum plan_direction dir, size_t size, char *restrict mem,
	int64_t mstep, char *restrict packed, int64_t pstep, size_t b)
{
	move(dir, size, mem, packed, b);
	move(dir, size, mem + mstep, packed + pstep, b);
	move(dir, size, mem + 2 * mstep, packed + 2 * pstep, b);
	move(dir, size, mem + 3 * mstep, packed + 3 * pstep, b);
}

typedef double pair __attribute__((vector_size(16)));

/* Packs two blocks of 8 bytes with one store. */
ALWAYS_INLINE void kernel_gather2(const char *mem, int64_t mstep, char *packed)
{
	double a, b;
	pair both;

	memcpy(&a, mem, 8);
	memcpy(&b, mem + mstep, 8);
	both = (pair){a, b};
	memcpy(packed, &both, 16);
}

typedef double quad __attribute__((vector_size(32)));

/* Packs every other one of 7 doubles.  The second load begins in a gap, so that one instruction
 * combines both.  Reads only between the first block and the last. */
ALWAYS_INLINE void kernel_gather4(const char *mem, char *packed)
{
	quad a, b;

	memcpy(&a, mem, 32);
	memcpy(&b, mem + 24, 32);
	a = __builtin_shufflevector(a, b, 0, 5, 2, 7);
	a = __builtin_shufflevector(a, a, 0, 2, 1, 3);
	memcpy(packed, &a, 32);
}

/* Moves four blocks that are packed without gaps. */
ALWAYS_INLINE void kernel_row4(bool wide, enum plan_direction dir, size_t size, char *restrict mem,
	int64_t mstep, char *restrict packed, size_t b)
{
	if (wide && dir == PLAN_PACK && size == 8 && mstep == 16) {
		kernel_gather4(mem, packed);
	} else if (dir == PLAN_PACK && size == 8) {
		kernel_gather2(mem, mstep, packed);
		kernel_gather2(mem + 2 * mstep, mstep, packed + 16);
	} else {
		kernel_move4(dir, size, mem, mstep, packed, (int64_t)b, b);
	}
}

/* Moves n blocks of b bytes, `step' bytes apart in memory, side by side in packed. */
ALWAYS_INLINE void row(bool wide, enum plan_direction dir, size_t size, char *restrict mem,
	char *restrict packed, int64_t n, int64_t step, size_t b)
{
	for (; size <= 64 && n >= 4; n -= 4, mem += 4 * step, packed += 4 * b)
		kernel_row4(wide, dir, size, mem, step, packed, b);
	for (; n > 0; n--, mem += step, packed += b)
		move(dir, size, mem, packed, b);
}

#define AHEAD        1024 /* bytes to prefetch ahead where a cache line holds several blocks */
#define BLOCKS_AHEAD 16   /* blocks to prefetch ahead where it does not */

/* Prefetches the line `off' bytes from mem, whether that address exists or not. */
ALWAYS_INLINE void kernel_prefetch(enum plan_direction dir, const char *mem, int64_t off)
{
	const void *line = (const void *)((uintptr_t)mem + (uintptr_t)off);

	if (dir == PLAN_PACK)
		__builtin_prefetch(line, 0, 3);
	else
		__builtin_prefetch(line, 1, 3);
}

/* A row in memory that the caches do not hold. */
ALWAYS_INLINE void streaming(bool wide, enum plan_direction dir, size_t size, char *restrict mem,
	char *restrict packed, int64_t n, int64_t step, size_t b)
{
	bool own = step > 16 || step < -16; /* each block has a line of its own */
	int64_t ahead = type_plan_advance(BLOCKS_AHEAD, step);

	if (step > -64 && step < 64)
		ahead = step < 0 ? -AHEAD : AHEAD;
	for (; size <= 64 && n >= 4; n -= 4, mem += 4 * step, packed += 4 * b) {
		kernel_prefetch(dir, mem, ahead);
		for (int i = 1; i < 4 && own; i++)
			kernel_prefetch(dir, mem, ahead + type_plan_advance(i, step));
		kernel_row4(wide, dir, size, mem, step, packed, b);
	}
	for (; n > 0; n--, mem += step, packed += b)
		move(dir, size, mem, packed, b);
}

/* As row, for blocks that are pstep bytes apart in packed. */
ALWAYS_INLINE void comb(enum plan_direction dir, size_t size, char *restrict mem,
	char *restrict packed, int64_t n, int64_t mstep, int64_t pstep, size_t b)
{
	for (; n >= 4; n -= 4, mem += 4 * mstep, packed += 4 * pstep)
		kernel_move4(dir, size, mem, mstep, packed, pstep, b);
	for (; n > 0; n--, mem += mstep, packed += pstep)
		move(dir, size, mem, packed, b);
}

/* Written once for both widths of offsets. */
#define LIST(dir, size, mem, packed, n, off, b)                             \
	do {                                                                \
		for (; n >= 4; n -= 4, off += 4, packed += 4 * (b)) {       \
			move(dir, size, mem + off[0], packed, b);           \
			move(dir, size, mem + off[1], packed + (b), b);     \
			move(dir, size, mem + off[2], packed + 2 * (b), b); \
			move(dir, size, mem + off[3], packed + 3 * (b), b); \
		}                                                           \
		for (; n > 0; n--, off++, packed += (b))                    \
			move(dir, size, mem + off[0], packed, b);           \
	} while (0)

/* All sizes in the order of the table, and the length that each loop moves. */
#define SIZES(X, dir)  \
	X(dir, 1, 1)   \
	X(dir, 2, 2)   \
	X(dir, 3, 3)   \
	X(dir, 4, 4)   \
	X(dir, 5, 5)   \
	X(dir, 6, 6)   \
	X(dir, 7, 7)   \
	X(dir, 8, 8)   \
	X(dir, 15, b)  \
	X(dir, 12, 12) \
	X(dir, 16, 16) \
	X(dir, 31, b)  \
	X(dir, 24, 24) \
	X(dir, 32, 32) \
	X(dir, 63, b)  \
	X(dir, 48, 48) \
	X(dir, 64, 64) \
	X(dir, 96, b)  \
	X(dir, 128, b) \
	X(dir, SIZE_MAX, b)

#define LOOPS(dir, size, len)                                                                   \
	LOOPS_TARGET static void row_##dir##_##size(                                            \
		char *mem, char *packed, int64_t n, int64_t step, size_t b)                     \
	{                                                                                       \
		(void)b;                                                                        \
		row(LOOPS_WIDE, PLAN_##dir, size, mem, packed, n, step, len);                   \
	}                                                                                       \
	LOOPS_TARGET static void streaming_##dir##_##size(                                      \
		char *mem, char *packed, int64_t n, int64_t step, size_t b)                     \
	{                                                                                       \
		(void)b;                                                                        \
		streaming(LOOPS_WIDE, PLAN_##dir, size, mem, packed, n, step, len);             \
	}                                                                                       \
	LOOPS_TARGET static void grid_##dir##_##size(char *mem, char *packed, int64_t rows,     \
		int64_t mrow, int64_t prow, int64_t n, int64_t step, size_t b)                  \
	{                                                                                       \
		(void)b;                                                                        \
		for (int64_t r = 0; r < rows; r++)                                              \
			row(LOOPS_WIDE, PLAN_##dir, size, mem + r * mrow, packed + r * prow, n, \
				step, len);                                                     \
	}                                                                                       \
	LOOPS_TARGET static void comb_##dir##_##size(                                           \
		char *mem, char *packed, int64_t n, int64_t mstep, int64_t pstep, size_t b)     \
	{                                                                                       \
		(void)b;                                                                        \
		comb(PLAN_##dir, size, mem, packed, n, mstep, pstep, len);                      \
	}                                                                                       \
	LOOPS_TARGET static void list_##dir##_##size(                                           \
		char *mem, char *packed, int64_t n, const int64_t *off, size_t b)               \
	{                                                                                       \
		(void)b;                                                                        \
		LIST(PLAN_##dir, size, mem, packed, n, off, len);                               \
	}                                                                                       \
	LOOPS_TARGET static void list32_##dir##_##size(                                         \
		char *mem, char *packed, int64_t n, const int32_t *off, size_t b)               \
	{                                                                                       \
		(void)b;                                                                        \
		LIST(PLAN_##dir, size, mem, packed, n, off, len);                               \
	}

#define ROW(dir, size, len)                                                                      \
	{row_##dir##_##size, streaming_##dir##_##size, grid_##dir##_##size, comb_##dir##_##size, \
		list_##dir##_##size, list32_##dir##_##size},

#define LOOPS_TABLE                        \
	{                                  \
		{SIZES(ROW, PACK)},        \
		{                          \
			SIZES(ROW, UNPACK) \
		}                          \
	}

#endif
