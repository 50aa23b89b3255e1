// SPDX-License-Identifier: BSD-3-Clause
/* frame_kind.h - the kinds of frames between two processes, of p2p and of other engines.
 *
 * protocol.h shows the frames of p2p in their order.  A kind belongs to one engine, which registers
 * its handler (p2p_deliver_register). */
#ifndef HAFT_P2P_FRAME_KIND_H
#define HAFT_P2P_FRAME_KIND_H

enum p2p_frame_kind {
	FRAME_EAGER = 1, /* payload: the message */
	FRAME_RTS,       /* payload: struct rts; ctx and tag are the message's */
	FRAME_CTS,       /* tag: id of the RTS; ctx: the stream, if remote; payload: none, or
			    int64_t: the receiver takes no more bytes than that */
	FRAME_FIN,       /* tag: id of the RTS; the receiver has the whole message */
	FRAME_COOP,      /* tag: id of the RTS; payload: struct coop_msg (cooperative.c) */
	FRAME_COOP_DONE, /* tag: id of the COOP; ctx 1: a chunk could not be copied */
	FRAME_CREDIT,    /* tag 1: send everything by RTS; 0: eager messages may come again */
	/* Of partitioned operations (part_pair.c): tag is the addressee's id of the operation. */
	FRAME_PART_MATCH,  /* ctx: the receiver's id of it; payload: bytes of its buffer */
	FRAME_PART_READY,  /* the receiver has started */
	FRAME_PART_DATA,   /* ctx: offset in the buffer; payload: data */
	FRAME_PART_RTS,    /* ctx: offset; payload: struct part_rts, whose id waits for CTS */
	FRAME_PART_NO_RTS, /* no memory to receive ranges: send them as FRAME_PART_DATA, always */
	FRAME_PART_NO_MEM, /* the sender has no memory to go on */
	FRAME_PART_CLOSE,  /* the request has been freed */
	FRAME_RMA,         /* libmpi/rma's */
	/* Of sends that are cancelled (cancel.c). */
	FRAME_CANCEL,        /* ctx and tag are the message's; payload: id of the RTS */
	FRAME_CANCEL_OK,     /* tag: the id; no receive or probe will find the message */
	FRAME_CANCEL_PROBED, /* tag: the id; a matched probe has the message */
	FRAME_IO,            /* libmpi/io's */
	FRAME_ERROR, /* instead of a message of a collective; payload: struct p2p_error_msg */
	FRAME_FT,    /* libmpi/ft's */
	FRAME_ABORT, /* libmpi/dyn's: tag: the code; payload: words */
	FRAME_KINDS
};

/* Added to FRAME_EAGER or FRAME_RTS: a struct p2p_sig precedes the payload (sig.h). */
#define FRAME_TYPED 0x20

#endif
