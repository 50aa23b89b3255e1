// SPDX-License-Identifier: BSD-3-Clause
/* context_id.h - context ids: 64 bits, never reused, mostly allocated without a message.
 *
 *     63      44 43                          3 2     0
 *     [ minter  ][ number                     ][plane]      minter: number in the universe + 1
 *
 *     minter 0          ids of the permanent communicators and of their duplicates; in a spawned
 *                       job the minter is its first rank, whose other ids follow
 *     CTX_NOBODY        ids agreed on without a parent: a hash (from_group.c)
 *     bit 63 is set     ids of communicators of several universes: 40 random bits name the minter
 *
 * Two universes number their processes alike.  So a process that knows one of another universe
 * mints ids with 40 random bits, drawn once for 2^20 ids.  With 1000 such minters in one program
 * the chance that two are equal is 5e-7.
 *
 * A communicator owns a block of ids, [ids, ids_end).
 *  - MPI_Comm_dup takes the next id of its parent's block, with a part of the block for the copy.
 *    All members do that in the same order, so they need no message.
 *  - When a block is used up, one process mints another and sends it to the members (dup.c).
 *  - A constructor that exchanges messages anyway takes an id minted by rank 0 of the new group.
 * So threads that make communicators from different parents never wait for each other.
 *
 * An inter-communicator has three consecutive ids: its own and one for each local group. */
#ifndef HAFT_COMM_CONTEXT_ID_H
#define HAFT_COMM_CONTEXT_ID_H

#include "libmpi/core/comm_object.h"
#include "libobj/base.h"

#define CTX_MINTER_SHIFT 44
#define CTX_NOBODY       (0xfffffULL << CTX_MINTER_SHIFT)

#define CTX_STEP  ((uint64_t)CTX_PLANES)        /* from one id to the next */
#define CTX_BLOCK (CTX_STEP * MEAN_OR(8, 4096)) /* minted for many duplicates */
#define CTX_FEW   (CTX_STEP * 8)                /* minted for one communicator */
#define CTX_SHARE (CTX_STEP * MEAN_OR(4, 64))   /* largest part of a block for one duplicate */

/* The block of MPI_COMM_WORLD, and of MPI_COMM_SELF. */
#define CTX_WORLDS (CTX_STEP << MEAN_OR(4, 30))

/* The minter's bits of the ids of MPI_COMM_WORLD and MPI_COMM_SELF in the job whose rank 0 has
 * number `first'.  To be called once, before the first id is minted. */
uint64_t comm_ctx_job(int first);

/* A communicator's ids: [ctx, end). */
struct comm_ids {
	uint64_t ctx, end;
};

/* Mints a new block of ids: CTX_BLOCK for the duplicates of a communicator, CTX_FEW for one that
 * may never be duplicated.  Any thread. */
struct comm_ids comm_ctx_mint(uint64_t block);

/* As comm_ctx_mint, for a communicator whose members may be of several universes. */
struct comm_ids comm_ctx_mint_mixed(uint64_t block);

/* Takes back a block of which no other process has heard, if it was the last one minted.  So offers
 * that are not taken use up no ids. */
void comm_ctx_unmint(struct comm_ids ids);

/* The part of a block that a communicator uses for itself; the rest is for its duplicates. */
static inline uint64_t comm_ctx_own(bool inter)
{
	return inter ? 3 * CTX_STEP : CTX_STEP;
}

/* Takes ids for a duplicate of c from c's block.  False: the block is used up; the caller mints
 * another, sends it to the members, calls comm_ctx_give and tries again. */
bool comm_ctx_take(struct comm *c, struct comm_ids *ids);

/* Gives c a new block. */
static inline void comm_ctx_give(struct comm *c, struct comm_ids block)
{
	c->ids = block.ctx;
	c->ids_end = block.end;
}

#endif
