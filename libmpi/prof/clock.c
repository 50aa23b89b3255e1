// SPDX-License-Identifier: BSD-3-Clause
/* clock.c - from ticks to nanoseconds, for the readers of a table. */
#include "libmpi/prof/table.h"

#include "libmpi/core/clock.h"

void prof_clock_set(struct prof_table *t)
{
	uint64_t ticks = shm_ticks() - t->begin, ns = clock_now_ns() - t->begin_ns;

	t->ns_per_tick = t->ns || ticks == 0 ? 1 : (double)ns / (double)ticks;
}

uint64_t prof_until(const struct prof_table *t)
{
	return t->end != 0 ? t->end : shm_ticks();
}
