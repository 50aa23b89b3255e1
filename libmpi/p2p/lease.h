// SPDX-License-Identifier: BSD-3-Clause
/* lease.h - a large message that lies in shared memory is read where it is, once.
 *
 *   sender                                        receiver
 *   ASK {bytes, id, at, lease} ───────────────>   lease_take: it was open
 *                                                 copies from `at' into the user's buffer
 *             <─────────────────────── DONE id    done
 *
 *   lease_revoke (MPI_Cancel) ── was open ──>     lease_take: revoked, so CLEAR and the pipe, as if
 *   and a copy is left behind                     the message had not been in shared memory
 *
 * A lease is a word in the segment that both sides change by exchange: whoever comes first has it.
 * A process has a few; without one, or without shared memory, messages take the pipe. */
#ifndef HAFT_P2P_LEASE_H
#define HAFT_P2P_LEASE_H

#include <stdbool.h>
#include <stdint.h>

/* An open lease of this process: its offset in the segment; 0: there is none. */
uint64_t lease_new(void);

/* Gives it back: the message is done. */
void lease_free(uint64_t lease);

/* The receiver takes it; false: revoked. */
bool lease_take(uint64_t lease);

/* The sender revokes it; false: it has been taken. */
bool lease_revoke(uint64_t lease);

/* 0, 1, 2 ...: each number once, whoever of the two sides asks (joint.c). */
uint32_t lease_piece(uint64_t lease);

#endif
