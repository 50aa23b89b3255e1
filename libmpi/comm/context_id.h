// SPDX-License-Identifier: BSD-3-Clause
/* context_id.h - context ids: never agreed on by everybody, never re-used, never used up.
 *
 *     63      44 43                          3 2     0
 *     [ minter  ][ number                     ][plane]      minter: rank in MPI_COMM_WORLD + 1
 *
 *     0               ids of the permanent communicators and of their dups
 *     CTX_NOBODY      ids by agreement without a parent: a hash (from_group.c)
 *
 * A communicator owns a block of ids [ids, ids_end).  dup takes the next one from its parent's
 * block, with a part of the block for the child's own dups; all members do the same in the same
 * order, so nothing is said.  When a block is used up, one process mints another and tells the
 * members.  Communicators that are made by an exchange anyway get an id minted by their rank 0 with
 * it.  So two threads that make communicators from different parents never wait for each other.
 *
 * An inter-communicator has three ids in a row: its own and one for each local group. */
#ifndef HAFT_COMM_CONTEXT_ID_H
#define HAFT_COMM_CONTEXT_ID_H

#include "libmpi/core/comm_object.h"
#include "libobj/base.h"

#define CTX_MINTER_SHIFT 44
#define CTX_NOBODY       (0xfffffULL << CTX_MINTER_SHIFT)

#define CTX_STEP  ((uint64_t)CTX_PLANES)        /* from one id to the next */
#define CTX_BLOCK (CTX_STEP * MEAN_OR(8, 4096)) /* ids minted for many dups */
#define CTX_FEW   (CTX_STEP * 8)                /* minted for one communicator */
#define CTX_SHARE (CTX_STEP * MEAN_OR(4, 64))   /* most of a parent's block that a child gets */

/* The block of MPI_COMM_WORLD, and of MPI_COMM_SELF. */
#define CTX_WORLDS (CTX_STEP << MEAN_OR(4, 30))

/* An id and where the block behind it ends: [ctx, end) is one communicator's. */
struct comm_ids {
	uint64_t ctx, end;
};

/* comm_ctx_mint gives a new block of n steps: CTX_BLOCK for the dups of a communicator, CTX_FEW for a
 * communicator that may never be copied.  Any thread. */
struct comm_ids comm_ctx_mint(uint64_t block);

/* comm_ctx_unmint takes a block back that nobody has got to know, if it was the last one minted: so
 * offers that are not taken cost no ids. */
void comm_ctx_unmint(struct comm_ids ids);

/* How much of a block a communicator itself takes: the rest is for its dups. */
static inline uint64_t comm_ctx_own(bool inter)
{
	return inter ? 3 * CTX_STEP : CTX_STEP;
}

/* comm_ctx_take takes ids for a dup of c.  False: c's block is used up, and the caller has to mint and
 * tell, then comm_ctx_give, then take again. */
bool comm_ctx_take(struct comm *c, struct comm_ids *ids);

/* comm_ctx_give gives c a new block. */
static inline void comm_ctx_give(struct comm *c, struct comm_ids block)
{
	c->ids = block.ctx;
	c->ids_end = block.end;
}

#endif
