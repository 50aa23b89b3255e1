// SPDX-License-Identifier: BSD-3-Clause
/* wire.c - hellos and heads as bytes.
 *
 *     hello, 64 bytes                                    head of a record, 24 bytes
 *      0  magic, 8 bytes                                  0  type: frame, chunk, bye
 *      8  version, 2                                      1  kind
 *     10  kind, 1                                         2  flags
 *     11  zero, 1                                         3  zero
 *     12  universe, 8                                     4  len, 4: payload without padding
 *     20  from, 4                                         8  ctx, or the stream's id, 8
 *     24  to, 4                                          16  tag, 4
 *     28  frame_max, 4                                   20  seq, 4
 *     32  chunk_max, 4
 *     36  nonce, 12
 *     48  proof, 16
 *
 * The first ten bytes of a hello, and its length, are the same in all versions for ever. */
#include "libnet/net_inner.h"

#include <endian.h>
#include <string.h>

/* Not text, not the start of any protocol that a port scan speaks, broken by every conversion of
 * line ends. */
static const uint8_t magic[8] = {0x89, 'h', 'n', 'e', 't', '\r', '\n', 0x1a};

enum {
	HELLO_VERSION = 8,
	HELLO_KIND = 10,
	HELLO_ZERO = 11,
	HELLO_UNIVERSE = 12,
	HELLO_FROM = 20,
	HELLO_TO = 24,
	HELLO_FRAME = 28,
	HELLO_CHUNK = 32,
	HELLO_NONCE = 36,
	HELLO_PROOF = 48,
};

enum {
	HEAD_TYPE,
	HEAD_KIND,
	HEAD_FLAGS,
	HEAD_ZERO,
	HEAD_LEN,
	HEAD_CTX = 8,
	HEAD_TAG = 16,
	HEAD_SEQ = 20
};

static_assert(HELLO_PROOF == WIRE_SIGNED && HELLO_PROOF + WIRE_PROOF == WIRE_HELLO, "of a hello");
static_assert(HEAD_SEQ + 4 == WIRE_HEAD && WIRE_HEAD % WIRE_ALIGN == 0, "of a head");
static_assert(NET_FRAME_MAX % WIRE_ALIGN == 0, "the longest frame needs no padding");

static void put16(uint8_t *p, uint16_t x)
{
	x = htole16(x);
	memcpy(p, &x, sizeof(x));
}

static void put32(uint8_t *p, uint32_t x)
{
	x = htole32(x);
	memcpy(p, &x, sizeof(x));
}

static void put64(uint8_t *p, uint64_t x)
{
	x = htole64(x);
	memcpy(p, &x, sizeof(x));
}

static uint32_t get32(const uint8_t *p)
{
	uint32_t x;

	memcpy(&x, p, sizeof(x));
	return le32toh(x);
}

static uint64_t get64(const uint8_t *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof(x));
	return le64toh(x);
}

void net_hello_write(const struct wire_hello *h, uint8_t b[WIRE_HELLO])
{
	memset(b, 0, WIRE_HELLO);
	memcpy(b, magic, sizeof(magic));
	put16(b + HELLO_VERSION, h->version);
	b[HELLO_KIND] = h->kind;
	put64(b + HELLO_UNIVERSE, h->universe);
	put32(b + HELLO_FROM, h->from);
	put32(b + HELLO_TO, h->to);
	put32(b + HELLO_FRAME, h->frame_max);
	put32(b + HELLO_CHUNK, h->chunk_max);
	memcpy(b + HELLO_NONCE, h->nonce, WIRE_NONCE);
}

static void hello_proof(const uint8_t key[NET_KEY_LEN], const uint8_t b[WIRE_HELLO],
	const uint8_t *asked, uint8_t out[WIRE_PROOF])
{
	uint8_t text[2 * WIRE_SIGNED];

	memcpy(text, b, WIRE_SIGNED);
	if (asked != NULL)
		memcpy(text + WIRE_SIGNED, asked, WIRE_SIGNED);
	net_hash(key, text, asked ? 2 * WIRE_SIGNED : WIRE_SIGNED, out);
}

void net_hello_sign(const uint8_t key[NET_KEY_LEN], uint8_t b[WIRE_HELLO], const uint8_t *asked)
{
	hello_proof(key, b, asked, b + HELLO_PROOF);
}

bool net_hello_ours(const uint8_t b[WIRE_HELLO])
{
	return memcmp(b, magic, sizeof(magic)) == 0;
}

uint16_t net_hello_version(const uint8_t b[WIRE_HELLO])
{
	uint16_t x;

	memcpy(&x, b + HELLO_VERSION, sizeof(x));
	return le16toh(x);
}

bool net_hello_proven(
	const uint8_t key[NET_KEY_LEN], const uint8_t b[WIRE_HELLO], const uint8_t *asked)
{
	uint8_t want[WIRE_PROOF];
	volatile uint8_t differ = 0; /* volatile: all bytes are looked at */

	hello_proof(key, b, asked, want);
	for (int i = 0; i < WIRE_PROOF; i++)
		differ = (uint8_t)(differ | (want[i] ^ b[HELLO_PROOF + i]));
	return differ == 0;
}

void net_hello_read(const uint8_t b[WIRE_HELLO], struct wire_hello *h)
{
	h->version = net_hello_version(b);
	h->kind = b[HELLO_KIND];
	h->universe = get64(b + HELLO_UNIVERSE);
	h->from = get32(b + HELLO_FROM);
	h->to = get32(b + HELLO_TO);
	h->frame_max = get32(b + HELLO_FRAME);
	h->chunk_max = get32(b + HELLO_CHUNK);
	memcpy(h->nonce, b + HELLO_NONCE, WIRE_NONCE);
}

void net_head_write(const struct wire_head *h, uint8_t b[WIRE_HEAD])
{
	b[HEAD_TYPE] = h->type;
	b[HEAD_KIND] = h->kind;
	b[HEAD_FLAGS] = h->flags;
	b[HEAD_ZERO] = 0;
	put32(b + HEAD_LEN, h->len);
	put64(b + HEAD_CTX, h->ctx);
	put32(b + HEAD_TAG, (uint32_t)h->tag);
	put32(b + HEAD_SEQ, h->seq);
}

bool net_head_read(const uint8_t b[WIRE_HEAD], struct wire_head *h)
{
	h->type = b[HEAD_TYPE];
	h->kind = b[HEAD_KIND];
	h->flags = b[HEAD_FLAGS];
	h->len = get32(b + HEAD_LEN);
	h->ctx = get64(b + HEAD_CTX);
	h->tag = (int32_t)get32(b + HEAD_TAG);
	h->seq = get32(b + HEAD_SEQ);
	if (b[HEAD_ZERO] != 0)
		return false;
	switch (h->type) {
	case WIRE_FRAME: return h->len <= NET_FRAME_MAX;
	case WIRE_CHUNK: return h->len > 0 && h->len <= NET_CHUNK_MAX;
	case WIRE_BYE: return h->len == 0;
	default: return false;
	}
}
