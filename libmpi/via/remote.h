// SPDX-License-Identifier: BSD-3-Clause
/* remote.h - libmpi/via's own: remote peers, and one sleep for memory and sockets.
 *
 *      shm_idle ── nothing to do ──> sleep: ppoll ──┬── net_fd            a socket has something
 *                                                   ├── of the transport  libfabric: the fabric
 *                                                   └── doorbell          a datagram socket
 *      local peer: put, sees that this process sleeps in ppoll ── one datagram ─┘
 *
 * Only a process with remote peers has this doorbell; others sleep in libshm's futex, and ring it
 * all the same: any process of a host may get remote peers later.
 *
 * The doorbell's name is in the abstract namespace (of the host; nothing is in the file system),
 * and contains the job's cookie, the host and the seat.  Its datagrams have no content: one of a
 * stranger ends a sleep, no more.  If a stranger has taken the name, the process sleeps for a
 * millisecond at a time. */
#ifndef HAFT_VIA_REMOTE_H
#define HAFT_VIA_REMOTE_H

#include "libmpi/via/via.h"

/* Opens libnet if it is not open, with listeners for other universes.  0, or MPI_ERR_OTHER with
 * words. */
int via_remote_open_late(void);

/* Keeps the data for a later opening, and makes this process ring doorbells. */
void via_remote_prepare(const struct via_conf *conf);

/* Opens libnet, the doorbell, and the transport if it is another one.  0, MPI_ERR_OTHER or
 * MPI_ERR_NO_MEM with words. */
int via_remote_open(const struct via_conf *conf);

/* Polls the awaited peer's socket, or the fabric; `all': every socket.  > 0: something has
 * moved. */
int via_remote_poll(bool all);

/* The addresses at which this process listens, and its key for foreign peers, into its card. */
struct via_card;
void via_remote_card(struct via_card *card);

/* Does a connection of libnet lead to the peer now?  With libfabric, too: libnet's connection says
 * that its process has ended. */
bool via_remote_connected(int peer);

/* As via_put, via_reserve and via_commit, to a remote peer. */
int via_remote_put(int peer, const struct shm_hdr *h, const void *buf, size_t len);
int via_remote_reserve(int peer, size_t len, void **room);
void via_remote_commit(int peer, const struct shm_hdr *h, size_t len);

#endif
