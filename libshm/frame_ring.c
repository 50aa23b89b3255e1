// SPDX-License-Identifier: BSD-3-Clause
/* frame_ring.c - the slow side of sending: rings, payload areas, and the inbox before a ring.
 *
 *   sender                                             receiver
 *     tx.head ------> [slot][slot][slot][slot] <------ rx.tail
 *     payload_head -> [..... frame 7 .....|.. frame 8 ..|     ]   payload area: the slot of a long
 *                                                                 frame says where it lies there
 *     credit, payload_tail <-------- credit, after each quarter of the ring
 *     tx.limit: up to here the lines of slots have been fetched; credit or less
 *
 * A pair has no ring at first: frames go through the receiver's inbox.  The sender makes a ring
 * when the pair is busy, or when a frame is too long for the inbox, and offers it by a frame of its
 * own kind through the inbox.  All later frames go through the ring, and the receiver reads the
 * ring only after the offer.  So no frame overtakes another, without sequence numbers. */
#include "libshm/shm_inner.h"

static uint32_t payload_size(const struct shm *s)
{
	return s->frame_max * PAYLOAD_FRAMES;
}

/* Reads the receiver's credit; returns the word as it was read. */
static uint64_t ring_credit_read(struct shm *s, int dst)
{
	struct shm_peer *p = &s->in->peer[dst];
	uint64_t credit = atomic_load_explicit(&p->out->credit, memory_order_acquire);

	p->credit = (uint32_t)credit + s->slots;
	p->payload_tail = (uint32_t)(credit >> 32);
	return credit;
}

static int put_full(struct shm *s, const _Atomic uint64_t *word, uint64_t seen)
{
	s->count.put_again++;
	shm_wait_for_room(s, word, seen);
	return SHM_AGAIN;
}

/* Has or gets a ring towards `dst'.  SHM_AGAIN: made, but the offer finds no room yet. */
static int ring_open(struct shm *s, int dst)
{
	struct shm_peer *p = &s->in->peer[dst];
	const struct shm_hdr h = {.kind = KIND_RING};
	struct channel_offer o = {0};

	if (p->out == NULL) {
		o.off = shm_channel_new(s, ring_len(s->slots), LINE_PAIR, dst);
		if (o.off == 0) {
			p->no_ring = true;
			s->count.rings_none++;
			return SHM_NOMEM;
		}
		p->out = shm_ptr(s, o.off);
		s->count.rings++;
	}
	o.off = shm_off(s, p->out);
	if (shm_inbox_claim(s, dst) != 0)
		return put_full(s, NULL, 0);
	memcpy(s->in->cell->data, &o, sizeof(o));
	shm_inbox_send(s, dst, &h, sizeof(o));
	s->count.put_inbox--;
	p->offered = true;
	s->tx[dst].slot = p->out->slot;
	s->tx[dst].limit = 0;
	p->credit = s->slots;
	return 0;
}

/* Lets the next slots be filled.  Takes their lines, which the receiver has read, from its cache,
 * all at once: stores wait for lines one after the other. */
static void ring_fetch(const struct shm *s, struct shm_tx *t, uint32_t credit)
{
	enum { FETCHED = 16 }; /* more are not under way at a time */

	t->limit = credit - t->head > FETCHED ? t->head + FETCHED : credit;
	for (uint32_t pos = t->head; pos != t->limit; pos++)
		__builtin_prefetch(shm_slot_at(t->slot, s->slots, pos), 1);
}

/* Where in the payload area `len' bytes lie in one piece, rounded up to lines, from now on: *at is
 * their position, *credit the receiver's credit if it was read.  False: there is no room yet. */
