// SPDX-License-Identifier: BSD-3-Clause
/* inbox.c - one bounded queue per receiver, for all senders that have no ring to it yet.
 *
 *   ticket (all senders, by compare and swap)
 *      |           sequence / 2: the lap; sequence % 2: full?
 *      v
 *   [ 2 | 1 | 1 | 0 ]      cell i of ticket t is free at sequence 2 * (t / INBOX_CELLS), full at
 *         ^ head (receiver, private)    one more, and free for the next lap at two more
 *
 * The queue is Vyukov's, with one receiver.  A ticket is only taken for a cell that is free, so the
 * queue never overfills and a sender never waits for another, but for the moment between its ticket
 * and its store of the sequence.  Cells stay in the order of tickets; a sender's offer of a ring
 * comes behind all that it sent before. */
#include "libshm/shm_inner.h"

static struct shm_inbox *inbox_of(const struct shm *s, int rank)
{
	return (struct shm_inbox *)seg_at(s->seg, s->seg->head->inbox) + rank;
}

int shm_inbox_claim(struct shm *s, int dst)
{
	struct shm_inbox *inbox = inbox_of(s, dst);
	uint64_t t = atomic_load_explicit(&inbox->ticket, memory_order_relaxed), sequence, want;
	struct inbox_cell *c;

	for (;;) {
		c = &inbox->cell[t % INBOX_CELLS];
		sequence = atomic_load_explicit(&c->sequence, memory_order_acquire);
		want = 2 * (t / INBOX_CELLS);
		if (sequence < want)
			return SHM_AGAIN;
		if (sequence > want)
			t = atomic_load_explicit(&inbox->ticket, memory_order_relaxed);
		else if (atomic_compare_exchange_weak_explicit(&inbox->ticket, &t, t + 1,
				 memory_order_relaxed, memory_order_relaxed))
			break;
	}
	s->in->cell = c;
	s->in->cell_ticket = t;
	return 0;
}

void shm_inbox_send(struct shm *s, int dst, const struct shm_hdr *h, size_t len)
{
	struct inbox_cell *c = s->in->cell;

	c->ctx = h->ctx;
	c->word = shm_word(s->slots, 0, h, len);
	c->who = cell_who(s->me, s->in->name, s->in->peer[dst].name_out);
	atomic_store_explicit(
		&c->sequence, 2 * (s->in->cell_ticket / INBOX_CELLS) + 1, memory_order_release);
	s->count.put_inbox++;
	doorbell_ring(s, dst);
}

static struct inbox_cell *inbox_front(const struct shm_private *in)
{
	struct inbox_cell *c = &in->inbox->cell[in->inbox_head % INBOX_CELLS];
	uint64_t full = 2 * (in->inbox_head / INBOX_CELLS) + 1;

	return atomic_load_explicit(&c->sequence, memory_order_acquire) == full ? c : NULL;
}

HAFT_HOT bool shm_inbox_has_frame(const struct shm *s)
{
	return inbox_front(s->in) != NULL;
}

HAFT_START uint64_t shm_inbox_start(const struct shm_inbox *inbox)
{
	uint64_t end = atomic_load_explicit(&inbox->ticket, memory_order_acquire);
	uint64_t t = end > INBOX_CELLS ? end - INBOX_CELLS : 0;

	while (t < end && atomic_load_explicit(&inbox->cell[t % INBOX_CELLS].sequence,
				  memory_order_acquire) >= 2 * (t / INBOX_CELLS) + 2)
		t++;
	return t;
}

/* The front cell has been taken: it is free for the next lap. */
static void inbox_advance(struct shm_private *in, struct inbox_cell *c)
{
	atomic_store_explicit(
		&c->sequence, 2 * (in->inbox_head / INBOX_CELLS) + 2, memory_order_release);
	in->inbox_head++;
}

/* A frame for a former tenant of this seat is dropped; one of a newcomer stays for the next poll,
 * once the frames of its seat's former tenant have been taken.  False: it stays. */
static bool inbox_admit(struct shm *s, struct inbox_cell *c, shm_deliver_fn *deliver, void *arg)
{
	int src = (uint16_t)c->who;
	uint32_t from = (uint32_t)(c->who >> 16) & NAME_NOBODY, to = (uint32_t)(c->who >> 40);

	if (to != s->in->name) {
		inbox_advance(s->in, c);
		return true;
	}
	while (shm_ring_drain(s, src, deliver, arg) > 0)
		;
	shm_seat_renew(s, src, from);
	return false;
}

static bool inbox_known(const struct shm *s, const struct inbox_cell *c)
{
	int src = (uint16_t)c->who;

	return likely(c->who == cell_who(src, s->in->peer[src].name_in, s->in->name));
}

HAFT_HOT int shm_inbox_drain(struct shm *s, shm_deliver_fn *deliver, void *arg)
{
	struct shm_private *in = s->in;
	struct inbox_cell *c;
	int n = 0;

	for (int i = 0; i < INBOX_CELLS && (c = inbox_front(in)) != NULL; i++) {
		struct shm_frame f = {
			.ctx = c->ctx,
			.data = c->data,
			.tag = (int32_t)(c->word >> 32),
			.len = c->word % SHM_WORD_LAP,
			.src = (uint16_t)c->who,
			.kind = (uint8_t)(c->word >> 16),
			.flags = (uint8_t)(c->word >> 24),
		};

		if (unlikely(!inbox_known(s, c))) {
			if (inbox_admit(s, c, deliver, arg))
				continue;
			return n + 1;
		}
		if (f.kind > SHM_KIND_MAX) {
			shm_frame_internal(s, f.src, f.kind, f.data);
		} else {
			deliver(arg, &f);
			s->count.got++;
			n++;
		}
		inbox_advance(in, c);
	}
	return n;
}
