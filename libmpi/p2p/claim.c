// SPDX-License-Identifier: BSD-3-Clause
/* claim.c - the claim words of this process: an array in the segment, and which are in use.
 *
 *   used  0110...   bit i: word i belongs to a message under way
 *   word  [open][taken][read][revoked] ...   in shared memory, a cache line each */
#include "libmpi/p2p/claim.h"

#include "libmpi/via/via.h"

#define CLAIMS MEAN_OR(2, 32) /* messages under way at once that are read in place */

enum { CLAIM_OPEN, CLAIM_TAKEN, CLAIM_REVOKED, CLAIM_READ };

struct claim_word {
	_Atomic uint32_t word;
	_Atomic uint32_t next_chunk;
	uint8_t pad[CACHE_LINE - 8];
};

static struct {
	uint64_t array;    /* offset; 0: none yet */
	uint32_t used;     /* bits */
	uint32_t lengthy;  /* bits: those of long messages */
	int peers[CLAIMS]; /* the receiver of each that is used */
	bool none;         /* there was no memory for them */
} claims;

static struct claim_word *claim_at(uint64_t off)
{
	return shm_ptr(via.shm, off);
}

uint64_t p2p_claim_new(int peer, int64_t bytes)
{
	uint32_t all = (uint32_t)((UINT64_C(1) << CLAIMS) - 1);
	uint64_t off;

	if (claims.array == 0 && !claims.none) {
		claims.array = shm_heap_alloc_own(via.shm, CLAIMS * sizeof(struct claim_word));
		claims.none = claims.array == 0;
	}
	if (claims.none || claims.used == all)
		return 0;
	off = (uint64_t)__builtin_ctz(~claims.used);
	claims.used |= UINT32_C(1) << off;
	if (bytes >= CLAIM_LONG)
		claims.lengthy |= UINT32_C(1) << off;
	claims.peers[off] = peer;
	off = claims.array + off * sizeof(struct claim_word);
	/* relaxed: the frame that carries the offset is put with release order */
	atomic_store_explicit(&claim_at(off)->word, CLAIM_OPEN, memory_order_relaxed);
	atomic_store_explicit(&claim_at(off)->next_chunk, 0, memory_order_relaxed);
	return off;
}

void p2p_claim_end(struct req *r)
{
	uint64_t claim = r->send.claim;

	if (claim == 0)
		return;
	r->send.claim = 0;
	claims.used &= ~(UINT32_C(1) << (claim - claims.array) / sizeof(struct claim_word));
	claims.lengthy &= claims.used;
}

/* Is the message of claim word i not read yet?  relaxed: a peer is invited, or a sleep begins, for
 * nothing at worst. */
static bool claim_is_unread(uint32_t i)
{
	uint64_t off = claims.array + i * sizeof(struct claim_word);

	return atomic_load_explicit(&claim_at(off)->word, memory_order_relaxed) != CLAIM_READ;
}

bool p2p_claim_awaits_helper(void)
{
	for (uint32_t left = claims.lengthy; left != 0; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(left);

		if (via_computes(claims.peers[i]) && claim_is_unread(i))
			return true;
	}
	return false;
}

bool p2p_claim_unread(int peer)
{
	for (uint32_t left = claims.used; left != 0; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(left);

		if (claims.peers[i] == peer && claim_is_unread(i))
			return true;
	}
	return false;
}

/* acq_rel: the side that has it reads or re-uses the message afterwards. */
bool p2p_claim_take(uint64_t claim)
{
	return atomic_exchange_explicit(
		       &claim_at(claim)->word, CLAIM_TAKEN, memory_order_acq_rel) == CLAIM_OPEN;
}

/* relaxed: the frame that says so has release order. */
void p2p_claim_read(uint64_t claim)
{
	atomic_store_explicit(&claim_at(claim)->word, CLAIM_READ, memory_order_relaxed);
}

bool p2p_claim_revoke(uint64_t claim)
{
	return atomic_exchange_explicit(
		       &claim_at(claim)->word, CLAIM_REVOKED, memory_order_acq_rel) == CLAIM_OPEN;
}

/* relaxed: it only shares out chunks; frames say which of them are copied. */
uint32_t p2p_claim_next_chunk(uint64_t claim)
{
	return atomic_fetch_add_explicit(&claim_at(claim)->next_chunk, 1, memory_order_relaxed);
}
