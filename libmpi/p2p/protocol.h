// SPDX-License-Identifier: BSD-3-Clause
/* protocol.h - the frames of p2p, and the states of a message's request.
 *
 *   sender                                    receiver
 *   EAGER  ctx, tag, data  ────────────────>  into the receive, or into the unexpected queue
 *
 *   RTS    ctx, tag {bytes, id} ───────────>  matched at once, or when the receive is posted
 *          <──────────────────────  CTS id
 *          chunks of the pipe  ────────────>  unpacked chunk by chunk           (pipe_copy.c)
 *          or a stream of the network transport, from another host          (remote_stream.c)
 *
 *   RTS    {bytes, id, address, claim} ────>  reads the data in place: one copy     (claim.h)
 *          <──────────────────────  FIN id
 *
 *   RTS    {bytes, id, address, claim} ────>  both sides copy                 (cooperative.c)
 *          <─────────────────────  COOP id
 *          COOP_DONE ──────────────────────>
 *          <──────────────────────  FIN id
 *
 *   CANCEL id  ────────────────────────────>  a synchronous send is cancelled      (cancel.c)
 *          <── CANCEL_OK or CANCEL_PROBED id
 *
 *          <─────────────────────  CREDIT     flow control: no eager messages any more, or
 *                                             again                                (credit.c)
 *
 * A frame has 64 bits `ctx', 32 bits `tag' and a payload.  Their meaning depends on its kind
 * (frame_kind.h). */
#ifndef HAFT_P2P_PROTOCOL_H
#define HAFT_P2P_PROTOCOL_H

#include <stdint.h>
#include "libmpi/p2p/frame_kind.h"

/* Where the receiver of an RTS can read the message. */
enum rts_where {
	RTS_AT_SENDER, /* nowhere: it must ask for it */
	RTS_AT_SHARED, /* in the segment */
	RTS_AT_PRIVATE /* in the sender's private memory */
};

struct rts {
	int64_t total;  /* bytes of the message */
	uint32_t id;    /* the sender's */
	uint32_t where; /* enum rts_where */
	uint64_t at;    /* RTS_AT_SHARED: offset in the segment; RTS_AT_PRIVATE: address */
	uint64_t claim; /* likewise: offset of its claim word (claim.h) */
};

/* struct req's `state'.  OUT: in the peer's queue `out', until its frame is put.  A message with an
 * RTS, at its sender and at its receiver:
 *
 *     NEW ─> OUT_RTS ─> AWAIT_CTS ──┬── CTS, local peer ──> PIPE_SEND ──> done
 *                         │  ^      ├── CTS, remote peer ─> STREAM ─────> done
 *                         │  │      └── FIN ──────────────────────────> done
 *                   COOP  v  │ the frame is put
 *              OUT_COOP_DONE, OUT_COOP_FAILED      MPI_Cancel: AWAIT_CTS ─> CANCELLING ─> done
 *
 *     NEW ─> POSTED ─> matched ──┬── OUT_CTS, local peer ──> PIPE_RECV ──> done
 *                        │       ├── OUT_CTS, remote peer ─> STREAM ─────> done
 *                        │       └── OUT_FIN ──────────────────────────> done
 *                        └─> AWAIT_COOP ── COOP_DONE ──> OUT_FIN; or OUT_CTS, as a copy failed */
enum req_state {
	STATE_NEW,
	STATE_OUT_EAGER,
	STATE_OUT_RTS,
	STATE_AWAIT_CTS,         /* sender: or FIN, or COOP */
	STATE_CANCELLING,        /* likewise, and CANCEL has been sent */
	STATE_PIPE_SEND,         /* in the peer's pipe_sends */
	STATE_POSTED,            /* in the posted queue (match.h) */
	STATE_OUT_CTS,           /* receiver */
	STATE_OUT_FIN,           /* receiver */
	STATE_OUT_FRAME,         /* a control frame: send.frame, send.payload */
	STATE_OUT_COOP_DONE,     /* sender; then STATE_AWAIT_CTS */
	STATE_OUT_COOP_FAILED,   /* likewise; a chunk could not be copied */
	STATE_AWAIT_COOP,        /* receiver: for COOP_DONE */
	STATE_AWAIT_COOP_FAILED, /* likewise; a chunk could not be copied */
	STATE_PIPE_RECV,         /* in the peer's pipe_recvs */
	STATE_STREAM             /* remote peer: bytes move (remote_stream.c) */
};

#endif
