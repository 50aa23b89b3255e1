// SPDX-License-Identifier: BSD-3-Clause
/* shm.h - messages, flags, wake-ups and memory between the processes of one node.
 *
 *   launcher                 rank 0              rank 1              rank 2
 *      | shm_seg_create        | shm_seg_open      |                   |
 *      |---- memfd ----------->| shm_attach        |                   |       (inherited fd)
 *                              |------ ring ------>|  64-byte slots, one writer, one reader
 *                              |====== pipe ======>|  64 KiB chunks for large messages
 *                              |                   |<---- inbox -------|   before a pair is busy
 *                              [ blocks: lines, counters and buffers that a group shares ]
 *
 * One process is one `rank', 0 .. nranks-1.  Everything lies in one segment; zero-filled memory is
 * the valid first state of everything in it, so that a rank may send to one that has not started.
 *
 * Rules for all functions, unless their comment says otherwise:
 *  - A struct shm belongs to one thread at a time.  A struct shm_seg may be used by any thread.
 *  - No function blocks, except shm_idle (sleeps for a bounded time) and shm_flag_wait.
 *  - Functions that return int return 0 or one of enum shm_error; outputs are set only at 0.
 *  - Pointers into the segment stay valid until shm_seg_close. */
#ifndef LIBSHM_SHM_H
#define LIBSHM_SHM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "libobj/base.h"

enum shm_error {
	SHM_AGAIN = 1, /* full or empty now: nothing was done, call again after a poll */
	SHM_NOMEM,     /* no shared or private memory left */
	SHM_BAD,       /* no segment of libshm (magic, version, size), or no such rank in it */
	SHM_SYS,       /* a system call failed; errno says why */
	SHM_ABORTED,   /* shm_seg_abort has been called: the job is ending */
	SHM_OTHER,     /* a segment of another build, with another layout */
};

/* The words of an error, for messages.  Never NULL. */
const char *shm_error_text(int error);

/* --- limits --------------------------------------------------------------------------------- */

#define SHM_RANKS_MAX   65536          /* keeps every offset table of a segment below 1 GiB */
#define SHM_NAME_MAX    0xfffffeu      /* greatest name of a tenant */
#define SHM_INLINE      48             /* payload bytes in one slot: 64 less the 16 of the header */
#define SHM_SLOTS       MEAN_OR(4, 64) /* slots of a ring by default: 4 KiB a pair */
#define SHM_SLOTS_MIN   4              /* credit comes after a quarter */
#define SHM_SLOTS_MAX   4096           /* 256 KiB a pair; no gain was seen above 1024 */
#define SHM_FRAME_MAX   16384          /* s->frame_max is never more: the slot has 15 bits for it */
#define SHM_KIND_MAX    0xef /* greatest `kind' of a user's frame; above are libshm's own */
#define SHM_LINE_DATA   56   /* payload bytes in one line of a block */
#define SHM_BLOCK_OUTS  MEAN_OR(2, 8) /* release lines of a block: how far a root may run ahead */
#define SHM_CHUNK       MEAN_OR(256, 65536) /* copied in 7 us: a chunk costs little besides */
#define SHM_CHUNKS      MEAN_OR(2, 4)       /* of a pipe: a producer, a consumer, two on the way */
#define SHM_CHUNKS_MIN  2
#define SHM_CHUNKS_MAX  8    /* their lengths share a line with the count */
#define SHM_NAP_MS      50   /* longest sleep with less than 16 ranks a CPU */
#define SHM_DESCRIBE_MS 10   /* a wait that lasts longer is described; many ranks: later */
#define SHM_JOB_LEN     4096 /* bytes of the job area that all share */
#define SHM_JOB_RANK    64   /* bytes of the job area of each rank */
#define SHM_EXTRA_LEN   2048 /* bytes of the extra area of each rank: memory is taken at need */

/* --- the segment: made by the launcher, inherited by the ranks ------------------------------ */

struct shm_seg;

/* Zero in all members but nranks: the defaults. */
struct shm_opts {
	int nranks;      /* 1 .. SHM_RANKS_MAX */
	int spare;       /* seats for processes that come later: address space only */
	int ncpus;       /* CPUs for all of them; 0: ask the affinity mask and the cgroup's quota */
	uint64_t cookie; /* 0: a random one */
	size_t heap_len; /* bytes of address space for rings, pipes, blocks; 0: by nranks */
	size_t chunk_len; /* bytes of a pipe's chunk, a multiple of 64; 0: SHM_CHUNK */
	uint32_t chunks;  /* of a pipe, a power of two; 0: SHM_CHUNKS */
	uint32_t slots;   /* of a ring, a power of two; 0: SHM_SLOTS */
	size_t map_len;   /* bytes of the map; 0: there is none */
};

/* CPUs that this process may use: its affinity mask, less if the cgroup's quota gives less. >=
 * 1. */
int shm_cpus(void);

/* Makes a segment (a sealed memfd, close-on-exec: the launcher decides which process inherits it)
 * and maps it.  Only its control part takes memory now.  SHM_SYS, SHM_NOMEM, SHM_BAD (opts). */
int shm_seg_create(const struct shm_opts *opts, struct shm_seg **seg);

/* Maps the segment behind `fd', which stays the caller's to keep open or close.  Where address
 * space is short it maps only the first part of the heap, and shm_attach keeps all ranks'
 * extents there. */
int shm_seg_open(int fd, struct shm_seg **seg);

/* Unmaps.  In the creator also closes the fd.  No struct shm may still use it. */
void shm_seg_close(struct shm_seg *seg);

int shm_seg_fd(const struct shm_seg *seg);        /* the creator's fd; -1 after shm_seg_open */
int shm_seg_nranks(const struct shm_seg *seg);    /* ranks from the start */
int shm_seg_nseats(const struct shm_seg *seg);    /* these and the spare seats */
int shm_seg_seats_end(const struct shm_seg *seg); /* seats from here on were never open */
uint64_t shm_seg_len(const struct shm_seg *seg);  /* bytes that are mapped here */
/* CPUs that the ranks of the segment may use together, as the launcher counted them. */
int shm_seg_ncpus(const struct shm_seg *seg);
bool shm_seg_oversubscribed(const struct shm_seg *seg); /* more first ranks than CPUs: constant */
bool shm_seg_oversubscribed_now(const struct shm_seg *seg); /* more open seats than CPUs, now */
uint32_t shm_seg_ranks_per_cpu(const struct shm_seg *seg);  /* open seats now, rounded down */
uint64_t shm_seg_cookie(const struct shm_seg *seg); /* random, never 0: is it this job's segment? */

