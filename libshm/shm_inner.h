// SPDX-License-Identifier: BSD-3-Clause
/* shm_inner.h - the layout of a segment, and the private side of a rank.
 *
 *   head | job area | job lines | doorbells | records | buckets | inboxes | map | heap .......
 *   '------------ control part: reserved by the launcher -----------------------'  sparse: reserved
 *                                                                                extent by extent
 *
 * Every place in the segment is an offset from its start; offset 0 means none.  Everything starts
 * as zero and is valid as zero, but for the head, which the launcher writes before any rank runs.
 * Doorbells, records and job lines are arrays with strides far below 4 KiB, so a sender that reads
 * many of them does not use one set of the cache only. */
#ifndef HAFT_LIBSHM_SHM_INNER_H
#define HAFT_LIBSHM_SHM_INNER_H

#include "libshm/shm.h"

#define PAGE           4096u
#define SEG_MAGIC      UINT64_C(0x3167657374666148) /* "Haftseg1", little-endian */
#define BUCKETS        4096 /* chains of blocks, by key: short ones up to 10^5 communicators */
#define HEAP_LINES     130  /* up to here a heap class is a number of lines: a ring is one */
#define HEAP_CLASSES   (HEAP_LINES + 1 + 4 * 40) /* then four classes an octave of pages */
#define INBOX_CELLS    MEAN_OR(4, 64)            /* 8 KiB a rank: a burst of first messages */
#define INBOX_DATA     96                        /* payload in a cell of two lines */
#define PAYLOAD_FRAMES 4  /* payload area: so many frames of the greatest size */
#define ROOM_WATCHES   8  /* words that one sleep can wait for, as of full ways */
#define HOT_RINGS      16 /* rings looked at in every poll */

/* Kinds of frames of our own; the payload is a struct channel_offer. */
enum { KIND_RING = SHM_KIND_MAX + 1, KIND_PIPE };

#define EVENT_ABORTED 0x80000000u /* in head->event */

/* The name of a seat that has been closed. */
#define NAME_NOBODY 0xffffffu

/* "From now on I send through this", from the end that made it. */
struct channel_offer {
	uint64_t off;
	uint32_t gen; /* pipe: which assignment of it this is */
	uint32_t pos; /* pipe: chunks that went through before */
};

/* Taken by compare and swap, by rank + 1; see shm_lock_take for holders that die. */
struct seg_lock {
	_Atomic uint32_t owner;
};

/* The first page(s) of a segment. */
struct seg_head {
	uint64_t magic;
	uint64_t shape; /* all build constants that both sides must share */
	uint64_t cookie;
	uint64_t len; /* of the segment */
	uint32_t nranks;
	uint32_t nseats; /* nranks and the spare ones */
	uint32_t ncpus;
	uint32_t fence;     /* senders fence, sleepers need no membarrier */
	uint32_t frame_max; /* bytes */
	uint32_t chunk_len; /* bytes */
	uint16_t chunks;    /* of a pipe, and slots of a ring: powers of two */
	uint16_t slots;
	uint64_t spread;                                               /* offset, as those below */
	uint64_t job, job_rank, doorbell, record, bucket, inbox, heap; /* offsets */
	uint64_t map, map_len;
	uint64_t notices; /* SHM_NOTICE_MAX records of SHM_NOTICE_LEN bytes */
	uint64_t extra;   /* SHM_EXTRA_LEN bytes of each seat */
	uint32_t ticks;   /* the processor's counter is a clock: shm_ticks_invariant */
	_Alignas(CACHE_LINE) _Atomic uint32_t
		event;              /* EVENT_ABORTED, or how many notices there are */
	_Atomic uint32_t seats_end; /* no seat from here on has ever been open */
	_Atomic uint32_t live;      /* open seats */
	uint8_t pad1[CACHE_LINE - 12];
	struct seg_lock lock; /* over everything below, and the buckets */
	uint32_t pad2;
	uint64_t heap_top; /* first byte never handed out; 0: nothing yet */
	uint64_t heap_end; /* no extent goes beyond: the least that a rank has mapped; 0: len */
	uint64_t heap_free[HEAP_CLASSES];
	uint64_t idle_pipes;    /* struct channel: pipes whose maker has gone */
	uint64_t free_channels; /* records that stand for nothing */
};
static_assert(offsetof(struct seg_head, event) % CACHE_LINE == 0, "a line of its own");
static_assert(offsetof(struct seg_head, lock) % CACHE_LINE == 0, "a line of its own");

