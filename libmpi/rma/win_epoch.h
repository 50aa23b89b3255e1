// SPDX-License-Identifier: BSD-3-Clause
/* win_epoch.h - which accesses and calls a window allows now.
 *
 *   access                                                  exposure
 *
 *             fence           ┌─ fence ─┐                      NONE ──post──> POSTED
 *    CLOSED ──────────> FENCE <───> FENCED  (something           <──wait, test──┘
 *     │  <──────────────  │   access   │     was accessed)
 *     │   fence(NOSUCCEED)             │  fence                a fence needs NONE; post needs
 *     │                   │            '──────>                any access state but FENCED
 *     ├─<─────────────────┘ (nothing was accessed: no epoch)
 *     ├──start────> START ───complete──> CLOSED
 *     ├──lock(t)──> LOCK ────unlock(t), the last──> CLOSED     lock(u) stays: other targets too
 *     └──lock_all─> ALL ─────unlock_all───────────> CLOSED
 *
 *   call                    legal in                           access is open to
 *   put, get, accumulate    FENCE if NONE, FENCED, START,      FENCED, ALL: all targets
 *                           LOCK, ALL                          START: the group, once they posted
 *   rput, rget ...          LOCK, ALL                          LOCK: the targets locked
 *   fence                   CLOSED, FENCE, FENCED, if NONE
 *   start, lock, lock_all   CLOSED, FENCE; lock also LOCK
 *   complete                START
 *   unlock, flush(t)        LOCK if t is locked; flush: ALL
 *   unlock_all              ALL
 *   flush_all               LOCK, ALL
 *   wait, test              POSTED
 *   sync                    any
 *   free                    CLOSED, FENCE, if NONE
 *
 * Everything else is MPI_ERR_RMA_SYNC with words, and so is an access under a lock that another
 * thread is still waiting for.  The open epochs are stored where an access looks: win.open (all
 * targets) and target.open.  While accesses are checked (HAFT_CHECK=rma, types) both stay 0, so
 * that each access takes the slow path. */
#ifndef HAFT_RMA_WIN_EPOCH_H
#define HAFT_RMA_WIN_EPOCH_H

#include "libmpi/core/clock.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/rma.h"

enum rma_epoch_access {
	EPOCH_CLOSED,
	EPOCH_FENCE,
	EPOCH_FENCED,
	EPOCH_START,
	EPOCH_LOCK,
	EPOCH_ALL
};

/* The access that this process holds to one target. */
enum rma_epoch_held {
	HELD_NONE,
	HELD_SHARED,
	HELD_EXCLUSIVE,
	HELD_PROMISED, /* not locked, by a promise of the user: MPI_MODE_NOCHECK */
	HELD_WAITING,  /* a thread of this process waits for the lock */
	HELD_STARTED   /* a target of MPI_Win_start */
};

struct rma_epoch_target {
	uint32_t posts; /* its exposure epochs that this process has used */
	uint32_t dones; /* exposure epochs of this process that were open to it */
	int32_t holder; /* remote: rank that held its lock when it told us; -1: not known */
	uint8_t held;   /* enum rma_epoch_held */
	bool granted;   /* remote: it has granted us its lock */
	bool left;      /* remote: it frees the window */
};

struct conflict_log;    /* conflict.c */
struct rma_remote_wait; /* win_remote.h */

struct rma_epoch {
	uint8_t access; /* enum rma_epoch_access */
	bool posted;
	bool all_local; /* all members share memory with this one */
	bool serves;    /* members need this process's help to access its memory */
	bool helped;   /* likewise, or to combine in it: a helper serves as long as the window is */
	uint8_t calls; /* since the last poll */
	bool promised; /* ALL: with MPI_MODE_NOCHECK */
	int goodbyes;  /* members that free the window: no more frames come from them */
	int locks;     /* LOCK: targets held or waited for */
	int nstarted;  /* START: targets in the group */
	int32_t *started;
	int nposted; /* POSTED: members of the group */
	int32_t *posted_to;
	uint32_t done; /* value of the completion counter at the end of the exposure epoch */
	struct rma_epoch_target *target;
	struct rma_remote_wait *remote_waits; /* [size], owned; NULL: all members are local */
	struct rma_remote_wait *remote; /* remote members that wait for our lock, oldest first */
	struct rma_epoch *remote_next;  /* next window that has such waiters */
	struct win *win;
	struct conflict_log *conflicts; /* NULL: nothing is recorded */
	bool types;                     /* HAFT_CHECK=types */
	bool checked; /* every access takes the slow path: `conflicts', `types', a broken window */
};

