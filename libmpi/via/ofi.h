// SPDX-License-Identifier: BSD-3-Clause
/* ofi.h - libmpi/via's own: far peers by libfabric (HAFT_VIA=ofi), for remote.c.
 *
 *     peer A                                              peer B
 *       |── sockets: HELLO (name, key), frames ──────────>|  the first ones; nobody waits for a
 *       |<─ sockets: HELLO (name, key) ───────────────────|  connection of the fabric
 *       |══ fabric: OPEN (so many came by sockets) ══════>|
 *       |══ fabric: key, number, frame ══════════════════>|  from then on all
 *       |══ fabric: large messages, by tags ═════════════>|
 *       |── sockets: BYE (so many by the fabric) ────────>|
 *       |<─ sockets: GOT ─────────────────────────────────|
 *
 * libnet stays: its connections are proven by the job's key, carry the names of endpoints and the
 * keys, and know when a process or a host has died, which an endpoint without connections does not.
 * It is one socket a pair that talks.
 *
 * A frame whose key is not the one that its sender was given over such a connection is dropped and
 * counted: who knows our endpoint is not yet one of us. */
#ifndef HAFT_VIA_OFI_H
#define HAFT_VIA_OFI_H

#include "libmpi/via/via.h"

/* Frames of libnet from this kind on are ours; engines have none of these. */
#define OFI_KINDS 0xf0

/* Opens the endpoint; lost: as in struct via_conf; ip: where the sockets are, or NULL.  0, or
 * MPI_ERR_OTHER or MPI_ERR_NO_MEM with words. */
int via_ofi_open(const char *ip, void (*lost)(int peer, bool left, const char *words));

/* Sends what was put, and says goodbye; net_close must follow, and then via_ofi_close. */
void via_ofi_leave(void);
void via_ofi_close(void);

/* As via_remote_put, via_remote_reserve, via_remote_commit. */
int via_ofi_put(int peer, const struct shm_hdr *h, const void *buf, size_t len);
int via_ofi_reserve(int peer, size_t len, void **room);
void via_ofi_commit(int peer, const struct shm_hdr *h, size_t len);

/* As via_stream_send, via_stream_post, via_stream_unpost. */
int via_ofi_stream_send(int peer, uint64_t id, const void *buf, size_t len, struct net_op *op);
int via_ofi_stream_post(int peer, uint64_t id, void *buf, size_t len, struct net_op *op);
void via_ofi_stream_unpost(struct net_op *op);

/* A look at fabric and, at times or if `all', at the sockets. > 0: something has moved. */
int via_ofi_poll(bool all);

/* libnet's callbacks. */
void via_ofi_deliver(const struct net_frame *f);
void via_ofi_net_lost(int peer, bool left, const char *words);

/* Everything that was put has gone. */
bool via_ofi_quiet(void);

/* Before a sleep of *ns: makes it shorter if need be; false: it is not to be.  *fd is to be slept
 * on, or -1. */
bool via_ofi_sleep(uint64_t *ns, int *fd);

/* Why a peer is lost. */
const char *via_ofi_words(int peer);

#endif
