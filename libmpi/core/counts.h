// SPDX-License-Identifier: BSD-3-Clause
/* counts.h - arrays of counts and displacements in the two widths that MPI's callers use. */
#ifndef HAFT_CORE_COUNTS_H
#define HAFT_CORE_COUNTS_H

#include <stdint.h>

/* An array of counts or displacements as the user gave it: of int, or of MPI_Count / MPI_Aint. */
struct haft_counts {
	const void *v;
	int wide; /* 1: int64_t elements, 0: int */
};

/* Element i of the array.  v is not NULL. */
static inline int64_t haft_count_at(struct haft_counts c, int64_t i)
{
	return c.wide ? ((const int64_t *)c.v)[i] : ((const int *)c.v)[i];
}

#endif
