// SPDX-License-Identifier: BSD-3-Clause
/* ctx.c - minting and dividing context ids: see ctx.h. */
#include "libmpi/comm/ctx.h"

#include "libmpi/core/state.h"

#define MINTER_SHIFT 44

uint64_t ctx_mint(void)
{
	static uint64_t next;
	uint64_t n = __atomic_fetch_add(&next, CTX_BLOCK, __ATOMIC_RELAXED);

	return ((uint64_t)haft_life.rank + 1) << MINTER_SHIFT | n;
}

void ctx_take(struct comm *c, uint64_t *ids, uint64_t *ids_end)
{
	uint64_t part = (c->ids_end - c->ids) / 2;

	*ids = *ids_end = 0;
	if (c->ids == c->ids_end)
		return;
	part -= part % CTX_STEP;
	if (part > CTX_SHARE)
		part = CTX_SHARE;
	if (part < CTX_STEP)
		part = CTX_STEP;
	*ids = c->ids;
	*ids_end = c->ids + part;
	c->ids += part;
}
