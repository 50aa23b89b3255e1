// SPDX-License-Identifier: BSD-3-Clause
/* proto.h - protocol choice: does a rendezvous message of private memory come through the pipe, or
 * is it read by the receiver?
 *
 *             pipe: two copies at once         read: one copy, by the kernel
 *   16 KiB    ns a MiB, lately                 ns a MiB, lately
 *   32 KiB    ...                              ...
 *   64 KiB    ...                              ...                 the receiver takes the better
 *
 * Which is better depends on the processor, on the kernel and on the load, and changes within a
 * run.  So it is measured: each size remembers the best time of each protocol, which fades, and the
 * other protocol is tried now and then.  PERF.md has what that gains over either one alone.  The
 * measured time of reading includes the chunks that the sender copies (cooperative.c).
 *
 * Above 16 MiB the pipe is always taken, whatever HAFT_SINGLE_COPY says: nothing else is done while
 * a message is read.  Messages in shared memory do not ask this table (recv.c). */
#ifndef HAFT_P2P_PROTO_H
#define HAFT_P2P_PROTO_H

#include <stdbool.h>
#include <stdint.h>

enum p2p_proto { PROTO_PIPE, PROTO_READ, PROTOS };

/* Shall a message of n bytes from a peer be read, alone or together with its sender?  False if that
 * is not permitted, above 16 MiB, or with HAFT_SINGLE_COPY=never. */
bool p2p_proto_read(int peer, int64_t n);

/* A message of n bytes took so long, in ns. */
void p2p_proto_took(enum p2p_proto proto, int64_t n, uint64_t ns);

#endif
