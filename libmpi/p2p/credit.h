// SPDX-License-Identifier: BSD-3-Clause
/* credit.h - flow control: the bytes of unexpected messages that a peer may have here
 * (credit.c). */
#ifndef HAFT_P2P_CREDIT_H
#define HAFT_P2P_CREDIT_H

#include "libmpi/p2p/p2p_state.h"

/* `bytes' more (below 0: fewer) of a peer's eager messages are unexpected. */
void p2p_credit_use(int peer, int64_t bytes);

/* Tells a peer whether it has credit, if that is due and there is room for the frame.  Returns how
 * many frames went. */
int p2p_credit_send(int peer);

/* The peer lets us send eager messages, or not. */
void p2p_credit_received(int peer, bool credit);

/* Handler of FRAME_CREDIT. */
void p2p_credit_got(const struct shm_frame *f);

#endif
