// SPDX-License-Identifier: BSD-3-Clause
/* port_clients.h - the clients that have connected to a port of this process and wait there.
 *
 *      kernel's queue ──take──> HELLO has gone ──its CALL has come──> called ──> MPI_Comm_accept
 *                                  └─ silent for too long, or wrong: sent away
 *
 * All handshakes of a port go on at once, so that a client that says nothing holds up no other.  A
 * client that has called waits for as long as it likes: one MPI_Comm_accept serves one client. */
#ifndef HAFT_DYN_PORT_CLIENTS_H
#define HAFT_DYN_PORT_CLIENTS_H

#include "libnet/handshake.h"
#include <stdbool.h>
#include <stdint.h>

#define HANDSHAKE_MS 5000 /* time limit for a message of a handshake */

struct dyn_port;

struct port_client {
	struct port_client *next; /* came later */
	struct net_handshake handshake;
	uint64_t until_ns; /* when to send it away */
	bool called;       /* its CALL is complete */
};

/* Between two calls the clients end no sleep of this process: *_begin and *_end enclose accepts of
 * a port. */
void dyn_clients_begin(const struct dyn_port *p);
void dyn_clients_end(const struct dyn_port *p);

/* Advances all handshakes.  The client that has waited longest of those that have called: now the
 * caller's, to free with its socket.  NULL: none; then *nap_ns, the longest sleep until the next
 * check, may get less. */
struct port_client *dyn_clients_take(struct dyn_port *p, uint32_t *nap_ns);

/* Sends all away. */
void dyn_clients_drop(struct dyn_port *p);

#endif
