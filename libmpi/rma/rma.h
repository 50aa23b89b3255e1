// SPDX-License-Identifier: BSD-3-Clause
/* rma.h - windows: memory of each member that the others read, write and combine into.
 *
 *      struct win ── target[t] ──┬── way   DIRECT: base is mapped here: a put is a store
 *         │ comm (its own ctx)   │         VM: process_vm_*(pid, base)
 *         │ epoch                │         MSG: the member's process does it, asked by frames
 *         │                      ├── ctl ──> in the segment: struct rma_sync (locks, counters)
 *         │                      │                           stripes (what accumulates take)
 *         └ own part: base,      │                           pieces attached (dynamic)
 *           bytes, unit          └── open, alone  <── set by the synchronization half
 *
 *   data movement (win.c mem.c putget.c accumulate.c process_vm.c am_origin.c)   synchronization (win_epoch.c fence.c ...)
 *      rma_is_open(w, t), or rma_epoch_check(w, rank)     ──>
 *                              <── rma_flush(w, rank), rma_flush_all, _local; rma_queue_sync (frames)
 *
 * Engines of MPI's own calls (rma_put, rma_fence ...) are in the generated engine.h; bind/ has
 * checked that handles are objects, counts are not negative, ranks are >= 0 or MPI_PROC_NULL.
 *
 * Invariants
 *  - Operations on DIRECT and VM targets are complete at the target when their call returns; only
 *    operations by MSG are pending, and only for them a flush waits.
 *  - Operations of one process to one target are executed in the order in which they were called,
 *    whatever they are: more than the order that accumulates need (12.7.2).
 *  - Frames about a window that a member has not made yet wait for it (am_origin.c). */
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

#define RMA_STRIPES 16 /* locks for accumulates of one member: by address, so few meet */

/* A lock between processes: 0 free, 1 taken, 2 taken and somebody sleeps. */
struct rma_stripe {
	_Atomic uint32_t word;
	uint32_t pad[15];
};

/* What a member shows to all members of its node: in the segment, made and freed by it. */
struct rma_ctl {
	struct rma_sync sync;
	struct rma_stripe stripe[RMA_STRIPES];
	struct rma_stripe bulk;   /* taken: its memory is combined without atomics just now */
	struct rma_stripe inside; /* rank + 1 of the member to whose memory this one does atomics */
	_Atomic uint64_t attach_seq; /* odd while the table of pieces changes */
	_Atomic uint64_t attach_off; /* of the table in the segment; 0: none */
	_Atomic uint64_t attach_n;
	uint64_t box; /* offset of its process's struct rma_mailbox; 0: none */
	uint64_t pad[4];
};
static_assert(sizeof(struct rma_ctl) % CACHE_LINE == 0, "lines of its own");

/* --- windows -------------------------------------------------------------------------------- */

enum rma_method { RMA_DIRECT, RMA_VM, RMA_AM };

/* How this process reaches one member. */
struct rma_target {
	uint8_t way;   /* enum rma_method; of a dynamic window for what is not in shared memory */
	uint8_t open;  /* sync's: not 0: an epoch lets this process access it */
	bool alone;    /* sync's: and nobody else can (an exclusive lock): no atomics needed */
	bool shared;   /* its memory lies in the segment: accumulates use atomics (accumulate.c) */
	int32_t peer;  /* as via numbers it */
	char *base;    /* DIRECT: as mapped here; VM, MSG: its own address (only a number here) */
	int64_t bytes; /* of its part; of dynamic windows INT64_MAX, and base is NULL */
	int64_t unit;  /* bytes of one step of a displacement */
	struct rma_ctl *ctl; /* NULL: it is on another node */
	uint64_t seg;        /* where the member has the segment mapped */
	uint64_t asked;      /* MSG: operations begun by this process */
	uint64_t answered;   /* MSG: of them those that are complete at the target */
	uint64_t unread;     /* MSG: of them those whose origin buffer is still in use */
	char *map;           /* where its part is mapped here; NULL: it is not */
	struct rma_am *first,
		*last; /* MSG: operations that the target has not answered (am_origin.c) */
	struct rma_mailbox *box; /* VM: where it can be asked; NULL: nowhere (mailbox.h) */
	int32_t pid;             /* VM: as this process sees it */
	uint32_t failed;         /* MSG: answered, with an error that no flush has said yet */
	uint32_t looks;          /* VM: shy: its looks when it was asked last */
	uint16_t rest, rests;    /* VM: it sleeps: operations until it is woken; out of so many */
	bool shy;                /* VM: then it did not look */
	uint8_t pad[3];
};
static_assert(sizeof(struct rma_target) == 2 * CACHE_LINE, "what a put looks at is one line");

struct rma_epoch; /* synchronization's private state of a window: win_epoch.h */
struct rma_hints; /* win_hints.c */

