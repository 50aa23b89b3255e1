// SPDX-License-Identifier: BSD-3-Clause
/* incoming.c - bytes of one peer as frames and chunks of streams.
 *
 *     HEAD --frame--> FRAME --whole--> deliver, HEAD        CHUNK --all here--> HEAD
 *       \---chunk--> CHUNK                                  (bye: nothing may follow)
 *
 * Bytes are read into one buffer that all peers share, and frames are delivered from there.  A peer
 * keeps only a record that is incomplete when the bytes end: its head in `raw', its payload in
 * `part'.  Two exceptions spare the copy: the next read begins in `part', or in the posted buffer,
 * and goes on in the shared buffer behind it.
 *
 * Every record begins at a multiple of 8 on the wire, and reads are placed so that it does in
 * memory. */
#include "libnet/net_inner.h"

#include <stdlib.h>
#include <string.h>

static uint32_t min_len(uint32_t a, size_t b)
{
	return a < b ? a : (uint32_t)b;
}

static uint32_t frame_padded(const struct net_in *in)
{
	return in->head.len + net_pad(in->head.len);
}

/* Room in the shared buffer behind `before' bytes that are read elsewhere. */
static struct iovec shared_room(
	const struct net_in *in, const struct net_shared *up, uint32_t before)
{
	uint32_t off = net_pad(before), len = in->posts.first != NULL ? IN_BUF_FEW : IN_BUF;

	return (struct iovec){up->buf + off, len - off};
}

/* The buffer for the piece that is being read, or NULL. */
static struct net_op *chunk_post(const struct net_in *in)
{
	return in->left > in->pad ? net_ops_find(&in->posts, in->head.ctx) : NULL;
}

int net_in_room(const struct net_in *in, const struct net_shared *up, struct iovec iov[IN_IOVS])
{
	const struct net_op *op;
	uint32_t n;

	if (in->at == IN_CHUNK) {
		op = chunk_post(in);
		n = op != NULL ? min_len(in->left - in->pad, op->len - op->at) : 0;
		iov[0] = op != NULL ? (struct iovec){op->buf + op->at, n}
				    : shared_room(in, up, in->left);
		iov[1] = shared_room(in, up, in->left - n);
		return op != NULL ? 2 : 1;
	}
	if (in->at == IN_FRAME) {
		iov[0] = (struct iovec){in->part + in->have, frame_padded(in) - in->have};
		iov[1] = shared_room(in, up, 0);
		return 2;
	}
	if (in->have == 0) {
		iov[0] = shared_room(in, up, 0);
		return 1;
	}
	iov[0] = (struct iovec){(void *)(uintptr_t)(in->raw + in->have), WIRE_HEAD - in->have};
	iov[1] = shared_room(in, up, 0);
	return 2;
}

static void frame_deliver(struct net_in *in, struct net_shared *up, const uint8_t *data)
{
	const struct wire_head *h = &in->head;
	struct net_frame f = {
		.hdr = {.ctx = h->ctx, .tag = h->tag, .kind = h->kind, .flags = h->flags},
		.from = in->from,
		.len = h->len,
		.data = data};

	in->at = IN_HEAD;
	in->have = 0;
	up->count.got++;
	up->count.got_bytes += h->len;
	up->deliver(up->arg, &f);
}

/* n bytes of the chunk are where they belong, in `op' or nowhere. */
static void chunk_came(struct net_in *in, struct net_shared *up, struct net_op *op, uint32_t n)
{
	in->left -= n;
	if (in->left == 0) {
		in->at = IN_HEAD;
		up->count.read++;
	}
	if (op == NULL)
		return;
	op->at += n;
	up->count.read_bytes += n;
	if (op->at == op->len) {
		net_ops_remove(&in->posts, op);
		net_op_end(op, NET_OP_DONE);
	}
}

/* Puts the start of n bytes where they belong; returns how many that were. */
static uint32_t chunk_copy(struct net_in *in, struct net_shared *up, const uint8_t *p, size_t n)
{
	struct net_op *op = chunk_post(in);
	uint32_t k;

	if (op != NULL) {
		k = min_len(min_len(in->left - in->pad, op->len - op->at), n);
		memcpy(op->buf + op->at, p, k);
	} else {
		k = min_len(in->left > in->pad ? in->left - in->pad : in->left, n);
		up->count.stray_bytes += in->left > in->pad ? k : 0;
	}
	chunk_came(in, up, op, k);
	return k;
}

