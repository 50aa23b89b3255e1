// SPDX-License-Identifier: BSD-3-Clause
/* cooperative.h - large messages of private memory that receiver and sender copy together. */
#ifndef HAFT_P2P_COOPERATIVE_H
#define HAFT_P2P_COOPERATIVE_H

#include "libmpi/p2p/p2p_state.h"

enum coop_result {
	COOP_DONE,  /* the whole message is here */
	COOP_OPEN,  /* the sender still copies: FRAME_COOP_DONE will come */
	COOP_FAILED /* it could not be copied */
};

/* Copies the first n bytes of the message of an RTS to `to', for receive r, which has its claim and
 * its sender_id.  Returns when this side's chunks are copied. */
enum coop_result p2p_coop_read(struct req *r, int peer, char *to, const struct rts *rts, int64_t n);

/* Handler of FRAME_COOP, at the sender: copies chunks until none is left. */
void p2p_coop_help(const struct shm_frame *f);

/* A frame COOP_DONE, at the receiver: returns its request.  All chunks have been copied, or, if
 * *bad, not all of them. */
struct req *p2p_coop_end(const struct shm_frame *f, bool *bad);

#endif