/* Room for the layer that starts jobs (its state, application numbers): zero at first, never read
 * or written by libshm.  SHM_JOB_LEN bytes for all; SHM_JOB_RANK bytes for `rank'. */
void *shm_seg_job(struct shm_seg *seg);
void *shm_seg_job_rank(struct shm_seg *seg, int rank);

/* More room of that kind, for few ranks' data: SHM_EXTRA_LEN bytes for `rank', which a later
 * tenant of its seat gets as they are.  shm_seg_extra_take makes sure that its memory is there, and
 * is to be called before a write; NULL: there is none.  Also in a signal handler. */
void *shm_seg_extra(const struct shm_seg *seg, int rank);
void *shm_seg_extra_take(struct shm_seg *seg, int rank);

/* The core file of this process, which has nothing of the segment otherwise, gets the part that was
 * ever used.  For a handler of a crash: one system call. */
void shm_seg_core(const struct shm_seg *seg);

/* The map: opts.map_len bytes, aligned to 8, for data that the creator writes before the ranks
 * start.  *len is its length.  NULL: the segment has no map. */
void *shm_seg_map(struct shm_seg *seg, size_t *len);

#define SHM_MAP_MAX ((size_t)1 << 30) /* greatest map_len */

/* --- seats: processes that come and go ------------------------------------------------------ */
/*
 *   seat 0 .. nranks-1    taken by the first ranks, whose names are 0
 *   nranks .. nseats-1    spare: opened by the launcher for a tenant with a name of its own
 *
 * A seat is used again when its tenant has gone.  Frames say the names of sender and receiver as
 * long as a pair has no ring, so that the frames of two tenants are never mixed up. */

/* By the launcher: makes a seat ready for a new tenant, before that starts.  name: 1 ..
 * SHM_NAME_MAX, greater than those of all former tenants of the segment.  SHM_AGAIN: it is open;
 * SHM_NOMEM, SHM_SYS, SHM_BAD (no such seat or name). */
int shm_seat_open(struct shm_seg *seg, int seat, uint32_t name);

/* By the launcher: the tenant's process has ended, and no other process uses its seat.  Its memory
 * is given back as soon as no reader can look at it any more. */
void shm_seat_close(struct shm_seg *seg, int seat);

/* The name of a seat's tenant; 0: a first rank, or a seat that was never open.  A closed seat has a
 * name greater than SHM_NAME_MAX. */
uint32_t shm_seat_name(const struct shm_seg *seg, int seat);

struct shm;

/* By a rank: from now on it sends to the tenant `name' of a seat.  To be called before the first
 * frame to a tenant that is not a first rank. */
void shm_seat_redirect(struct shm *s, int seat, uint32_t name);

/* Called in shm_poll: a tenant that is not a first rank has sent its first frame to this rank.  The
 * frame itself is delivered by a later poll.  All frames of the seat's former tenant have been. */
typedef void shm_newcomer_fn(int seat, uint32_t name);
void shm_newcomer_set(struct shm *s, shm_newcomer_fn *newcomer);

/* Marks the job as aborted, for ever, and wakes every sleeping rank: each shm_idle and
 * shm_flag_wait returns SHM_ABORTED from now on.  From any process or thread, also in a signal
 * handler. */
void shm_seg_abort(struct shm_seg *seg);
bool shm_seg_aborted(const struct shm_seg *seg);

/* --- notices: the launcher's messages to all ranks ------------------------------------------- */

#define SHM_NOTICE_LEN 32    /* bytes of a record */
#define SHM_NOTICE_MAX 65536 /* records that there is room for */

/* By the launcher: appends a record, which every rank sees, and ends all sleeps.  SHM_NOMEM: there
 * is no room. */
int shm_notice_put(struct shm_seg *seg, const void *record);

/* By a rank: `handler' is called once for each record, in order, from shm_idle, shm_flag_wait and
 * shm_notice_poll, before they return.  It may send and poll, and must not wait.  NULL: notices are
 * dropped. */
typedef void shm_notice_fn(const void *record);
void shm_notice_set(struct shm *s, shm_notice_fn *handler);
void shm_notice_poll(struct shm *s);

/* The i-th record, handled or not; NULL: there are no more.  Never changes, and may be read at any
 * time, also in `handler' and while frames are delivered. */
const void *shm_notice_get(const struct shm *s, uint32_t i);
const void *shm_seg_notice(const struct shm_seg *seg, uint32_t i);

#define SHM_DESCRIPTION_LEN 152 /* bytes of a description; a multiple of 8 */

/* Describes a wait: writes up to SHM_DESCRIPTION_LEN bytes to `description', which is zero-filled
 * and aligned to 8. libshm carries them to shm_seg_view without looking at them.  Called when the
 * wait has lasted SHM_DESCRIBE_MS, by the waiting thread, under the locks that it called shm_idle
 * with.  Usually the first member of a struct that knows more. */
struct shm_describer {
	void (*describe)(const struct shm_describer *t, void *description);
};

/* Waits of other threads of a rank that are shown beside the first: there is room for no more. */
#define SHM_STANDBY_MAX 3

/* The wait of a thread that sleeps while another thread of its rank listens at the doorbell. */
struct shm_standby {
	uint64_t since_ns;
	_Alignas(8) char description[SHM_DESCRIPTION_LEN];
};

enum shm_state { SHM_UNATTACHED, SHM_ATTACHED, SHM_DETACHED };

struct shm_view {
	enum shm_state state;
	int pid;           /* as the rank sees it; 0 before it attaches */
	int cpu;           /* where it attached or last went to sleep */
	bool asleep;       /* then since_ns, still_ns and description are valid */
	uint64_t since_ns; /* CLOCK_MONOTONIC, start of the wait */
	uint64_t still_ns; /* same clock: since then only timeouts have ended its sleeps */
	/* All zero if the waiter has no describer, or has not waited for SHM_DESCRIBE_MS. */
	_Alignas(8) char description[SHM_DESCRIPTION_LEN];
	int nothers; /* waits of other threads, shown once a sleep has ended by timeout */
	struct shm_standby other[SHM_STANDBY_MAX];
};

