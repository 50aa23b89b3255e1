// SPDX-License-Identifier: BSD-3-Clause
/* via.h - the transports as engines see them: frames to peers, pipes to peers, waiting.
 *
 *      p2p, coll ──> via_put, via_poll, via_idle ... ──┬─> libshm   near peers: they have a slot
 *                                                      │            in this host's segment
 *                                                      '─> remote.h    far peers, all others: libnet,
 *                                                                   or libfabric beside it (ofi.h)
 *
 *      peer   0   1   2   3   4   5       ranks of MPI_COMM_WORLD: what engines call each other
 *      slot   -   -   0   -   1   -       near ones also have a number in the segment: libshm's
 * rank
 *
 * A frame is ordered per pair, delivered in place, and at most via_frame_max(peer) bytes long; what
 * each kind means is the engine's affair.  struct shm_frame, struct shm_wait and the pipe functions
 * are libshm's own: wrapping them field by field would cost the fast path and hide nothing. Engines
 * include this file, never libshm.
 *
 * Where all peers are near and slots are peers (one host), a function here is libshm's and one
 * branch on via.mixed, which is false there.
 *
 * One thread at a time is inside these functions: below MPI_THREAD_MULTIPLE because the user sees
 * to it, else because of the library's lock (core/library_lock.h). */
#ifndef HAFT_VIA_VIA_H
#define HAFT_VIA_VIA_H

#include "libmpi/core/library_lock.h"
#include "libmpi/via/peer.h"
#include "libnet/net.h"
#include "libshm/shm.h"

struct via {
	struct shm *shm;
	int me, slot;                /* this process as a peer, and in the segment */
	int npeers;                  /* of the job */
	bool mixed;                  /* false: slot and peer are the same, and all are near */
	struct via_peer *peers_made; /* rows: peer.h */
	void (*peer_made)(struct via_peer *p);
	struct net *net;         /* the way to far peers; NULL: there are none */
	bool ofi;                /* their messages go by libfabric: ofi.h */
	int awaited;             /* a far peer whose socket is looked at first; -1: none */
	_Atomic bool due;        /* a sleep was ended by some socket: the next look is at all */
	uint32_t frame_max;      /* bytes: to near peers; NET_FRAME_MAX to far ones */
	uint64_t mem_len;        /* bytes of the segment, mapped at shm->base */
	bool contended;          /* more ranks than CPUs: whoever spins, hinders */
	shm_deliver_fn *deliver; /* p2p's; it must take the frame */
};

extern struct via via;

/* What went by libfabric, or would have but for its connections: plain increments. */
struct via_ofi_count {
	uint64_t put, put_again;         /* frames; attempts that met a full way */
	uint64_t by_net;                 /* of them by sockets, before the fabric was open */
	uint64_t got, held;              /* frames that came; that waited for others */
	uint64_t strays;                 /* frames without the right key: dropped */
	uint64_t sent_bytes, read_bytes; /* of large messages */
};

extern struct via_ofi_count via_ofi_count;

/* What via_open must know. */
struct via_conf {
	struct shm_seg *seg;
	int me, npeers;
	int (*slot_of)(int peer);      /* -1: it is far; NULL: slots and peers are the same */
	const char *(*addr)(int peer); /* where a peer listens (libnet's text); NULL: nowhere */
	const uint8_t *key;            /* NET_KEY_LEN bytes; NULL: nobody listens */
	int listen_fd;                 /* its owner keeps it; -1: none */
	int (*place)(int peer);        /* the number of its host */
	const char *(*host)(int peer); /* that host's name */
	int (*peer_at)(int slot);      /* who is there; as slot_of */
	shm_deliver_fn *deliver;
	void (*peer_made)(struct via_peer *p); /* p2p's part of a new row is to be filled in */
	/* Nothing more will come from a far peer, or go to it: words say who and why; left: it
	 * has ended MPI in good order.  Called from inside via_poll and via_poll_from. */
	void (*lost)(int peer, bool left, const char *words);
};

/* What puts return besides libshm's errors. */
enum { VIA_LOST = SHM_ABORTED + 1 };

/* The words of an error of a put, for messages. */
const char *via_error_text(int peer, int error);

/* via_open attaches this process to its slot of the segment.  `deliver' gets every frame that
 * arrives, its src being a peer, from inside via_poll and via_poll_from.  0, or MPI_ERR_OTHER or
 * MPI_ERR_NO_MEM with words.  The segment stays the caller's. */
int via_open(struct via_conf *conf);

/* The name of a peer's host, and a number for those who see the same memory: that of the host, but
 * with HAFT_VIA=net and ofi-all everybody is alone. */
const char *via_host(int peer);
int via_node_any(int peer);

static inline int via_node(int peer)
{
	return likely(!via.mixed) ? 0 : via_node_any(peer);
}

/* The number of its host even where HAFT_VIA=net tears that apart. */
int via_machine(int peer);

/* All are on one host. */
static inline bool via_single_node(void)
{
	return likely(!via.mixed);
}

/* The slot of a peer; -1: it is far. */
static inline int via_seat(int peer)
{
	return likely(!via.mixed) ? peer : via_peer_get(peer)->seat;
}

/* The same, not looked up in the row of the peer but found anew. */
int via_seat_find(int peer);

/* Can it be reached through memory of this host? */
static inline bool via_is_local(int peer)
{
	return likely(!via.mixed) || via_peer_get(peer)->seat >= 0;
}

/* The other halves of the functions below, where peers and slots differ. */
int via_put_any(int peer, const struct shm_hdr *h, const void *buf, size_t len);
int via_reserve_any(int peer, size_t len, void **room);
void via_commit_any(int peer, const struct shm_hdr *h, size_t len);
int via_poll_any(void);
int via_poll_from_any(int peer);