/* A thing that a tenant of a seat has made towards another: a ring, its payload area, or a pipe.
 * It is in one chain: the maker's, and once the maker has gone the reader's, until that has gone or
 * has been told.  Under head->lock. */
struct channel {
	uint64_t next;
	uint64_t off, len; /* of the extent of the heap */
	uint32_t align;
	int32_t maker, reader; /* seats, and the names of their tenants */
	uint32_t maker_name, reader_name;
	uint8_t pad[20];
};
static_assert(sizeof(struct channel) == CACHE_LINE, "a channel is a line");

/* A wait that a rank shows.  Only the owner writes; odd seq: being written. */
struct wait_record {
	_Atomic uint32_t seq;
	_Atomic int32_t cpu;
	_Atomic uint32_t waiting; /* asleep, or between two naps of one wait */
	_Atomic uint32_t calls;   /* of a rank's first: shm_calls */
	_Atomic uint64_t since_ns;
	_Atomic uint64_t still_ns;
	_Atomic uint64_t description[SHM_DESCRIPTION_LEN / 8];
	uint8_t pad1[8];
};
static_assert(sizeof(struct wait_record) == 3 * CACHE_LINE, "a page is three lines");
#define WAIT_RECORDS \
	(1 + SHM_STANDBY_MAX) /* of a rank: the wait that listens, and those on standby */
static_assert(SHM_DESCRIPTION_LEN % 8 == 0, "all of it goes into words");

/* A frame in an inbox.  sequence / 2 is the lap, sequence % 2 whether the cell is full. */
struct inbox_cell {
	_Atomic uint64_t sequence;
	uint64_t ctx;
	uint64_t word; /* as in struct shm_slot, without the lap bit */
	uint64_t who;  /* cell_who: the sender's seat, its name, the receiver's name */
	uint8_t data[INBOX_DATA];
};
static_assert(sizeof(struct inbox_cell) == 2 * CACHE_LINE, "a cell is two lines");
static_assert(SHM_RANKS_MAX <= 1 << 16 && SHM_NAME_MAX < NAME_NOBODY, "they fit into cell_who");

static inline uint64_t cell_who(int seat, uint32_t from, uint32_t to)
{
	return (uint64_t)to << 40 | (uint64_t)from << 16 | (uint32_t)seat;
}

struct shm_inbox {
	_Atomic uint64_t ticket; /* cells claimed so far, by all senders */
	uint8_t pad[CACHE_LINE - 8];
	struct inbox_cell cell[INBOX_CELLS];
};

#define LINE_PAIR (2 * CACHE_LINE) /* CPUs fetch lines in such pairs, on their boundary */

/* A ring: a pair of lines more than it has slots, so that equal slots of several rings fall into
 * different sets. */
struct shm_ring {
	_Atomic uint64_t
		credit; /* by the receiver: high half payload area's end, low half frames */
	uint8_t pad[LINE_PAIR - 8];
	struct shm_slot slot[];
};
static_assert(sizeof(struct shm_ring) == LINE_PAIR, "slots and one pair of lines");

static inline size_t ring_len(uint32_t slots)
{
	return sizeof(struct shm_ring) + slots * sizeof(struct shm_slot);
}

/* A pipe; its chunks follow at offset PAGE. */
struct shm_pipe {
	_Atomic uint64_t put; /* by the producer: high half generation, low half chunks put */
	_Atomic uint32_t len[SHM_CHUNKS_MAX];
	uint8_t pad0[CACHE_LINE - 8 - 4 * SHM_CHUNKS_MAX];
	_Atomic uint64_t got; /* by the consumer: chunks released */
	uint8_t pad1[CACHE_LINE - 8];
};
static_assert(sizeof(struct shm_pipe) == 2 * CACHE_LINE, "one line each end");

#define SPREAD_CPUS (15 * 64) /* a rank that may run on others does not move */

/* A CPU, as the ranks see it; times in ticks.  A rank that is counted on none has a record of its
 * own. */
struct spread_cpu {
	_Atomic uint64_t off_since;   /* by a rank then, and no wait has ended there since; or 0 */
	_Atomic uint64_t yield_again; /* no yields before; at first the last loss: shm_wait.c */
	_Atomic uint32_t waiting;     /* ranks that yield or sleep, of those counted here */
	uint8_t pad[CACHE_LINE - 20];
};

