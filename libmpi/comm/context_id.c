// SPDX-License-Identifier: BSD-3-Clause
/* context_id.c - minting and dividing context ids: see context_id.h. */
#include "libmpi/comm/context_id.h"

#include "libmpi/core/process_state.h"
#include "libmpi/via/alias.h"
#include <stdatomic.h>
#include <sys/random.h>

#define MIXED       (1ULL << 63)
#define MIXED_SHIFT 23 /* numbers below 40 random bits */

static _Atomic uint64_t next;
static uint64_t mixed_next, mixed_end; /* under the lock of the library */

struct comm_ids comm_ctx_mint_mixed(uint64_t block)
{
	uint64_t first;

	if (mixed_end - mixed_next < block) {
		do {
			while (getrandom(&first, sizeof(first), 0) != sizeof(first))
				;
			first = MIXED | first >> (64 - 40) << MIXED_SHIFT;
		} while ((first & CTX_NOBODY) == CTX_NOBODY);
		mixed_next = first;
		mixed_end = first + (1ULL << MIXED_SHIFT);
	}
	first = mixed_next;
	mixed_next += block;
	return (struct comm_ids){.ctx = first, .end = mixed_next};
}

HAFT_START uint64_t comm_ctx_job(int first)
{
	if (first > 0 && first == haft_life.peer)
		next = 2 * CTX_WORLDS + CTX_STEP * CTX_PLANES;
	return first > 0 ? ((uint64_t)first + 1) << CTX_MINTER_SHIFT : 0;
}

struct comm_ids comm_ctx_mint(uint64_t block)
{
	uint64_t n, first;

	if (unlikely(via_alias_any()))
		return comm_ctx_mint_mixed(block);
	n = atomic_fetch_add_explicit(&next, block, memory_order_relaxed);
	first = ((uint64_t)haft_life.peer + 1) << CTX_MINTER_SHIFT | n;
	return (struct comm_ids){.ctx = first, .end = first + block};
}

void comm_ctx_unmint(struct comm_ids ids)
{
	uint64_t after = ids.end & ((1ULL << CTX_MINTER_SHIFT) - 1);

	if (ids.ctx >= MIXED) {
		if (mixed_next == ids.end)
			mixed_next = ids.ctx;
		return;
	}
	atomic_compare_exchange_strong_explicit(&next, &after, after - (ids.end - ids.ctx),
		memory_order_relaxed, memory_order_relaxed);
}

bool comm_ctx_take(struct comm *c, struct comm_ids *ids)
{
	uint64_t own = comm_ctx_own(c->remote != NULL), left = c->ids_end - c->ids;
	uint64_t part = left / 2 & -CTX_STEP;

	if (left < own)
		return false;
	if (part > CTX_SHARE)
		part = CTX_SHARE;
	if (part < own)
		part = own;
	*ids = (struct comm_ids){.ctx = c->ids, .end = c->ids + part};
	c->ids += part;
	return true;
}
