// SPDX-License-Identifier: BSD-3-Clause
/* msg.h - operations that the target's process does, asked by frames (HAFT_RMA=msg, other hosts).
 *
 *      origin                                            target
 *      PUT   head | runs | data     ──────────────────>  copied                        serve.c
 *      ACC   head | runs | elements ──────────────────>  acc_apply, as its own accumulates
 *      GET   head | runs            ──────────────────>  ┐
 *                                   <──────────── DATA   ┘ the bytes, in order; of ACC: old values
 *                                   <──────────── DONE   so many PUTs and ACCs have been executed
 *      SYNC  bytes                  <─────────────────>  the synchronization half's
 *
 * A run is a piece of the target's memory, so the target knows no datatype of the origin's.  What
 * no frame holds goes in several; the last one has head.last.
 *
 * Frames of this process to one peer wait in one queue (mail.c) while the way is full, in order;
 * answers too.  The target serves frames in order, and answers in order: the origin's operations
 * end from the front of target->first.
 *
 * Nothing here waits: what a frame causes is done, or queued, when rma_deliver returns. */
#ifndef HAFT_RMA_MSG_H
#define HAFT_RMA_MSG_H

#include "libmpi/rma/job.h"

enum msg_kind { MSG_PUT = 1, MSG_GET, MSG_ACC, MSG_DATA, MSG_DONE, MSG_SYNC };

struct msg_head {
	uint8_t last;  /* of the operation's frames */
	uint8_t fetch; /* ACC: answer with old values */
	uint8_t op;    /* ACC: the ABI's number of it, 0: compare and swap */
	uint8_t pad;
	uint32_t basic; /* ACC: the ABI's number of the elements' type; DATA: with runs, msg_lack */
	uint32_t runs;  /* DONE: how many operations */
	int32_t err;    /* DONE, DATA: of what failed at the target */
};
static_assert(sizeof(struct msg_head) == 16, "elements behind it stay aligned");

/* DATA: bytes of the answer that do not come, because of err; they stand behind those that do. */
static inline uint64_t msg_lack(const struct msg_head *h)
{
	return h->runs | (uint64_t)h->basic << 32;
}

static inline void msg_lack_set(struct msg_head *h, uint64_t bytes)
{
	h->runs = (uint32_t)bytes;
	h->basic = (uint32_t)(bytes >> 32);
}

struct msg_run {
	uint64_t place; /* bytes from the target's base; dynamic: its address */
	uint64_t len;   /* bytes of memory */
};

/* A number by which the target finds the type of elements: that of a permanent one like it, or two
 * of a pair. */
uint32_t msg_basic_number(const struct type *basic);

/* What waits for its turn on the way to a peer.  push puts what it can: 0: all has gone, and the
 * item has been freed; else SHM_AGAIN. */
struct mail {
	struct mail *next;
	int (*push)(struct mail *o);
	uint64_t ctx;
	int peer;
};

/* Pushes an item, at once if nothing waits before it. */
void mail_put(struct mail *o);

/* Sends one frame of at most MAIL_SMALL bytes (copied), in its turn.  If memory for the copy is not
 * to be had the job ends. */
#define MAIL_SMALL 96
void mail_small(int peer, uint64_t ctx, enum msg_kind kind, const void *data, uint32_t len);

/* The last item on the way to a peer, or NULL: a DONE that waits may say more. */
struct mail *mail_last(int peer);

/* Bytes of a frame's payload to a peer, a multiple of 16. */
int64_t mail_room(int peer);

/* The payload of a frame to be built in place; then mail_go sends it.  NULL: the way is full. */
void *mail_frame(const struct mail *o, int64_t bytes);
void mail_go(const struct mail *o, enum msg_kind kind, int64_t bytes);

/* serve.c: where a run of this process's memory lies; NULL: not in the window (any longer).
 * *shared: in the segment. */
char *serve_memory(const struct win *w, const struct msg_run *r, bool *shared);

/* serve.c: executes an accumulate on h->runs runs of this process's memory; the old values go to
 * `old' (may be NULL).  0, or the class of what has failed: other runs are done all the same. */
int serve_acc(struct win *w, const struct msg_head *h, const struct msg_run *runs, const char *data,
	char *old);

/* serve.c: an operation for this process; msg.c: an answer to it. */
void serve_frame(struct win *w, int from, int kind, const void *data, int64_t len);
void msg_answer(struct win *w, int from, int kind, const void *data, int64_t len);

#endif
