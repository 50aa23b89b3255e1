// SPDX-License-Identifier: BSD-3-Clause
/* lease.c - the leases of this process: an array in the segment, and which of them are in use.
 *
 *   used  0110...   bit i: word i belongs to a message on its way
 *   word  [open][taken][revoked] ...      in shared memory, a cache line each */
#include "libmpi/p2p/lease.h"

#include "libmpi/via/via.h"

#define LEASES MEAN_OR(2, 32) /* large messages under way at once that are read in place */

enum { LEASE_OPEN, LEASE_TAKEN, LEASE_REVOKED };

struct lease {
	_Atomic uint32_t word;
	_Atomic uint32_t piece;
	uint8_t pad[CACHE_LINE - 8];
};

static uint64_t array; /* offset; 0: none yet */
static uint32_t used;
static bool none; /* there was no memory for them */

static struct lease *lease_at(uint64_t off)
{
	return shm_ptr(via.shm, off);
}

uint64_t lease_new(void)
{
	uint32_t all = (uint32_t)((UINT64_C(1) << LEASES) - 1);
	uint64_t off;

	if (array == 0 && !none) {
		array = shm_heap_alloc(via.shm, LEASES * sizeof(struct lease), CACHE_LINE);
		none = array == 0;
	}
	if (none || used == all)
		return 0;
	off = (uint64_t)__builtin_ctz(~used);
	used |= UINT32_C(1) << off;
	off = array + off * sizeof(struct lease);
	/* relaxed: the frame that carries the offset is put with release order */
	atomic_store_explicit(&lease_at(off)->word, LEASE_OPEN, memory_order_relaxed);
	atomic_store_explicit(&lease_at(off)->piece, 0, memory_order_relaxed);
	return off;
}

void lease_free(uint64_t lease)
{
	used &= ~(UINT32_C(1) << (lease - array) / sizeof(struct lease));
}

/* acq_rel: the one who has it reads or re-uses the message afterwards. */
bool lease_take(uint64_t lease)
{
	return atomic_exchange_explicit(
		       &lease_at(lease)->word, LEASE_TAKEN, memory_order_acq_rel) == LEASE_OPEN;
}

bool lease_revoke(uint64_t lease)
{
	return atomic_exchange_explicit(
		       &lease_at(lease)->word, LEASE_REVOKED, memory_order_acq_rel) == LEASE_OPEN;
}

/* relaxed: it only shares out; what is copied is told by frames. */
uint32_t lease_piece(uint64_t lease)
{
	return atomic_fetch_add_explicit(&lease_at(lease)->piece, 1, memory_order_relaxed);
}
