// SPDX-License-Identifier: BSD-3-Clause
/* ctx.h - context ids: never agreed on by everybody, never re-used, never used up.
 *
 *     63      44 43                                1   0
 *     [ minter  ][ number                         ][plane]        minter: rank in MPI_COMM_WORLD +
 * 1
 *
 * A communicator owns a block of ids [ids, ids_end).  dup takes the next one from its parent's
 * block, with a part of the block for the child's own dups; all members do the same in the same
 * order, so nothing is said.  When a block is used up, rank 0 mints another and tells the members.
 * Communicators that are made by an exchange anyway get an id minted by their rank 0 with it.  So
 * two threads that make communicators from different parents never wait for each other. */
#ifndef HAFT_COMM_CTX_H
#define HAFT_COMM_CTX_H

#include "libmpi/core/mpo.h"

#define CTX_STEP  2ULL                          /* from one id to the next: bit 0 is the plane */
#define CTX_BLOCK (CTX_STEP * MEAN_OR(4, 4096)) /* ids minted at once */
#define CTX_SHARE (CTX_STEP * MEAN_OR(2, 64))   /* largest part of a parent's block for a child */
#define CTX_WORLDS \
	(CTX_STEP << MEAN_OR(4, 30)) /* the block of MPI_COMM_WORLD, and of MPI_COMM_SELF */

/* ctx_mint gives the first id of a new block of CTX_BLOCK.  Any thread. */
uint64_t ctx_mint(void);

/* ctx_take takes an id with a block of its own for a child of c.  If c's block is used up *ids is 0
 * and the caller has to mint and tell, then ctx_give, then take again. */
void ctx_take(struct comm *c, uint64_t *ids, uint64_t *ids_end);

/* ctx_give gives c a new block that begins at ids. */
static inline void ctx_give(struct comm *c, uint64_t ids)
{
	c->ids = ids;
	c->ids_end = ids + CTX_BLOCK;
}

#endif
