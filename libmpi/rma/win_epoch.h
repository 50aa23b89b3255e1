// SPDX-License-Identifier: BSD-3-Clause
/* win_epoch.h - which accesses and calls a window allows now.
 *
 *   access                                                  exposure
 *
 *             fence           ┌─ fence ─┐                      NONE ──post──> POSTED
 *    CLOSED ──────────> FENCE <───> FENCED  (something           <──wait, test──┘
 *     │  <──────────────  │   access   │     was accessed)
 *     │   fence(NOSUCCEED)             │  fence                a fence needs NONE; post needs
 *     │                   │            '──────>                CLOSED to LOCK_ALL but not FENCED
 *     ├─<─────────────────┘ (nothing was accessed: no epoch)
 *     ├──start────> START ───complete──> CLOSED
 *     ├──lock(t)──> LOCK ────unlock(t), the last──> CLOSED     lock(u) stays: other targets too
 *     └──lock_all─> ALL ─────unlock_all───────────> CLOSED
 *
 *   call                    legal in                           access is open to
 *   put, get, accumulate    FENCE if NONE, FENCED, START,      FENCED, ALL: everybody
 *                           LOCK, ALL                          START: the group, once they posted
 *   fence                   CLOSED, FENCE, FENCED, if NONE     LOCK: the targets locked
 *   start, lock, lock_all   CLOSED, FENCE; lock also LOCK
 *   complete                START
 *   unlock, flush(t)        LOCK if t is locked; flush: ALL
 *   unlock_all              ALL
 *   flush_all               LOCK, ALL
 *   wait, test              POSTED
 *   sync                    any
 *   free                    CLOSED, FENCE, if NONE
 *
 * Everything else is MPI_ERR_RMA_SYNC with words; an access that a lock of ours is only about to
 * open is, too.  What is open is said where an access looks: win.open (everybody) and target.open.
 * While accesses are looked at (HAFT_CHECK=rma, types) both stay 0, so that each comes by. */
#ifndef HAFT_RMA_WIN_EPOCH_H
#define HAFT_RMA_WIN_EPOCH_H

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

/* What this process has of one target. */
enum rma_epoch_held {
	HELD_NONE,
	HELD_SHARED,
	HELD_EXCLUSIVE,
	HELD_PROMISED, /* locked by a promise of the user: MPI_MODE_NOCHECK */
	HELD_WAITING,  /* a thread of ours waits for the lock */
	HELD_STARTED   /* a target of MPI_Win_start */
};

struct rma_epoch_target {
	uint32_t posts; /* of its exposure epochs those that we have used */
	uint32_t dones; /* of our exposure epochs those that it was let into */
	int32_t holder; /* it is far away: who had its lock when it told us; -1: not known */
	uint8_t held;   /* enum rma_epoch_held */
	bool granted;   /* it is far away, and has told us that we have its lock */
};

struct conflict_log;    /* conflict.c */
struct rma_remote_wait; /* win_remote.c */

struct rma_epoch {
	uint8_t access; /* enum rma_epoch_access */
	bool posted;
	bool near;     /* all members share memory with this one */
	bool serves;   /* others need this process's help to access its memory */
	uint8_t calls; /* since the last look at what others want */
	bool promised; /* ALL: with MPI_MODE_NOCHECK */
	int byes;      /* members that free the window: nothing more comes from them */
	int locks;     /* LOCK: targets held or waited for */
	int nstarted;  /* START: targets in the group */
	int32_t *started;
	int nposted; /* POSTED: members of the group */
	int32_t *posteds;
	uint32_t done; /* value that the counter of completions has at its end */
	struct rma_epoch_target *target;
	struct rma_remote_wait *far_waits; /* [size], owned; NULL: all members are near */
	struct rma_remote_wait *far; /* of them those that wait for our lock, the oldest first */
	struct rma_epoch *far_next;  /* of the next window that has such */
	struct win *win;
	struct conflict_log *check; /* NULL: nothing is recorded */
	bool types;                 /* HAFT_CHECK=types */
	bool slow;                  /* every access is looked at: `check' or `types' */
};

