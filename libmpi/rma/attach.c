// SPDX-License-Identifier: BSD-3-Clause
/* attach.c - memory of dynamic windows (MPI-5.0 12.2.4).
 *
 *      control block ── attach_off ──> table in the segment: {at, len} in the order of addresses
 *                       attach_n
 *                       attach_seq     odd while the owner changes it
 *
 * Only the owner writes.  Others read, and read again if attach_seq has changed meanwhile.  An old
 * table may be freed then.  Reading it is harmless, because the segment stays mapped; the result is
 * discarded.
 *
 * Every access to a dynamic window is looked up: a wrong address in the segment would hit data
 * of another process.  A process that dies while it changes its table leaves attach_seq odd. */
#include "libmpi/core/err.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/win.h"
#include "libmpi/via/shared_mem.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

struct attached_range {
	_Atomic uint64_t at, len; /* len > 0 */
};

#define ROOM_FIRST MEAN_OR(1, 16) /* ranges of the first table: 256 bytes */

static struct attached_range *attach_table(const struct rma_ctl *c)
{
	uint64_t off = atomic_load_explicit(&c->attach_off, memory_order_relaxed);

	return off == 0 ? NULL : via_mem_at(off);
}

/* The first of n ranges that ends behind `at'; n: none. */
static uint64_t attach_search(const struct attached_range *p, uint64_t n, uint64_t at)
{
	uint64_t low = 0, high = n;

	while (low < high) {
		uint64_t mid = low + (high - low) / 2;
		uint64_t from = atomic_load_explicit(&p[mid].at, memory_order_relaxed);
		uint64_t len = atomic_load_explicit(&p[mid].len, memory_order_relaxed);

		if (at - from < len || at < from)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* Reads a table that may be changing. [at, at + len) may span adjacent ranges. */
static bool attach_inside(const struct rma_ctl *c, uint64_t at, uint64_t len)
{
	const struct attached_range *p = attach_table(c);
	uint64_t n = atomic_load_explicit(&c->attach_n, memory_order_relaxed), i, from, room;

	if (p == NULL || n > via.mem_len / sizeof(*p))
		return false;
	for (i = attach_search(p, n, at); i < n; i++) {
		from = atomic_load_explicit(&p[i].at, memory_order_relaxed);
		room = atomic_load_explicit(&p[i].len, memory_order_relaxed);
		if (at < from || at - from >= room)
			return false;
		room -= at - from;
		if (len <= room)
			return true;
		at += room;
		len -= room;
	}
	return false;
}

int rma_attach_check(const struct win *w, int rank, uint64_t at, int64_t len)
{
	const struct rma_ctl *c = w->target[rank].ctl;
	char words[RMA_WIN_WORDS];
	uint64_t seq;
	bool in;

	if (c == NULL || len == 0)
		return 0; /* the target's process checks it */
	do {
		seq = atomic_load_explicit(&c->attach_seq, memory_order_acquire);
		in = attach_inside(c, at, (uint64_t)len);
		atomic_thread_fence(memory_order_acquire);
		if ((seq & 1) != 0 && rma_member_died(w, rank))
			return p2p_peer_vanished(w->target[rank].peer, w->comm);
	} while ((seq & 1) != 0 ||
		 seq != atomic_load_explicit(&c->attach_seq, memory_order_relaxed));
	if (in)
		return 0;
	return haft_err(MPI_ERR_RMA_RANGE,
		"%lld bytes at address 0x%llx of rank %d are not attached to %s", (long long)len,
		(unsigned long long)at, rank, rma_win_words(w, words));
}

/* --- the owner ------------------------------------------------------------------------------ */

static void attach_seq_step(struct rma_ctl *c, int by)
{
	atomic_fetch_add_explicit(&c->attach_seq, (uint64_t)by, memory_order_acq_rel);
	atomic_thread_fence(memory_order_seq_cst);
}

static bool power_of_two(uint64_t n)
{
	return (n & (n - 1)) == 0;
}

static void attach_copy(struct attached_range *to, const struct attached_range *from)
{
	atomic_store_explicit(&to->at, from->at, memory_order_relaxed);
	atomic_store_explicit(&to->len, from->len, memory_order_relaxed);
}

/* Makes room for one more range.  Tables have room for a power of two, the first for ROOM_FIRST. */
static int attach_grow(struct rma_ctl *c)
{
	uint64_t n = atomic_load_explicit(&c->attach_n, memory_order_relaxed);
	struct attached_range *old = attach_table(c), *p;
	void *room;
	int err;

	if (old != NULL && (n < ROOM_FIRST || !power_of_two(n)))
		return 0;
	err = via_mem_new(
		(int64_t)((n < ROOM_FIRST ? ROOM_FIRST : 2 * n) * sizeof(*p)), CACHE_LINE, &room);
	if (err == 0 && via_mem_off(room, 1) == 0) {
		via_mem_free(room);
		err = MPI_ERR_NO_MEM;
	}
	if (err != 0)
		return haft_err(MPI_ERR_RMA_ATTACH,
			"no shared memory for the table of %llu attached ranges",
			(unsigned long long)n + 1);
	p = room;
	for (uint64_t i = 0; i < n; i++)
		attach_copy(&p[i], &old[i]);
	attach_seq_step(c, 1);
	atomic_store_explicit(&c->attach_off, shm_off(via.shm, p), memory_order_relaxed);
	attach_seq_step(c, 1);
	if (old != NULL)
		via_mem_free(old);
	return 0;
}

/* Ranges without bytes are in no table: nothing accesses them, but each must be detached once. */
static int attach_empty_add(struct rma *r, uint64_t at)
{
	uint64_t *more = reallocarray(r->empty, (size_t)r->nempty + 1, sizeof(*more));

	if (more == NULL)
		return haft_err(MPI_ERR_RMA_ATTACH, "no memory to attach one more range");
	r->empty = more;
	more[r->nempty++] = at;
	return 0;
}

static bool attach_empty_remove(struct rma *r, uint64_t at)
{
	for (int64_t i = 0; i < r->nempty; i++) {
		if (r->empty[i] != at)
			continue;
		r->empty[i] = r->empty[--r->nempty];
		return true;
	}
	return false;
}

static int attach_only_dynamic(const struct win *w)
{
	char words[RMA_WIN_WORDS];

	if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return 0;
	return haft_err(MPI_ERR_RMA_FLAVOR, "%s was not made by MPI_Win_create_dynamic",
		rma_win_words(w, words));
}

int rma_win_attach(struct win *w, void *base, int64_t size)
{
	struct rma_ctl *c = w->rma->ctl;
	uint64_t at = (uint64_t)(uintptr_t)base, n, i;
	char words[RMA_WIN_WORDS];
	struct attached_range *p;
	int err = attach_only_dynamic(w);

	if (err == 0 && size == 0)
		return attach_empty_add(w->rma, at);
	if (err != 0)
		return err;
	if (base == NULL)
		return haft_err(
			MPI_ERR_BASE, "%lld bytes at NULL cannot be attached", (long long)size);
	err = attach_grow(c);
	if (err != 0)
		return err;
	p = attach_table(c);
	n = atomic_load_explicit(&c->attach_n, memory_order_relaxed);
	i = attach_search(p, n, at);
	if (i < n && p[i].at < at + (uint64_t)size)
		return haft_err(MPI_ERR_RMA_ATTACH,
			"%lld bytes at %p overlap %llu bytes at 0x%llx that are attached to %s "
			"already",
			(long long)size, base, (unsigned long long)p[i].len,
			(unsigned long long)p[i].at, rma_win_words(w, words));
	attach_seq_step(c, 1);
	for (uint64_t k = n; k > i; k--)
		attach_copy(&p[k], &p[k - 1]);
	attach_copy(&p[i], &(struct attached_range){at, (uint64_t)size});
	atomic_store_explicit(&c->attach_n, n + 1, memory_order_relaxed);
	attach_seq_step(c, 1);
	return 0;
}

int rma_win_detach(struct win *w, const void *base)
{
	struct rma_ctl *c = w->rma->ctl;
	uint64_t at = (uint64_t)(uintptr_t)base, n, i;
	struct attached_range *p = attach_table(c);
	char words[RMA_WIN_WORDS];
	int err = attach_only_dynamic(w);

	if (err != 0)
		return err;
	n = atomic_load_explicit(&c->attach_n, memory_order_relaxed);
	i = p != NULL ? attach_search(p, n, at) : n;
	if ((i == n || p[i].at != at) && attach_empty_remove(w->rma, at))
		return 0;
	if (i == n || p[i].at != at)
		return haft_err(MPI_ERR_RMA_ATTACH, "nothing is attached to %s at %p",
			rma_win_words(w, words), base);
	attach_seq_step(c, 1);
	for (; i + 1 < n; i++)
		attach_copy(&p[i], &p[i + 1]);
	atomic_store_explicit(&c->attach_n, n - 1, memory_order_relaxed);
	attach_seq_step(c, 1);
	return 0;
}

void rma_attach_free(struct win *w)
{
	struct attached_range *p = attach_table(w->rma->ctl);

	free(w->rma->empty);
	if (p != NULL)
		via_mem_free(p);
}
