// SPDX-License-Identifier: BSD-3-Clause
/* win_remote.h - synchronization with members on other hosts, by frames.
 *
 *      origin O                              target T
 *      lock     ── LOCK mode ─────────────>  takes its own lock for O, as soon as it is free
 *               <── HELD rank ────────────  not free: its holder        (for wait reports)
 *               <───────────────── GRANT ──
 *      unlock   ── DROP mode ─────────────>  releases it
 *      complete ── COMPLETE ──────────────>  one more access epoch has completed
 *               <────────────────── POST ──  post
 *
 *      a holder on T's host that gives T's lock to O  ── WAKE ──> T
 *
 *      free     ── BYE ──>  all others: no process waits for its DROPs, which could arrive after
 *                           the window is gone
 *
 * Frames to a process arrive after the operations on the same window that went there before. */
#ifndef HAFT_RMA_WIN_REMOTE_H
#define HAFT_RMA_WIN_REMOTE_H

#include "libmpi/rma/win_epoch.h"
#include "libmpi/rma/win_lock.h"

/* A remote member that waits for our lock: once at most, as it can hold it only once. */
struct rma_remote_wait {
	struct rma_remote_wait *next;
	struct rma_lock_wait k;
	int holder;       /* rank that it was told holds the lock; -1: none */
	uint64_t told_ns; /* when */
};

/* Requests the lock of a remote member.  rma_epoch_target.granted becomes true when it has it. */
void rma_remote_lock_request(struct win *w, int rank, enum rma_lock_mode mode);

/* Waits for the lock of a remote member; releases it. */
void rma_remote_lock(struct win *w, int rank, enum rma_lock_mode mode);
void rma_remote_unlock(struct win *w, int rank, enum rma_lock_mode mode);

/* For wait reports: names the holders of the lock of member wait->rank, local or remote. */
void rma_lock_holders_late(const struct rma_epoch_wait *wait, struct boot_wait *what);

/* Tells a remote member: this process has posted for it; has completed its access epoch there. */
void rma_remote_posted(struct win *w, int rank);
void rma_remote_completed(struct win *w, int rank);

/* Tells a member of this host that a remote member which it waits for may have its lock. */
void rma_remote_wake(struct win *w, int rank);

/* rma_remote_new allocates room for the waiters of remote members.  0 or MPI_ERR_NO_MEM. */
int rma_remote_new(struct win *w);
void rma_remote_free(struct win *w);

#endif