/* The CPUs, and how many ranks run on each, as far as they have said.  The first CPUs are on the
 * page of the head, which a waiting rank reads anyway. */
struct seg_spread {
	struct spread_cpu cpu[SPREAD_CPUS];
	_Atomic uint64_t next_ns; /* no rank moves before */
	_Atomic uint32_t ranks[SPREAD_CPUS];
	uint8_t pad[CACHE_LINE - 8];
};
static_assert(sizeof(struct seg_spread) % CACHE_LINE == 0, "whole lines");
static_assert(sizeof(struct seg_head) + 16 * CACHE_LINE < PAGE, "it has room for some CPUs");

/* A set of the first CPUs: bit i % 64 of word i / 64. */
struct shm_cpus_allowed {
	uint64_t word[SPREAD_CPUS / 64];
};

/* Values of a doorbell's `sleeping'. */
enum { SLEEP_NONE, SLEEP_FUTEX, SLEEP_OPS };

struct shm_seg {
	char *base;
	struct seg_head *head;
	uint64_t len;      /* bytes mapped: of the segment, or of all but the end of its heap */
	int fd;            /* the creator's; -1 else */
	int mem_fd;        /* for fallocate, close-on-exec; ours, unless the user closes it */
	uint64_t dev, ino; /* of the file: does `mem_fd' still name it? */
	struct shm_sleep_ops sleep_ops; /* of a rank of this process, for shm_seg_abort */
};

/* Private: the two ends that a rank has towards one other rank. */
struct shm_peer {
	struct shm_ring *out;  /* my ring towards it */
	char *payload;         /* my payload area towards it */
	uint32_t payload_head; /* of it handed out, and known to be free again */
	uint32_t payload_tail;
	uint32_t credit; /* the ring may be filled up to here before its credit is read again */
	uint32_t puts;   /* through its inbox */
	bool offered;    /* `out' has been announced */
	bool no_ring;    /* one was wanted, none was to be had */
	bool hot;        /* its ring is among the hot ones */
	bool pipe_shown; /* `pipe_out' has been announced */
	bool asked_read; /* `readable' has been found out */
	bool readable;   /* its private memory */
	uint32_t put;    /* chunks put into pipe_out, and released as far as known */
	uint32_t put_free;
	uint32_t got;      /* chunks released of pipe_in */
	uint32_t gen_in;   /* the assignment that pipe_in stands for */
	uint32_t name_out; /* of the tenant that this side sends to */
	uint32_t name_in;  /* of the tenant that frames come from */
	struct shm_pipe *pipe_out;
	struct shm_pipe *pipe_in;
	struct shm_ring *in; /* its ring towards me */
};

/* A word whose change means that there is room where there was none. */
struct room_watch {
	const _Atomic uint64_t *word;
	uint64_t seen;
};

/* Where shm_reserve has reserved, for shm_commit. */
enum { RESERVED_NONE, RESERVED_CELL, RESERVED_SLOT, RESERVED_PAYLOAD };

/* The members that each poll and each yield need are in the first cache lines: a rank that shares
 * its CPU with many has few of its lines in the cache when it runs again. */
