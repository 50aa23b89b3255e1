// SPDX-License-Identifier: BSD-3-Clause
/* am.h - active messages: operations that the target's process executes (HAFT_RMA=msg, other
 * hosts).
 *
 *      origin (am_origin.c)                              target (am_target.c)
 *      PUT   head | runs | data     ──────────────────>  copies
 *      ACC   head | runs | elements ──────────────────>  combines, as its own accumulates do
 *      GET   head | runs            ──────────────────>  ┐
 *                                   <──────────── DATA   ┘ the bytes, in order; ACC: old values
 *                                   <───────────── ACK   number of PUTs and ACCs executed
 *      SYNC  bytes                  <─────────────────>  synchronization (win_remote.c)
 *
 * A run is a contiguous piece of the target's memory, so the target knows no datatype of the
 * origin.  An operation that exceeds a frame goes in several; the last has head.last.
 *
 * Frames to one peer, answers included, wait in one queue while the transport has no room
 * (frame_queue.c).  The target executes and answers in order, so the origin's operations complete
 * from the front of target->first.
 *
 * Nothing here waits: a frame's effects are done, or queued, when its handler returns. */
#ifndef HAFT_RMA_AM_H
#define HAFT_RMA_AM_H

#include "libmpi/rma/operation.h"

enum rma_am_kind { AM_PUT = 1, AM_GET, AM_ACC, AM_DATA, AM_ACK, AM_SYNC };

struct rma_am_head {
	uint8_t last;  /* of the operation's frames */
	uint8_t fetch; /* ACC: answer with the old values */
	uint8_t op;    /* ACC: the ABI's number; 0: compare and swap */
	uint8_t pad;
	uint32_t basic; /* ACC: rma_am_type_number; DATA: upper half of rma_am_missing */
	uint32_t runs;  /* number of runs; ACK: of operations; DATA: lower half of rma_am_missing */
	int32_t err;    /* ACK, DATA: class of the error at the target, or 0 */
};
static_assert(sizeof(struct rma_am_head) == 16, "elements behind it stay aligned");

/* DATA: bytes at the end of the answer that do not come, because of err. */
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
	uint64_t offset; /* bytes from the target's base; dynamic window: an address there */
	uint64_t len;    /* bytes of memory */
};

/* --- am_types.c ----------------------------------------------------------------------------- */

/* The number of an element type in messages, and back.  rma_am_type_of returns NULL if the
 * number is unknown, or if there is no memory for a pair; rma_am_op_of for compare and swap. */
uint32_t rma_am_type_number(const struct type *basic);
struct type *rma_am_type_of(uint32_t number);
const struct op *rma_am_op_of(uint8_t number);

/* --- frame_queue.c: frames on their way out ------------------------------------------------- */

/* Something that waits for its turn on the way to a peer.  push sends as much as it can.  It
 * returns 0 if everything is sent, and has freed the item then; else VIA_AGAIN. */
struct rma_queued {
	struct rma_queued *next;
	int (*push)(struct rma_queued *o);
	uint64_t ctx;
	int peer;
};

/* Pushes an item, at once if none waits before it. */
void rma_queue_put(struct rma_queued *o);

/* Sends one frame of at most RMA_SMALL_MAX bytes (copied) in its turn.  Ends the job if there is no
 * memory for the copy. */
#define RMA_SMALL_MAX 96
void rma_queue_small(int peer, uint64_t ctx, enum rma_am_kind kind, const void *data, uint32_t len);

/* The last item that waits on the way to a peer, or NULL.  An ACK that waits may be extended. */
struct rma_queued *rma_queue_last(int peer);

/* Largest payload of a frame in bytes, a multiple of 16. */
int64_t rma_frame_max(void);

/* The payload of a frame to be built in place; rma_frame_commit sends it.  NULL: the transport
 * has no room now. */
void *rma_frame_reserve(const struct rma_queued *o, int64_t bytes);
void rma_frame_commit(const struct rma_queued *o, enum rma_am_kind kind, int64_t bytes);

/* --- am_target.c ---------------------------------------------------------------------------- */

/* Where a run of this process's memory lies; NULL: not, or no longer, in the window.  *shared: it
 * lies in the segment. */
char *rma_am_memory(const struct win *w, const struct rma_am_run *r, bool *shared);

/* Executes an accumulate on h->runs runs of this process's memory.  Old values go to `old' (may be
 * NULL).  0, or the class of an error; the other runs are executed all the same. */
int rma_am_accumulate(struct win *w, const struct rma_am_head *h, const struct rma_am_run *runs,
	const char *data, char *old);

/* Handles a PUT, GET or ACC of rank `from'.  Ends the job if there is no memory, or if the frame is
 * not valid. */
void rma_am_request(struct win *w, int from, int kind, const void *frame, int64_t len);

/* --- am_origin.c ---------------------------------------------------------------------------- */

/* Handles a DATA or ACK of rank `from'.  Ends the job if the frame is not valid. */
void rma_am_reply(struct win *w, int from, int kind, const void *data, int64_t len);

/* Do the lists of operations of a window agree with its counters? */
bool rma_am_valid(const struct win *w);

/* The window is broken: requests of operations that are not answered fail, and their buffers are
 * the user's again. */
void rma_am_abandon(struct win *w);

#endif
