// SPDX-License-Identifier: BSD-3-Clause
/* remote.h - libmpi/via's own: peers that only sockets reach, and one sleep for memory and sockets.
 *
 *      shm_idle ── nothing to do ──> sleep: ppoll ──┬── net_fd    a far peer has something for us
 *                                                   ├── via_fabric_fd    the same, with HAFT_VIA=ofi
 *                                                   └── bell      a datagram socket
 *      near rank: put, sees that we sleep by the bell ── one datagram ─┘
 *
 * A process has the bell only where there are far peers; else it sleeps in libshm's futex.
 *
 * The bell's name is in the abstract namespace (host-wide, nothing in the file system); job's
 * cookie, host and slot are in it.  What comes by it has no content: a stranger's datagram ends a
 * sleep, no more.  Who has no name, because a stranger has taken it, sleeps for a millisecond at a
 * time. */
#ifndef HAFT_VIA_REMOTE_H
#define HAFT_VIA_REMOTE_H

#include "libmpi/via/via.h"

/* Opens libnet and the bell; with HAFT_VIA=ofi libfabric, too.  0, MPI_ERR_OTHER or MPI_ERR_NO_MEM
 * with words. */
int via_remote_open(const struct via_conf *conf);

/* A look at those that wait for a message: the awaited one's socket, or the fabric; `all': at
 * everything.  > 0: something has moved. */
int via_remote_poll(bool all);

/* Frames to a far peer: 0, SHM_AGAIN, SHM_NOMEM, VIA_LOST. */
int via_remote_put(int peer, const struct shm_hdr *h, const void *buf, size_t len);
int via_remote_reserve(int peer, size_t len, void **room);
void via_remote_commit(int peer, const struct shm_hdr *h, size_t len);

#endif