/* Reads the state of `rank' from outside.  A snapshot, which may be old when it returns. */
void shm_seg_view(const struct shm_seg *seg, int rank, struct shm_view *view);

/* --- a rank --------------------------------------------------------------------------------- */

/* Statistics; plain increments by the owner. */
struct shm_count {
	uint64_t yields;      /* empty passes given to others */
	uint64_t yields_slow; /* of them: another thread ran meanwhile */
	uint64_t spins;       /* empty passes spent spinning */
	uint64_t put;         /* frames put, ring and inbox */
	uint64_t got;         /* frames consumed */
	uint64_t put_inbox;   /* of those put, through an inbox */
	uint64_t put_long;    /* of them longer than SHM_INLINE */
	uint64_t put_again;   /* puts that met a full ring or inbox */
	uint64_t rings;       /* rings made towards others */
	uint64_t rings_none;  /* rings wanted and not had: cap or memory */
	uint64_t pipes;       /* pipes made towards others */
	uint64_t pipes_moved; /* idle pipes given to another peer */
	uint64_t chunks;      /* chunks published */
	uint64_t sleeps;      /* times in the futex */
	uint64_t naps;        /* of them ended by timeout */
	uint64_t wakes;       /* others woken */
	uint64_t moves;       /* to another CPU, where fewer ranks run */
	uint64_t reads;       /* pieces read from others' private memory */
	uint64_t writes;      /* pieces written into it */
};

/* A slot of a ring.  The word is stored last and publishes the rest.  Its lap bit is 1 in even laps
 * of the ring and 0 in odd ones, so that zero-filled slots are empty. */
struct shm_slot {
	uint64_t ctx;
	_Atomic uint64_t word;    /* bits 0-14 len, 15 lap, 16-23 kind, 24-31 flags, 32-63 tag */
	uint8_t data[SHM_INLINE]; /* or, if len is more, a struct shm_payload */
};
static_assert(sizeof(struct shm_slot) == CACHE_LINE, "a slot is one line");

/* Where the payload of a frame longer than SHM_INLINE lies, in one piece. */
struct shm_payload {
	uint64_t off; /* in the segment */
	uint32_t end; /* credit to give back: position behind it in the sender's payload area */
};

/* A rank's doorbell.  Senders read it after each message, and write to it only to end a sleep. */
struct shm_doorbell {
	_Atomic uint32_t sleeping; /* 0: no; 1: in the futex; 2: by its shm_sleep_ops */
	_Atomic uint32_t state;    /* enum shm_state */
	_Atomic int32_t pid;
	uint8_t pad0[4];
	_Atomic uint64_t proof_at; /* address in its private memory; 0: none.  cross_memory.c */
	_Atomic uint64_t proof;    /* the value there */
	uint64_t made, kept;       /* struct channel: of this tenant; of former ones, for it */
	_Atomic uint32_t name;     /* of the tenant: shm_seat_name */
	_Atomic int32_t counted;   /* 1 + the CPU where it is counted; 0: none.  spread.c */
	uint8_t pad1[8];
};
static_assert(sizeof(struct shm_doorbell) == CACHE_LINE, "a doorbell is one line");

/* The sender's end of a ring (private memory).  No ring yet: all zero, so head == limit. */
struct shm_tx {
	struct shm_slot *slot;
	uint32_t head;  /* frames put so far */
	uint32_t limit; /* head may go up to here by shm_put alone: frame_ring.c */
};

/* The receiver's end of a ring (private memory).  No ring yet: all zero, and the slot at the start
 * of the segment, which is its head, looks empty for ever (seg.c).  */
struct shm_rx {
	uint64_t at;               /* offset of the slot of the next frame */
	uint32_t tail;             /* frames consumed so far */
	uint32_t lap_before;       /* the lap bit of that slot's word until the frame is there */
	uint32_t credited;         /* of the frames those that the sender knows of */
	uint32_t payload_end;      /* payload area consumed up to here */
	uint32_t payload_credited; /* of it the part that the sender knows of */
};

/* The private side of an attached rank.  Users read me, nranks, frame_max, seg and count; the rest
 * is here for the inline functions. */
struct shm {
	struct shm_tx *tx;             /* by receiver */
	struct shm_rx *rx;             /* by sender */
	char *base;                    /* of the segment */
	struct shm_doorbell *doorbell; /* by rank */
	struct shm_private *in;        /* members that no inline function needs */
	/* A word of the user that waits look at besides: shm_poll_word_set. */
	const _Atomic uint32_t *poll_word;
	uint32_t poll_word_seen; /* its value that was seen last */
	uint32_t slots;          /* of each ring, a power of two */
	int me;                  /* my rank */
	uint16_t credit_mask;    /* slots / 4 - 1: of frame numbers with which credit may be due */
	bool fence;              /* senders fence before they read a doorbell: shm_wait.c */
	uint8_t unrecorded;      /* so many waits may begin with shm_yield_unrecorded */
	/* The first cache line ends here. */
	uint32_t frame_max;  /* greatest payload of a frame, bytes: 16 KiB, less with many ranks */
	int nranks;          /* seats of the segment */
	struct shm_seg *seg; /* the segment, as given to shm_attach */
	struct shm_count count;
};

/* Makes the caller rank `me' of the segment: touches its own lines only, no message, no barrier;
 * other ranks may have started, sent and finished, or not have started.  The segment must stay open
 * until shm_detach.  A seat belongs to the process that took it first, until shm_seat_open
 * gives it to another.  SHM_BAD (no such rank, or taken), SHM_NOMEM (also: extents of the heap lie
 * where this process could not map it). */
int shm_attach(struct shm_seg *seg, int me, struct shm **s);

enum shm_sleep {
	SHM_SLEEP_AUTO,   /* after spinning and yielding that did not help */
	SHM_SLEEP_NEVER,  /* yield for ever: for ranks with CPUs of their own */
	SHM_SLEEP_ALWAYS, /* at once: waiting takes no CPU time, and each message a wake-up */
};

