// SPDX-License-Identifier: BSD-3-Clause
/* ofi.h - libmpi/via's own: remote peers by libfabric (HAFT_VIA=ofi), for remote.c.
 *
 *     peer A                                              peer B
 *       |── sockets: HELLO (name, key), frames ──────────>|  first frames do not wait for a
 *       |<─ sockets: HELLO (name, key) ───────────────────|  connection of the fabric
 *       |══ fabric: OPEN (number of frames by sockets) ══>|
 *       |══ fabric: key, sequence number, frame ═════════>|  from then on all frames
 *       |══ fabric: large messages, by tags ═════════════>|
 *       |── sockets: BYE (number of frames by fabric) ───>|
 *       |<─ sockets: BYE_ACK ─────────────────────────────|
 *
 * libnet's connection of the pair stays open beside the fabric.  It is proven by the job's key, it
 * carries the endpoint names and frame keys, and it reports the death of a process or host, which a
 * connectionless endpoint does not notice.
 *
 * Why each message is needed
 *  - HELLO: an endpoint has no port that both sides know before, and only the sockets are
 *    authenticated.
 *  - OPEN: the two transports do not share an order; the receiver must know how many frames to take
 *    from the socket before the first one of the fabric.
 *  - BYE, BYE_ACK: a provider completes a send before the target has it; closing the endpoint then
 *    would lose frames.
 *  - FAILED: the fabric may fail at one end only, and the other end would wait for ever.
 *
 * A frame without the key that its sender was given over the sockets is dropped and counted:
 * knowing the name of an endpoint does not make a process a member of the job. */
#ifndef HAFT_VIA_OFI_H
#define HAFT_VIA_OFI_H

#include "libmpi/via/via.h"

/* Kinds of libnet frames from here on belong to ofi.c; engines use none of them. */
#define OFI_KINDS 0xf0

/* Opens the endpoint; lost: as in struct via_conf; ip: where the sockets are, or NULL.  0, or
 * MPI_ERR_OTHER or MPI_ERR_NO_MEM with words. */
int via_ofi_open(const char *ip, void (*lost)(int peer, bool left, const char *words));

/* Sends the pending messages, and exchanges BYE.  net_close must follow, then via_ofi_close. */
void via_ofi_leave(void);
void via_ofi_close(void);

/* As via_put, via_reserve and via_commit. */
int via_ofi_put(int peer, const struct shm_hdr *h, const void *buf, size_t len);
int via_ofi_reserve(int peer, size_t len, void **room);
void via_ofi_commit(int peer, const struct shm_hdr *h, size_t len);

/* As via_stream_send, via_stream_post, via_stream_unpost. */
int via_ofi_stream_send(int peer, uint64_t id, const void *buf, size_t len, struct net_op *op);
int via_ofi_stream_post(int peer, uint64_t id, void *buf, size_t len, struct net_op *op);
void via_ofi_stream_unpost(struct net_op *op);

/* Polls the fabric, and the sockets now and then, or if `all'.  > 0: something has moved. */
int via_ofi_poll(bool all);

/* libnet's callbacks. */
void via_ofi_deliver(const struct net_frame *f);
void via_ofi_net_lost(int peer, bool left, const char *words);

/* True if the fabric or the kernel has taken everything that was put. */
bool via_ofi_quiet(void);

/* Before a sleep of *ns, which it may shorten: *fd is a descriptor to sleep on, or -1.  False:
 * there is work, do not sleep. */
bool via_ofi_sleep(uint64_t *ns, int *fd);

/* The reason why a peer is lost, for messages.  Never NULL. */
const char *via_ofi_words(int peer);

#endif
