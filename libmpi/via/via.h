// SPDX-License-Identifier: BSD-3-Clause
/* via.h - the transports as engines see them: frames and large messages to peers, and waiting.
 *
 *      p2p, coll, rma ──> via_put, via_poll, via_idle ... ──┬─> libshm     local peers: they have a
 *                                                           │              seat in this segment
 *                                                           └─> remote.h   remote peers: libnet, or
 *                                                                          libfabric beside it
 *
 *      peer   0   1   2   3   4   5      numbers in the universe: the names that engines use
 *      seat   -   -   0   -   1   -      local peers have a seat too: libshm's rank
 *
 * Frames of a pair arrive in the order of their puts.  A frame is delivered where it lies, and is
 * at most via.frame_max bytes long (NET_FRAME_MAX to a remote peer).  Its kind belongs to the
 * engine. struct shm_frame, struct shm_wait and the pipes are libshm's own: wrapping them field by
 * field would cost the fast path and hide nothing.  Engines include this file, never libshm.
 *
 * In a job on one host every peer is local, and its seat is its number: there a function below is
 * libshm's and one branch on via.mixed, which is false.  It becomes true when another process comes
 * (via_mix): a spawned one has a seat, but another number.
 *
 * One thread at a time is inside these functions: below MPI_THREAD_MULTIPLE the user sees to it,
 * else the library's lock (core/library_lock.h). */
#ifndef HAFT_VIA_VIA_H
#define HAFT_VIA_VIA_H

#include "libmpi/core/library_lock.h"
#include "libmpi/via/peer_table.h"
#include "libnet/net.h"
#include "libshm/shm.h"

struct via {
	struct shm *shm;
	int me, seat;                /* this process: its number, and its seat in the segment */
	int npeers;                  /* processes of this one's job */
	uint64_t universe;           /* in which numbers have a meaning; not 0 */
	bool mixed;                  /* some peer is remote, or its seat is not its number */
	struct via_peer *peers_made; /* rows: peer_table.h */
	void (*peer_made)(struct via_peer *p);
	struct net *net;     /* libnet; NULL: no peer is remote */
	int awaited;         /* the remote peer whose socket is polled first; -1: none */
	_Atomic bool due;    /* a socket has ended a sleep: the next poll looks at all sockets */
	uint32_t frame_max;  /* bytes, to local peers; NET_FRAME_MAX to remote ones */
	uint64_t mem_len;    /* bytes of the segment, mapped at shm->base */
	bool oversubscribed; /* more processes of this host than CPUs, when it was last looked at */
	shm_deliver_fn *deliver; /* p2p's; it must take the frame */
};

extern HAFT_INSIDE struct via via;

/* Counters of libfabric, and of frames that went by sockets before its connections were ready. */
struct via_ofi_count {
	uint64_t put, put_again; /* frames; attempts that met a full queue */
	uint64_t by_net;         /* frames that went by sockets, before the fabric was open */
	uint64_t got, reordered; /* frames that arrived; that waited for earlier ones */
	uint64_t strays;         /* frames without the right key: dropped */
	uint64_t sent_bytes, read_bytes; /* of large messages */
};

extern struct via_ofi_count via_ofi_count;

/* Arguments of via_open.  Pointers and functions must stay valid. */
struct via_conf {
	struct shm_seg *seg;
	int me, first, npeers;         /* the job has the numbers first .. first + npeers - 1 */
	uint64_t universe;             /* a random number, equal in all of it, and not 0 */
	bool seats_are_numbers;        /* seats and numbers of the job are equal */
	bool one_host;                 /* all of the job are on this host */
	int (*seat_of)(int peer);      /* -1: remote, or gone */
	int (*peer_first)(int seat);   /* the number of a first rank, whose name is 0 */
	const char *(*addr)(int peer); /* where a peer listens, for libnet; NULL: it does not */
	const uint8_t *key;            /* NET_KEY_LEN bytes; NULL: no peer listens */
	int listen_fd;                 /* via takes a dup; -1: none */
	/* Finds the IP address at which a process of this host listens, into ip (NET_ADDR_LEN
	 * bytes).  NULL, or why there is none. */
	const char *(*listen_where)(char *ip);
	int (*host_of)(int peer);           /* number of its host */
	const char *(*host_name)(int peer); /* name of its host, for messages */
	shm_deliver_fn *deliver;
	void (*peer_made)(struct via_peer *p); /* fills in p2p's part of a new row */
	/* Nothing more will arrive from this peer, or go to it: a remote one, inside via_poll or
	 * via_poll_from; or one that has ended before it was first named here, inside
	 * via_peer_get.  left: it has ended MPI in good order.  words: which peer, and why. */
	void (*lost)(int peer, bool left, const char *words);
	/* As lost, for a local peer whose seat is another's now.  True: its row may go. */
	bool (*ended)(int peer, const char *words);
};