/* Settings of a rank; ranks may differ.  See shm_opts for those of the segment. */
struct shm_tune {
	uint32_t puts;   /* frames through a peer's inbox before a ring is made for the pair */
	uint32_t spins;  /* of a wait that has a CPU for itself; else fewer or none */
	uint32_t yields; /* after them, before it sleeps; fewer if other threads ran meanwhile */
	enum shm_sleep sleep;
	bool stay; /* it never moves to another CPU by itself: spread.c */
};

#define SHM_PUTS   MEAN_OR(2, 4) /* a pair that sends more is worth 4 KiB */
#define SHM_SPINS  2000          /* about 50 us: twice the cost of a sleep and its wake-up */
#define SHM_YIELDS 200           /* fast ones: no other thread needs the CPU */

/* Sets the settings of a rank, at any time outside of a wait.  Defaults: SHM_PUTS, SHM_SPINS,
 * SHM_YIELDS, SHM_SLEEP_AUTO. */
void shm_tune_set(struct shm *s, const struct shm_tune *t);

/* Are the invariants of this rank's rings, pipes, inbox and waits kept, and those of the heap?  To
 * be called outside of a wait, by the thread that has the struct shm; slow.  shm_detach checks it
 * in debug and MEAN=1 builds, and libmpi in MPI_Finalize. */
bool shm_valid(struct shm *s);

/* Ends what shm_attach began, for ever.  Frames already put stay readable for others; frames
 * to this rank stay in its rings. */
void shm_detach(struct shm *s);

/* --- frames: short ordered messages --------------------------------------------------------- */

/* The user's description of a frame; libshm only carries it. */
struct shm_hdr {
	uint64_t ctx;
	int32_t tag;
	uint8_t kind; /* <= SHM_KIND_MAX */
	uint8_t flags;
};

/* A frame that arrived.  `data' is valid until shm_next or the return of the callback. */
struct shm_frame {
	uint64_t ctx;
	const void *data;
	int32_t tag;
	uint32_t len;
	int src;
	uint8_t kind;
	uint8_t flags;
};

/* Sends one frame to `dst' (also to oneself); len <= s->frame_max.  The bytes are copied before it
 * returns.  Frames from one rank to one rank arrive in the order of their puts, always.  The
 * receiver is woken if it sleeps.  SHM_AGAIN: ring or inbox are full; SHM_NOMEM: shared memory has
 * run out (another try fails, too).  Allowed inside a deliver callback. */
static inline int shm_put(
	struct shm *s, int dst, const struct shm_hdr *h, const void *buf, size_t len);

/* As shm_put, in two steps, for a caller that does something in between: the end of the ring, if it
 * has room for a frame of `len' bytes at once.  Then shm_put_at puts it there and cannot fail. */
static inline struct shm_tx *shm_room(struct shm *s, int dst, size_t len);
static inline void shm_put_at(struct shm *s, struct shm_tx *t, int dst, const struct shm_hdr *h,
	const void *buf, size_t len);

/* As shm_put, in two steps, for payload that is built in place: *ptr is room for `len' bytes
 * (aligned to 16); shm_commit sends the first `len' or fewer bytes there, and cannot fail.
 * Between the two no other function may be called with this `s'.  Errors as of shm_put. */
int shm_reserve(struct shm *s, int dst, size_t len, void **ptr);
void shm_commit(struct shm *s, int dst, const struct shm_hdr *h, size_t len);

/* Takes one frame.  It may call shm_put, not shm_poll; it must take the frame, it cannot refuse. */
typedef void shm_deliver_fn(void *arg, const struct shm_frame *f);

/* Delivers frames that have arrived, from all ranks, at most a batch.  Returns their number. */
int shm_poll(struct shm *s, shm_deliver_fn *deliver, void *arg);
/* As shm_poll, with the frames of the inbox first; then it ends as soon as `deliver' has set
 * *enough.  The next call begins with the ring behind that one.  With too many rings to look at
 * each in turn it is shm_poll, whatever *enough is. */
int shm_poll_until(struct shm *s, shm_deliver_fn *deliver, void *arg, const bool *enough);

/* The receive fast path: is a frame from `src' at the head of its ring?  Then fills *f (f->data is
 * in place) and the frame stays at the head until shm_next.  False may also mean that `src' still
 * goes through the inbox: only shm_poll sees that.  shm_peek and shm_poll may be mixed freely. */
static inline bool shm_peek(struct shm *s, int src, struct shm_frame *f);

/* Consumes the frame that shm_peek has just shown. */
static inline void shm_next(struct shm *s, const struct shm_frame *f);

/* As shm_peek and shm_next, for a loop over one ring: r is &s->rx[src]. */
static inline bool shm_peek_rx(struct shm *s, struct shm_rx *r, int src, struct shm_frame *f);
static inline void shm_next_rx(struct shm *s, struct shm_rx *r, const struct shm_frame *f);

/* --- pipes: large messages, one direction between two ranks --------------------------------- */
/* The producer's chunks reach the consumer in order.  A pipe is made at the producer's first
 * acquire and may move to another peer once it is drained; both ends need not care.  Fill a pipe
 * only when its consumer is going to read it (after its clear-to-send); else other pairs may wait
 * for the pipe for ever. */

/* A free chunk towards `dst': *ptr and its size *cap (the same for all chunks).  Calling again
 * without publish gives the same chunk.  SHM_AGAIN: all chunks are on their way (or all pipes);
 * SHM_NOMEM. */
int shm_pipe_acquire(struct shm *s, int dst, void **ptr, size_t *cap);

/* Hands the acquired chunk over with `len' bytes in it (1 .. cap), and wakes the consumer if it
 * sleeps. */
void shm_pipe_publish(struct shm *s, int dst, size_t len);

/* The oldest chunk from `src', in place, or SHM_AGAIN.  Calling again gives the same chunk. */
int shm_pipe_front(struct shm *s, int src, const void **ptr, size_t *len);

/* Gives the front chunk back, and wakes the producer if it sleeps. */
void shm_pipe_release(struct shm *s, int src);

/* The process of seat `dst' has died: chunks that it has not read are lost, and the pipe towards it
 * may move. */
void shm_pipe_abandon(struct shm *s, int dst);

/* --- memory of the segment ------------------------------------------------------------------ */

#define SHM_HUGE ((size_t)2 << 20) /* bytes of a huge page */