static const char *head_came(struct net_in *in, const uint8_t *b)
{
	struct wire_head *h = &in->head;

	if (in->bye)
		return "spoke on after its goodbye";
	if (!net_head_read(b, h))
		return "sent bytes that are no frame";
	in->have = 0;
	if (h->type == WIRE_BYE) {
		in->bye = true;
		return NULL;
	}
	if (h->seq != (h->type == WIRE_FRAME ? in->frame_seq : in->chunk_seq))
		return "sent frames out of order";
	if (h->type == WIRE_FRAME) {
		in->frame_seq++;
		in->at = IN_FRAME;
		return NULL;
	}
	in->chunk_seq++;
	in->at = IN_CHUNK;
	in->pad = net_pad(h->len);
	in->left = h->len + in->pad;
	return NULL;
}

/* Takes bytes of a head, whole or not; *used: how many.  NULL, or words as net_in_received. */
static const char *head_parse(struct net_in *in, const uint8_t *p, size_t n, uint32_t *used)
{
	const uint8_t *b = p;

	*used = min_len((uint32_t)WIRE_HEAD - in->have, n);
	if (in->have || n < WIRE_HEAD) {
		memcpy(in->raw + in->have, p, *used);
		in->have += *used;
		b = in->raw;
		if (in->have < WIRE_HEAD)
			return NULL;
	}
	return head_came(in, b);
}

/* Takes bytes of a frame's payload; *used: how many.  An incomplete frame goes into `part', which
 * net_in_room offers from then on. */
static const char *frame_parse(
	struct net_in *in, struct net_shared *up, const uint8_t *p, size_t n, uint32_t *used)
{
	*used = min_len(frame_padded(in), n);
	if (n >= frame_padded(in)) {
		frame_deliver(in, up, p);
		return NULL;
	}
	in->part = malloc(frame_padded(in));
	if (in->part == NULL)
		return "sent a frame for which there is no memory";
	memcpy(in->part, p, n);
	in->have = (uint32_t)n;
	return NULL;
}

static const char *bytes_parse(struct net_in *in, struct net_shared *up, const uint8_t *p, size_t n)
{
	const char *bad = NULL;
	uint32_t used;

	while (bad == NULL && (n > 0 || (in->at == IN_FRAME && in->part == NULL))) {
		if (in->at == IN_HEAD)
			bad = head_parse(in, p, n, &used);
		else if (in->at == IN_FRAME)
			bad = frame_parse(in, up, p, n, &used);
		else
			used = chunk_copy(in, up, p, n);
		p += used;
		n -= used;
	}
	return bad;
}

static void part_came(struct net_in *in, struct net_shared *up, uint32_t n)
{
	uint8_t *part = in->part;

	in->have += n;
	if (in->have < frame_padded(in))
		return;
	in->part = NULL;
	frame_deliver(in, up, part);
	free(part);
}

const char *net_in_received(
	struct net_in *in, struct net_shared *up, struct iovec iov[IN_IOVS], size_t n)
{
	uint32_t first = min_len((uint32_t)iov[0].iov_len, n);
	struct net_op *op;
	const char *bad = NULL;

	if (in->at == IN_CHUNK && (op = chunk_post(in)) != NULL) {
		up->count.direct_bytes += first;
		chunk_came(in, up, op, first);
	} else if (in->at == IN_FRAME) {
		part_came(in, up, first);
	} else if (in->at == IN_HEAD && in->have) {
		in->have += first;
		if (in->have == WIRE_HEAD)
			bad = head_came(in, in->raw);
		/* A frame without payload is whole already. */
		if (bad == NULL && first == n)
			bad = bytes_parse(in, up, up->buf, 0);
	} else {
		return bytes_parse(in, up, iov[0].iov_base, n);
	}
	return bad != NULL || first == n ? bad : bytes_parse(in, up, iov[1].iov_base, n - first);
}

void net_in_fini(struct net_in *in)
{
	free(in->part);
	in->part = NULL;
}