/* Results of puts other than 0. */
enum {
	VIA_AGAIN = SHM_AGAIN,     /* the queue to this peer is full: poll, then try again */
	VIA_NOMEM = SHM_NOMEM,     /* no memory, and there will be none later */
	VIA_LOST = SHM_ABORTED + 1 /* the peer is gone: via_conf.lost has said why, or will */
};

/* The text of an error of a put, for messages.  Never NULL. */
const char *via_error_text(int peer, int error);

/* Attaches this process to its seat in the segment, and opens what remote peers need.  From now on
 * via_poll and via_poll_from call `deliver' for every frame; its src is a peer's number.  0, or
 * MPI_ERR_OTHER or MPI_ERR_NO_MEM with words.  The segment stays the caller's. */
int via_open(struct via_conf *conf);

/* From now on peers may have seats that are not their numbers.  Any number of times. */
void via_mix(void);

/* The IP address at which this process listens, or could, into ip (NET_ADDR_LEN bytes).  False:
 * there is none. */
bool via_listen_ip(char *ip);

/* The name of a peer's host. */
const char *via_host(int peer);

/* The node of a peer: peers of one node reach each other by shared memory.  The number of its host;
 * with HAFT_VIA=net and ofi-all each peer is a node of its own. */
int via_node_any(int peer);

static inline int via_node(int peer)
{
	return likely(!via.mixed) ? 0 : via_node_any(peer);
}

/* The number of a peer's host, whatever HAFT_VIA says. */
int via_machine(int peer);

/* This rank's part of the job area of the segment, which libmpi/boot lays out (SHM_JOB_RANK
 * bytes). */
void *via_job_record(void);

/* The extra area of this rank in the segment (SHM_EXTRA_LEN bytes), whose memory is there; NULL:
 * there is none. */
void *via_extra(void);

/* In the handler of a crash: the same area, and the core file will have the segment. */
void *via_crash(void);

/* True if all peers are local. */
static inline bool via_single_node(void)
{
	return likely(!via.mixed);
}

/* The seat of a peer; -1: it is remote. */
static inline int via_seat(int peer)
{
	return likely(!via.mixed) ? peer : via_peer_get(peer)->seat;
}

/* As via_seat, by a search, and ready for frames to it: for via_peer_make. */
int via_seat_find(int peer);

/* True if a peer is reached by shared memory. */
static inline bool via_is_local(int peer)
{
	return likely(!via.mixed) || via_peer_get(peer)->seat >= 0;
}

/* The halves of the functions below for via.mixed. */
int via_put_any(int peer, const struct shm_hdr *h, const void *buf, size_t len);
int via_reserve_any(int peer, size_t len, void **room);
void via_commit_any(int peer, const struct shm_hdr *h, size_t len);
int via_poll_any(void);
int via_poll_from_any(int peer);

/* Sends one frame, whose bytes are copied.  0, VIA_AGAIN, VIA_NOMEM, or VIA_LOST. */
static inline int via_put(
	int peer, uint64_t ctx, int32_t tag, uint8_t kind, const void *buf, size_t len)
{
	struct shm_hdr h = {.ctx = ctx, .tag = tag, .kind = kind};

	if (unlikely(via.mixed))
		return via_put_any(peer, &h, buf, len);
	return shm_put(via.shm, peer, &h, buf, len);
}

/* via_put in two steps, for payload that is built in place: *room has `len' bytes, which via_commit
 * sends.  Nothing else of via may be called between the two.  Errors as of via_put. */
static inline int via_reserve(int peer, size_t len, void **room)
{
	if (unlikely(via.mixed))
		return via_reserve_any(peer, len, room);
	return shm_reserve(via.shm, peer, len, room);
}

static inline void via_commit(int peer, uint64_t ctx, int32_t tag, uint8_t kind, size_t len)
{
	struct shm_hdr h = {.ctx = ctx, .tag = tag, .kind = kind};

	if (unlikely(via.mixed))
		via_commit_any(peer, &h, len);
	else
		shm_commit(via.shm, peer, &h, len);
}

/* Delivers frames that have arrived, at most a batch.  Returns their number. */
static inline int via_poll(void)
{
	if (unlikely(via.mixed))
		return via_poll_any();
	return shm_poll(via.shm, via.deliver, NULL);
}

