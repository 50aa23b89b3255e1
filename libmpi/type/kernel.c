// SPDX-License-Identifier: BSD-3-Clause
/* kernel.c - the loops of kernel_loops.h for any processor of the architecture, and the choice
 * of those in use. */
#include "libmpi/type/kernel.h"

#define LOOPS_WIDE 0
#define LOOPS_TARGET
#include "libmpi/type/kernel_loops.h"
SIZES(LOOPS, PACK)
SIZES(LOOPS, UNPACK)

const struct type_kernel type_kernel_any[2][KERNEL_ROWS] = LOOPS_TABLE;

const struct type_kernel (*_Atomic type_kernel_table)[KERNEL_ROWS] = type_kernel_any;

const uint8_t type_kernel_row[KERNEL_SMALL + 1] = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 9, 8, 8, 8,
	10, 11, 11, 11, 11, 11, 11, 11, 12, 11, 11, 11, 11, 11, 11, 11, 13, 14, 14, 14, 14, 14, 14,
	14, 14, 14, 14, 14, 14, 14, 14, 14, 15, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
	14, 14, 16};

void type_kernel_open(void)
{
	static bool chosen;
	const struct type_kernel(*wide)[KERNEL_ROWS];

	if (chosen)
		return;
	chosen = true;
	wide = type_kernel_wide();
	if (wide != NULL)
		atomic_store_explicit(&type_kernel_table, wide, memory_order_relaxed);
}