/* --- win_wait.c ----------------------------------------------------------------------------- */

/* Ends the sleep of a member that shares memory with this one, if it waits on the window. */
static inline void rma_epoch_ring(struct win *w, int rank)
{
	shm_flag_add(via.shm, &w->target[rank].ctl->sync.doorbell, 1);
}

/* In the control block of local member `rank': `from' has posted for it (ring: it may sleep), or
 * has completed its access epoch. */
void rma_epoch_posted(struct win *w, int rank, int from, bool ring);
void rma_epoch_completed(struct win *w, int rank, int from);

struct boot_wait; /* libmpi/boot/waitrec.h */

/* A wait of this process on a window. */
struct rma_epoch_wait {
	struct shm_describer describer; /* first; set by rma_epoch_wait_until */
	struct win *w;
	int rank; /* whose lock or post is awaited; -1: several */
	/* NULL: the wait is for `rank'.  Else calls rma_epoch_late for each member awaited. */
	void (*late)(const struct rma_epoch_wait *wait, struct boot_wait *what);
	/* Called under the library's lock by any thread.  rest: a sleep follows if it returns
	 * false. */
	bool (*ready)(void *arg, bool rest);
	void *arg;
	uint32_t nap_ns; /* 0, or the limit of the next sleep; ready may change it */
};

/* Returns when ready is true.  Polls, then sleeps until this member's doorbell rings or something
 * else arrives.  Gives up the library's lock meanwhile. */
void rma_epoch_wait_until(struct rma_epoch_wait *wait);

/* Adds a member of the window to those that a wait report names as late. */
void rma_epoch_late(const struct win *w, int rank, struct boot_wait *what);

/* --- epoch_errors.c ------------------------------------------------------------------------- */

/* MPI_ERR_RMA_SYNC with words: the window, rank (< 0: left out), the mistake, and which epoch is
 * open instead. */
int rma_epoch_error(const struct win *w, int rank, const char *what);

/* MPI_ERR_RANK with words: the window has no such rank. */
int rma_epoch_no_rank(const struct win *w, int rank);

/* 0, or MPI_ERR_ASSERT with words if modes has bits that MPI does not define. */
int rma_epoch_assert(const struct win *w, int modes);

/* --- open epochs ---------------------------------------------------------------------------- */

/* Opens or closes the window to accesses, unless every access is checked. */
static inline void rma_epoch_open_all(struct win *w, bool open)
{
	w->open = open && !w->rma->epoch->checked;
}

static inline void rma_epoch_open(struct win *w, int rank, bool open)
{
	w->target[rank].open = open && !w->rma->epoch->checked;
}

/* rma_flush without a processor fence, for callers that go on with an atomic instruction. */
static inline int rma_flush_unfenced(struct win *w, int rank)
{
	const struct rma_target *t = &w->target[rank];

	return likely(t->issued == t->completed) ? 0 : rma_flush_wait(w, rank);
}

static inline int rma_flush_local(struct win *w, int rank)
{
	const struct rma_target *t = &w->target[rank];

	return likely((t->origin_pending | t->failed) == 0) ? 0 : rma_flush_wait_local(w, rank);
}

static inline int rma_flush_local_all(struct win *w)
{
	const struct rma *r = w->rma;

	return likely((r->origin_pending | r->failed) == 0) ? 0 : rma_flush_wait_local_all(w);
}

/* Calls that never wait poll for incoming requests every EPOCH_POLL_CALLS calls, and always if
 * members need this process for this window. */
#define EPOCH_POLL_CALLS 64 /* a poll costs about as much as a lock */

/* A pass for calls that never wait.  A loop of them, too, must hear that a member has failed. */
static inline void rma_epoch_progress(void)
{
	if (p2p_progress() == 0)
		via_notice_poll();
}

static inline void rma_epoch_poll(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;

	if (likely(!e->serves && ++e->calls < EPOCH_POLL_CALLS))
		return;
	e->calls = 0;
	rma_epoch_progress();
}

/* pscw.c: returns when a target of MPI_Win_start has posted, and opens it. */
void rma_epoch_start_wait(struct win *w, int rank);

#endif