struct shm_private {
	_Alignas(CACHE_LINE) struct shm_inbox *inbox; /* mine */
	uint64_t inbox_head;                          /* cells consumed */
	int nrings, nhot;
	struct shm_tune tune;
	uint32_t event_seen;   /* head->event, as far as notices were handed to the handler */
	bool oversubscribed;   /* more open seats than CPUs, when it was last looked at */
	bool yields_suspended; /* a yield on this CPU has lost it for long: none for a time */
	bool short_nap;        /* something full that no watch covers */
	bool no_membarrier;    /* although senders do not fence */
	int counted;           /* as in its doorbell, which lies on a page of its own */
	const struct shm_wait_observer *observer; /* of waits; NULL: none */
	/* The first line ends here. */
	struct spread_cpu *cpu;       /* where it is counted: of the segment, or no_cpu */
	struct spread_cpu *off_cpu;   /* the CPU that it has given up, or NULL */
	struct {                      /* of yields: shm_wait.c */
		uint64_t slow, next;  /* a yield of so many is slow; the next read of the clock */
		uint64_t burst_begin; /* of my CPU burst: the last yield or sleep ended */
	} ticks;
	uint16_t work;                      /* > 0: it ran for long lately, so it computes */
	uint32_t no_spin;                   /* > 0: others want this CPU: do not spin */
	shm_lock_hook_fn *release, *retake; /* of a rank with threads, or NULL */
	/* The second line ends here. */
	const struct shm_wait *shown; /* whose wait my first record shows, or NULL */
	uint64_t nap_ns;
	uint32_t waits;            /* ended so far */
	uint32_t retries;          /* > 0: a short spin has ended waits lately */
	uint32_t unrecorded_pause; /* waits to go before one may begin with such a yield */
	int nwatches;
	/* All else. */
	struct shm_peer *peer;         /* by rank */
	struct shm_doorbell *doorbell; /* of all ranks */
	struct wait_record *record;    /* mine: WAIT_RECORDS */
	int *ring_src;                 /* whose rings I know, in the order of their offers */
	int *pipe_src;                 /* ranks that have ever offered me a pipe */
	int *pipe_dst;                 /* towards whom I have pipes */
	size_t mapped; /* bytes of the mapping of struct shm, this, and all tables of seats */
	int npipes_in, npipes;
	uint32_t name; /* of this tenant of the seat */
	shm_newcomer_fn *newcomer;
	int pipe_max; /* pipes that I may have */
	int sweep;    /* next of ring_src to look at when it is not hot */
	int hot_next;
	int hot[HOT_RINGS];
	struct room_watch watch[ROOM_WATCHES];
	uint64_t ticks_first;     /* of the first read of the clock, by yield_check */
	uint64_t ticks_first_ns;  /* what the clock said */
	uint64_t spread_next_ns;  /* no check of the CPUs before */
	struct spread_cpu no_cpu; /* while it is counted on none */
	shm_notice_fn *notice_handler;
	struct shm_sleep_ops sleep_ops; /* sleep NULL: none */
	struct {
		bool on;
		int n;
		_Atomic uint32_t *word[SHM_DEFERRED_MAX];
	} deferred;                       /* shm_wakes_defer */
	const struct shm_wait *listening; /* whose sleep the doorbell's `sleeping' stands for */
	uint64_t proof;                   /* cross_memory.c */
	int reserved;
	size_t reserved_len;
	uint64_t cell_ticket;
	struct inbox_cell *cell;
	uint32_t payload_pos;
};
static_assert(offsetof(struct shm_private, cpu) == CACHE_LINE &&
		      offsetof(struct shm_private, shown) == 2 * CACHE_LINE,
	"lines end where it says so");

/* --- seg.c */
static inline void *seg_at(const struct shm_seg *seg, uint64_t off)
{
	return seg->base + off;
}

/* --- inbox.c */
/* Claims a cell of dst's inbox, for the one shm_inbox_send that follows.  0; SHM_AGAIN: full. */
int shm_inbox_claim(struct shm *s, int dst);
/* Fills the claimed cell with a frame of at most INBOX_DATA bytes, and rings dst's doorbell. */
void shm_inbox_send(struct shm *s, int dst, const struct shm_hdr *h, size_t len);
/* Delivers the frames of this rank's inbox, at most all cells once.  Returns how many. */
int shm_inbox_drain(struct shm *s, shm_deliver_fn *deliver, void *arg);
uint64_t shm_inbox_start(const struct shm_inbox *inbox); /* the first cell that was not consumed */
bool shm_inbox_has_frame(const struct shm *s);           /* is there a frame to take? */

/* --- notice.c */
/* Is there an event that this rank has not handled?  And its handling: SHM_ABORTED, or 0. */
static inline bool shm_event_new(const struct shm *s)
{
	/* the head is at s->base, and *s->seg on a page that a turn does not need else */
	const struct seg_head *h = (const struct seg_head *)(const void *)s->base;

	return atomic_load_explicit(&h->event, memory_order_acquire) != s->in->event_seen;
}
int shm_event_handle(struct shm *s);
void shm_doorbells_wake(struct shm_seg *seg); /* ends all sleeps */

/* --- frame_ring.c */
/* The receiver's side of a ring that src offers: from now on it is polled. */
void shm_ring_accept(struct shm *s, int src, const struct channel_offer *o);
/* True if a frame of src has arrived in its ring; any kind, also libshm's own. */
bool shm_ring_has_frame(const struct shm *s, int src);

