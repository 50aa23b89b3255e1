// SPDX-License-Identifier: BSD-3-Clause
/* win_sync.h - what synchronization keeps of one member in the segment, for all members of its node.
 *
 *      line 0   lock     who has this member's window locked                        (win_lock.h)
 *      line 1   bell     changes when something has come that this member waits for
 *      line 2   done     how often others have completed their access here          (pscw.c)
 *      line 3   record, exposures, noput: only while accesses are recorded           (conflict.c)
 *
 *      behind the control block, one for each member m:
 *      pair[m]  posts    how often member m has posted for this member               (pscw.c)
 *               wait     what member m wants of this member's lock                   (win_lock.h)
 *
 * Each of the lines is written by other processes at other times; so each is a line of its own.
 * Zero-filled is the first state. */
#ifndef HAFT_RMA_WIN_SYNC_H
#define HAFT_RMA_WIN_SYNC_H

#include "libmpi/via/via.h"

/* A member's lock; win_lock.h says what the word is. */
struct rma_lock {
	_Atomic uint64_t word;
	_Atomic uint32_t ticket; /* of the next who has to wait */
	uint32_t pad[13];
};

/* What two members have to do with each other: of the one in whose table it stands (the owner) and
 * of the one whose number it has. */
struct rma_pair {
	_Atomic uint32_t
		posts; /* counted by the other: exposure epochs that let the owner access it */
	_Atomic uint32_t wait;  /* the other's wish for the owner's lock: win_lock.h */
	_Atomic uint32_t dones; /* counted by the other: its accesses that are done, for the
				   roll-call */
	uint32_t pad;
};

struct rma_sync {
	struct rma_lock lock;
	struct shm_flag bell;
	uint32_t pad1[14];
	_Atomic uint32_t done;
	uint32_t pad2[15];
	_Atomic uint64_t record;    /* offset of its struct record; 0: none */
	_Atomic uint32_t exposures; /* so far */
	/* The epochs for which it has promised MPI_MODE_NOPUT: of the last two fences by parity,
	 * and of MPI_Win_post. */
	_Atomic uint32_t noput[3];
	uint32_t pad3[10];
};
static_assert(sizeof(struct rma_sync) == 4 * CACHE_LINE, "a line each");

#endif
