// SPDX-License-Identifier: BSD-3-Clause
/* handshake.c - signed messages over a stream socket: see handshake.h. */
#include "libnet/handshake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define HANDSHAKE_VERSION 1
#define HANDSHAKE_BUILD   NET_FRAME_MAX /* tiny in builds with MEAN=1, to tell them apart */

static const uint8_t magic[8] = {0x89, 'h', 'p', 'a', 'i', 'r', '\n', 0x1a};

struct handshake_head {
	uint8_t magic[8];
	uint32_t version, build;
	uint32_t kind, pad;
	uint64_t bytes;
	uint8_t nonce[HANDSHAKE_NONCE];
	uint8_t proof[16];
};
static_assert(sizeof(struct handshake_head) == HANDSHAKE_HEAD, "fixed on the wire");

void net_handshake_begin(struct net_handshake *t, int fd, const uint8_t key[NET_KEY_LEN])
{
	*t = (struct net_handshake){.fd = fd};
	memcpy(t->key, key, NET_KEY_LEN);
}

void net_handshake_end(struct net_handshake *t)
{
	free(t->out);
	free(t->in);
	t->out = t->in = NULL;
}

/* The proof of a message that lies behind a nonce, into its head, whose proof is zero. */
static void handshake_sign(
	const struct net_handshake *t, const uint8_t *text, size_t bytes, uint8_t proof[16])
{
	net_mac(t->key, text, HANDSHAKE_NONCE + HANDSHAKE_HEAD + bytes, proof);
}

/* Hides the payload of a message with this nonce, or shows it again. */
static void handshake_mask(
	const struct net_handshake *t, const uint8_t nonce[HANDSHAKE_NONCE], uint8_t *v, size_t n)
{
	uint8_t seed[HANDSHAKE_NONCE + sizeof(uint64_t)], block[16];

	memcpy(seed, nonce, HANDSHAKE_NONCE);
	for (size_t i = 0; i < n; i++) {
		uint64_t count = i / sizeof(block);

		if (i % sizeof(block) == 0) {
			memcpy(seed + HANDSHAKE_NONCE, &count, sizeof(count));
			net_mac(t->key, seed, sizeof(seed), block);
		}
		v[i] ^= block[i % sizeof(block)];
	}
}

bool net_handshake_put(
	struct net_handshake *t, enum handshake_kind kind, const void *data, size_t bytes)
{
	struct handshake_head h = {.version = HANDSHAKE_VERSION,
		.build = HANDSHAKE_BUILD,
		.kind = (uint32_t)kind,
		.bytes = bytes};

	free(t->out);
	t->out_at = t->out_len = 0;
	t->out = malloc(HANDSHAKE_NONCE + HANDSHAKE_HEAD + bytes);
	if (t->out == NULL || getrandom(t->mine, HANDSHAKE_NONCE, 0) != HANDSHAKE_NONCE)
		return false;
	memcpy(h.magic, magic, sizeof(magic));
	memcpy(h.nonce, t->mine, HANDSHAKE_NONCE);
	memcpy(t->out, t->theirs, HANDSHAKE_NONCE);
	memcpy(t->out + HANDSHAKE_NONCE, &h, HANDSHAKE_HEAD);
	if (bytes > 0)
		memcpy(t->out + HANDSHAKE_NONCE + HANDSHAKE_HEAD, data, bytes);
	if (t->masked)
		handshake_mask(t, h.nonce, t->out + HANDSHAKE_NONCE + HANDSHAKE_HEAD, bytes);
	handshake_sign(t, t->out, bytes, h.proof);
	memcpy(t->out + HANDSHAKE_NONCE, &h, HANDSHAKE_HEAD);
	t->out_at = HANDSHAKE_NONCE;
	t->out_len = HANDSHAKE_NONCE + HANDSHAKE_HEAD + bytes;
	return true;
}

int net_handshake_flush(struct net_handshake *t)
{
	ssize_t n;

	while (t->out_at < t->out_len) {
		n = send(t->fd, t->out + t->out_at, t->out_len - t->out_at,
			MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EWOULDBLOCK || errno == ENOBUFS ? -EAGAIN : -errno;
		t->out_at += (size_t)n;
	}
	return 0;
}

/* Receives up to `until' bytes of t->in.  0: they are here; else as net_handshake_get. */
static int handshake_fill(struct net_handshake *t, size_t until)
{
	ssize_t n;

	while (t->in_at < until) {
		n = recv(t->fd, t->in + t->in_at, until - t->in_at, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0 ? -EPIPE : errno == EWOULDBLOCK ? -EAGAIN : -errno;
		t->in_at += (size_t)n;
	}
	return 0;
}

/* Begins a message, or goes on with its head.  0: the head is here, and there is room for all. */
static int handshake_head_get(struct net_handshake *t, struct handshake_head *h)
{
	uint8_t *in;
	int err;

	if (t->in == NULL || t->in_len == 0) {
		free(t->in);
		t->in = malloc(HANDSHAKE_NONCE + HANDSHAKE_HEAD);
		if (t->in == NULL)
			return -ENOMEM;
		t->in_at = HANDSHAKE_NONCE;
		t->in_len = HANDSHAKE_NONCE + HANDSHAKE_HEAD;
	}
	err = t->in_at < HANDSHAKE_NONCE + HANDSHAKE_HEAD
		      ? handshake_fill(t, HANDSHAKE_NONCE + HANDSHAKE_HEAD)
		      : 0;
	if (err != 0)
		return err;
	memcpy(h, t->in + HANDSHAKE_NONCE, HANDSHAKE_HEAD);
	if (memcmp(h->magic, magic, sizeof(magic)) != 0 || h->version != HANDSHAKE_VERSION ||
		h->build != HANDSHAKE_BUILD || h->bytes > (t->most > 0 ? t->most : HANDSHAKE_MAX))
		return -EBADMSG;
	t->in_len = HANDSHAKE_NONCE + HANDSHAKE_HEAD + (size_t)h->bytes;
	in = realloc(t->in, t->in_len);
	if (in == NULL)
		return -ENOMEM;
	t->in = in;
	return 0;
}

int net_handshake_get(struct net_handshake *t)
{
	struct handshake_head h;
	uint8_t want[16], differ = 0;
	int err = handshake_head_get(t, &h);

	if (err == 0)
		err = handshake_fill(t, t->in_len);
	if (err != 0)
		return err;
	memcpy(t->in, t->mine, HANDSHAKE_NONCE);
	memset(t->in + HANDSHAKE_NONCE + offsetof(struct handshake_head, proof), 0,
		sizeof(h.proof));
	handshake_sign(t, t->in, (size_t)h.bytes, want);
	for (size_t i = 0; i < sizeof(want); i++)
		differ = (uint8_t)(differ | (want[i] ^ h.proof[i]));
	if (differ != 0)
		return -EACCES;
	memcpy(t->theirs, h.nonce, HANDSHAKE_NONCE);
	if (t->masked)
		handshake_mask(
			t, h.nonce, t->in + HANDSHAKE_NONCE + HANDSHAKE_HEAD, (size_t)h.bytes);
	t->kind = (enum handshake_kind)h.kind;
	t->data = t->in + HANDSHAKE_NONCE + HANDSHAKE_HEAD;
	t->bytes = (size_t)h.bytes;
	t->in_len = 0; /* the next get begins anew */
	return 0;
}
