// SPDX-License-Identifier: BSD-3-Clause
/* listen.h - the sockets on which the ranks of this host will be called by those of others.
 *
 * They are bound and listen before any rank starts, and are inherited: a rank can be called from
 * its first instruction on, and its address is known to all before. */
#ifndef LIBMPI_BOOT_LISTEN_H
#define LIBMPI_BOOT_LISTEN_H

#include <stddef.h>

#define LISTEN_IP 64 /* bytes of an IP address as text, with its scope and the final 0 */

/* Opens a socket that listens at `ip' (a literal of IPv4 or IPv6) and a port that is free, and says
 * where: "tcp:10.0.0.2:4711", "tcp:[fd00::2]:4711".  Returns a close-on-exec fd, -1 with errno. */
int boot_listen_open(const char *ip, char *text, size_t len);

/* The address of this host at which others reach it, into ip (LISTEN_IP bytes):
 * that of `iface' (a name of an interface, or an address), if that is not NULL; else the one by
 * which `near' (NULL: nobody) has come here or would be reached; else that of our own name; else
 * that of the first interface that is up.  NULL or why there is none, in words that live for ever.
 */
const char *boot_listen_where(const char *iface, const char *name, const char *peer, char *ip);

#endif
