// SPDX-License-Identifier: BSD-3-Clause
/* flood.h - which members one member tells of a revocation, without MPI.
 *
 *      when it first learns of it          the next living member at distance 1, 2, 4, 8 ...
 *      when a member fails after that      the next living member at distance 1
 *
 * Without failures all of n members know after ceil(log2 n) messages one after the other.
 *
 * Invariant: each member that knows has told the one that it takes for its next living member.  So
 * if one that lives knows, all that live will.  tests/sim/revocation.c plays deaths at any
 * moment. */
#ifndef HAFT_FT_FLOOD_H
#define HAFT_FT_FLOOD_H

#include <stdbool.h>
#include <stdint.h>

/* Is that member gone, as far as is known here? */
typedef bool ft_flood_gone_fn(int member, const void *arg);

/* The first living of n members at `distance' (1 .. n - 1) behind `me', or behind that; -1: none is
 * left before `me' itself. */
static inline int ft_flood_next(
	int me, int n, int64_t distance, ft_flood_gone_fn *gone, const void *arg)
{
	for (int64_t k = distance; k < distance + n; k++) {
		int to = (int)((me + k) % n);

		if (to == me)
			return -1;
		if (!gone(to, arg))
			return to;
	}
	return -1;
}

#endif
