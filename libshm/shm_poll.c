// SPDX-License-Identifier: BSD-3-Clause
/* shm_poll.c - polling for frames from all ranks.
 *
 * Each pass looks at the inbox, at the hot rings (those that had something lately), and at a slice
 * of the others, so a rank with a thousand peers pays only for those that send.  A pass that waits
 * for one frame of any rank ends once it has it: another rank's would only be copied aside. */
#include "libshm/shm_inner.h"

#define SWEEP_PASSES 16 /* every ring is looked at at least once in so many passes */

void shm_frame_internal(struct shm *s, int src, uint8_t kind, const void *data)
{
	struct channel_offer o;

	memcpy(&o, data, sizeof(o));
	if (kind == KIND_RING)
		shm_ring_accept(s, src, &o);
	else
		shm_pipe_accept(s, src, &o);
}

/* The frame at the head of the ring is libshm's own.  Is there one for the user behind it? */
bool shm_peek_internal(struct shm *s, int src, struct shm_frame *f)
{
	struct shm_rx *r = &s->rx[src];
	struct shm_slot *slot = shm_rx_slot(s, r);
	uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed); /* it is there */

	shm_frame_internal(s, src, (uint8_t)(word >> 16), slot->data);
	r->at += sizeof(struct shm_slot);
	r->tail++;
	shm_credit(s, src);
	return shm_peek(s, src, f);
}

/* As shm_ring_drain, until *enough. */
__attribute__((always_inline)) static inline int ring_drain_until(
	struct shm *s, int src, shm_deliver_fn *deliver, void *arg, const bool *enough)
{
	struct shm_frame f;
	int n = 0;

	while (!*enough && n < (int)s->slots && shm_peek(s, src, &f)) {
		deliver(arg, &f);
		shm_next(s, &f);
		n++;
	}
	return n;
}

HAFT_HOT int shm_ring_drain(struct shm *s, int src, shm_deliver_fn *deliver, void *arg)
{
	static const bool never;

	return ring_drain_until(s, src, deliver, arg, &never);
}

/* `src' has just had something: its ring takes the place of the one that became hot first. */
static void ring_make_hot(struct shm_private *in, int src)
{
	if (in->peer[src].hot)
		return;
	if (in->nhot < HOT_RINGS) {
		in->hot[in->nhot++] = src;
	} else {
		in->peer[in->hot[in->hot_next]].hot = false;
		in->hot[in->hot_next] = src;
		in->hot_next = (in->hot_next + 1) % HOT_RINGS;
	}
	in->peer[src].hot = true;
}

HAFT_HOT int shm_poll(struct shm *s, shm_deliver_fn *deliver, void *arg)
{
	struct shm_private *in = s->in;
	int n = shm_inbox_drain(s, deliver, arg), slice, got;

	if (in->nrings <= HOT_RINGS) {
		for (int i = 0; i < in->nrings; i++)
			n += shm_ring_drain(s, in->ring_src[i], deliver, arg);
		return n;
	}
	for (int i = 0; i < in->nhot; i++)
		n += shm_ring_drain(s, in->hot[i], deliver, arg);
	slice = in->nrings / SWEEP_PASSES + 1;
	for (int i = 0; i < slice; i++) {
		in->sweep = in->sweep + 1 < in->nrings ? in->sweep + 1 : 0;
		got = shm_ring_drain(s, in->ring_src[in->sweep], deliver, arg);
		if (got > 0)
			ring_make_hot(in, in->ring_src[in->sweep]);
		n += got;
	}
	return n;
}

HAFT_HOT int shm_poll_until(struct shm *s, shm_deliver_fn *deliver, void *arg, const bool *enough)
{
	struct shm_private *in = s->in;
	int n;

	if (in->nrings > HOT_RINGS)
		return shm_poll(s, deliver, arg);
	n = shm_inbox_drain(s, deliver, arg);
	for (int i = 0; i < in->nrings && !*enough; i++) {
		in->sweep = in->sweep + 1 < in->nrings ? in->sweep + 1 : 0;
		n += ring_drain_until(s, in->ring_src[in->sweep], deliver, arg, enough);
	}
	return n;
}
