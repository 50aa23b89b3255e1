// SPDX-License-Identifier: BSD-3-Clause
/* outgoing.c - frames and streams of one peer as bytes, record by record.
 *
 *     |<- frames that were there ->|<- one chunk ->|<- frames that were there ->| ... | bye |
 *
 * A record that has begun is sent to its end.  q_at == q_end: no frames.  The queue is a line of
 * bytes that is moved to the front when it meets its end; it has twice the room that may be used,
 * so each byte is moved once at most on the average.  Without memory it is short, and full
 * sooner. */
#include "libnet/net_inner.h"

#include <stdlib.h>
#include <string.h>

#define QUEUE_FIRST MEAN_OR(256, 4096) /* bytes: a few small frames */

static const uint8_t zeros[WIRE_ALIGN];

static void queue_free(struct net_out *o)
{
	if (o->q != o->spare)
		free(o->q);
}

/* Makes room for `need' bytes behind q_end. */
static bool queue_grow(struct net_out *o, size_t need)
{
	size_t used = o->q_end - o->q_at, cap = o->q_cap ? o->q_cap : QUEUE_FIRST;
	uint8_t *q;

	if (o->q_end + need <= o->q_cap)
		return true;
	if (2 * (used + need) <= o->q_cap) {
		memmove(o->q, o->q + o->q_at, used);
		o->q_at = 0;
		o->q_end = (uint32_t)used;
		return true;
	}
	while (cap < 2 * (used + need))
		cap *= 2;
	q = malloc(cap);
	if (q == NULL && o->q == NULL && need <= OUT_SPARE) {
		q = o->spare;
		cap = OUT_SPARE;
	}
	if (q == NULL)
		return false;
	if (used)
		memcpy(q, o->q + o->q_at, used);
	queue_free(o);
	o->q = q;
	o->q_at = 0;
	o->q_end = (uint32_t)used;
	o->q_cap = (uint32_t)cap;
	return true;
}

bool net_out_reserve(struct net_out *o, size_t len)
{
	size_t need = WIRE_HEAD + len + net_pad((uint32_t)len);

	return likely(need <= OUT_SPARE || need <= o->q_cap) || queue_grow(o, need);
}

uint8_t *net_out_room(struct net_out *o, size_t len, uint32_t queue_max, int *error)
{
	size_t need = WIRE_HEAD + len + net_pad((uint32_t)len);

	*error = NET_AGAIN;
	if (o->q_end - o->q_at + need > queue_max)
		return NULL;
	if (queue_grow(o, need))
		return o->q + o->q_end + WIRE_HEAD;
	*error = o->q_at < o->q_end ? NET_AGAIN : NET_NOMEM; /* sent bytes make room */
	return NULL;
}

void net_out_head(struct net_out *o, const struct net_hdr *h, uint32_t len, uint8_t b[WIRE_HEAD])
{
	struct wire_head w = {.type = WIRE_FRAME,
		.kind = h->kind,
		.flags = h->flags,
		.tag = h->tag,
		.ctx = h->ctx,
		.len = len,
		.seq = o->frame_seq++};

	net_head_write(&w, b);
}

void net_out_frame(struct net_out *o, const struct net_hdr *h, uint32_t len)
{
	uint8_t *b = o->q + o->q_end;
	uint32_t pad = net_pad(len);

	net_out_head(o, h, len, b);
	memset(b + WIRE_HEAD + len, 0, pad);
	o->q_end += (uint32_t)WIRE_HEAD + len + pad;
}

bool net_out_append(struct net_out *o, const void *p, size_t len)
{
	if (!queue_grow(o, len))
		return false;
	memcpy(o->q + o->q_end, p, len);
	o->q_end += (uint32_t)len;
	o->record = RECORD_FRAMES;
	o->left = o->q_end - o->q_at;
	return true;
}