/* As via_poll, but may end as soon as `deliver' has set *enough. */
static inline int via_poll_until(const bool *enough)
{
	if (unlikely(via.mixed))
		return via_poll_any();
	return shm_poll_until(via.shm, via.deliver, NULL, enough);
}

/* Fast paths for callers that know the seat of a local peer.  via_put_local: as via_put.
 * via_room_local: where there is room for a short frame, or NULL; via_put_at puts it there.
 * via_frame_peek shows the first frame of the peer's ring, whose src is the seat; false: there is
 * none.  via_frame_next removes it. */
static inline int via_put_local(
	int seat, uint64_t ctx, int32_t tag, uint8_t kind, const void *buf, size_t len)
{
	struct shm_hdr h = {.ctx = ctx, .tag = tag, .kind = kind};

	return shm_put(via.shm, seat, &h, buf, len);
}

static inline struct shm_tx *via_room_local(int seat, size_t len)
{
	return shm_room(via.shm, seat, len);
}

static inline void via_put_at(struct shm_tx *at, int seat, uint64_t ctx, int32_t tag, uint8_t kind,
	const void *buf, size_t len)
{
	struct shm_hdr h = {.ctx = ctx, .tag = tag, .kind = kind};

	shm_put_at(via.shm, at, seat, &h, buf, len);
}

#define VIA_BATCH SHM_SLOTS /* frames of a peer that may be taken before other peers are polled */

static inline bool via_frame_peek(int seat, struct shm_frame *f)
{
	return shm_peek(via.shm, seat, f);
}

static inline void via_frame_next(const struct shm_frame *f)
{
	shm_next(via.shm, f);
}

/* The ring of a seat, for a loop over its frames: as via_frame_peek and via_frame_next. */
struct via_ring {
	struct shm *shm;
	struct shm_rx *rx;
	int seat;
};

static inline struct via_ring via_ring_of(int seat)
{
	return (struct via_ring){via.shm, &via.shm->rx[seat], seat};
}

static inline bool via_ring_peek(const struct via_ring *r, struct shm_frame *f)
{
	return shm_peek_rx(r->shm, r->rx, r->seat, f);
}

static inline void via_ring_next(const struct via_ring *r, const struct shm_frame *f)
{
	shm_next_rx(r->shm, r->rx, f);
}

/* Copies all of a frame.  Not `likely': gcc makes a string instruction of a copy on a cold path. */
static inline void via_frame_copy(char *to, const struct shm_frame *f)
{
	if (f->len <= SHM_INLINE)
		shm_copy_inline((uint8_t *)to, f->data, f->len);
	else
		memcpy(to, f->data, f->len);
}

/* Delivers one frame of one peer if its ring has one: the receive fast path.  Returns the number of
 * frames.  It may miss frames that via_poll finds. */
static inline int via_poll_from(int peer)
{
	struct shm_frame f;

	if (unlikely(via.mixed))
		return via_poll_from_any(peer);
	if (!shm_peek(via.shm, peer, &f))
		return 0;
	via.deliver(NULL, &f);
	shm_next(via.shm, &f);
	return 1;
}

/* --- large messages to and from local peers: libshm's pipes --------------------------------- */

static inline int via_pipe_acquire(int peer, void **ptr, size_t *cap)
{
	return shm_pipe_acquire(via.shm, via_seat(peer), ptr, cap);
}

static inline void via_pipe_publish(int peer, size_t len)
{
	shm_pipe_publish(via.shm, via_seat(peer), len);
}

static inline int via_pipe_front(int peer, const void **ptr, size_t *len)
{
	return shm_pipe_front(via.shm, via_seat(peer), ptr, len);
}

static inline void via_pipe_release(int peer)
{
	shm_pipe_release(via.shm, via_seat(peer));
}

/* True if the private memory of a peer can be read and written: shm_readable. */
static inline bool via_readable(int peer)
{
	return via_is_local(peer) && shm_readable(via.shm, via_seat(peer));
}

static inline bool via_read(int peer, void *dst, uint64_t at, size_t len)
{
	return shm_read(via.shm, via_seat(peer), dst, at, len);
}

/* Does a local peer with HAFT_PROGRESS=thread compute just now? */
static inline bool via_computes(int peer)
{
	return via_is_local(peer) && shm_computes(via.shm, via_seat(peer));
}

/* Would a local peer that wakes up take the CPU of the calling thread? */
static inline bool via_shares_cpu(int peer)
{
	return shm_shares_cpu(via.shm, via_seat(peer));
}

/* via_read and via_write copy from and to it; false: not all could be copied. */
static inline bool via_write(int peer, const void *src, uint64_t at, size_t len)
{
	return shm_write(via.shm, via_seat(peer), src, at, len);
}

