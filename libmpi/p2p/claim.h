// SPDX-License-Identifier: BSD-3-Clause
/* claim.h - a large message that lies in shared memory is read where it is, once.
 *
 *   sender                                        receiver
 *   ASK {bytes, id, at, lease} ───────────────>   p2p_claim_take: it was open
 *                                                 copies from `at' into the user's buffer
 *             <─────────────────────── DONE id    done
 *
 *   p2p_claim_revoke (MPI_Cancel) ── was open ──>     p2p_claim_take: revoked, so CLEAR and the pipe, as if
 *   and a copy is left behind                     the message had not been in shared memory
 *
 * A lease is a word in the segment that both sides change by exchange: whoever comes first has it.
 * A process has a few; without one, or without shared memory, messages take the pipe. */
#ifndef HAFT_P2P_CLAIM_H
#define HAFT_P2P_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

/* An open lease of this process: its offset in the segment; 0: there is none. */
uint64_t p2p_claim_new(void);

/* Gives it back: the message is done. */
void p2p_claim_free(uint64_t claim);

/* The receiver takes it; false: revoked. */
bool p2p_claim_take(uint64_t claim);

/* The sender revokes it; false: it has been taken. */
bool p2p_claim_revoke(uint64_t claim);

/* 0, 1, 2 ...: each number once, whoever of the two sides asks (cooperative.c). */
uint32_t p2p_claim_next_chunk(uint64_t claim);

#endif