/* via_put sends one frame: 0, SHM_AGAIN (the way is full: poll, then again), SHM_NOMEM, or of far
 * peers VIA_LOST. */
static inline int via_put(
	int peer, uint64_t ctx, int32_t tag, uint8_t kind, const void *buf, size_t len)
{
	struct shm_hdr h = {.ctx = ctx, .tag = tag, .kind = kind};

	if (unlikely(via.mixed))
		return via_put_any(peer, &h, buf, len);
	return shm_put(via.shm, peer, &h, buf, len);
}

/* The same in two steps, for payload that is built in place: *room is for `len' bytes, which
 * via_commit sends; nothing else of via may be called between the two. */
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

/* via_poll delivers what has arrived, at most a batch; returns how many frames. */
static inline int via_poll(void)
{
	if (unlikely(via.mixed))
		return via_poll_any();
	return shm_poll(via.shm, via.deliver, NULL);
}

/* The fast paths of who knows the slot of a near peer: via_put_local as via_put.  via_frame_peek shows the
 * frame at the head of its ring without taking it (src is the slot); via_frame_next takes it. */
static inline int via_put_local(
	int slot, uint64_t ctx, int32_t tag, uint8_t kind, const void *buf, size_t len)
{
	struct shm_hdr h = {.ctx = ctx, .tag = tag, .kind = kind};

	return shm_put(via.shm, slot, &h, buf, len);
}

#define VIA_BATCH SHM_SLOTS /* frames of a peer that may be taken before others are looked at */

static inline bool via_frame_peek(int slot, struct shm_frame *f)
{
	return shm_peek(via.shm, slot, f);
}

static inline void via_frame_next(const struct shm_frame *f)
{
	shm_next(via.shm, f);
}

/* Copies all of a frame. */
static inline void via_frame_copy(char *to, const struct shm_frame *f)
{
	if (likely(f->len <= SHM_INLINE))
		shm_copy_inline((uint8_t *)to, f->data, f->len);
	else
		memcpy(to, f->data, f->len);
}

/* via_poll_from delivers one frame from one peer if its ring has one: the receive fast path.  It
 * may miss frames that via_poll sees. */
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

/* --- large messages to and from near peers: libshm's pipes ---------------------------------- */

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

/* May the private memory of a peer be read, and reading it: shm_readable, shm_read. */
static inline bool via_readable(int peer)
{
	return via_is_local(peer) && shm_readable(via.shm, via_seat(peer));
}

static inline bool via_read(int peer, void *dst, uint64_t at, size_t len)
{
	return shm_read(via.shm, via_seat(peer), dst, at, len);
}

/* Writing into it: shm_write, where via_readable has said yes. */
static inline bool via_write(int peer, const void *src, uint64_t at, size_t len)
{
	return shm_write(via.shm, via_seat(peer), src, at, len);
}

/* --- large messages to and from far peers: streams, of libnet or ofi.h ---------------------- */

/* As net_send, net_post: 0, SHM_NOMEM or VIA_LOST. */
int via_stream_send(int peer, uint64_t id, const void *buf, size_t len, struct net_op *op);
int via_stream_post(int peer, uint64_t id, void *buf, size_t len, struct net_op *op);

/* As net_unpost. */
void via_stream_unpost(struct net_op *op);

/* Everything that was put is in the kernel's hands, or the fabric's. */
bool via_quiet_remote(void);

static inline bool via_quiet(void)
{
	return likely(via.net == NULL) || via_quiet_remote();
}

/* --- waiting -------------------------------------------------------------------------------- */

/* via_await says whose message is waited for from now on, -1: nobody's. */
static inline void via_await(int peer)
{
	if (unlikely(via.net != NULL))
		via.awaited = peer >= 0 && via_seat(peer) < 0 ? peer : -1;
}

/* via_idle: nothing moved: spin, give the CPU away, or sleep, as it is best.  When the job is being
 * ended it does not come back. */
void via_idle(struct shm_wait *w);

static inline void via_wait_end(struct shm_wait *w)
{
	shm_wait_end(via.shm, w);
}

/* --- several threads ------------------------------------------------------------------------
 * One waiting thread, the last that came, polls and then sleeps at the door; the others sleep until
 * somebody's pass or call has brought what they want (haft_unlock looks), or until the watch is
 * free.  All of this runs under the library's lock, which is given up while a thread idles. */

/* via_tune reads the settings of waiting and of rings again (HAFT_SPIN ...).  MPI runs. */
void via_tune(void);

/* via_threads_start: several threads from now on. */
void via_threads_start(void);

/* What a thread waits for. */
struct via_condition {
	bool (*ready)(void *arg); /* asked under the lock by any thread, often; changes nothing but
				     what arg points to */
	void *arg;
	shm_progress_fn *pass;              /* moves what can be moved; > 0: something has moved */
	struct shm_flag *flag;              /* NULL, or what the moving of may make it ready */
	const struct shm_describer *teller; /* NULL, or for the roll-call */
};

/* via_wait returns when want->ready says so.  Only with haft_threads_enabled(). */
void via_wait(const struct via_condition *want);

/* The same for who wants to be asked again after *nap_ns at the latest, if not 0: ready may change
 * it. */
void via_wait_timed(const struct via_condition *want, const uint32_t *nap_ns);

/* via_poller_wake: there is work for whoever waits (a queue that only passes serve): ends its sleep. */
void via_poller_wake_slow(void);

static inline void via_poller_wake(void)
{
	if (haft_threads_enabled())
		via_poller_wake_slow();
}

#endif