/* --- large messages to and from remote peers: streams of libnet or ofi_stream.c ------------- */

/* As net_send and net_post.  0, VIA_NOMEM or VIA_LOST. */
int via_stream_send(int peer, uint64_t id, const void *buf, size_t len, struct net_op *op);
int via_stream_post(int peer, uint64_t id, void *buf, size_t len, struct net_op *op);

/* As net_unpost. */
void via_stream_unpost(struct net_op *op);

/* True if the kernel or the fabric has taken everything that was put. */
bool via_all_sent_remote(void);

/* A process of another host has ended: nothing waits for answers to it any more. */
void via_remote_abandon(int peer);

static inline bool via_all_sent(void)
{
	return likely(via.net == NULL) || via_all_sent_remote();
}

/* True if the node has had more ranks than CPUs from the start.  Equal in all its processes, at any
 * time: the members of a communicator choose one algorithm by it. */
static inline bool via_oversubscribed(void)
{
	return shm_seg_oversubscribed(via.shm->seg);
}

/* True if the host has more processes than CPUs now; `via.oversubscribed': at the last time that
 * this process met another one. */
static inline bool via_oversubscribed_now(void)
{
	return shm_seg_oversubscribed_now(via.shm->seg);
}

/* --- waiting -------------------------------------------------------------------------------- */

/* From now on the caller waits for a message of this peer; -1: of none. */
static inline void via_await(int peer)
{
	if (unlikely(via.net != NULL))
		via.awaited = peer >= 0 && via_seat(peer) < 0 ? peer : -1;
}

/* Called when nothing has moved: spins, yields or sleeps, by the state of the wait.  Does not
 * return once the job is being ended. */
void via_idle(struct shm_wait *w);

static inline void via_wait_end(struct shm_wait *w)
{
	shm_wait_end(via.shm, w);
}

/* Notices of the launcher: `handler' is called for each of them when this process waits or polls.
 * See shm_notice_fn. */
void via_notice_set(shm_notice_fn *handler);
void via_notice_poll(void);
const void *via_notice_get(uint32_t i);

/* Is there a connection of libnet to a remote peer, which will say that the peer has ended, after
 * its last frames? */
bool via_connected(int peer);

/* The process has died: from now on it cannot be reached.  The caller has taken its last frames. */
void via_peer_died(int number);

/* --- several threads (waiters.c) ------------------------------------------------------------ */
/* One waiting thread, the last that came, is the poller: it polls and then sleeps at the doorbell.
 * The others sleep until a pass or a call has made their condition true (haft_unlock looks), or
 * until there is no poller.  All of this runs under the library's lock, which a thread gives up
 * while it idles. */

/* Reads the settings of waiting and of rings again (HAFT_SPIN ...), while MPI runs. */
void via_tune(void);

/* Before the barrier of MPI_Finalize: where ranks are many more than CPUs, a wait sleeps at once.
 * Each yield of such a wait is a switch for nothing.  via_tune ends it. */
void via_tune_last_wait(void);

/* From now on several threads call MPI. */
void via_threads_start(void);

/* Does a thread wait in via_wait?  Then it, or another one that does, polls. */
bool via_is_waiting(void);

/* There is a helper (HAFT_PROGRESS=thread): haft_unlock makes the wake-ups of other ranks that
 * shm_wakes_defer has deferred, and while a request needs it, other ranks see whether
 * this one computes.  Until via_helper_stop. */
void via_helper_start(void);
void via_helper_stop(void);

/* One thread calls MPI again; none waits. */
void via_threads_stop(void);

/* A condition that a thread waits for. */
struct via_condition {
	bool (*ready)(void *arg); /* asked under the lock by any thread, often; changes nothing but
				     the object of arg */
	void *arg;
	shm_progress_fn *pass; /* of arg: makes progress; > 0: something has moved */
	struct shm_flag *flag; /* NULL, or a flag whose change may make it ready */
	const struct shm_describer *describer; /* NULL, or describes the wait for the wait report */
};

/* Returns when want->ready returns true.  Only with haft_threads_enabled(). */
void via_wait(const struct via_condition *want);

/* As via_wait, for a condition that must be asked again after *nap_ns at the latest, if not 0.
 * ready may change *nap_ns. */
void via_wait_timed(const struct via_condition *want, const uint32_t *nap_ns);

/* Ends the sleep of the poller: there is work that only a pass does. */
void via_poller_wake_slow(void);

static inline void via_poller_wake(void)
{
	if (haft_threads_enabled())
		via_poller_wake_slow();
}

/* The list of waiters and its poller agree; for tests and debug builds. */
bool via_waiters_valid(void);

#endif