/* The rest of struct win (core/win_object.h has what every engine sees). */
struct rma {
	struct rma *next; /* of the same bucket, by ctx */
	struct win *win;
	struct rma_epoch *epoch;
	struct rma_ctl *ctl; /* this member's */
	struct rma_hints *hints;
	bool direct;      /* what lies in the segment is reached there: HAFT_RMA=auto */
	bool fence;       /* this process fences before it looks whether a bulk is under way */
	bool ends;        /* MPI_Win_free: its callbacks run */
	bool boxed;       /* it holds the box of this process */
	bool contiguous;  /* the parts lie one behind the other, also those of no bytes */
	uint64_t *hollow; /* addresses of pieces of no bytes that are attached; malloc'ed */
	int64_t nhollow;
	void *memory;     /* of via_mem_new, to be freed with the window; NULL: none */
	uint64_t pending; /* MSG: operations of all targets that are not complete */
	uint64_t unread;  /* MSG: of all targets, whose origin buffer is in use */
	uint64_t failed;  /* MSG: of those pending, the ones that have failed at their targets */
	struct rma_am *fails; /* they: the next flush of their target says it (am_origin.c) */
};

/* Room for the words about a window: "window NAME" or "a window of 4 processes". */
#define RMA_WIN_WORDS (MPI_MAX_OBJECT_NAME + 32)

/* rma_init gets ready for frames about windows; once, when MPI starts. */
void rma_init(void);

/* What a window is called in errors, into buf (RMA_WIN_WORDS bytes).  Returns buf. */
const char *rma_win_words(const struct win *w, char *buf);

/* The window behind a context id (comm->ctx of w->comm), or NULL. */
struct win *rma_registry_find(uint64_t ctx);

/* --- synchronization's half, called by data movement ---------------------------------------- */

enum rma_kind { RMA_PUT, RMA_GET, RMA_ACC };

/* An operation before it is done. */
struct rma_access {
	int rank;
	uint8_t what;        /* enum rma_kind */
	const struct op *op; /* ACC; NULL: compare and swap */
	int64_t disp;        /* in units of the target */
	int64_t count;       /* at the target */
	const struct type *type;
	struct req *req; /* of an R-form, or NULL */
};

/* May this process access the target now?  What is not open here may be so for rma_epoch_check: a
 * lock that is taken only when it is needed, or checks that want to see every access. */
static inline bool rma_is_open(const struct win *w, const struct rma_target *t)
{
	return likely((w->open | t->open) != 0);
}

/* The slow half: 0: go on; MPI_ERR_RMA_SYNC with words.  May wait (for a post). */
int rma_epoch_check(struct win *w, int rank);

/* Request-based operations are valid in a passive target epoch only (MPI-5.0 12.3.5).  0, or
 * MPI_ERR_RMA_SYNC with words. */
int rma_epoch_passive(const struct win *w, int rank);

/* If the target is not open all the same, accesses are recorded: this one, with which nothing else
 * is wrong.  0, or MPI_ERR_RMA_CONFLICT with words. */
int rma_epoch_record(struct win *w, const struct rma_access *a);

/* If the target is not open all the same: are the datatypes of both sides to be compared? */
bool rma_epoch_types(const struct win *w);

/* A window is being made: everything of w is filled in, the control blocks are zero.  0 or
 * MPI_ERR_NO_MEM.  info may be NULL.  rma_epoch_free: it goes. */
int rma_epoch_new(struct win *w, const struct info *info);
void rma_epoch_free(struct win *w);

/* MPI_Win_free before anything has happened: MPI_ERR_RMA_SYNC if an epoch is open, with words. */
int rma_epoch_end(struct win *w);

/* MPI_Win_free, all members: waits until no frame can come any more; not if all share memory. */
void rma_remote_quiesce(struct win *w);

/* A frame of rma_queue_sync has come from rank `from': inside a poll, so it may only note and post.  data
 * is valid until it returns. */
void rma_remote_frame(struct win *w, int from, const void *data, uint32_t len);

/* --- data movement's half, called by synchronization ---------------------------------------- */

/* Wait until all operations of this process to a rank (all ranks) are complete there; _local: until
 * their origin buffers may be used again.  0, or the error of an operation that failed at its
 * target, with words.  The library's lock may be given up meanwhile. */
int rma_flush_wait(struct win *w, int rank);
int rma_flush_wait_all(struct win *w);
int rma_flush_wait_local(struct win *w, int rank);
int rma_flush_wait_local_all(struct win *w);

static inline int rma_flush(struct win *w, int rank)
{
	const struct rma_target *t = &w->target[rank];

	atomic_thread_fence(memory_order_seq_cst);
	return likely(t->asked == t->answered) ? 0 : rma_flush_wait(w, rank);
}

static inline int rma_flush_all(struct win *w)
{
	atomic_thread_fence(memory_order_seq_cst);
	return likely(w->rma->pending == 0) ? 0 : rma_flush_wait_all(w);
}

/* Sends at most RMA_SYNC_MAX bytes to a rank's rma_remote_frame, behind all operations that this
 * process has begun there.  Never waits; the job ends if there is no memory. */
#define RMA_SYNC_MAX 64
void rma_queue_sync(struct win *w, int rank, const void *data, uint32_t len);

/* Makes progress until ready(arg); what: for the roll-call, a word like "lock". */
void rma_queue_wait(struct win *w, bool (*ready)(void *arg), void *arg);

#endif
