// SPDX-License-Identifier: BSD-3-Clause
/* mailbox.h - small operations on private memory that its own process does, if it is in MPI just now.
 *
 *      origin                                          target, whenever it makes progress
 *      claim ── data, then word = POSTED ───────────>  taken = word; is the word still the same?
 *        │                                             ├─ yes: done on its own memory, by the rule
 *        │  looks for a while      <── done = word ────┤       of its window (atomic.h)
 *        │                                             └─ no: done = word, given up
 *        └─ nothing came: word = REVOKED; a barrier of all; is it taken?
 *              no:  process_vm_*, as without a box     yes: done will say what has become of it
 *
 * An operation by process_vm_* is two changes to the kernel; this way it is four lines that go from
 * one core to another.  Passive target needs no call at the target all the same, for what the
 * target has not taken is taken back.
 *
 * Invariants
 *  - Either the target executes an operation or the origin does, never both: the target stores
 *    `taken' before it looks at the word again, the origin stores the word before it looks at
 *    `taken', and of the two at least one sees the other's store (shm_fence_all: the target, which
 *    does it often, needs no fence of its own).  model/box.pml.
 *  - Who has claimed a box holds nothing else, and the target takes only a stripe's lock: no
 *    circle.
 *  - An operation is over when its call returns, as by process_vm_*: so order, flush and
 *    MPI_Win_free need not know of it.
 *  - The origin has checked everything that can be checked.  The target looks again whether the
 *    memory is in the window: pieces of dynamic ones may have been detached meanwhile. */
#ifndef HAFT_RMA_MAILBOX_H
#define HAFT_RMA_MAILBOX_H

#include "libmpi/rma/operation.h"

#define MAILBOX_DATA 32 /* bytes: what fits into the line beside its head */

/* One for each process that has private memory in windows: in the segment. */
struct rma_mailbox {
	/* the origins' line: written by who has claimed the box */
	_Atomic uint32_t word; /* number of the operation, 2 bits: enum mailbox_state */
	uint32_t basic;        /* ACC: as rma_am_head */
	uint64_t ctx;          /* of the window */
	uint64_t place;        /* bytes from the target's base; dynamic: its address */
	uint8_t what;          /* enum rma_kind */
	uint8_t op;            /* ACC: as rma_am_head */
	uint8_t len;           /* bytes at the target */
	bool fetch;            /* ACC */
	uint32_t pad0;
	char data[MAILBOX_DATA];
	/* the target's answer */
	_Atomic uint32_t done; /* the word; or given up: it with MAILBOX_REVOKED */
	int32_t err;           /* not 0: it was not executed */
	uint64_t pad1;
	char old[MAILBOX_DATA];
	uint64_t pad2[2];
	/* the target's, seldom read by others */
	_Atomic uint32_t taken; /* the last word that it wanted to execute */
	_Atomic uint32_t looks; /* how often it has looked */
	uint32_t pad3[14];
	/* the origins' */
	_Atomic uint32_t claim; /* 1: somebody has it */
	uint32_t number;        /* of the last operation, in steps of MAILBOX_STEP */
	uint32_t pad4[14];
};
static_assert(sizeof(struct rma_mailbox) == 4 * CACHE_LINE, "a line for each that writes");

enum mailbox_state { MAILBOX_POSTED = 1, MAILBOX_REVOKED = 2, MAILBOX_STEP = 4 };

/* The offset of this process's box in the segment, made if need be; 0: there is none, for want of
 * memory, or because boxes are of no use here.  Not 0: rma_mailbox_drop when the window goes. */
uint64_t rma_mailbox_hold(void);
void rma_mailbox_drop(void);

/* MPI starts, perhaps again: nothing is left of former boxes. */
void rma_mailbox_init(void);

/* Has the target done it?  0: yes; < 0: no, nothing has happened. */
int rma_delegate(const struct rma_operation *j);

#endif
