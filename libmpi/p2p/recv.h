// SPDX-License-Identifier: BSD-3-Clause
/* recv.h - the receiver's side of a message (recv.c). */
#ifndef HAFT_P2P_RECV_H
#define HAFT_P2P_RECV_H

#include "libmpi/p2p/match.h"
#include "libmpi/p2p/p2p_state.h"

/* Starts a filled receive: takes an unexpected message, or is posted. */
void p2p_recv_start(struct req *r);

/* Posts a receive for which there is no unexpected message. */
static inline void p2p_recv_post(struct req *r)
{
	r->state = STATE_POSTED;
	p2p_match_post(r);
}

/* r gets an unexpected message, which is in no queue any more and goes. */
void p2p_recv_unexpected(struct req *r, struct unexpected *u);

/* r has been matched with a message of `total' bytes; data is all of it, packed. */
void p2p_recv_data(struct req *r, int peer, int tag, const void *data, int64_t total);

/* r has been matched with a send of this process. */
void p2p_recv_self(struct req *r, struct req *send);

/* Unpacks the next n bytes of r's message, as far as there is room; does not count them. */
void p2p_recv_unpack(struct req *r, const void *data, int64_t n);

/* An eager message that is not contiguous, not as long as its receive, or without one (r NULL). */
void p2p_recv_eager(struct req *r, const struct shm_frame *f);

/* u, the RTS of another process, becomes this error in its place among the others. */
void p2p_recv_error_instead(struct unexpected *u, const struct p2p_error_msg *msg);

/* Handlers of FRAME_RTS, FRAME_COOP_DONE and FRAME_ERROR. */
void p2p_recv_got_rts(const struct shm_frame *f);
void p2p_recv_got_coop_done(const struct shm_frame *f);
void p2p_recv_got_error(const struct shm_frame *f);

#endif
