// SPDX-License-Identifier: BSD-3-Clause
/* outq.h - frames of requests, in their order: each peer's queue `out' (outq.c). */
#ifndef HAFT_P2P_OUTQ_H
#define HAFT_P2P_OUTQ_H

#include "libmpi/p2p/p2p_state.h"

/* Puts the frame that r's state asks for, to `peer', now or when it is its turn.  If it cannot go,
 * the request finishes with an error. */
void p2p_out_put(struct req *r, int peer);

/* Puts a control frame, now or when it is its turn; data (n bytes) is copied if that is later.
 * Without memory the job ends with words. */
void p2p_out_frame(
	int peer, uint64_t ctx, int32_t tag, enum p2p_frame_kind kind, const void *data, int64_t n);

/* r, of state STATE_OUT_RTS, leaves its peer's queue, and a copy of this error has its turn. */
void p2p_out_replace(struct req *r, const struct p2p_error_msg *msg);

/* Puts what can be put of a peer's queue; returns how many frames went, or failed. */
int p2p_out_push(int peer);

/* Will a send of this request be answered with an error frame if it finds no memory?  Those of
 * collective calls: their receivers wait in the same call. */
bool p2p_out_is_collective(const struct req *r);

/* There is no memory to send r, which is of a collective call: r becomes the error frame that says
 * so.  The caller puts it. */
void p2p_out_error_instead(struct req *r);

#endif
