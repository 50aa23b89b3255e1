// SPDX-License-Identifier: BSD-3-Clause
/* mailbox.h - small operations on private memory that its own process executes while it is in MPI.
 *
 *      origin (delegate.c)                             target (mailbox.c), when it makes progress
 *      claim ── data, then word = POSTED ───────────>  taken = word; is the word still the same?
 *        │                                             ├─ yes: executes it on its own memory
 *        │  spins for a while      <── done = word ────┤       (the rule of its window: atomic.h)
 *        │                                             └─ no: done = word | REVOKED: given up
 *        └─ no answer: word = REVOKED; barrier in all processes; was it taken?
 *              no:  process_vm call, as without mailbox   yes: done says what happened
 *
 * An operation by process_vm is two changes to the kernel.  This way it is four cache lines that go
 * from core to core.  Passive target still needs no call at the target, because the origin takes
 * back the requests not taken by the target.
 *
 * Invariants
 *  - Either the target executes an operation or the origin does, never both.  The target stores
 *    `taken' before it reads the word again; the origin stores the word before it reads `taken'.
 *    At least one of the two sees the other's store (shm_fence_all: the target polls often and
 *    needs no fence of its own).  model/mailbox.pml.
 *  - An origin that has claimed a mailbox holds nothing else, and the target takes only a stripe
 *    lock: no circle of waits.
 *  - An operation is over when its call returns, as by process_vm.  So order, flush and
 *    MPI_Win_free need not know of it.
 *  - The origin has checked everything that can be checked.  The target checks again whether the
 *    memory is in the window: ranges of dynamic windows may have been detached meanwhile. */
#ifndef HAFT_RMA_MAILBOX_H
#define HAFT_RMA_MAILBOX_H

#include "libmpi/rma/operation.h"

#define MAILBOX_DATA 32 /* bytes: the cache line without its head */

/* One for each process that has private memory in windows: in the segment. */
struct rma_mailbox {
	/* line of the origins: written by the one that has claimed the mailbox */
	_Atomic uint32_t word; /* number of the operation, 2 bits: enum mailbox_state */
	uint32_t basic;        /* ACC: as in struct rma_am_head */
	uint64_t ctx;          /* of the window */
	uint64_t offset;       /* bytes from the target's base; dynamic window: an address there */
	uint8_t kind;          /* enum rma_kind */
	uint8_t op;            /* ACC: as in struct rma_am_head */
	uint8_t len;           /* bytes at the target */
	bool fetch;            /* ACC */
	uint32_t pad0;
	char data[MAILBOX_DATA];
	/* line of the target's answer */
	_Atomic uint32_t done; /* the word; with MAILBOX_REVOKED: given up */
	int32_t err;           /* not 0: it was not executed */
	uint64_t pad1;
	char old[MAILBOX_DATA];
	uint64_t pad2[2];
	/* line of the target, seldom read by others */
	_Atomic uint32_t taken; /* the last word that it wanted to execute */
	_Atomic uint32_t polls; /* how often it has polled */
	uint32_t pad3[14];
	/* line of the origins: the claim */
	_Atomic uint32_t claim; /* 1: claimed */
	uint32_t number;        /* of the last operation, in steps of MAILBOX_STEP */
	uint32_t pad4[14];
};
static_assert(sizeof(struct rma_mailbox) == 4 * CACHE_LINE, "a line for each writer");

enum mailbox_state { MAILBOX_POSTED = 1, MAILBOX_REVOKED = 2, MAILBOX_STEP = 4 };

/* A few bytes; words are moved as such, so that no process sees half of one. */
static inline void rma_mailbox_copy(void *to, const void *from, uint8_t n)
{
	if (n == 8)
		__builtin_memcpy(to, from, 8);
	else if (n == 4)
		__builtin_memcpy(to, from, 4);
	else
		__builtin_memcpy(to, from, n);
}

/* The offset of this process's mailbox in the segment; makes it first if need be.  0: none, for
 * want of memory or because it is of no use here.  If not 0: rma_mailbox_drop when the window is
 * freed. */
uint64_t rma_mailbox_hold(void);
void rma_mailbox_drop(void);

/* Forgets former mailboxes: MPI is initialized, perhaps again. */
void rma_mailbox_init(void);

/* Polls the mailbox of this process once, if it has one.  > 0: executed an operation. */
int rma_mailbox_poll(void);

/* delegate.c: lets the target execute the operation.  0: it has.  < 0: it has not, and nothing has
 * happened: the caller makes the process_vm call. */
int rma_delegate(const struct rma_operation *j);

#endif
