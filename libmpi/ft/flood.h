// SPDX-License-Identifier: BSD-3-Clause
/* flood.h - which members one member tells of a revocation, without MPI.
 *
 *      the one that revokes                the next living member at distance .. 8, 4, 2, 1
 *      one that is told from distance 8    the next living member at distance 4, 2, 1
 *      one that is told from distance 1    the next living member at distance 1
 *      when a member fails after that      the next living member at distance 1
 *
 * Without failures all of n members know after ceil(log2 n) messages one after the other, of fewer
 * than 2 n in all: each one wakes a process.  No member tells a distance twice, so if all revoke at
 * once each sends ceil(log2 n).  A distance is a power of two, written as its exponent.
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

/* The steps of a member that knows now: distances 1 << step, from the result on, less than *to.  It
 * is told from distance 1 << told, or revokes itself (FT_FLOOD_REVOKES).  flooded: its *to of
 * before. */
#define FT_FLOOD_REVOKES 31
static inline int ft_flood_steps(int n, int told, int flooded, int *to)
{
	int all = 0, reach = told > 0 ? told : 1;

	while (all < FT_FLOOD_REVOKES && INT64_C(1) << all < n)
		all++;
	reach = reach < all ? reach : all;
	*to = reach > flooded ? reach : flooded;
	return flooded;
}

#endif