/* Takes `len' bytes of the segment, zero-filled, aligned to `align' (a power of two, 64 .. 4096, or
 * SHM_HUGE: of huge pages as well, where the kernel gives any; then len >= SHM_HUGE), really there
 * (never SIGBUS).  Returns an offset that is the same for all ranks, 0 if there is none.  Any rank
 * may free it, once, with the same len and align.  Takes a lock between processes:
 * not for a fast path. */
uint64_t shm_heap_alloc(struct shm *s, size_t len, size_t align);
void shm_heap_free(struct shm *s, uint64_t off, size_t len, size_t align);

/* The part of the heap that has been handed out at least once: 0 to 1.  Any thread, and signal
 * handlers. */
double shm_heap_share(const struct shm *s);

/* As shm_heap_alloc, aligned to CACHE_LINE: given back when the seat of this rank is closed, and
 * not before. */
uint64_t shm_heap_alloc_own(struct shm *s, size_t len);

static inline void *shm_ptr(const struct shm *s, uint64_t off)
{
	return s->base + off;
}

static inline uint64_t shm_off(const struct shm *s, const void *ptr)
{
	return (uint64_t)((const char *)ptr - s->base);
}

/* --- private memory of others --------------------------------------------------------------- */

/* May this rank read the private memory of `src'?  The kernel is asked once for each peer. */
bool shm_readable(struct shm *s, int src);

/* Copies `len' bytes at address `at' of `src', which the owner keeps as they are meanwhile, to dst.
 * False: that is not permitted, or the memory is not there; then dst holds anything, and
 * shm_readable says no from now on.  Does not return before all is read: tens of microseconds a
 * MiB. */
bool shm_read(struct shm *s, int src, void *dst, uint64_t at, size_t len);

/* As shm_read, in the other direction: writes at address `at' of `dst', which waits for it. */
bool shm_write(struct shm *s, int dst, const void *src, uint64_t at, size_t len);

/* --- waiting -------------------------------------------------------------------------------- */

/* A word that ranks wait for.  Zero-filled is ready for use; anywhere in the segment. */
struct shm_flag {
	_Atomic uint32_t value;
	_Atomic uint32_t sleepers; /* ranks asleep because of `value': in the futex, and, in steps
				      of SHM_OPS_SLEEPER, by shm_sleep_ops */
};

#define SHM_OPS_SLEEPER 0x10000u /* more than ranks can be: SHM_RANKS_MAX less one */

static inline uint32_t shm_flag_get(const struct shm_flag *f)
{
	return atomic_load_explicit(&f->value, memory_order_acquire);
}

/* Stores `value' (releasing all earlier stores) and wakes all sleepers of the flag at once. */
static inline void shm_flag_set(struct shm *s, struct shm_flag *f, uint32_t value);

/* As shm_flag_set, for flags that several ranks change: adds to the value. */
static inline void shm_flag_add(struct shm *s, struct shm_flag *f, uint32_t n);

/* One wait, on the waiter's stack.  Fill in flag and old, ready and arg, describer as needed after
 * shm_wait_begin. */
struct shm_wait {
	struct shm_flag *flag; /* NULL, or: also awake when the flag's value is no longer `old' */
	uint32_t old;
	bool (*ready)(void *arg); /* NULL, or: asked before each sleep; true: do not sleep */
	void *arg;
	const struct shm_describer *describer; /* NULL, or: describes the wait for shm_seg_view */
	/* NULL, or: standby.  Only sleep, until *standby is not standby_old or the flag has
	 * changed, because another thread of this rank listens at the doorbell. */
	_Atomic uint32_t *standby;
	uint32_t standby_old;
	uint32_t nap_ns;            /* 0, or: no sleep is longer */
	uint32_t spins, fast, slow; /* spent so far */
	uint64_t begin_ns;          /* when it was shown first; 0: it was not */
	uint64_t described_ns;      /* when it was described last: `described' */
	bool brief;     /* few spins and yields before a sleep: other ranks' threads want the CPU */
	bool flag_only; /* only the flag counts: frames that wait do not end the sleep */
	bool nap;       /* a timeout has ended the last sleep */
	bool described; /* the describer was called in this sleep */
	int standby_record; /* the wait record that shows it while on standby; 0: none */
};

/* For a rank with several threads, which call libshm one at a time under a lock of theirs.
 * shm_idle calls `release' before it spins, yields or sleeps, and `retake' after it, so that other
 * threads get in meanwhile.  One wait at a time listens at the doorbell; the others have `standby'
 * set.  To hand the doorbell over, swap the waits' `standby' members, then shm_wake the own rank.
 * NULL, NULL: ends it. */
typedef void shm_lock_hook_fn(struct shm_wait *w);
void shm_lock_hooks_set(struct shm *s, shm_lock_hook_fn *release, shm_lock_hook_fn *retake);

/* For a profiler: called around the idle part of waits, by the waiting thread, under its lock.
 *   begin   nothing has moved for the first time since the wait began, or since shm_wait_again
 *   idled   after each spin, yield or sleep; may set w->nap_ns
 *   end     the wait ends; its describer is still valid.  Also for waits without `begin'. */
struct shm_wait_observer {
	void (*begin)(struct shm_wait *w);
	void (*idled)(struct shm_wait *w);
	void (*end)(struct shm_wait *w);
};

/* NULL: none.  *o is the caller's, and stays. */
void shm_wait_observe(struct shm *s, const struct shm_wait_observer *o);

static inline void shm_wait_begin(struct shm_wait *w)
{
	static_assert(sizeof(*w) > CACHE_LINE, "two parts");
	/* in two parts: the compiler makes a string instruction of one, which starts slowly */
	memset(w, 0, CACHE_LINE);
	memset((char *)w + CACHE_LINE, 0, sizeof(*w) - CACHE_LINE);
}

/* To be called after each pass that moved nothing.  Spins a moment, yields the CPU, or sleeps
 * (at most SHM_NAP_MS; with 16 or more ranks a CPU, SHM_NAP_MS times an eighth of that number).
 * Returns 0 at the latest when there may be a frame or a chunk for this rank, room after SHM_AGAIN,
 * a change of the flag, or ready().  It may return without any of these: call it in a loop that
 * looks again.  SHM_ABORTED. */
