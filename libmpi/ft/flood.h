// SPDX-License-Identifier: BSD-3-Clause
/* flood.h - which members one member tells of a revocation, without MPI.
 *
 *      the one that revokes                the next present member at distance .. 8, 4, 2, 1
 *      one that is told from distance 8    the next present member at distance 4, 2, 1
 *      one that is told from distance 1    none; when it knows of a failure: the next present one
 *      when a member fails after that      the next present member at distance 1
 *      when one says that it is absent     those that it would have told
 *
 * Absent is a member without the communicator: it has freed it, or has not made it yet.  Present
 * are those that are neither absent nor failed, as far as is known here.
 *
 * If all are present, all of n members know after ceil(log2 n) messages one after the other, of
 * fewer than 2 n in all, and of n - 1 if n is a power of two: each one wakes a process.  No member
 * tells a distance twice, so if all revoke at once each sends ceil(log2 n).  A distance is a power
 * of two, written as its exponent.
 *
 * Invariants.  While none has failed, one that is told from distance 1 << k sees to it that the
 * 1 << k members from itself on are told.  Each member that knows of the revocation and of a
 * failure has told the one that it takes for its next present member.  All that live learn of the
 * failure in the end.  So if one that lives knows, all that are present will.
 * tests/sim/revocation.c plays deaths at any moment. */
#ifndef HAFT_FT_FLOOD_H
#define HAFT_FT_FLOOD_H

#include "libmpi/ft/bits.h"

/* One revocation at one member.  All 0 but n, me, gone, tell and arg at first. */
struct ft_flood {
	int n, me;       /* members; this one */
	int flooded;     /* distances below 1 << flooded have been told */
	bool lossy;      /* a member may have failed, or left, as far as is known here */
	uint8_t *absent; /* the caller's: set of those that have said so; or NULL: none has */
	bool (*gone)(int member, void *arg); /* has it failed, as far as is known here? */
	void (*tell)(int member, int step, void *arg);
	void *arg;
};

/* Tells the first present member at distance 1 << step behind `from', or behind that, if there is
 * one before this member. */
static inline void flood_tell(const struct ft_flood *f, int from, int step)
{
	int64_t distance = INT64_C(1) << step;

	for (int64_t k = distance; k < distance + f->n; k++) {
		int to = (int)((from + k) % f->n);

		if (to == f->me)
			return;
		if (f->absent != NULL && ft_bit(f->absent, to))
			continue;
		if (f->gone(to, f->arg))
			continue;
		f->tell(to, step, f->arg);
		return;
	}
}

/* A member that is told from distance 1 << told tells distances below 1 << result. */
#define FT_FLOOD_REVOKES 31
static inline int flood_reach(const struct ft_flood *f, int told)
{
	int all = 0, reach = told > 0 || !f->lossy ? told : 1;

	while (all < FT_FLOOD_REVOKES && INT64_C(1) << all < f->n)
		all++;
	return reach < all ? reach : all;
}

/* It is told from distance 1 << told, or revokes itself (FT_FLOOD_REVOKES); maybe again. */
static inline void ft_flood_told(struct ft_flood *f, int told)
{
	int to = flood_reach(f, told), from = f->flooded;

	f->flooded = to > from ? to : from;
	while (to-- > from)
		flood_tell(f, f->me, to);
}

/* A member that was told from distance 1 << told says that it is absent.  f->absent is not NULL. */
static inline void ft_flood_absent(struct ft_flood *f, int member, int told)
{
	int to = told == 0 && ft_bit(f->absent, member) ? 0 : flood_reach(f, told);

	ft_bit_set(f->absent, member);
	while (to-- > 0)
		flood_tell(f, member, to);
}

/* A member has failed. */
static inline void ft_flood_lost(struct ft_flood *f)
{
	f->lossy = true;
	flood_tell(f, f->me, 0);
}

#endif
