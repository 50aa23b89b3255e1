// SPDX-License-Identifier: BSD-3-Clause
/* cancel.h - cancelled sends: interface of cancel.c. */
#ifndef HAFT_P2P_CANCEL_H
#define HAFT_P2P_CANCEL_H

#include "libmpi/p2p/p2p_state.h"

/* Registers the handlers of cancel.c. */
void p2p_cancel_open(void);

/* The peer of a send has left MPI.  True: it was asked for the message back, and r is cancelled. */
bool p2p_cancel_peer_left(struct req *r);

/* The receiver of this send may have given it up, and r has the error.  r ends at once if its RTS
 * has not gone, else once the receiver has matched it, or cannot any more.  If it is not matched,
 * the receiver gets *instead; NULL: nothing. */
void p2p_cancel_broken(struct req *r, const struct p2p_error_msg *instead);

#endif
