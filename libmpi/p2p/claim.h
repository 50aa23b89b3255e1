// SPDX-License-Identifier: BSD-3-Clause
/* claim.h - which side may use the buffer of a message that is read in place.
 *
 *   sender                                        receiver
 *   RTS {bytes, id, address, claim} ──────────>   p2p_claim_take: it was open
 *                                                 copies from the address into the user's buffer
 *             <─────────────────────── FIN id     done
 *
 *   p2p_claim_revoke (MPI_Cancel): was open ──>   p2p_claim_take: revoked, so CTS and the pipe
 *   and a copy of the message stays behind
 *
 * A claim is a word in the segment that both sides exchange: the side that comes first has it.  A
 * process has a few.  A message without one takes the pipe. */
#ifndef HAFT_P2P_CLAIM_H
#define HAFT_P2P_CLAIM_H

#include "libmpi/core/req.h"

/* A waiting rank leaves messages and streams of so many bytes to helpers: to copy them takes longer
 * than a sleep and its end. */
#define CLAIM_LONG (1 << 19)

/* An open claim word of this process, for a message of `bytes' to this peer: its offset in the
 * segment; 0: there is none left. */
uint64_t p2p_claim_new(int peer, int64_t bytes);

/* The message of a send is over: gives its claim word back, if it has one. */
void p2p_claim_end(struct req *r);

/* Does a long message of this process wait to be read by a peer that computes?  Then its helper
 * will read it. */
bool p2p_claim_awaits_helper(void);

/* Is a message of this process to this peer, to be read in place, not read yet?  Then the peer
 * reads now, or will. */
bool p2p_claim_unread(int peer);

/* The receiver claims the message; false: revoked. */
bool p2p_claim_take(uint64_t claim);

/* The receiver has read the message that it claimed; before it says so by a frame. */
void p2p_claim_read(uint64_t claim);

/* The sender takes the message back; false: the receiver has it. */
bool p2p_claim_revoke(uint64_t claim);

/* 0, 1, 2 ...: each number once, for the two sides together (cooperative.c). */
uint32_t p2p_claim_next_chunk(uint64_t claim);

#endif
