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

/* The value of the lowest bit that is set: in a binomial tree the distance of rank n to its parent,
 * if the root is 0.  n != 0. */
static inline int64_t num_lowest_bit(int64_t n)
{
	return n & -n;
}

/* The largest power of two that is not above n.  n > 0. */
static inline int64_t num_power_below(int64_t n)
{
	return (int64_t)1 << (63 - __builtin_clzll((unsigned long long)n));
}

#endif
