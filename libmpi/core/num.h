// SPDX-License-Identifier: BSD-3-Clause
/* num.h - arithmetic that every engine needs. */
#ifndef HAFT_CORE_NUM_H
#define HAFT_CORE_NUM_H

#include <stdbool.h>
#include <stdint.h>

static inline int64_t num_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t num_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The smallest multiple of `step' that is not below n.  n >= 0, step > 0. */
static inline int64_t num_round_up(int64_t n, int64_t step)
{
	return (n + step - 1) / step * step;
}

/* The largest power of two that is not above n.  n > 0. */
static inline int num_power_below(int n)
{
	return 1 << (31 - __builtin_clz((unsigned)n));
}

/* In a tree of this radix, of n ranks with the root 0, whose subtrees are intervals: the number of
 * ranks of a full subtree of `rank', which is the greatest power of the radix that divides it; of
 * the root: the first one that is not below n. */
static inline int num_tree_reach(int rank, int n, int radix)
{
	int reach = 1;

	while (reach < n && rank % (radix * (int64_t)reach) == 0)
		reach *= radix;
	return reach;
}

/* In a binomial tree of n ranks with the root 0: the distance of a rank to its parent, which is its
 * lowest bit; of the root: the first power of two that is not below n.  The children of a rank are
 * at all smaller powers of two, if they are below n. */
static inline int num_tree_distance(int rank, int n)
{
	return num_tree_reach(rank, n, 2);
}

/* The greatest power of the radix, 2 or 4, that is not above n > 0. */
static inline int num_radix_power(int n, int radix)
{
	return 1 << ((31 - __builtin_clz((unsigned)n)) & ~(radix >> 2));
}

#endif
