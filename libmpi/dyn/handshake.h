// SPDX-License-Identifier: BSD-3-Clause
/* handshake.h - signed messages over a stream socket, before the two processes are peers.
 *
 *      | head, 64 bytes: magic, version, kind, bytes, nonce, proof | payload |
 *
 * The proof is a keyed hash of the receiver's last nonce, the head and the payload: so a message
 * that was overheard cannot be sent again.  Nothing blocks, and no byte behind a message is read.
 * Payload is as it lies in memory: both ends are of one build, or the version differs. */
#ifndef HAFT_DYN_HANDSHAKE_H
#define HAFT_DYN_HANDSHAKE_H

#include "libnet/net.h"
#include <stdbool.h>

enum handshake_kind {
	HANDSHAKE_HELLO = 1, /* no payload */
	HANDSHAKE_CALL,      /* the client's cards */
	HANDSHAKE_ACCEPT,    /* struct pairing_offer, then the server's cards */
	HANDSHAKE_REFUSE,    /* words */
	HANDSHAKE_CARD,      /* MPI_Comm_join */
};

#define HANDSHAKE_NONCE 16
#define HANDSHAKE_HEAD  64

/* One end of a handshake. */
struct handshake {
	int fd; /* the user's; -1: none */
	uint8_t key[NET_KEY_LEN];
	uint8_t mine[HANDSHAKE_NONCE], theirs[HANDSHAKE_NONCE];
	uint8_t *out;
	size_t out_at, out_len;
	uint8_t *in; /* nonce, head, payload */
	size_t in_at, in_len;
	enum handshake_kind kind; /* of the message that has come */
	const void *data; /* its payload; until the next dyn_handshake_get, or dyn_handshake_end */
	size_t bytes;
};

/* Begins with a socket and the secret of both sides. */
void dyn_handshake_begin(struct handshake *t, int fd, const uint8_t key[NET_KEY_LEN]);

/* Frees everything but the socket. */
void dyn_handshake_end(struct handshake *t);

/* Makes a message ready to be sent; the last one has gone.  False: no memory. */
bool dyn_handshake_put(
	struct handshake *t, enum handshake_kind kind, const void *data, size_t bytes);

/* Sends.  0: all has gone; -EAGAIN: not yet; or another -errno. */
int dyn_handshake_flush(struct handshake *t);

/* Receives.  0: a whole message, of kind, data and bytes; -EAGAIN: not yet; -EPIPE: the other end
 * has closed; -EBADMSG: not our protocol; -EACCES: wrong proof; or another -errno. */
int dyn_handshake_get(struct handshake *t);

#endif