/* Nanoseconds of a clock that only goes forward. */
uint64_t rma_now_ns(void);

/* Something has come for a member that shares memory with this one: ends its sleep. */
static inline void rma_epoch_ring(struct win *w, int rank)
{
	shm_flag_add(via.shm, &w->target[rank].ctl->sync.bell, 1);
}

/* In the control block of member `rank', which is near: `from' has posted for it (and it may
 * sleep); the access of `from' is done. */
void rma_epoch_posted(struct win *w, int rank, int from, bool ring);
void rma_epoch_completed(struct win *w, int rank, int from);

/* A wait of this process on a window. */
struct rma_epoch_wait {
	struct shm_describer teller; /* first; filled in by rma_epoch_wait */
	struct win *w;
	int rank; /* whose lock, or whose post; -1: several */
	/* NULL: it is that rank that must do something.  Or says who: rma_epoch_late for each. */
	void (*late)(const struct rma_epoch_wait *wait, struct shm_what *what);
	/* Asked under the library's lock by any thread; rest: a sleep comes next if it is not so.
	 */
	bool (*ready)(void *arg, bool rest);
	void *arg;
	uint32_t nap_ns; /* 0, or: the next sleep is no longer; ready may change it */
};

/* Notes for the roll-call that a member of the window has not come, or not gone. */
void rma_epoch_late(const struct win *w, int rank, struct shm_what *what);

/* Makes progress until ready.  Sleeps until the bell of this member rings, or something else comes.
 * The library's lock is given up meanwhile. */
void rma_epoch_wait_until(struct rma_epoch_wait *wait);

/* MPI_ERR_RMA_SYNC with words: what the call needs, the window and what is open there instead.
 * rank < 0: no matter. */
int rma_epoch_error(const struct win *w, int rank, const char *what);

/* MPI_ERR_RANK with words: the window has no such rank. */
int rma_epoch_no_rank(const struct win *w, int rank);

/* 0, or MPI_ERR_ASSERT with words if modes has bits that MPI does not know. */
int rma_epoch_assert(const struct win *w, int modes);

/* Opens and closes win.open or target.open, unless each access is to be looked at. */
static inline void rma_epoch_open_all(struct win *w, bool open)
{
	w->open = open && !w->rma->epoch->slow;
}

static inline void rma_epoch_open(struct win *w, int rank, bool open)
{
	w->target[rank].open = open && !w->rma->epoch->slow;
}

/* rma_flush without a fence of the processor, for who goes on with an atomic instruction. */
static inline int rma_flush_unfenced(struct win *w, int rank)
{
	const struct rma_target *t = &w->target[rank];

	return likely(t->asked == t->answered) ? 0 : rma_flush_wait(w, rank);
}

static inline int rma_flush_local(struct win *w, int rank)
{
	const struct rma_target *t = &w->target[rank];

	return likely((t->unread | t->failed) == 0) ? 0 : rma_flush_wait_local(w, rank);
}

static inline int rma_flush_local_all(struct win *w)
{
	const struct rma *r = w->rma;

	return likely((r->unread | r->failed) == 0) ? 0 : rma_flush_wait_local_all(w);
}

/* A call that does not wait: now and then it looks all the same at what others want of this
 * process, who may make no other calls; always, if they need it for this window. */
#define EPOCH_POLL_CALLS 64 /* a look costs about as much as a lock */

static inline void rma_epoch_poll(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;

	if (likely(!e->serves && ++e->calls < EPOCH_POLL_CALLS))
		return;
	e->calls = 0;
	p2p_progress();
}

/* pscw.c: an access to a target of MPI_Win_start waits until it has posted. */
void rma_epoch_start_wait(struct win *w, int rank);

#endif
