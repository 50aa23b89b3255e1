// SPDX-License-Identifier: BSD-3-Clause
/* remote_stream.h - rendezvous messages of remote peers by streams (remote_stream.c). */
#ifndef HAFT_P2P_REMOTE_STREAM_H
#define HAFT_P2P_REMOTE_STREAM_H

#include "libmpi/p2p/p2p_state.h"

/* The receiver is ready for this stream, and takes `room' bytes: all that go. */
void p2p_stream_send(struct req *r, uint64_t stream_id, int64_t room);

/* Posts r's buffer for a stream; its number goes with CTS.  Then p2p_stream_recv when the CTS has
 * gone, or p2p_stream_stop if it could not.  0: no memory, nothing may be sent; p2p_stream_post
 * fails r then. */
uint64_t p2p_stream_post(struct req *r);
uint64_t p2p_stream_try_post(struct req *r);
void p2p_stream_recv(struct req *r);
void p2p_stream_stop(struct req *r);

/* Is a long stream not over?  Then a helper of its peer may need this CPU, if it is on this
 * machine. */
bool p2p_stream_awaits_helper(void);

#endif
