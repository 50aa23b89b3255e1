// SPDX-License-Identifier: BSD-3-Clause
/* block.c - memory that a group of ranks shares for its collective operations.
 *
 *   bucket[hash(key)] -> group -> group -> 0        chained by offset, under head->lock
 *
 * The first member to join makes the area, the others find it; the last one to leave takes it out
 * of the chain and frees it.  Each change of the chain is one store, so a lock holder that dies
 * leaves it whole. */
#include <stdlib.h>
#include <string.h>
#include "libshm/shm_inner.h"

static size_t block_area_len(int n)
{
	return sizeof(struct shm_block_area) +
	       (size_t)n * (2 * sizeof(struct shm_line) + sizeof(struct shm_buf));
}

/* Where the chain's link to the group `key' is, or its last link. */
static uint64_t *block_find(struct shm *s, uint64_t key)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	uint64_t *link = (uint64_t *)seg_at(s->seg, s->seg->head->bucket) + hash % BUCKETS;

	while (*link != 0) {
		struct shm_block_area *g = shm_ptr(s, *link);

		if (g->key == key)
			break;
		link = &g->next;
	}
	return link;
}

/* The group of `key', 0 if there is none; then `fresh', unless 0, becomes it. */
static uint64_t block_find_or_add(struct shm *s, uint64_t key, uint64_t fresh)
{
	struct seg_lock *l = &s->seg->head->lock;
	uint64_t *link, off;

	shm_lock_take(s->seg, s->me, l);
	link = block_find(s, key);
	if (*link == 0)
		*link = fresh;
	off = *link;
	shm_lock_drop(l);
	return off;
}

/* Finds or makes the group; 0: no memory. */
static uint64_t block_area_get(struct shm *s, uint64_t key, int n)
{
	uint64_t off = block_find_or_add(s, key, 0), fresh;
	struct shm_block_area *g;

	if (off != 0)
		return off;
	fresh = shm_heap_alloc(s, block_area_len(n), CACHE_LINE);
	if (fresh == 0)
		return 0;
	g = shm_ptr(s, fresh);
	g->key = key;
	g->n = (uint32_t)n;
	off = block_find_or_add(s, key, fresh);
	if (off != fresh)
		shm_heap_free(s, fresh, block_area_len(n), CACHE_LINE);
	return off;
}

HAFT_START int shm_block_join(struct shm *s, uint64_t key, int n, int me, struct shm_block **out)
{
	struct shm_block *b;
	uint64_t off;

	must(n >= 1 && me >= 0 && me < n);
	b = calloc(1, sizeof(*b));
	off = b != NULL ? block_area_get(s, key, n) : 0;
	if (off == 0) {
		free(b);
		return SHM_NOMEM;
	}
	b->s = s;
	b->g = shm_ptr(s, off);
	if (b->g->n != (uint32_t)n) {
		free(b);
		return SHM_BAD;
	}
	b->buf = (struct shm_buf *)(void *)&b->g->line[2 * n];
	b->n = n;
	b->me = me;
	*out = b;
	return 0;
}

/* Counts this member out; true: it was the last, and the area is in no chain any more. */
static bool block_count_out(struct shm *s, struct shm_block_area *g)
{
	struct seg_lock *l = &s->seg->head->lock;
	uint64_t *link;
	bool last;

	shm_lock_take(s->seg, s->me, l);
	last = ++g->left == g->n;
	if (last) {
		link = block_find(s, g->key);
		if (ALWAYS(*link == shm_off(s, g)))
			*link = g->next;
	}
	shm_lock_drop(l);
	return last;
}

static void block_buf_free(struct shm *s, struct shm_buf *f)
{
	uint64_t off = atomic_load_explicit(&f->off, memory_order_relaxed);

	shm_heap_free(s, off, atomic_load_explicit(&f->len, memory_order_relaxed), PAGE);
}

HAFT_START void shm_block_leave(struct shm_block *b)
{
	if (b == NULL)
		return;
	if (block_count_out(b->s, b->g)) {
		for (int i = 0; i < b->n; i++)
			if (atomic_load_explicit(&b->buf[i].off, memory_order_relaxed) != 0)
				block_buf_free(b->s, &b->buf[i]);
		shm_heap_free(b->s, shm_off(b->s, b->g), block_area_len(b->n), CACHE_LINE);
	}
	free(b);
}

void *shm_block_buf_own(struct shm_block *b, size_t len)
{
	struct shm_buf *f = &b->buf[b->me];
	uint64_t old = atomic_load_explicit(&f->off, memory_order_relaxed), off;

	if (old != 0 && atomic_load_explicit(&f->len, memory_order_relaxed) >= len)
		return shm_ptr(b->s, old);
	off = shm_heap_alloc(b->s, len, PAGE);
	if (off == 0)
		return NULL;
	if (old != 0)
		block_buf_free(b->s, f);
	atomic_store_explicit(&f->len, len, memory_order_relaxed);
	atomic_store_explicit(&f->off, off, memory_order_release);
	return shm_ptr(b->s, off);
}

struct shm_block *shm_block_dummy(const struct shm_block *b, void *buf)
{
	struct shm_block *dummy = calloc(1, sizeof(*dummy));
	void *area = NULL;

	if (dummy == NULL || posix_memalign(&area, CACHE_LINE, block_area_len(b->n)) != 0) {
		free(dummy);
		return NULL;
	}
	memset(area, 0, block_area_len(b->n));
	*dummy = *b;
	dummy->g = area;
	dummy->buf = (struct shm_buf *)(void *)&dummy->g->line[2 * b->n];
	for (int i = 0; i < b->n && buf != NULL; i++) /* it lies behind the segment, or before */
		atomic_store_explicit(&dummy->buf[i].off,
			(uint64_t)(uintptr_t)buf - (uint64_t)(uintptr_t)b->s->base,
			memory_order_relaxed);
	return dummy;
}

void shm_block_dummy_free(struct shm_block *dummy)
{
	if (dummy == NULL)
		return;
	free(dummy->g);
	free(dummy);
}