int shm_idle(struct shm *s, struct shm_wait *w);

/* May the next wait begin with shm_yield_unrecorded?  Some may where ranks are more than CPUs, none
 * with shm_lock_hooks_set or shm_wait_observe. */
static inline bool shm_may_yield_unrecorded(const struct shm *s)
{
	return s->unrecorded > 0;
}

/* Before a wait, if shm_may_yield_unrecorded: gives the CPU up once.  It costs less than a wait
 * with one yield, as it records nothing for other ranks (shm_wait.c).  Look again afterwards; if
 * nothing has come, begin the wait with its `slow' set to the value that this returns: slow yields,
 * 0 or 1. */
uint32_t shm_yield_unrecorded(struct shm *s);

/* By a program that polls and does not wait: lets other processes have the CPU.  One yield; where
 * yields lose the CPU for long, a sleep of 50 us that a frame for this rank ends, unless the rank
 * never sleeps.  Where senders do not fence, a sleep costs a membarrier of all CPUs: it is meant
 * for more ranks than CPUs.  Outside of a wait, and not with shm_lock_hooks_set. */
void shm_yield(struct shm *s);

/* For a rank that waits for more than this segment, such as sockets: its own functions instead of
 * the futex.  Called under the threads' lock (shm_lock_hooks_set); `sleep' after its release.
 *   most    the longest time for the next sleep, ns
 *   sleep   sleeps until another rank rings, its own event comes, or ns have passed (then true)
 *   ring    ends the sleep of `rank', or makes its next one end at once; must not block
 * If one rank of a segment has such functions, all that share flags or messages with it do. */
struct shm_sleep_ops {
	uint64_t (*most)(void *arg);
	bool (*sleep)(void *arg, uint64_t ns);
	void (*ring)(void *arg, int rank);
	void *arg;
};

/* Sets them for all sleeps from now on; *ops is copied. */
void shm_sleep_ops_set(struct shm *s, const struct shm_sleep_ops *ops);

/* Sets a word in shared memory that the user's passes read.  A wait that reads only a flag between
 * two passes makes a pass at once when the word has changed.  A change ends no sleep.  NULL:
 * none. */
void shm_poll_word_set(struct shm *s, const _Atomic uint32_t *word);

/* Has the poll word another value than at the last call?  To be called by the pass. */
static inline bool shm_poll_word_changed(struct shm *s, uint32_t value)
{
	bool new = value != s->poll_word_seen;

	s->poll_word_seen = value;
	return new;
}

/* A pass moved something, but the wait goes on: start again with spinning. */
static inline void shm_wait_again(struct shm_wait *w)
{
	w->spins = w->fast = w->slow = 0;
	w->nap = false;
}

/* Ends the wait: keeps how busy the CPUs were for the next one. */
void shm_wait_end(struct shm *s, struct shm_wait *w);

/* One pass of the user's progress: returns > 0 if something moved; < 0 ends shm_flag_wait. */
typedef int shm_progress_fn(void *arg);

/* Has a flag of this value reached `want', as a sequence number: is it `want', or at most `ahead'
 * above it?  SHM_FLAG_LATER: all that is not before `want' is after it. */
#define SHM_FLAG_LATER ((uint32_t)INT32_MAX)

static inline bool shm_flag_reached(uint32_t value, uint32_t want, uint32_t ahead)
{
	return value - want <= ahead;
}

/* Looks at a flag for some 16 pauses, as long as it is `value' and nothing else has come: one load
 * each, while a pass looks at many places.  With more ranks than CPUs it does not look. */
void shm_flag_spin(struct shm *s, const struct shm_flag *f, uint32_t value);

/* Waits until the flag has reached `want', with `pass' (may be NULL) called now and then, and
 * before each sleep.  0, SHM_ABORTED, or SHM_AGAIN: `pass' has ended the wait. */
int shm_flag_wait(struct shm *s, struct shm_flag *f, uint32_t want, uint32_t ahead,
	shm_progress_fn *pass, void *arg, const struct shm_describer *describer);

/* Ends the sleep of `rank' if it sleeps: needed only after a store that no function here makes. */
void shm_wake(struct shm *s, int rank);

/* From now on a wake-up of another rank is deferred, until the caller takes it: a rank that wakes
 * may take the caller's CPU, and the caller has a lock.  Its sleep is bounded meanwhile as always,
 * and a long copy, shm_read, makes those that were deferred before it.
 * shm_wakes_take stores the deferred words, at most SHM_DEFERRED_MAX, and returns their number;
 * it ends shm_wakes_defer.  The caller wakes all sleepers of these futex words soon.  Sleeps by
 * shm_sleep_ops end at once. */
#define SHM_DEFERRED_MAX 8
void shm_wakes_defer(struct shm *s);
int shm_wakes_take(struct shm *s, _Atomic uint32_t *words[]);

/* A word for how often calls of this rank have begun and ended, which it counts itself: odd while
 * it is inside; 0: it does not count.  shm_computes: is `rank' outside of them now? */
_Atomic uint32_t *shm_calls(struct shm *s);
bool shm_computes(const struct shm *s, int rank);

/* Is the calling thread on the CPU of `rank', or is it not known where that one is? */
bool shm_shares_cpu(const struct shm *s, int rank);

/* A sleep does not begin once *word differs from `seen'.  For what another thread of this process
 * stores before it calls shm_wake_own.  To be said again after each sleep. */
void shm_watch(struct shm *s, const _Atomic uint64_t *word, uint64_t seen);

/* Ends the sleep of the calling process's own rank, after a store that no function here makes.  Any
 * thread, at any time between shm_attach and shm_detach. */
void shm_wake_own(struct shm *s);

/* Does it sleep, as far as is known just now? */
static inline bool shm_asleep(const struct shm *s, int rank)
{
	return atomic_load_explicit(&s->doorbell[rank].sleeping, memory_order_relaxed) != 0;
}

/* --- blocks: memory that a group of ranks shares for its collective operations --------------- */
/*
 *   out 0 .. SHM_BLOCK_OUTS-1   release lines: flag + 56 bytes, by the rank that ends a generation
 *   arrived                     a counter on a line of its own
 *   count 0 .. SHM_BLOCK_COUNTS-1   more of them
 *   line (i, p)                 two lines (p = 0, 1) of each member i: flag + 56 bytes, i writes
 *   buf i                       a large buffer of each member, made when it asks
 *   word (i, p)                 six words of each member, for values that hardly ever change
 *
 * All flags start at 0.  libshm gives no meaning to them; generations are the user's. */

