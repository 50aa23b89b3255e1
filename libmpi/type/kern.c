// SPDX-License-Identifier: BSD-3-Clause
/* kern.c - the loops of loops.h as every processor of the architecture can run them, and which ones
 * are used. */
#include "libmpi/type/kern.h"

#define LOOPS_WIDE 0
#define LOOPS_TARGET
#include "libmpi/type/loops.h"
SIZES(LOOPS, PACK)
SIZES(LOOPS, UNPACK)

const struct kern kern_any[2][KERN_ROWS] = LOOPS_TABLE;

const struct kern (*kern_table)[KERN_ROWS] = kern_any;

const uint8_t kern_row[KERN_SMALL + 1] = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 9, 8, 8, 8, 10, 11,
	11, 11, 11, 11, 11, 11, 12, 11, 11, 11, 11, 11, 11, 11, 13, 14, 14, 14, 14, 14, 14, 14, 14,
	14, 14, 14, 14, 14, 14, 14, 15, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
	16};

void kern_open(void)
{
	const struct kern(*wide)[KERN_ROWS] = kern_os_wide();

	if (wide != NULL)
		kern_table = wide;
}
