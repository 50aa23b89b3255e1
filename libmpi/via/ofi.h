// SPDX-License-Identifier: BSD-3-Clause
/* ofi.h - libmpi/via's own: remote peers by libfabric (HAFT_VIA=ofi), for remote.c.
 *
 *     peer A                                              peer B
 *       |── sockets: HELLO (name, key), frames ──────────>|  first frames do not wait for a
 *       |<─ sockets: HELLO (name, key) ───────────────────|  connection of the fabric
 *       |══ fabric: OPEN ════════════════════════════════>|  it begins the connection
 *       |══ fabric: key, sequence number, frame ═════════>|  from then on all frames; their
 *       |                                                 |  numbers go on from those by sockets
 *       |══ fabric: large messages, by tags ═════════════>|
 *       |── sockets: BYE (number of frames) ─────────────>|
 *       |<─ sockets: BYE_ACK ─────────────────────────────|
 *
 * libnet's connection of the pair stays open beside the fabric.  It is proven by the job's key, it
 * carries the endpoint names and frame keys, and it reports the death of a process or host, which a
 * connectionless endpoint does not notice.
 *
 * Why each message is needed
 *  - HELLO: an endpoint has no port that both sides know before, and only the sockets are
 *    authenticated.
 *  - OPEN: the fabric's connection may take long, and needs the other process.  An empty frame
 *    begins it before a message waits for it, and both directions at once.
 *  - BYE, BYE_ACK: a provider completes a send before the target has it; closing the endpoint then
 *    would lose frames.
 *  - FAILED: the fabric may fail at one end only, and the other end would wait for ever.
 *
 * A frame without the key that its sender was given over the sockets is dropped and counted:
 * knowing the name of an endpoint does not make a process a member of the job. */
#ifndef HAFT_VIA_OFI_H
#define HAFT_VIA_OFI_H

#include "libmpi/via/transport.h"

/* Kinds of libnet frames from here on belong to ofi.c; engines use none of them. */
#define OFI_KINDS 0xf0

extern const struct via_transport via_ofi_transport;

#endif
