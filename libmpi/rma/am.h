// SPDX-License-Identifier: BSD-3-Clause
/* am.h - operations that the target's process does, asked by frames (HAFT_RMA=msg, other hosts).
 *
 *      origin                                            target
 *      PUT   head | runs | data     ──────────────────>  copied                        am_target.c
 *      ACC   head | runs | elements ──────────────────>  rma_acc_apply, as its own accumulates
 *      GET   head | runs            ──────────────────>  ┐
 *                                   <──────────── DATA   ┘ the bytes, in order; of ACC: old values
 *                                   <──────────── DONE   so many PUTs and ACCs have been executed
 *      SYNC  bytes                  <─────────────────>  the synchronization half's
 *
 * A run is a piece of the target's memory, so the target knows no datatype of the origin's.  What
 * no frame holds goes in several; the last one has head.last.
 *
 * Frames of this process to one peer wait in one queue (frame_queue.c) while the way is full, in order;
 * answers too.  The target serves frames in order, and answers in order: the origin's operations
 * end from the front of target->first.
 *
 * Nothing here waits: what a frame causes is done, or queued, when rma_deliver returns. */
#ifndef HAFT_RMA_AM_H
#define HAFT_RMA_AM_H

#include "libmpi/rma/operation.h"

enum rma_am_kind { AM_PUT = 1, AM_GET, AM_ACC, AM_DATA, AM_ACK, AM_SYNC };

struct rma_am_head {
	uint8_t last;  /* of the operation's frames */
	uint8_t fetch; /* ACC: answer with old values */
	uint8_t op;    /* ACC: the ABI's number of it, 0: compare and swap */
	uint8_t pad;
	uint32_t
		basic; /* ACC: the ABI's number of the elements' type; DATA: with runs, rma_am_missing */
	uint32_t runs; /* DONE: how many operations */
	int32_t err;   /* DONE, DATA: of what failed at the target */
};
static_assert(sizeof(struct rma_am_head) == 16, "elements behind it stay aligned");

/* DATA: bytes of the answer that do not come, because of err; they stand behind those that do. */
static inline uint64_t rma_am_missing(const struct rma_am_head *h)
{
	return h->runs | (uint64_t)h->basic << 32;
}

static inline void rma_am_missing_set(struct rma_am_head *h, uint64_t bytes)
{
	h->runs = (uint32_t)bytes;
	h->basic = (uint32_t)(bytes >> 32);
}

struct rma_am_run {
	uint64_t place; /* bytes from the target's base; dynamic: its address */
	uint64_t len;   /* bytes of memory */
};

/* A number by which the target finds the type of elements: that of a permanent one like it, or two
 * of a pair. */
uint32_t rma_am_type_number(const struct type *basic);

/* What waits for its turn on the way to a peer.  push puts what it can: 0: all has gone, and the
 * item has been freed; else SHM_AGAIN. */
struct rma_queued {
	struct rma_queued *next;
	int (*push)(struct rma_queued *o);
	uint64_t ctx;
	int peer;
};

/* Pushes an item, at once if nothing waits before it. */
void rma_queue_put(struct rma_queued *o);

/* Sends one frame of at most RMA_SMALL_MAX bytes (copied), in its turn.  If memory for the copy is not
 * to be had the job ends. */
#define RMA_SMALL_MAX 96
void rma_queue_small(int peer, uint64_t ctx, enum rma_am_kind kind, const void *data, uint32_t len);

/* The last item on the way to a peer, or NULL: a DONE that waits may say more. */
struct rma_queued *rma_queue_last(int peer);

/* Bytes of a frame's payload to a peer, a multiple of 16. */
int64_t rma_frame_max(int peer);

/* The payload of a frame to be built in place; then rma_frame_commit sends it.  NULL: the way is full. */
void *rma_frame_reserve(const struct rma_queued *o, int64_t bytes);
void rma_frame_commit(const struct rma_queued *o, enum rma_am_kind kind, int64_t bytes);

/* am_target.c: where a run of this process's memory lies; NULL: not in the window (any longer).
 * *shared: in the segment. */
char *rma_am_memory(const struct win *w, const struct rma_am_run *r, bool *shared);

/* am_target.c: executes an accumulate on h->runs runs of this process's memory; the old values go to
 * `old' (may be NULL).  0, or the class of what has failed: other runs are done all the same. */
int rma_am_accumulate(struct win *w, const struct rma_am_head *h, const struct rma_am_run *runs,
	const char *data, char *old);

/* am_target.c: an operation for this process; am_origin.c: an answer to it. */
void rma_am_request(struct win *w, int from, int kind, const void *data, int64_t len);
void rma_am_reply(struct win *w, int from, int kind, const void *data, int64_t len);

#endif
