// SPDX-License-Identifier: BSD-3-Clause
/* far.h - synchronization with members on other nodes: by frames.
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
#ifndef HAFT_RMA_FAR_H
#define HAFT_RMA_FAR_H

#include "libmpi/rma/epoch.h"
#include "libmpi/rma/lock.h"

/* A member far away that waits for our lock: at most once, since it can hold it only once. */
struct far_wait {
	struct far_wait *next;
	struct lock_wait k;
	int holder;       /* whom it was told to have the lock */
	uint64_t told_ns; /* when */
};

/* Asks for the lock of a member on another node: epoch_target.granted says when it has come. */
void far_ask(struct win *w, int rank, enum lock_wish wish);

/* Waits for the lock of a member on another node, and gives it back. */
void far_lock(struct win *w, int rank, enum lock_wish wish);
void far_drop(struct win *w, int rank, enum lock_wish wish);

/* For the roll-call: who has the lock of member wait->rank, near or far. */
void far_late(const struct epoch_wait *wait, struct shm_what *what);

/* One exposure epoch for the member, one completion at it; the member is on another node. */
void far_post(struct win *w, int rank);
void far_done(struct win *w, int rank);

/* Tells a member of this node that the lock may be had by one of those for whom it waits. */
void far_kick(struct win *w, int rank);

/* Room for the wishes of those who are far, and its end.  0 or MPI_ERR_NO_MEM. */
int far_new(struct win *w);
void far_free(struct win *w);

#endif
