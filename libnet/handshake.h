// SPDX-License-Identifier: BSD-3-Clause
/* handshake.h - signed messages over a stream socket, before the two processes are peers.
 *
 *      | head, 64 bytes: magic, version, kind, bytes, nonce, proof | payload |
 *
 * The proof is a keyed hash of the receiver's last nonce, the head and the payload: so a message
 * that was overheard cannot be sent again.  A masked payload is combined with hashes of the
 * sender's fresh nonce, so it cannot be read without the key.  Nothing blocks, and no byte behind a
 * message is read.  Payload is as it lies in memory: both ends are of one build, or the version
 * differs. */
#ifndef LIBNET_HANDSHAKE_H
#define LIBNET_HANDSHAKE_H

#include "libnet/net.h"
#include <stdbool.h>

enum handshake_kind {
	HANDSHAKE_HELLO = 1, /* no payload */
	HANDSHAKE_CALL,      /* of a client: its cards, or a request to a name server */
	HANDSHAKE_ACCEPT,    /* the answer */
	HANDSHAKE_REFUSE,    /* words */
	HANDSHAKE_CARD,      /* MPI_Comm_join */
};

#define HANDSHAKE_NONCE 16
#define HANDSHAKE_HEAD  64
#define HANDSHAKE_MAX   ((size_t)1 << 30) /* bytes of payload: cards of three million processes */

/* One end of a handshake. */
struct net_handshake {
	int fd;      /* the user's; -1: none */
	bool masked; /* payload is hidden from others on the network; equal at both ends */
	size_t most; /* bytes of payload that are received; 0: HANDSHAKE_MAX */
	uint8_t key[NET_KEY_LEN];
	uint8_t mine[HANDSHAKE_NONCE], theirs[HANDSHAKE_NONCE];
	uint8_t *out;
	size_t out_at, out_len;
	uint8_t *in; /* nonce, head, payload */
	size_t in_at, in_len;
	enum handshake_kind kind; /* of the message that has come */
	const void *data; /* its payload; until the next net_handshake_get, or net_handshake_end */
	size_t bytes;
};

/* Begins with a socket and the secret of both sides. */
void net_handshake_begin(struct net_handshake *t, int fd, const uint8_t key[NET_KEY_LEN]);

/* Frees everything but the socket. */
void net_handshake_end(struct net_handshake *t);

/* Makes a message ready to be sent; the last one has gone.  False: no memory. */
bool net_handshake_put(
	struct net_handshake *t, enum handshake_kind kind, const void *data, size_t bytes);

/* Sends.  0: all has gone; -EAGAIN: not yet; or another -errno. */
int net_handshake_flush(struct net_handshake *t);

/* Receives.  0: a whole message, of kind, data and bytes; -EAGAIN: not yet; -EPIPE: the other end
 * has closed; -EBADMSG: not our protocol; -EACCES: wrong proof; or another -errno. */
int net_handshake_get(struct net_handshake *t);

#endif
