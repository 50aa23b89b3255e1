// SPDX-License-Identifier: BSD-3-Clause
/* dialog.c - signed messages over a stream socket: see dialog.h. */
#include "libmpi/dyn/dialog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define DIALOG_VERSION 1
#define DIALOG_MAX     ((uint64_t)1 << 30) /* bytes of payload: cards of three million processes */
#define DIALOG_BUILD   NET_FRAME_MAX       /* tiny in builds with MEAN=1, to tell them apart */

static const uint8_t magic[8] = {0x89, 'h', 'p', 'a', 'i', 'r', '\n', 0x1a};

struct dialog_head {
	uint8_t magic[8];
	uint32_t version, build;
	uint32_t kind, pad;
	uint64_t bytes;
	uint8_t nonce[DIALOG_NONCE];
	uint8_t proof[16];
};
static_assert(sizeof(struct dialog_head) == DIALOG_HEAD, "fixed on the wire");

void dyn_dialog_begin(struct dialog *t, int fd, const uint8_t key[NET_KEY_LEN])
{
	*t = (struct dialog){.fd = fd};
	memcpy(t->key, key, NET_KEY_LEN);
}

void dyn_dialog_end(struct dialog *t)
{
	free(t->out);
	free(t->in);
	t->out = t->in = NULL;
}

/* The proof of a message that lies behind a nonce, into its head, whose proof is zero. */
static void dialog_sign(
	const struct dialog *t, const uint8_t *text, size_t bytes, uint8_t proof[16])
{
	net_mac(t->key, text, DIALOG_NONCE + DIALOG_HEAD + bytes, proof);
}

bool dyn_dialog_put(struct dialog *t, enum dialog_kind kind, const void *data, size_t bytes)
{
	struct dialog_head h = {.version = DIALOG_VERSION,
		.build = DIALOG_BUILD,
		.kind = (uint32_t)kind,
		.bytes = bytes};

	free(t->out);
	t->out_at = t->out_len = 0;
	t->out = malloc(DIALOG_NONCE + DIALOG_HEAD + bytes);
	if (t->out == NULL || getrandom(t->mine, DIALOG_NONCE, 0) != DIALOG_NONCE)
		return false;
	memcpy(h.magic, magic, sizeof(magic));
	memcpy(h.nonce, t->mine, DIALOG_NONCE);
	memcpy(t->out, t->theirs, DIALOG_NONCE);
	memcpy(t->out + DIALOG_NONCE, &h, DIALOG_HEAD);
	if (bytes > 0)
		memcpy(t->out + DIALOG_NONCE + DIALOG_HEAD, data, bytes);
	dialog_sign(t, t->out, bytes, h.proof);
	memcpy(t->out + DIALOG_NONCE, &h, DIALOG_HEAD);
	t->out_at = DIALOG_NONCE;
	t->out_len = DIALOG_NONCE + DIALOG_HEAD + bytes;
	return true;
}

int dyn_dialog_flush(struct dialog *t)
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

/* Receives up to `until' bytes of t->in.  0: they are here; else as dyn_dialog_get. */
static int dialog_fill(struct dialog *t, size_t until)
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
static int dialog_head_get(struct dialog *t, struct dialog_head *h)
{
	uint8_t *in;
	int err;

	if (t->in == NULL || t->in_len == 0) {
		free(t->in);
		t->in = malloc(DIALOG_NONCE + DIALOG_HEAD);
		if (t->in == NULL)
			return -ENOMEM;
		t->in_at = DIALOG_NONCE;
		t->in_len = DIALOG_NONCE + DIALOG_HEAD;
	}
	err = t->in_at < DIALOG_NONCE + DIALOG_HEAD ? dialog_fill(t, DIALOG_NONCE + DIALOG_HEAD)
						    : 0;
	if (err != 0)
		return err;
	memcpy(h, t->in + DIALOG_NONCE, DIALOG_HEAD);
	if (memcmp(h->magic, magic, sizeof(magic)) != 0 || h->version != DIALOG_VERSION ||
		h->build != DIALOG_BUILD || h->bytes > DIALOG_MAX)
		return -EBADMSG;
	t->in_len = DIALOG_NONCE + DIALOG_HEAD + (size_t)h->bytes;
	in = realloc(t->in, t->in_len);
	if (in == NULL)
		return -ENOMEM;
	t->in = in;
	return 0;
}

int dyn_dialog_get(struct dialog *t)
{
	struct dialog_head h;
	uint8_t want[16], differ = 0;
	int err = dialog_head_get(t, &h);

	if (err == 0)
		err = dialog_fill(t, t->in_len);
	if (err != 0)
		return err;
	memcpy(t->in, t->mine, DIALOG_NONCE);
	memset(t->in + DIALOG_NONCE + offsetof(struct dialog_head, proof), 0, sizeof(h.proof));
	dialog_sign(t, t->in, (size_t)h.bytes, want);
	for (size_t i = 0; i < sizeof(want); i++)
		differ = (uint8_t)(differ | (want[i] ^ h.proof[i]));
	if (differ != 0)
		return -EACCES;
	memcpy(t->theirs, h.nonce, DIALOG_NONCE);
	t->kind = (enum dialog_kind)h.kind;
	t->data = t->in + DIALOG_NONCE + DIALOG_HEAD;
	t->bytes = (size_t)h.bytes;
	t->in_len = 0; /* the next get begins anew */
	return 0;
}
