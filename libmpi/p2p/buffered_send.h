// SPDX-License-Identifier: BSD-3-Clause
/* buffered_send.h - sends through the attached buffer: interface of buffered_send.c. */
#ifndef HAFT_P2P_BUFFERED_SEND_H
#define HAFT_P2P_BUFFERED_SEND_H

#include "libmpi/p2p/p2p_state.h"

/* The message is copied into the attached buffer and its send started: done when it returns.  0 or
 * an error class with words. */
int p2p_buffer_send(
	const void *buf, int64_t count, struct type *type, int dest, int tag, struct comm *c);

/* From now on a communicator's buffer goes with it. */
void p2p_buffer_open(void);

#endif