static void chunk_begin(struct net_out *o)
{
	struct net_op *op = o->sends.first;
	size_t rest = op->len - op->at;
	struct wire_head w = {.type = WIRE_CHUNK, .ctx = op->id, .seq = o->chunk_seq++};

	w.len = rest < NET_CHUNK_MAX ? (uint32_t)rest : NET_CHUNK_MAX;
	net_head_write(&w, o->head);
	o->record = RECORD_CHUNK;
	o->head_at = 0;
	o->left = w.len;
	o->pad = net_pad(w.len);
}

static void bye_begin(struct net_out *o)
{
	struct wire_head w = {.type = WIRE_BYE};

	net_head_write(&w, o->head);
	o->record = RECORD_BYE;
	o->head_at = 0;
	o->left = o->pad = 0;
	o->bye = false;
}

static void record_begin(struct net_out *o)
{
	bool frames = o->q_at < o->q_end;

	if (o->sends.first != NULL && (o->chunk_next || !frames)) {
		chunk_begin(o);
	} else if (frames) {
		o->record = RECORD_FRAMES;
		o->left = o->q_end - o->q_at;
	} else if (o->bye) {
		bye_begin(o);
	}
}

int net_out_next(struct net_out *o, struct iovec iov[OUT_IOVS])
{
	struct net_op *op = o->sends.first;
	int n = 0;

	if (o->record == RECORD_NONE)
		record_begin(o);
	if (o->record == RECORD_NONE)
		return 0;
	if (o->record == RECORD_FRAMES) {
		iov[0] = (struct iovec){o->q + o->q_at, o->left};
		return 1;
	}
	if (o->head_at < WIRE_HEAD)
		iov[n++] = (struct iovec){o->head + o->head_at, WIRE_HEAD - o->head_at};
	if (o->left)
		iov[n++] = (struct iovec){op->buf + op->at, o->left};
	if (o->pad)
		iov[n++] = (struct iovec){(void *)(uintptr_t)zeros, o->pad};
	return n;
}

/* Takes as many of *n bytes as there are; returns how many. */
static uint32_t bytes_take(size_t *n, uint32_t there)
{
	uint32_t k = *n < there ? (uint32_t)*n : there;

	*n -= k;
	return k;
}

static void frames_gone(struct net_out *o, size_t n)
{
	uint32_t k = bytes_take(&n, o->left);

	o->q_at += k;
	o->left -= k;
	if (o->left)
		return;
	o->record = RECORD_NONE;
	o->chunk_next = true;
	if (o->q_at == o->q_end)
		o->q_at = o->q_end = 0;
}

void net_out_gone(struct net_out *o, size_t n)
{
	if (n == 0)
		return;
	o->record = RECORD_FRAMES;
	o->left = o->q_end - o->q_at;
	frames_gone(o, n);
}

struct net_op *net_out_sent(struct net_out *o, size_t n, struct net_count *count)
{
	struct net_op *op = o->sends.first;
	uint32_t k;

	if (o->record == RECORD_FRAMES) {
		frames_gone(o, n);
		return NULL;
	}
	o->head_at += bytes_take(&n, WIRE_HEAD - o->head_at);
	k = bytes_take(&n, o->left);
	o->left -= k;
	o->pad -= bytes_take(&n, o->pad);
	if (o->record == RECORD_CHUNK) {
		op->at += k;
		count->sent_bytes += k;
	}
	if (o->head_at < WIRE_HEAD || o->left || o->pad)
		return NULL;
	if (o->record == RECORD_BYE) {
		o->record = RECORD_NONE;
		return NULL;
	}
	o->record = RECORD_NONE;
	o->chunk_next = false;
	count->sent++;
	if (op->at < op->len) {
		net_ops_rotate(&o->sends);
		return NULL;
	}
	net_ops_remove(&o->sends, op);
	if (op->same != NULL) /* it has the place now */
		net_ops_rotate(&o->sends);
	return op;
}

void net_out_fini(struct net_out *o)
{
	queue_free(o);
	o->q = NULL;
	o->q_at = o->q_end = o->q_cap = 0;
	o->record = RECORD_NONE;
	o->left = o->pad = 0;
	o->bye = false;
}
