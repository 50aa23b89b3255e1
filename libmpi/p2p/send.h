// SPDX-License-Identifier: BSD-3-Clause
/* send.h - the sender's side of a message (send.c). */
#ifndef HAFT_P2P_SEND_H
#define HAFT_P2P_SEND_H

#include "libmpi/p2p/p2p_state.h"

/* Starts a filled send. */
void p2p_send_start(struct req *r);

/* Likewise, of an operation without a user's handle: p2p_req_detach and p2p_send_start. */
void p2p_send_start_part(struct req *r, struct req *whole);

/* Gives r the id that CTS and FIN will name.  False: no memory. */
bool p2p_send_take_id(struct req *r);

/* Does r (may be NULL) wait for this peer's answer to its RTS? */
static inline bool p2p_send_awaits_cts(const struct req *r, int peer)
{
	return r != NULL && r->kind == REQ_SEND && r->peer == peer &&
	       (r->state == STATE_AWAIT_CTS || r->state == STATE_CANCELLING);
}

/* Handlers of FRAME_CTS and FRAME_FIN. */
void p2p_send_got_cts(const struct shm_frame *f);
void p2p_send_got_fin(const struct shm_frame *f);

#endif
