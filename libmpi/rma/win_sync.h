// SPDX-License-Identifier: BSD-3-Clause
/* win_sync.h - the words of one member in the segment that synchronization uses, for all members of
 * its host.
 *
 *      line 0   lock     who has this member's window locked                        (win_lock.h)
 *      line 1   doorbell changes when something happened that this member waits for
 *      line 2   done     number of access epochs that others have completed here    (pscw.c)
 *      line 3   record, exposures, noput: only while accesses are recorded          (conflict.c)
 *
 *      after the control block, one for each member m:
 *      pair[m]  posts    exposure epochs that member m has opened for this member    (pscw.c)
 *               wait     what member m wants of this member's lock                   (win_lock.h)
 *
 * Different processes write these lines at different times, so each is a cache line of its own.
 * Zeroed memory is the initial state. */
#ifndef HAFT_RMA_SYNC_H
#define HAFT_RMA_SYNC_H

#include "libmpi/via/via.h"

/* A member's lock; win_lock.h defines the word. */
struct rma_lock {
	_Atomic uint64_t word;
	_Atomic uint32_t ticket; /* of the next waiter */
	uint32_t pad[13];
};

/* The state between two members: the owner of the table, and the other, whose number it has. */
struct rma_pair {
	_Atomic uint32_t posts; /* counted by the other: exposure epochs open to the owner */
	_Atomic uint32_t wait;  /* the other's request for the owner's lock: win_lock.h */
	_Atomic uint32_t dones; /* counted by the other: its completed epochs; for wait reports */
	uint32_t pad;
};

struct rma_sync {
	struct rma_lock lock;
	struct shm_flag doorbell;
	uint32_t pad1[14];
	_Atomic uint32_t done;
	uint32_t pad2[15];
	_Atomic uint64_t record;    /* offset of its struct conflict_record; 0: none */
	_Atomic uint32_t exposures; /* number of exposure epochs so far */
	/* Epochs for which it promised MPI_MODE_NOPUT: of the last two fences by parity, and of
	 * MPI_Win_post. */
	_Atomic uint32_t noput[3];
	uint32_t pad3[10];
};
static_assert(sizeof(struct rma_sync) == 4 * CACHE_LINE, "a line each");

#endif
