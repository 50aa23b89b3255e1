// SPDX-License-Identifier: BSD-3-Clause
/* listen.h - the sockets at which the ranks of this host accept connections of other hosts' ranks.
 *
 * They are bound and listen before any rank starts, and are inherited.  So a connection to a rank
 * succeeds before the rank runs, and all addresses are known at the start. */
#ifndef LIBMPI_BOOT_LISTEN_H
#define LIBMPI_BOOT_LISTEN_H

#include <stddef.h>

#define LISTEN_IP 64 /* bytes of an IP address as text, with its scope and the final 0 */

/* Opens a socket that listens at `ip' (a literal of IPv4 or IPv6) and a free port, and writes its
 * address: "tcp:10.0.0.2:4711", "tcp:[fd00::2]:4711".  Returns a close-on-exec fd; -1 with
 * errno. */
int boot_listen_open(const char *ip, char *text, size_t len);

/* Finds the address of this host at which others reach it, into ip (LISTEN_IP bytes).  In this
 * order:
 *  - that of `iface' (a name of an interface, or an address), if not NULL;
 *  - the one to which ssh has connected;
 *  - the one on the route to `peer', if not NULL;
 *  - that of this host's own name, `name';
 *  - that of the first interface that is up.
 * Returns NULL, or a constant text that says why there is none. */
const char *boot_listen_where(const char *iface, const char *name, const char *peer, char *ip);

#endif
