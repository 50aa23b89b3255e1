// SPDX-License-Identifier: BSD-3-Clause
/* rma.h - windows: memory of each member that the others read, write and combine into.
 *
 *      struct win ── target[t] ──┬── method  DIRECT: base is mapped here: a put is a store
 *         │ comm (own context)   │           VM: process_vm_*(pid, base)
 *         │ epoch                │           AM: active messages to the member's process
 *         │                      ├── ctl ──> in the segment: struct rma_sync (lock, counters)
 *         │                      │                           stripe locks for accumulates
 *         └ own part: base,      │                           attached ranges (dynamic window)
 *           bytes, unit          └── open, exclusive  <── set by synchronization
 *
 *      data movement                                       synchronization
 *      putget.c accumulate.c operation.c                   win_epoch.c fence.c pscw.c passive.c
 *         rma_is_open(w, t), rma_epoch_check(w, rank)  ──>
 *                                                      <── rma_flush..., rma_queue_sync
 *
 * The engines of MPI's calls (rma_put, rma_win_fence ...) are in the generated engine.h.  Bind has
 * checked that handles are objects, counts are not negative, and ranks are >= 0 or MPI_PROC_NULL.
 *
 * Invariants
 *  - Operations on DIRECT and VM targets are complete at the target when their call returns.  Only
 *    operations by AM are pending, and a flush waits only for them.
 *  - Operations of one process to one target execute in call order, whatever they are.  That is
 *    more than the order that accumulates need (12.7.2).
 *  - Frames about a window that a member has not made yet are kept for it (dispatch.c). */
#ifndef HAFT_RMA_RMA_H
#define HAFT_RMA_RMA_H

#include "libmpi/core/info_object.h"
#include "libmpi/core/op_object.h"
#include "libmpi/core/req.h"
#include "libmpi/core/type_object.h"
#include "libmpi/core/win_object.h"
#include "libmpi/rma/win_sync.h"
#include "libmpi/via/via.h"

/* --- what members share --------------------------------------------------------------------- */

#define RMA_STRIPES 16 /* locks for accumulates on one member: selected by place, so few collide */

/* A lock between processes: 0 free, 1 taken. */
struct rma_stripe {
	_Atomic uint32_t word;
	uint32_t pad[15];
};

/* The part of a member that all members of its host see: in the segment, made and freed by the
 * member. */
struct rma_ctl {
	struct rma_sync sync;
	struct rma_stripe stripe[RMA_STRIPES];
	struct rma_stripe bulk;      /* taken: its memory is combined without atomics now */
	struct rma_stripe inside;    /* rank + 1 of the member on whose memory it does atomics */
	_Atomic uint64_t attach_seq; /* odd while the table of attached ranges changes */
	_Atomic uint64_t attach_off; /* offset of the table in the segment; 0: none */
	_Atomic uint64_t attach_n;
	uint64_t mailbox; /* offset of its process's struct rma_mailbox; 0: none */
	uint64_t pad[4];
};
static_assert(sizeof(struct rma_ctl) % CACHE_LINE == 0, "lines of its own");

/* --- windows -------------------------------------------------------------------------------- */

enum rma_method { RMA_DIRECT, RMA_VM, RMA_AM };

/* How this process reaches one member. */
struct rma_target {
	uint8_t method; /* enum rma_method; of a dynamic window: for memory outside the segment */
	uint8_t open;   /* set by synchronization; not 0: the epoch allows access */
	bool exclusive; /* set by synchronization: locked exclusively, so no atomics are needed */
	bool shared;    /* its memory lies in the segment: accumulates use atomics */
	int32_t peer;   /* number of the peer in via */
	char *base;     /* DIRECT: as mapped here; VM, AM: the target's own address */
	int64_t bytes;  /* of its part; dynamic window: INT64_MAX, and base is NULL */
	int64_t unit;   /* bytes of one displacement unit */
	struct rma_ctl *ctl;         /* NULL: the member is on another host */
	uint64_t seg;                /* address at which the member has mapped the segment */
	uint64_t issued;             /* AM: operations that this process has begun */
	uint64_t completed;          /* AM: of those, complete at the target */
	uint64_t origin_pending;     /* AM: of those, whose origin buffer is still in use */
	char *map;                   /* where its part is mapped here; NULL: it is not */
	struct rma_am *first, *last; /* AM: operations that the target has not answered */
	struct rma_mailbox *mailbox; /* VM: NULL: none */
	int32_t pid;                 /* VM: as this process sees it */
	uint32_t failed;             /* AM: answered with an error that no flush has reported yet */
	uint32_t polls;              /* VM, backoff: the target's count of polls at the last try */
	uint16_t wake_left;  /* VM, asleep: operations until the target is woken; 0: not counting */
	uint16_t wake_every; /* VM, asleep: one wake-up each so many operations */
	bool backoff;        /* VM: the target has not answered the last post */
	uint8_t pad[3];
};
static_assert(sizeof(struct rma_target) == 2 * CACHE_LINE, "a put reads the first line only");

struct rma_epoch; /* state of synchronization: win_epoch.h */
struct rma_hints; /* win_hints.c */

