// SPDX-License-Identifier: BSD-3-Clause
/* via.h - the transports as engines see them: frames to peers, pipes to peers, waiting.
 *
 *      p2p, coll ──> via_put, via_poll, via_idle ... ──> libshm     (every peer is on this node
 * today)
 *
 * A frame is ordered per pair, delivered in place, and at most via.frame_max bytes long; what each
 * kind means is the engine's affair.  struct shm_frame, struct shm_wait and the pipe functions are
 * libshm's own: wrapping them field by field would cost the fast path and hide nothing.  Engines
 * include this file, never libshm.
 *
 * One thread at a time is inside these functions: below MPI_THREAD_MULTIPLE because the user sees
 * to it, else because of the library's lock (core/lock.h). */
#ifndef HAFT_VIA_VIA_H
#define HAFT_VIA_VIA_H

#include "libmpi/core/lock.h"
#include "libshm/shm.h"

struct via {
	struct shm *shm;
	int me;     /* this process as a peer */
	int npeers; /* peers are 0 .. npeers-1 */
	uint32_t frame_max;
	uint64_t mem_len;        /* bytes of the segment, mapped at shm->base */
	bool contended;          /* more ranks than CPUs: whoever spins, hinders */
	shm_deliver_fn *deliver; /* p2p's; it must take the frame */
};

extern struct via via;

/* via_open attaches to the node's segment as peer `me'.  `deliver' gets every frame that arrives,
 * from inside via_poll and via_poll_from.  0, or MPI_ERR_OTHER with words.  The segment stays the
 * caller's. */
int via_open(struct shm_seg *seg, int me, shm_deliver_fn *deliver);

/* via_put sends one frame: 0, SHM_AGAIN (the way is full: poll, then again) or SHM_NOMEM. */
static inline int via_put(
	int peer, uint64_t ctx, int32_t tag, uint8_t kind, const void *buf, size_t len)
{
	struct shm_hdr h = {.ctx = ctx, .tag = tag, .kind = kind};

	return shm_put(via.shm, peer, &h, buf, len);
}

/* The same in two steps, for payload that is built in place: *room is for `len' bytes, which
 * via_commit sends; nothing else of via may be called between the two. */
static inline int via_reserve(int peer, size_t len, void **room)
{
	return shm_reserve(via.shm, peer, len, room);
}

static inline void via_commit(int peer, uint64_t ctx, int32_t tag, uint8_t kind, size_t len)
{
	struct shm_hdr h = {.ctx = ctx, .tag = tag, .kind = kind};

	shm_commit(via.shm, peer, &h, len);
}

/* via_poll delivers what has arrived, at most a batch; returns how many frames. */
static inline int via_poll(void)
{
	return shm_poll(via.shm, via.deliver, NULL);
}

/* via_poll_from delivers one frame from one peer if its ring has one: the receive fast path.  It
 * may miss frames that via_poll sees. */
static inline int via_poll_from(int peer)
{
	struct shm_frame f;

	if (!shm_peek(via.shm, peer, &f))
		return 0;
	via.deliver(NULL, &f);
	shm_next(via.shm, &f);
	return 1;
}

/* via_peek shows the frame at the head of a peer's ring without taking it; via_next takes it. */
static inline bool via_peek(int peer, struct shm_frame *f)
{
	return shm_peek(via.shm, peer, f);
}

static inline void via_next(const struct shm_frame *f)
{
	shm_next(via.shm, f);
}

/* via_idle: nothing moved: spin, give the CPU away, or sleep, as it is best.  When the job is being
 * ended it does not come back. */
void via_idle(struct shm_wait *w);

static inline void via_wait_end(struct shm_wait *w)
{
	shm_wait_end(via.shm, w);
}

/* --- several threads -------------------------------------------------------------------------
 * One waiting thread, the last that came, polls and then sleeps at the door; the others sleep until
 * somebody's pass or call has brought what they want (haft_unlock looks), or until the watch is
 * free.  All of this runs under the library's lock, which is given up while a thread idles. */

/* via_threads: several threads from now on. */
void via_threads(void);

/* What a thread waits for. */
struct via_want {
	bool (*ready)(void *arg); /* asked under the lock by any thread, often; changes nothing but
				     what arg points to */
	void *arg;
	shm_pass_fn *pass;               /* moves what can be moved; > 0: something has moved */
	struct shm_flag *flag;           /* NULL, or what the moving of may make it ready */
	const struct shm_teller *teller; /* NULL, or for the roll-call */
};

/* via_wait returns when want->ready says so.  Only with haft_threads(). */
void via_wait(const struct via_want *want);

/* via_kick: there is work for whoever waits (a queue that only passes serve): ends its sleep. */
void via_kick_slow(void);

static inline void via_kick(void)
{
	if (haft_threads())
		via_kick_slow();
}

#endif
