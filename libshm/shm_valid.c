// SPDX-License-Identifier: BSD-3-Clause
/* shm_valid.c - checks the invariants of a rank's rings, pipes, inbox, waits and heap.
 *
 *     credit <= head <= credit + slots          of each ring that this rank sends on
 *     credited <= tail <= credited + slots      of each ring that it receives on
 *     inbox_head <= ticket <= inbox_head + INBOX_CELLS
 *     released <= published <= released + chunks
 *     awake  =>  sleeping == 0, no record says waiting, no record is half written
 *
 * Other ranks may go on meanwhile: all of this holds between any two steps of theirs. */
#include "libshm/shm_inner.h"

static bool in_segment(const struct shm *s, const void *ptr, size_t len)
{
	uint64_t off = shm_off(s, ptr);

	return off >= s->seg->head->heap && off + len <= s->seg->len;
}

static bool tx_valid(const struct shm *s, int dst)
{
	const struct shm_peer *p = &s->in->peer[dst];
	const struct shm_tx *t = &s->tx[dst];
	uint64_t credit;

	if (p->out == NULL)
		return t->head == 0 && t->limit == 0 && !p->offered;
	if (!in_segment(s, p->out, ring_len(s->slots)))
		return false;
	credit = atomic_load_explicit(&p->out->credit, memory_order_acquire);
	if (t->head - (uint32_t)credit > s->slots || t->limit - t->head > s->slots ||
		p->credit - t->limit > s->slots)
		return false;
	return p->payload_head - (uint32_t)(credit >> 32) <= s->frame_max * PAYLOAD_FRAMES;
}

static bool rx_valid(const struct shm *s, int src)
{
	const struct shm_peer *p = &s->in->peer[src];
	const struct shm_rx *r = &s->rx[src];
	uint64_t credit = (uint64_t)r->payload_credited << 32 | r->credited;

	if (p->in == NULL)
		return r->tail == 0;
	if (!in_segment(s, p->in, ring_len(s->slots)) ||
		shm_rx_slot(s, r) != shm_slot_at(p->in->slot, s->slots, r->tail) ||
		r->lap_before == shm_lap(s->slots, r->tail))
		return false;
	if (r->tail - r->credited > s->slots ||
		r->payload_end - r->payload_credited > s->frame_max * PAYLOAD_FRAMES)
		return false;
	return atomic_load_explicit(&p->in->credit, memory_order_relaxed) == credit;
}

static bool pipes_valid(const struct shm *s, int rank)
{
	const struct shm_peer *p = &s->in->peer[rank];
	uint32_t chunks = s->seg->head->chunks, got;
	uint64_t put;

	if (p->pipe_out != NULL) {
		got = (uint32_t)atomic_load_explicit(&p->pipe_out->got, memory_order_acquire);
		if (p->put - got > chunks || p->put - p->put_free > chunks)
			return false;
	}
	if (p->pipe_in == NULL)
		return true;
	put = atomic_load_explicit(&p->pipe_in->put, memory_order_acquire);
	return (uint32_t)(put >> 32) != p->gen_in || (uint32_t)put - p->got <= chunks;
}

static bool inbox_valid(const struct shm *s)
{
	const struct shm_private *in = s->in;
	uint64_t ticket = atomic_load_explicit(&in->inbox->ticket, memory_order_acquire);

	if (ticket - in->inbox_head > INBOX_CELLS)
		return false;
	for (uint64_t t = in->inbox_head; t < in->inbox_head + INBOX_CELLS; t++) {
		const struct inbox_cell *c = &in->inbox->cell[t % INBOX_CELLS];
		uint64_t sequence = atomic_load_explicit(&c->sequence, memory_order_acquire);

		if (sequence / 2 != t / INBOX_CELLS)
			return false;
	}
	return true;
}

/* Of a thread that is in no wait: a standby wait of another thread may be shown. */
static bool waits_valid(const struct shm *s)
{
	const struct shm_private *in = s->in;
	const struct wait_record *r = in->record;

	if (in->listening == NULL && atomic_load_explicit(&in->doorbell[s->me].sleeping,
					     memory_order_relaxed) != SLEEP_NONE)
		return false;
	if ((in->shown != NULL) != (atomic_load_explicit(&r->waiting, memory_order_relaxed) != 0))
		return false;
	for (int k = 0; k < WAIT_RECORDS; k++)
		if (atomic_load_explicit(&r[k].seq, memory_order_relaxed) % 2 != 0)
			return false;
	return in->nwatches >= 0 && in->nwatches <= ROOM_WATCHES;
}

/* The ranks whose rings are polled: each once, the hot ones among them. */
static bool polled_valid(const struct shm *s)
{
	const struct shm_private *in = s->in;
	int hot = 0, rings = 0;

	for (int i = 0; i < s->nranks; i++) {
		rings += in->peer[i].in != NULL;
		hot += in->peer[i].hot;
	}
	for (int i = 0; i < in->nrings; i++)
		if (in->peer[in->ring_src[i]].in == NULL)
			return false;
	for (int i = 0; i < in->nhot; i++)
		if (!in->peer[in->hot[i]].hot)
			return false;
	return rings == in->nrings && hot == in->nhot && in->npipes <= in->pipe_max;
}

bool shm_valid(struct shm *s)
{
	for (int i = 0; i < s->nranks; i++)
		if (!tx_valid(s, i) || !rx_valid(s, i) || !pipes_valid(s, i))
			return false;
	return inbox_valid(s) && waits_valid(s) && polled_valid(s) && shm_heap_valid(s);
}
