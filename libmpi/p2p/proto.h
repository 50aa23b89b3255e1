// SPDX-License-Identifier: BSD-3-Clause
/* proto.h - how a large message of private memory comes: through the pipe, or read by the receiver.
 *
 *             pipe: two copies at once         read: one copy, by the kernel
 *   16 KiB    ns a KiB, lately                 ns a KiB, lately
 *   32 KiB    ...                              ...                     the receiver takes the
 * better 64 KiB
 *
 * Which is better depends on the processor, on the kernel, on who else wants the CPUs, and changes
 * within a run.  So nothing is fixed: each size remembers the best of each way's last times, which
 * fades, and the other way is tried now and then. */
#ifndef HAFT_P2P_PROTO_H
#define HAFT_P2P_PROTO_H

#include <stdbool.h>
#include <stdint.h>

enum p2p_proto { PROTO_PIPE, PROTO_READ, PROTOS };

/* Shall a message of n bytes from a peer be read?  False where that is not permitted, or
 * HAFT_READ=never. */
bool p2p_proto_read(int peer, int64_t n);

/* A message of n bytes took so long, in ns. */
void p2p_proto_took(enum p2p_proto p2p_proto, int64_t n, uint64_t ns);

/* A clock, ns; never 0. */
uint64_t p2p_proto_clock(void);

#endif
