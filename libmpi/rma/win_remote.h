// SPDX-License-Identifier: BSD-3-Clause
/* win_remote.h - synchronization with members on other nodes: by frames.
 *
 *      origin O                              target T
 *      lock     ── LOCK wish ─────────────>  takes its own lock in O's name, as soon as it can
 *               <── HELD who ─────────────  it cannot now: so and so has it    (for the roll-call)
 *               <───────────────── GRANT ──
 *      unlock   ── DROP wish ─────────────>  gives it back
 *      complete ── DONE ──────────────────>  one more has completed
 *               <────────────────── POST ──  post
 *
 *      who gives T's lock to O, on T's node  ── KICK ──> T
 *
 *      free     ── BYE ──>  all others: nobody waits for a DROP, which might come after the window
 *
 * Frames to a process come behind the operations of the same window that went there. */
#ifndef HAFT_RMA_WIN_REMOTE_H
#define HAFT_RMA_WIN_REMOTE_H

#include "libmpi/rma/win_epoch.h"
#include "libmpi/rma/win_lock.h"

/* A member far away that waits for our lock: at most once, since it can hold it only once. */
struct rma_remote_wait {
	struct rma_remote_wait *next;
	struct rma_lock_wait k;
	int holder;       /* whom it was told to have the lock */
	uint64_t told_ns; /* when */
};

/* Asks for the lock of a member on another node: rma_epoch_target.granted says when it has come. */
void rma_remote_lock_request(struct win *w, int rank, enum rma_lock_mode wish);

/* Waits for the lock of a member on another node, and gives it back. */
void rma_remote_lock(struct win *w, int rank, enum rma_lock_mode wish);
void rma_remote_unlock(struct win *w, int rank, enum rma_lock_mode wish);

/* For the roll-call: who has the lock of member wait->rank, near or far. */
void rma_lock_holders_late(const struct rma_epoch_wait *wait, struct shm_what *what);

/* One exposure epoch for the member, one completion at it; the member is on another node. */
void rma_remote_posted(struct win *w, int rank);
void rma_remote_completed(struct win *w, int rank);

/* Tells a member of this node that the lock may be had by one of those for whom it waits. */
void rma_remote_wake(struct win *w, int rank);

/* Room for the wishes of those who are far, and its end.  0 or MPI_ERR_NO_MEM. */
int rma_remote_new(struct win *w);
void rma_remote_free(struct win *w);

#endif