/* --- channel.c: memory that tenants make and give back -------------------------------------- */

/* Pipes are aligned to PAGE, all else to CACHE_LINE. */
/* As shm_heap_alloc, for an extent that this rank makes towards dst. */
uint64_t shm_channel_new(struct shm *s, size_t len, size_t align, int dst);
void shm_channel_move(struct shm *s, const void *mem, int dst); /* from now on it is for dst */
/* An idle pipe of a tenant that has gone, which is this rank's from now on; 0: none. */
uint64_t shm_channel_idle_pipe(struct shm *s, int dst);
/* Gives back this rank's memory towards seat `to', and that of a former tenant of `from' towards
 * this rank; -1: none. */
void shm_channel_drop_out(struct shm *s, int to);
void shm_channel_drop_in(struct shm *s, int from);
/* By the launcher: the tenant of a seat has gone.  Its channels go to living readers, or back. */
void shm_channel_return(struct shm_seg *seg, int seat);

/* --- seat.c */
/* src's seat has another tenant, `name': rings, pipes and counts begin anew.  The former tenant's
 * frames have been taken. */
void shm_seat_renew(struct shm *s, int src, uint32_t name);

/* --- pipe.c */
/* The receiver's side of a pipe that src offers. */
void shm_pipe_accept(struct shm *s, int src, const struct channel_offer *o);
/* True if a chunk of src waits in its pipe. */
bool shm_pipe_has_chunk(const struct shm *s, int src);

/* --- shm_poll.c */
/* Handles a frame of libshm's own kinds; its data are not kept. */
void shm_frame_internal(struct shm *s, int src, uint8_t kind, const void *data);
/* Delivers the frames of a ring, at most a lap of it. */
int shm_ring_drain(struct shm *s, int src, shm_deliver_fn *deliver, void *arg);

/* --- cross_memory.c: publishes a proof, by which others check that they read this process. */
void shm_cross_memory_offer(struct shm *s);

/* --- shm_wait.c */
/* Remembers that the caller met something full: room shows as a change of *word from `seen'.  NULL:
 * nothing to watch, the next sleep is a short one. */
void shm_wait_for_room(struct shm *s, const _Atomic uint64_t *word, uint64_t seen);
/* Makes the wake-ups that shm_wakes_defer has deferred. */
void shm_wakes_issue(struct shm *s);
/* Rings the doorbell of `rank' after a store for it. */
static inline void doorbell_ring(struct shm *s, int rank)
{
	shm_wake_fence(s);
	if (unlikely(atomic_load_explicit(&s->in->doorbell[rank].sleeping, memory_order_relaxed) !=
		     0))
		shm_wake(s, rank);
}

/* --- spread.c */
/* The rank counts itself on the CPU that it runs on. */
void shm_spread_update(struct shm *s);
/* The rank gives its CPU up at `ticks', by a yield or a sleep, until shm_spread_on_cpu. */
void shm_spread_off_cpu(struct shm *s, uint64_t ticks);
/* It runs again at `ticks', and is counted on its CPU.  Returns for how many ticks no wait of a
 * rank has ended on the CPU that it has given up; 0: it is on another CPU now. */
uint64_t shm_spread_on_cpu(struct shm *s, uint64_t ticks);
/* Do all others of the ranks that are counted yield or sleep, so that none computes?  It reads a
 * page. */
bool shm_spread_others_wait(const struct shm *s);
/* Do all others of the ranks that are counted on this rank's CPU yield or sleep? */
bool shm_spread_cpu_waits(const struct shm *s);
/* It is counted nowhere from now on: by itself; by the launcher when it has ended. */
void shm_spread_leave(struct shm *s);
void shm_spread_leave_ended(const struct shm_seg *seg, int seat);
/* Moves the calling thread to a CPU with fewer ranks if its own has enough more, and it may.  now:
 * shm_os_now().  Another call soon after does nothing. */
void shm_spread_check(struct shm *s, uint64_t now);
/* The kernel has woken the calling thread on another CPU than `to', where it slept: it goes back if
 * that makes the CPUs more even, and no rank has moved just before. */
void shm_spread_move_back(struct shm *s, int to);

