// SPDX-License-Identifier: BSD-3-Clause
/* trace_host.c - the rings of the ranks of one host, and those that other hosts have sent.
 *
 *     memfd: a ring ── trace_seat_keep ──> kept: {number, records} <── trace_take ── a proxy
 *
 * A ring is copied when its rank has ended in any way. */
#include "tools/mpiexec/trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libobj/base.h"
#include "tools/mpiexec/util.h"

#define PART  (1 << 14)           /* records of a frame: 640 KiB */
#define AFTER (UINT64_C(1) << 45) /* ticks, hours: a rank's last records may be behind its end */

static struct {
	struct trace_ring *v;
	int n;
	int next;      /* of trace_put: the ring .. */
	uint64_t part; /* .. and the record */
} rings;

static struct trace_ring *ring_add(struct trace_ring r)
{
	if ((rings.n & (rings.n - 1)) == 0)
		rings.v = mem_grow(rings.v, rings.n > 0 ? (size_t)rings.n * 2 : 1, sizeof(r));
	rings.v[rings.n] = r;
	return &rings.v[rings.n++];
}

static bool cells_pread(
	const struct profile_host *h, uint64_t at, uint64_t from, uint64_t n, struct prof_cell *to)
{
	uint64_t done = 0, len = n * sizeof(*to);

	at += offsetof(struct prof_ring, cell) + from * sizeof(*to);
	while (done < len) {
		ssize_t got = pread(h->fd, (char *)to + done, len - done, (off_t)(at + done));

		if (got <= 0)
			return false;
		done += (uint64_t)got;
	}
	return true;
}

/* The n cells from `oldest' on, in the order of their writing; NULL: they cannot be read. */
static struct prof_cell *cells_read(
	const struct profile_host *h, uint64_t at, uint64_t oldest, uint64_t n, uint64_t size)
{
	struct prof_cell *cell = mem_grow(NULL, n + 1, sizeof(*cell));
	uint64_t tail = n < size - oldest ? n : size - oldest;

	if (cells_pread(h, at, oldest, tail, cell) && cells_pread(h, at, 0, n - tail, cell + tail))
		return cell;
	free(cell);
	return NULL;
}

/* Facts of a record that stand in the table, or in the head of the ring. */
static void record_complete(
	struct prof_record *r, const struct prof_ring *head, const struct prof_table *t)
{
	if (r->kind == PROF_RECORD_CALL && r->fn == 0 && r->what >= 1 && r->what <= PROF_SITES)
		r->fn = t->site[r->what - 1].fn;
	if (r->kind == PROF_RECORD_SENT || r->kind == PROF_RECORD_MATCHED)
		r->what = head->context[r->what % PROF_CONTEXTS] - 1;
}

/* Makes records of n cells. */
static void ring_decode(struct trace_ring *r, const struct prof_cell *cell, uint64_t n,
	const struct prof_ring *head, const struct prof_table *t)
{
	uint64_t until = prof_until(t) + AFTER;

	r->record = mem_grow(NULL, n + 1, sizeof(*r->record));
	for (uint64_t i = 0; i < n;) {
		struct prof_record *to = &r->record[r->n];

		i += prof_cells_read(&cell[i], n - i, until, to);
		record_complete(to, head, t);
		r->n += to->kind != PROF_RECORD_NONE;
	}
}

void trace_seat_keep(const struct profile_host *h, int seat, int64_t number)
{
	uint64_t at = (uint64_t)h->n * sizeof(*h->table) + (uint64_t)seat * h->ring_len;
	uint64_t size = prof_ring_size(h->ring_len), all, n, oldest;
	struct trace_ring r = {.number = number, .first = h->ring_first};
	static struct prof_ring head;
	struct prof_cell *cell;

	if (h->ring_len == 0 || pread(h->fd, &head, sizeof(head), (off_t)at) != sizeof(head))
		return;
	all = atomic_load(&head.n);
	n = all < size ? all : size;
	/* The next place may be half written. */
	oldest = all > size && !r.first ? (all + 1) % size : 0;
	if (all > size && !r.first)
		n = size - 1;
	r.dropped = (all - n) * sizeof(*cell);
	cell = cells_read(h, at, oldest, n, size);
	if (cell == NULL)
		return;
	ring_decode(&r, cell, n, &head, &h->table[seat]);
	free(cell);
	ring_add(r);
}

void trace_host_keep(const struct profile_host *h)
{
	for (int i = 0; h->table != NULL && h->ring_len > 0 && i < h->n; i++)
		if (atomic_load_explicit(&h->table[i].stage, memory_order_acquire) != PROF_NEVER)
			trace_seat_keep(h, i, h->table[i].number);
}

const struct trace_ring *trace_ring_find(int64_t number)
{
	for (int i = 0; i < rings.n; i++)
		if (rings.v[i].number == number)
			return &rings.v[i];
	return NULL;
}

/* --- as bytes --------------------------------------------------------------------------------- */

bool trace_put(struct marshal *p)
{
	const struct trace_ring *r = &rings.v[rings.next];
	uint64_t n;

	if (rings.next == rings.n)
		return false;
	n = r->n - rings.part < PART ? r->n - rings.part : PART;
	marshal_put_int(p, r->number);
	marshal_put_int(p, (int64_t)r->n);
	marshal_put_int(p, (int64_t)r->dropped);
	marshal_put_int(p, r->first);
	marshal_put_int(p, (int64_t)rings.part);
	marshal_put_int(p, (int64_t)n);
	marshal_put(p, r->record + rings.part, n * sizeof(*r->record));
	rings.part += n;
	if (rings.part == r->n) {
		rings.next++;
		rings.part = 0;
	}
	return true;
}

/* Room for a ring that comes in parts. */
static struct trace_ring *ring_expect(const struct trace_ring *r)
{
	struct trace_ring *to = (struct trace_ring *)(uintptr_t)trace_ring_find(r->number);

	if (to != NULL)
		return to;
	to = ring_add(*r);
	to->record = mem_grow(NULL, r->n + 1, sizeof(*to->record));
	memset(to->record, 0, (r->n + 1) * sizeof(*to->record));
	return to;
}

void trace_take(struct marshal *p)
{
	struct trace_ring r = {.number = marshal_take_int(p)}, *to;
	int64_t all = marshal_take_int(p), dropped = marshal_take_int(p);
	int64_t first = marshal_take_int(p), at = marshal_take_int(p), n = marshal_take_int(p);

	if (p->bad || all < 0 || dropped < 0 || at < 0 || n < 0 || n > PART || at > all - n ||
		p->len - p->at != (size_t)n * sizeof(struct prof_record))
		return;
	r.n = (uint64_t)all;
	r.dropped = (uint64_t)dropped;
	r.first = first != 0;
	to = ring_expect(&r);
	if (to->n == r.n)
		marshal_take(p, to->record + at, (size_t)n * sizeof(struct prof_record));
}