struct shm_line {
	struct shm_flag flag;
	uint8_t data[SHM_LINE_DATA];
};
static_assert(sizeof(struct shm_line) == CACHE_LINE, "a line is a line");

#define SHM_BLOCK_WORDS  6
#define SHM_BLOCK_COUNTS MEAN_OR(2, 8)

/* A counter that members wait for. */
struct shm_block_count {
	_Alignas(CACHE_LINE) _Atomic uint64_t n;
};

/* A member's large buffer, and its words. */
struct shm_buf {
	_Atomic uint64_t off; /* 0: none yet */
	_Atomic uint64_t len;
	_Atomic uint64_t word[SHM_BLOCK_WORDS]; /* the user's; 0 at first */
};

/* A block in the segment. */
struct shm_block_area {
	uint64_t key;
	uint64_t next; /* offset of the next of the same bucket; under the heap's lock */
	uint32_t n;
	uint32_t left; /* members that have left; under the heap's lock */
	uint8_t pad0[CACHE_LINE - 24];
	_Atomic uint64_t arrived;
	uint8_t pad1[CACHE_LINE - 8];
	struct shm_block_count count[SHM_BLOCK_COUNTS];
	struct shm_line out[SHM_BLOCK_OUTS];
	struct shm_line line[]; /* 2 n lines, then n struct shm_buf */
};

/* A member's view (private memory). */
struct shm_block {
	struct shm *s;
	struct shm_block_area *g;
	struct shm_buf *buf;
	int n;
	int me;              /* index in the group */
	uint64_t generation; /* the user's: starts at 0, libshm does not touch it */
};

/* Joins the block `key' as member `me' of `n'.  The first member makes it, the others find it;
 * there is no message.  Each member joins once and leaves once; the last one to leave frees it, and
 * the key can then be used again.  All members give the same n.  SHM_NOMEM. */
int shm_block_join(struct shm *s, uint64_t key, int n, int me, struct shm_block **b);
void shm_block_leave(struct shm_block *b);

/* A dummy: a block of this process alone that looks like b, whose buffers are `buf' (of the
 * caller, or NULL).  So a member can end its part of an operation that has failed, and the others
 * see nothing of it.  NULL: no memory. */
struct shm_block *shm_block_dummy(const struct shm_block *b, void *buf);
void shm_block_dummy_free(struct shm_block *dummy);

/* Line p (0 or 1) of member i. */
static inline struct shm_line *shm_block_line(const struct shm_block *b, int i, int p)
{
	return &b->g->line[2 * i + p];
}

/* Word p of member i: 0 to SHM_BLOCK_WORDS - 1. */
static inline _Atomic uint64_t *shm_block_word(const struct shm_block *b, int i, int p)
{
	return &b->buf[i].word[p];
}

/* Release line i mod SHM_BLOCK_OUTS. */
static inline struct shm_line *shm_block_out(const struct shm_block *b, uint64_t i)
{
	return &b->g->out[i % SHM_BLOCK_OUTS];
}

/* Adds `word' to the counter of arrivals, and returns the sum.  The last rank to arrive sees all
 * stores that the others made before they arrived.  It calls shm_block_arrive_again before it
 * releases them. */
static inline uint64_t shm_block_arrive(const struct shm_block *b, uint64_t word)
{
	return atomic_fetch_add_explicit(&b->g->arrived, word, memory_order_acq_rel) + word;
}

/* The counter of arrivals is 0 again, for the next generation. */
static inline void shm_block_arrive_again(const struct shm_block *b)
{
	atomic_store_explicit(&b->g->arrived, 0, memory_order_relaxed);
}

/* Counter i mod SHM_BLOCK_COUNTS, the user's: 0 at first. */
static inline _Atomic uint64_t *shm_block_count(const struct shm_block *b, uint64_t i)
{
	return &b->g->count[i % SHM_BLOCK_COUNTS].n;
}

/* My own buffer, at least `len' bytes, page-aligned; made or replaced by a larger one when needed.
 * Replacing frees the old one, which no member may still read: call it only after a generation has
 * ended, and publish a line or a flag afterwards.  Contents are lost.  NULL: no memory.  It is
 * freed with the block. */
void *shm_block_buf_own(struct shm_block *b, size_t len);

/* The buffer of member i as last published before what I have already acquired; NULL if none. */
static inline void *shm_block_buf(const struct shm_block *b, int i)
{
	uint64_t off = atomic_load_explicit(&b->buf[i].off, memory_order_acquire);

	return off == 0 ? NULL : shm_ptr(b->s, off);
}

/* --- an asymmetric barrier: cheap on the frequent side, dear on the rare one ---------------- */

/*      frequent:   store mine; shm_wake_fence (shm_must_fence: shm_fence); read the flag
 *      rare:       store the flag; shm_fence_all; read the stores of all ranks
 *
 * Of two ranks that do so at once, at least one sees the other's store. */

/* Must this rank fence by itself, because shm_fence_all of others does not reach it? */
bool shm_must_fence(const struct shm *s);

/* A full barrier here, and in every rank that does not fence by itself: microseconds. */
void shm_fence_all(const struct shm *s);

/* --- inline fast paths ---------------------------------------------------------------------- */

/* As shm_put, for frames that do not fit into the slot.  0, or an error of shm_reserve. */
int shm_put_slow(struct shm *s, int dst, const struct shm_hdr *h, const void *buf, size_t len);
/* Fetches slots of the ring to dst, if there is one with free slots that have not been fetched yet:
 * tx.head is not tx.limit any more. */
bool shm_ring_room(struct shm *s, int dst);
/* Handles the frame of libshm's own at the head of src's ring, then peeks again: see shm_peek. */
bool shm_peek_internal(struct shm *s, int src, struct shm_frame *f);
/* Returns credit to src once a quarter of the ring, or of its payload area, is free again. */
void shm_credit(struct shm *s, int src);
/* Wakes all that sleep on the flag.  The caller has stored the value before. */
void shm_flag_wake(struct shm *s, struct shm_flag *f);
/* A full fence between a store and the load behind it: also one that ThreadSanitizer knows. */
void shm_fence(void);

