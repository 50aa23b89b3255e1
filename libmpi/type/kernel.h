// SPDX-License-Identifier: BSD-3-Clause
/* kernel.h - the innermost loops of packing, one set for each block size and direction.
 *
 *      row        mem: xx..xx..xx                   blocks with a stride; packed without gaps
 *      streaming  mem: xx..xx..xx                   as row, with prefetches: for uncached memory
 *      grid       mem: xx..xx..xx....xx..xx..xx     rows of blocks; a row is packed without gaps
 *      comb       mem: xx......xx......xx           a field of a row of records: gaps on both sides
 *      list       mem: xx...xx.xx                   offsets in a list; packed without gaps
 *
 * The loops of a set move `b' bytes at once.  The compiler knows b for the sizes that programs
 * have: loads and stores, no call of memcpy. */
#ifndef HAFT_TYPE_KERNEL_H
#define HAFT_TYPE_KERNEL_H

#include "libmpi/type/pack_plan.h"

#include "libobj/base.h"
#include <stdatomic.h>

struct type_kernel {
	/* one row of n blocks, `step' apart in memory */
	void (*row)(char *mem, char *packed, int64_t n, int64_t step, size_t b);
	void (*streaming)(char *mem, char *packed, int64_t n, int64_t step, size_t b);
	/* rows: `rows' of them, `mrow' bytes apart in memory and `prow' bytes packed; in each n
	 * blocks, `step' apart. */
	void (*grid)(char *mem, char *packed, int64_t rows, int64_t mrow, int64_t prow, int64_t n,
		int64_t step, size_t b);
	void (*comb)(char *mem, char *packed, int64_t n, int64_t mstep, int64_t pstep, size_t b);
	void (*list)(char *mem, char *packed, int64_t n, const int64_t *off, size_t b);
	void (*list32)(char *mem, char *packed, int64_t n, const int32_t *off, size_t b);
};

#define KERNEL_SMALL 64 /* bytes; up to here type_kernel_row has a block's row */
#define KERNEL_ROWS  20

/* type_kernel_table: [enum plan_direction], the loops in use.  type_kernel_open chooses those of
 * this processor.  It is called under the library's lock when a derived type is made, so that a
 * program without such types does not ask the processor.  Predefined pairs may be packed meanwhile:
 * both tables do the same, so the order of the pointer's store does not matter. */
extern const struct type_kernel (*_Atomic type_kernel_table)[KERNEL_ROWS];
extern const struct type_kernel type_kernel_any[2][KERNEL_ROWS]; /* for any processor */
extern const uint8_t type_kernel_row[KERNEL_SMALL + 1];
void type_kernel_open(void);

/* The loops for processors with wide registers; NULL: this is not one. */
const struct type_kernel (*type_kernel_wide(void))[KERNEL_ROWS];

/* The loops for blocks of b bytes, b > 0. */
static inline const struct type_kernel *type_kernel_of(enum plan_direction dir, int64_t b)
{
	const struct type_kernel(*table)[KERNEL_ROWS] =
		atomic_load_explicit(&type_kernel_table, memory_order_relaxed);

	return &table[dir][b <= KERNEL_SMALL ? type_kernel_row[b]
			   : b <= 96         ? 17
			   : b <= 128        ? 18
					     : 19];
}

/* Moves the innermost dim of a nest without leaf. */
static inline void type_kernel_move_row(
	const struct type_plan *p, enum plan_direction dir, char *mem, char *packed)
{
	const struct type_kernel *k = type_kernel_of(dir, p->block);

	(unlikely(p->streaming) ? k->streaming : k->row)(
		mem, packed, p->dim[0].n, p->dim[0].stride, (size_t)p->block);
}

#endif