/* The part of struct win that only this folder sees. */
struct rma {
	struct rma *next; /* in the registry's bucket */
	struct win *win;
	struct rma_epoch *epoch;
	struct rma_ctl *ctl; /* this member's */
	struct rma_hints *hints;
	bool direct;      /* memory in the segment is reached there: HAFT_RMA=auto */
	bool fence;       /* this process fences before it looks for a bulk (shm_must_fence) */
	bool freeing;     /* MPI_Win_free runs its callbacks */
	bool has_mailbox; /* it holds the mailbox of this process */
	bool broken;      /* a member has failed, or it is revoked: no call waits (win_broken.c) */
	bool contiguous;  /* the parts of all members follow each other, also empty ones */
	uint64_t *empty;  /* addresses of attached ranges without bytes; malloc'ed */
	int64_t nempty;
	void *memory;            /* of via_mem_new, freed with the window; NULL: none */
	uint64_t pending;        /* AM: operations to all targets that are not complete */
	uint64_t origin_pending; /* AM: sum over all targets */
	uint64_t failed;         /* AM: pending operations that have failed at their targets */
	struct rma_am *failures; /* these operations: the next flush of their target reports them */
};

/* Room for the words about a window: "window NAME" or "a window of 4 processes". */
#define RMA_WIN_WORDS (MPI_MAX_OBJECT_NAME + 32)

/* Prepares for frames about windows.  Called once by MPI's initialization. */
void rma_init(void);

/* Writes what errors call a window into buf (RMA_WIN_WORDS bytes).  Returns buf. */
const char *rma_win_words(const struct win *w, char *buf);

/* The window of a context id (w->comm->ctx), or NULL. */
struct win *rma_registry_find(uint64_t ctx);

/* Do the invariants of all windows of this process hold?  Changes and prints nothing.  Under the
 * library's lock, between MPI's calls. */
bool rma_win_valid(void);

/* --- synchronization, called by data movement ----------------------------------------------- */

enum rma_kind { RMA_PUT, RMA_GET, RMA_ACC };

/* An operation before it is executed, for HAFT_CHECK=rma. */
struct rma_access {
	int rank;
	uint8_t kind;        /* enum rma_kind */
	const struct op *op; /* ACC; NULL: compare and swap */
	int64_t disp;        /* in units of the target */
	int64_t count;       /* at the target */
	const struct type *type;
	struct req *req; /* of a request-based operation, or NULL */
};

/* May this process access the target now?  If not, rma_epoch_check may still allow it: after a wait
 * for a post, or because every access is recorded. */
static inline bool rma_is_open(const struct win *w, const struct rma_target *t)
{
	return likely((w->open | t->open) != 0);
}

/* The slow half of rma_is_open.  May wait for a post.  0, or MPI_ERR_RMA_SYNC with words. */
int rma_epoch_check(struct win *w, int rank);

/* Request-based operations are valid in a passive target epoch only (MPI-5.0 12.3.5).  0, or
 * MPI_ERR_RMA_SYNC with words. */
int rma_epoch_passive(const struct win *w, int rank);

/* Records an access that passed all other checks, if the target is still not open.  0, or
 * MPI_ERR_RMA_CONFLICT with words. */
int rma_epoch_record(struct win *w, const struct rma_access *a);

/* If the target is still not open: are the datatypes of both sides compared (HAFT_CHECK=types)? */
bool rma_epoch_types(const struct win *w);

/* rma_epoch_new prepares synchronization of a window that is complete otherwise, with zeroed
 * control blocks.  info may be NULL.  0 or MPI_ERR_NO_MEM.  rma_epoch_free frees it. */
int rma_epoch_new(struct win *w, const struct info *info);
void rma_epoch_free(struct win *w);

/* Called first by MPI_Win_free.  MPI_ERR_RMA_SYNC with words if an epoch is open, else 0. */
int rma_epoch_end(struct win *w);

/* Called by MPI_Win_free of all members.  Returns when no frame about the window can arrive any
 * more; at once if all members share memory. */
void rma_remote_quiesce(struct win *w);

/* Handles a frame of rma_queue_sync from rank `from'.  Runs inside a poll, so it never waits.  data
 * is valid until it returns. */
void rma_remote_frame(struct win *w, int from, const void *data, uint32_t len);

/* --- data movement, called by synchronization ----------------------------------------------- */

/* rma_flush_wait returns when all operations of this process to a rank (_all: to all ranks) are
 * complete there; _local: when their origin buffers may be reused.  0, or the error of an operation
 * that failed at its target, with words.  May give up the library's lock meanwhile. */
int rma_flush_wait(struct win *w, int rank);
int rma_flush_wait_all(struct win *w);
int rma_flush_wait_local(struct win *w, int rank);
int rma_flush_wait_local_all(struct win *w);

static inline int rma_flush(struct win *w, int rank)
{
	const struct rma_target *t = &w->target[rank];

	atomic_thread_fence(memory_order_seq_cst);
	return likely(t->issued == t->completed) ? 0 : rma_flush_wait(w, rank);
}

static inline int rma_flush_all(struct win *w)
{
	atomic_thread_fence(memory_order_seq_cst);
	return likely(w->rma->pending == 0) ? 0 : rma_flush_wait_all(w);
}

/* Sends up to RMA_SYNC_MAX bytes to a rank's rma_remote_frame, after all operations that this
 * process has begun there.  Never waits.  Ends the job if there is no memory. */
#define RMA_SYNC_MAX 64
void rma_queue_sync(struct win *w, int rank, const void *data, uint32_t len);

/* Returns when ready(arg) is true.  Polls, then sleeps; other threads may enter meanwhile. */
void rma_queue_wait(struct win *w, bool (*ready)(void *arg), void *arg);

#endif