#define SHM_WORD_LAP 0x8000u

/* The lap bit that a full slot has at position `pos' of a ring of `slots': it alternates with
 * the laps. */
static inline uint32_t shm_lap(uint32_t slots, uint32_t pos)
{
	return (pos & slots) == 0 ? SHM_WORD_LAP : 0;
}

static inline uint64_t shm_word(uint32_t slots, uint32_t pos, const struct shm_hdr *h, size_t len)
{
	return (uint64_t)(uint32_t)h->tag << 32 | (uint64_t)h->flags << 24 |
	       (uint64_t)h->kind << 16 | shm_lap(slots, pos) | (uint64_t)len;
}

/* The slot at position `pos'. */
static inline struct shm_slot *shm_slot_at(struct shm_slot *slot, uint32_t slots, uint32_t pos)
{
	return &slot[pos & (slots - 1)];
}

/* The slot that a receiver looks at next. */
static inline struct shm_slot *shm_rx_slot(const struct shm *s, const struct shm_rx *r)
{
	return (struct shm_slot *)(void *)(s->base + r->at);
}

/* len <= SHM_INLINE bytes, without a call: overlapping moves of 16, 8, 4 or single bytes. */
static inline void shm_copy_inline(uint8_t *to, const uint8_t *from, size_t len)
{
	if (len >= 16) {
		memcpy(to, from, 16);
		if (len > 32)
			memcpy(to + 16, from + 16, 16);
		memcpy(to + len - 16, from + len - 16, 16);
	} else if (len >= 8) {
		memcpy(to, from, 8);
		memcpy(to + len - 8, from + len - 8, 8);
	} else if (len >= 4) {
		memcpy(to, from, 4);
		memcpy(to + len - 4, from + len - 4, 4);
	} else if (len > 0) {
		to[0] = from[0];
		to[len / 2] = from[len / 2];
		to[len - 1] = from[len - 1];
	}
}

/* Orders a store that a sleeper waits for before the read of the sleeper's word. */
static inline void shm_wake_fence(const struct shm *s)
{
	if (unlikely(s->fence))
		shm_fence();
	else
		atomic_signal_fence(memory_order_seq_cst); /* the sleeper's membarrier does it */
}

static inline struct shm_tx *shm_room(struct shm *s, int dst, size_t len)
{
	struct shm_tx *t = &s->tx[dst];

	if (unlikely(len > SHM_INLINE || (t->head == t->limit && !shm_ring_room(s, dst))))
		return NULL;
	return t;
}

static inline void shm_put_at(struct shm *s, struct shm_tx *t, int dst, const struct shm_hdr *h,
	const void *buf, size_t len)
{
	struct shm_slot *slot = shm_slot_at(t->slot, s->slots, t->head);

	slot->ctx = h->ctx;
	shm_copy_inline(slot->data, buf, len);
	atomic_store_explicit(
		&slot->word, shm_word(s->slots, t->head, h, len), memory_order_release);
	t->head++;
	s->count.put++;
	shm_wake_fence(s);
	if (unlikely(atomic_load_explicit(&s->doorbell[dst].sleeping, memory_order_relaxed) != 0))
		shm_wake(s, dst);
}

static inline int shm_put(
	struct shm *s, int dst, const struct shm_hdr *h, const void *buf, size_t len)
{
	struct shm_tx *t = &s->tx[dst];

	if (unlikely(len > SHM_INLINE || t->head == t->limit))
		return shm_put_slow(s, dst, h, buf, len);
	shm_put_at(s, t, dst, h, buf, len);
	return 0;
}

static inline bool shm_peek(struct shm *s, int src, struct shm_frame *f)
{
	return shm_peek_rx(s, &s->rx[src], src, f);
}

static inline bool shm_peek_rx(struct shm *s, struct shm_rx *r, int src, struct shm_frame *f)
{
	struct shm_slot *slot = shm_rx_slot(s, r);
	uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);

	if (likely((word & SHM_WORD_LAP) == r->lap_before))
		return false;
	f->kind = (uint8_t)(word >> 16);
	if (unlikely(f->kind > SHM_KIND_MAX)) {
		struct shm_frame behind; /* so that *f need not be in memory */

		if (!shm_peek_internal(s, src, &behind))
			return false;
		/* by fields: else the flags would be put together on the usual path, too */
		*f = (struct shm_frame){behind.ctx, behind.data, behind.tag, behind.len, behind.src,
			behind.kind, behind.flags};
		return true;
	}
	f->ctx = slot->ctx;
	f->tag = (int32_t)(word >> 32);
	f->len = word % SHM_WORD_LAP;
	f->flags = (uint8_t)(word >> 24);
	f->src = src;
	f->data = slot->data;
	if (f->len > SHM_INLINE) {
		struct shm_payload payload;

		memcpy(&payload, slot->data, sizeof(payload));
		f->data = shm_ptr(s, payload.off);
		r->payload_end = payload.end;
	}
	return true;
}

static inline void shm_next(struct shm *s, const struct shm_frame *f)
{
	shm_next_rx(s, &s->rx[f->src], f);
}

static inline void shm_next_rx(struct shm *s, struct shm_rx *r, const struct shm_frame *f)
{
	s->count.got++;
	r->at += sizeof(struct shm_slot);
	r->tail++;
	if (f->len > SHM_INLINE || (r->tail & s->credit_mask) == 0)
		shm_credit(s, f->src);
}

static inline void shm_flag_set(struct shm *s, struct shm_flag *f, uint32_t value)
{
	atomic_store_explicit(&f->value, value, memory_order_release);
	shm_wake_fence(s);
	if (unlikely(atomic_load_explicit(&f->sleepers, memory_order_relaxed) != 0))
		shm_flag_wake(s, f);
}

static inline void shm_flag_add(struct shm *s, struct shm_flag *f, uint32_t n)
{
	atomic_fetch_add_explicit(&f->value, n, memory_order_seq_cst);
	shm_wake_fence(s);
	if (unlikely(atomic_load_explicit(&f->sleepers, memory_order_relaxed) != 0))
		shm_flag_wake(s, f);
}

#endif