static bool payload_find(struct shm *s, int dst, size_t len, uint32_t *at, uint64_t *credit)
{
	const struct shm_peer *p = &s->in->peer[dst];
	uint32_t size = payload_size(s), left = size - p->payload_head % size,
		 need = ((uint32_t)len + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;

	*at = p->payload_head + (need > left ? left : 0);
	if (*at + need - p->payload_tail <= size)
		return true;
	*credit = ring_credit_read(s, dst);
	return *at + need - p->payload_tail <= size;
}

/* Room for `len' bytes in one piece; in->payload_pos is its position. */
static int payload_claim(struct shm *s, int dst, size_t len, void **ptr)
{
	struct shm_peer *p = &s->in->peer[dst];
	uint64_t credit;
	uint32_t at;

	if (p->payload == NULL) {
		uint64_t off = shm_channel_new(s, payload_size(s), CACHE_LINE, dst);

		if (off == 0)
			return SHM_NOMEM;
		p->payload = shm_ptr(s, off);
	}
	if (!payload_find(s, dst, len, &at, &credit))
		return put_full(s, &p->out->credit, credit);
	s->in->payload_pos = at;
	*ptr = p->payload + at % payload_size(s);
	return 0;
}

/* As shm_ring_room, of a ring that is offered.  False: *credit is the receiver's credit as it was
 * read. */
static bool ring_room(struct shm *s, int dst, uint64_t *credit)
{
	struct shm_peer *p = &s->in->peer[dst];
	struct shm_tx *t = &s->tx[dst];

	if (t->head == p->credit) {
		*credit = ring_credit_read(s, dst);
		if (t->head == p->credit)
			return false;
	}
	ring_fetch(s, t, p->credit);
	return true;
}

bool shm_ring_room(struct shm *s, int dst)
{
	uint64_t credit;

	return s->in->peer[dst].offered && ring_room(s, dst, &credit);
}

static int ring_reserve(struct shm *s, int dst, size_t len, void **ptr)
{
	struct shm_tx *t = &s->tx[dst];
	uint64_t credit;
	int e;

	if (t->head == t->limit && !ring_room(s, dst, &credit))
		return put_full(s, &s->in->peer[dst].out->credit, credit);
	if (len <= SHM_INLINE) {
		*ptr = shm_slot_at(t->slot, s->slots, t->head)->data;
		s->in->reserved = RESERVED_SLOT;
		return 0;
	}
	e = payload_claim(s, dst, len, ptr);
	if (e == 0)
		s->in->reserved = RESERVED_PAYLOAD;
	return e;
}

int shm_reserve(struct shm *s, int dst, size_t len, void **ptr)
{
	struct shm_peer *p = &s->in->peer[dst];
	bool small = len <= INBOX_DATA;
	int e;

	must(dst >= 0 && dst < s->nranks && len <= s->frame_max);
	if (likely(p->offered))
		return ring_reserve(s, dst, len, ptr);
	if (!small || (p->puts >= s->in->tune.puts && !p->no_ring)) {
		e = ring_open(s, dst);
		if (e == 0)
			return ring_reserve(s, dst, len, ptr);
		if (e == SHM_AGAIN || !small)
			return e;
	}
	if (shm_inbox_claim(s, dst) != 0)
		return put_full(s, NULL, 0);
	p->puts++;
	*ptr = s->in->cell->data;
	s->in->reserved = RESERVED_CELL;
	return 0;
}

/* Takes the lines of a next payload of as many bytes from the receiver's cache, while this rank
 * waits or computes.  Without it the next copy waits for them, 10 to 16 lines at a time.  It takes
 * none that the receiver may still read. */
static void payload_prefetch(struct shm *s, int dst, size_t len)
{
	const struct shm_peer *p = &s->in->peer[dst];
	uint64_t credit;
	uint32_t at;

	if (!payload_find(s, dst, len, &at, &credit))
		return;
	for (size_t i = 0; i < len; i += CACHE_LINE)
		__builtin_prefetch(p->payload + at % payload_size(s) + i, 1);
}

/* Sends the reserved frame.  Payload that was built in the payload area and fits the slot moves
 * there. */
static void ring_send(struct shm *s, int dst, const struct shm_hdr *h, size_t len)
{
	struct shm_tx *t = &s->tx[dst];
	struct shm_peer *p = &s->in->peer[dst];
	struct shm_slot *slot = shm_slot_at(t->slot, s->slots, t->head);

	if (s->in->reserved == RESERVED_PAYLOAD) {
		char *at = p->payload + s->in->payload_pos % payload_size(s);
		struct shm_payload payload = {.off = shm_off(s, at)};

		if (len > SHM_INLINE) {
			payload.end = s->in->payload_pos +
				      ((uint32_t)len + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
			p->payload_head = payload.end;
			memcpy(slot->data, &payload, sizeof(payload));
			s->count.put_long++;
		} else {
			memcpy(slot->data, at, len);
		}
	}
	slot->ctx = h->ctx;
	atomic_store_explicit(
		&slot->word, shm_word(s->slots, t->head, h, len), memory_order_release);
	t->head++;
	doorbell_ring(s, dst);
	if (len > SHM_INLINE)
		payload_prefetch(s, dst, len);
}

void shm_commit(struct shm *s, int dst, const struct shm_hdr *h, size_t len)
{
	must(s->in->reserved != RESERVED_NONE);
	if (s->in->reserved == RESERVED_CELL)
		shm_inbox_send(s, dst, h, len);
	else
		ring_send(s, dst, h, len);
	s->in->reserved = RESERVED_NONE;
	s->count.put++;
}

int shm_put_slow(struct shm *s, int dst, const struct shm_hdr *h, const void *buf, size_t len)
{
	void *ptr;
	int e = shm_reserve(s, dst, len, &ptr);

	if (e != 0)
		return e;
	if (len > 0)
		memcpy(ptr, buf, len);
	shm_commit(s, dst, h, len);
	return 0;
}

/* --- the receiver's end --------------------------------------------------------------------- */

void shm_ring_accept(struct shm *s, int src, const struct channel_offer *o)
{
	struct shm_peer *p = &s->in->peer[src];

	if (NEVER(p->in != NULL))
		return;
	p->in = shm_ptr(s, o->off);
	s->rx[src].at = shm_off(s, p->in->slot);
	s->in->ring_src[s->in->nrings++] = src;
}

HAFT_HOT bool shm_ring_has_frame(const struct shm *s, int src)
{
	const struct shm_rx *r = &s->rx[src];
	uint64_t word = atomic_load_explicit(&shm_rx_slot(s, r)->word, memory_order_acquire);

	return (word & SHM_WORD_LAP) != r->lap_before;
}

/* Goes back to the first slot after the last one.  Returns credit after a quarter of the ring or of
 * the payload area, not before. */
void shm_credit(struct shm *s, int src)
{
	struct shm_rx *r = &s->rx[src];

	if ((r->tail & (s->slots - 1)) == 0) {
		r->at -= s->slots * sizeof(struct shm_slot);
		r->lap_before ^= SHM_WORD_LAP;
	}
	if (r->tail - r->credited <= s->credit_mask &&
		r->payload_end - r->payload_credited < payload_size(s) / 4)
		return;
	r->credited = r->tail;
	r->payload_credited = r->payload_end;
	atomic_store_explicit(&s->in->peer[src].in->credit,
		(uint64_t)r->payload_end << 32 | r->tail, memory_order_release);
	doorbell_ring(s, src);
}
