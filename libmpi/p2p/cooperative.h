// SPDX-License-Identifier: BSD-3-Clause
/* cooperative.h - large messages of private memory that receiver and sender copy together. */
#ifndef HAFT_P2P_COOPERATIVE_H
#define HAFT_P2P_COOPERATIVE_H

#include "libmpi/p2p/p2p_state.h"

/* The outcome of reading a message in place. */
enum in_place {
	IN_PLACE_DONE, /* the whole message is here */
	IN_PLACE_OPEN, /* the sender still copies: FRAME_COOP_DONE will come */
	IN_PLACE_NOT   /* it was not tried, or could not be read: it has to be sent */
};

/* Reads the first n bytes of the message of an RTS from the sender's private memory to `to', for
 * receive r, which has its claim and its sender_id: alone, or with the sender.  Returns when this
 * side's chunks are copied. */
enum in_place p2p_read_private(struct req *r, int peer, char *to, const struct rts *rts, int64_t n);

/* Handler of FRAME_COOP, at the sender: copies chunks until none is left. */
void p2p_coop_help(const struct shm_frame *f);

/* A frame COOP_DONE, at the receiver: returns its request.  All chunks have been copied, or, if
 * *bad, not all of them. */
struct req *p2p_coop_end(const struct shm_frame *f, bool *bad);

#endif