/* --- seg.c: pages of the segment; 0 or -1 with errno.  They do not need the fd to be there. */
/* All that belongs to n seats in the control part. */
int shm_seat_reserve(struct shm_seg *seg, int first, int n);
/* Pages are there, or an error: also where the kernel would rather end a process than say no. */
int shm_seg_reserve(const struct shm_seg *seg, uint64_t off, uint64_t len); /* off: a page's */
/* As shm_seg_reserve, in huge pages as far as there are any.  off: a huge page's. */
int shm_seg_reserve_huge(const struct shm_seg *seg, uint64_t off, uint64_t len);
int shm_seg_punch(const struct shm_seg *seg, uint64_t off, uint64_t len); /* zero and given back */

/* --- heap.c --------------------------------------------------------------------------------- */

/* From now on no extent is handed out that does not lie below `end'.  False: one lies there
 * already. */
bool shm_heap_limit(struct shm_seg *seg, int me, uint64_t end);
/* Do all free lists consist of extents below the top?  Takes the heap's lock. */
bool shm_heap_valid(struct shm *s);
/* As shm_heap_free, by `me': a rank, or nseats for the launcher. */
void shm_seg_heap_free(struct shm_seg *seg, int me, uint64_t off, size_t len, size_t align);

/* --- robust_lock.c -------------------------------------------------------------------------- */

/* A lock between processes; it is taken over from a holder that has died.  `me' is a rank, or
 * nseats for the launcher. */
void shm_lock_take(struct shm_seg *seg, int me, struct seg_lock *l);
void shm_lock_drop(struct seg_lock *l);

/* --- shm_os.c: 0 or -1 with errno, unless said otherwise. */
/* A sealable file in memory, closed by exec.  Its descriptor, or -1 with errno. */
int shm_os_memfd(void);
/* Fixes the file's size for ever.  0, or -1 with errno. */
int shm_os_memfd_seal(int fd);
int shm_os_resize(int fd, uint64_t len);                   /* 0; -1, errno EFBIG: ulimit -f */
bool shm_os_file_id(int fd, uint64_t *dev, uint64_t *ino); /* which file `fd' is; false: none */
int shm_os_memory_check(uint64_t len); /* may so many bytes be had, as the system says now? */
/* Pages are there, or an error, and then some may be there nevertheless; where `fd' < 0, by the
 * mapping alone (since Linux 5.14). */
int shm_os_reserve(int fd, uint64_t off, void *p, uint64_t len);
/* As shm_os_reserve, in huge pages as far as there are any, for a mapping that has no pages yet. */
int shm_os_reserve_huge(int fd, uint64_t off, void *p, uint64_t len);
uint64_t shm_os_memory(void);            /* bytes that the machine has */
int shm_os_punch(void *p, uint64_t len); /* pages of a mapping are zero and given back */
void shm_os_error_set(const char *words);
const char *shm_os_error_text(void); /* the words for the call that failed last in this thread */
bool shm_os_barrier_known(void);     /* has the kernel membarrier's expedited kind? */
int shm_os_barrier_join(void);       /* be reached by shm_os_barrier of others */
void shm_os_barrier(void); /* every running thread of every joined process has a full barrier */
/* Sleeps until woken, while *word == old (and *word2 == old2 unless NULL); true: the time was
 * up. */
bool shm_os_sleep(
	_Atomic uint32_t *word, uint32_t old, _Atomic uint32_t *word2, uint32_t old2, uint64_t ns);
bool shm_os_sleep_two(void); /* may word2 be given? */
void shm_os_wake(_Atomic uint32_t *word, int n);
uint64_t shm_os_now(void); /* ns, CLOCK_MONOTONIC */
uint64_t shm_os_random(void);
int shm_os_cpu(void); /* that runs the calling thread; -1: unknown */
/* The CPUs that the calling thread may run on, of the first ones; false: unknown. */
bool shm_os_cpus_allowed(struct shm_cpus_allowed *allowed);
/* Moves the calling thread to a CPU; from there it may go back to all of `allowed'.  False: the
 * system refuses. */
bool shm_os_cpu_move(const struct shm_cpus_allowed *allowed, int cpu);
bool shm_os_read(
	int pid, void *dst, uint64_t at, size_t len); /* of another process; all or false */
bool shm_os_write(int pid, const void *src, uint64_t at, size_t len); /* all, or false */
bool shm_os_alive(int pid);
void shm_os_relax(void);

#endif
