// SPDX-License-Identifier: BSD-3-Clause
/* partitioned.h - a partitioned operation (MPI-5.0 chapter 4), from its init until both sides have
 * freed it.
 *
 *     sender                                              receiver
 *     Psend_init ── offer: id, bytes, sig ──────────────> Precv_init      matched like messages, on
 *                <─────────────────────── MATCH: its id                   a plane of their own
 *     Start                                               Start
 *                <───────────────────────────────── READY                 the buffer may be written
 *     Pready ──> unsent ── DATA offset, bytes ──────────> unpacked; Parrived
 *                     └─── RTS offset, bytes, id ──> <── CTS ── pipe ──>  a range too long for a
 *                                                                         frame
 *     Request_free ── CLOSE ──>               <── CLOSE ── Request_free   then both forget the pair
 *
 *     partitioned.c ──> part_pair.c <──> part_data.c
 *     MPI's calls       offers, control     partitions
 *                       frames, the end
 *
 * Data is named by its offset in the packed form of the whole buffer.  So the two sides need not
 * agree about partitions or datatypes.  Adjacent partitions that are ready together go together.
 *
 * Threads: MPI_Pready takes no lock.  It pushes a mark on a stack that all operations share (the
 * deferred work of the library's lock) and tries the lock.  If another thread has it, that thread
 * finds the mark when it unlocks.  A mark is the last thing that Pready touches: with the last one
 * the operation may be over and freed.
 *
 * Memory: an operation has at its init all that it needs.  A frame that finds the transport full
 * becomes a bit of `pending'; data stays in the user's buffer.  A long range for which the sender
 * has no request goes as fragments, in DATA frames.  A receiver without memory for ranges says
 * NO_RTS, and everything that has no CTS yet goes as DATA.
 *
 * Invariants (p2p_part_valid)
 *  - Data flows only if partner_starts has reached starts: the receiver has started as often.
 *  - A pair is remembered until both sides have freed it and nothing is pending.  So no frame names
 *    another operation.
 *  - A pending frame goes when the peer's queue `out' is empty, that is after all CTS frames. */
#ifndef HAFT_P2P_PARTITIONED_H
#define HAFT_P2P_PARTITIONED_H

#include "libmpi/p2p/p2p_state.h"
#include "libmpi/p2p/sig.h"

/* A partition of a send. */
struct part_mark {
	_Atomic(struct part_mark *) next; /* PART_UNMARKED, or: ready, the next of the stack */
	struct part_op *part;
};

#define PART_UNMARKED ((struct part_mark *)1)

struct part_offer {
	int64_t bytes; /* of the whole buffer */
	uint32_t id;
	uint32_t pad;
	struct p2p_sig sig; /* sent if p2p_state.checks */
};

/* Frames that an operation has still to send to its partner. */
enum part_pending {
	PENDING_MATCH = 1,
	PENDING_READY = 2,
	PENDING_DATA = 4, /* partitions that are ready, and the rest of a fragmented range */
	PENDING_NO_RTS = 8,
	PENDING_NO_MEM = 16,
	PENDING_CLOSE = 32
};

struct part_op {
	struct req *req;  /* the user's; NULL: freed */
	uint32_t id;      /* this side's number of it */
	uint32_t partner; /* the other side's, if matched */
	int peer;         /* or MPI_PROC_NULL */
	int n;            /* partitions */
	bool sends;
	bool matched;
	bool closed;    /* the partner has freed its request */
	bool lost;      /* the peer is gone */
	bool revoked;   /* so is its communicator: every start fails, data that comes is dropped */
	bool no_rts;    /* the receiver has no memory for ranges: everything goes as DATA */
	bool no_memory; /* the sender's transport has no memory: every start fails */
	bool queued;    /* in the peer's list `pending' */
	unsigned pending; /* set of enum part_pending */
	struct part_op *pending_next;
	int64_t part_bytes; /* packed bytes of a partition */
	int64_t bytes;      /* of all */
	int64_t partner_bytes;
	uint64_t starts;
	uint64_t partner_starts; /* sender: of the receiver */
	/* sender */
	struct part_mark *marks;   /* [n] */
	uint64_t *unsent;          /* [n] bits: ready, and not sent */
	int nunsent;               /* partitions that are not sent, ready or not */
	int64_t frag_at, frag_end; /* range of bytes that goes as fragments, and has not gone */
	/* receiver */
	_Atomic int64_t *missing; /* [n] bytes; read by Parrived without the lock */
	int64_t bytes_missing;    /* of all */
	int nranges;              /* that have CTS, and are under way */
	int64_t bytes_coming;     /* of these */
	struct part_offer offer;
};

/* Has this partition of a receive come?  Any thread. */
static inline bool part_has_arrived(const struct part_op *p, int i)
{
	return p->part_bytes > 0 && atomic_load_explicit(&p->missing[i], memory_order_acquire) == 0;
}

/* --- for the rest of p2p -------------------------------------------------------------------- */

/* Registers the handlers of frames, and the hook of the library's lock for MPI_Pready. */
void p2p_part_open(void);

/* Sends pending items for a peer; returns how many went. */
int p2p_part_flush(int peer);

/* Operations with this peer fail, now and later. */
void p2p_part_peer_lost(int peer);

/* A communicator is revoked: operations on it fail, now and later.  Ranges that move end before. */
void p2p_part_revoke(const struct comm *c);

/* Do the invariants above hold?  (core/valid.h) */
bool p2p_part_valid(void);

/* --- between the three files ---------------------------------------------------------------- */

extern struct id_table p2p_parts; /* struct part_op */

/* part_pair.c.  p2p_part_frame puts a frame about an operation: 0, VIA_AGAIN (it is not its turn),
 * or another error of via_put.  p2p_part_pend: something is to be sent, now or later. */
int p2p_part_frame(const struct part_op *p, enum p2p_frame_kind kind, uint32_t id, uint64_t at,
	const void *data, int64_t n);
void p2p_part_pend(struct part_op *p, enum part_pending what);

/* Sends or receives the offer of a new operation.  0, or MPI_ERR_NO_MEM with words. */
int p2p_part_offer_start(struct part_op *p, struct type *type, struct comm *c, int tag);

/* The partner is known. */
void p2p_part_matched(struct part_op *p, uint32_t partner, int64_t partner_bytes);

/* The buffers of the two sides are of one size, or the partner is not known yet. */
bool p2p_part_fits(const struct part_op *p);

/* Fail an active operation: the buffers differ in size; the peer is gone; the communicator is
 * revoked, or the sender's transport has no memory (both now and later, and only when nothing of it
 * moves any more). */
void p2p_part_mismatch(const struct part_op *p);
void p2p_part_fail_lost(struct part_op *p);
void p2p_part_fail_revoked(struct part_op *p);
void p2p_part_fail_memory(struct part_op *p);

/* The user has freed the request (struct req_ops). */
void p2p_part_gone(struct req *r);

/* Frees an operation; the second, if both sides have freed it and nothing is pending. */
void p2p_part_free(struct part_op *p);
void p2p_part_free_if_over(struct part_op *p);

/* part_data.c.  Takes the marks of MPI_Pready off the stack, and sends the marked partitions. */
void p2p_part_take_marks(void);

/* Sends all partitions that are ready: 0, VIA_AGAIN (some have not gone) or VIA_LOST. */
int p2p_part_push_all(struct part_op *p);

/* A frame about operation id, from a peer or from this process itself. */
void p2p_part_got_frame(int kind, int peer, uint64_t at, uint32_t id, const void *data, int64_t n);

#endif
