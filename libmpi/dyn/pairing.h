// SPDX-License-Identifier: BSD-3-Clause
/* pairing.h - the roots of MPI_Comm_accept and MPI_Comm_connect find each other at a port.
 *
 *      client's root                         server's root
 *        connect ─────────────────────────>  waits in the queue of the listening socket
 *                                            some accept
 *        <────────────── HELLO ────────────  nonce, proof of the secret
 *        CALL  ───────────────────────────>  the client's cards, proof of the secret
 *        <────────────── ACCEPT ───────────  context ids, the server's cards
 *
 * All messages are signed with the secret in the port's name (handshake.h).  The server greets all
 * clients at once (port_clients.h), and accepts the first that has called.  The others keep their
 * places for the next MPI_Comm_accept. */
#ifndef HAFT_DYN_PAIRING_H
#define HAFT_DYN_PAIRING_H

#include "libmpi/comm/context_id.h"
#include "libmpi/dyn/port.h"
#include "libmpi/via/alias.h"

/* The result at each root: the other side's members, and the ids of the communicator. */
struct dyn_pairing {
	struct comm_ids ids;
	int n;
	struct via_card *card; /* malloc'ed: [n] */
};

/* The client that a server waits for. */
struct dyn_awaited {
	const char *port; /* of this process */
	double timeout_s; /* 0: no limit */
	int spawn_id; /* children of a spawn, which may end before (boot_children_live); 0: none */
};

/* Waits for a client, and offers it `ids'.  n cards: of this side.  The caller frees m->card.
 * Makes progress meanwhile. 0, or MPI_ERR_PORT, MPI_ERR_SPAWN (the children have ended) or
 * MPI_ERR_NO_MEM with words. */
int dyn_pair_accept(const struct dyn_awaited *what, const struct via_card *cards, int n,
	struct comm_ids ids, struct dyn_pairing *m);

/* Waits until the process of a port accepts; n cards: of this side.  Makes progress meanwhile.  0,
 * or MPI_ERR_PORT (none listens there, it refused, or the time is over) or MPI_ERR_NO_MEM, with
 * words. */
int dyn_pair_connect(const char *port, double timeout_s, const struct via_card *cards, int n,
	struct dyn_pairing *m);

#endif
