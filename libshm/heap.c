// SPDX-License-Identifier: BSD-3-Clause
/* heap.c - extents of the segment.
 *
 *   heap |##### handed out at least once #####|............ never touched, no memory behind it |
 *                                             ^ heap_top
 *   heap_free[class] -> extent -> extent -> 0      (each begins with the offset of the next)
 *
 * A class is a size: 1 .. 130 lines, an even number of them on the boundary of a pair, then whole
 * pages with four steps an octave, always on a page boundary, from a huge page on on one of those.
 * Extents never change their class and are never merged: address space is plentiful, and large
 * extents give their memory back when freed.  An extent gets its pages when it is handed out, by
 * fallocate, so that a full machine shows as an error and not as a signal.
 *
 * Under head->lock.  Taking is one store (heap_top or the list's head); so is giving back. */
#include <string.h>
#include "libshm/shm_inner.h"

#define PUNCH_LEN (64 * PAGE) /* from here on freed memory goes back to the kernel */

/* The class of a length, and the length of that class. */
HAFT_START static unsigned heap_class(size_t len, size_t align, uint64_t *size)
{
	unsigned step, octave;
	uint64_t pages, unit;

	if (align <= LINE_PAIR && len <= HEAP_LINES * CACHE_LINE) {
		unit = align <= CACHE_LINE ? CACHE_LINE : LINE_PAIR;
		*size = (len + unit - 1) / unit * unit;
		return (unsigned)(*size / CACHE_LINE);
	}
	pages = (len + PAGE - 1) / PAGE;
	if (pages <= 4) {
		*size = pages * PAGE;
		return HEAP_LINES + (unsigned)pages;
	}
	octave = 63 - (unsigned)__builtin_clzll(pages - 1); /* 2^octave < pages <= 2^(octave+1) */
	unit = UINT64_C(1) << (octave - 2);
	step = (unsigned)((pages - 1) / unit) - 3; /* 1 .. 4 */
	*size = (step + 4) * unit * PAGE;
	return HEAP_LINES + 4 * (octave - 1) + step;
}

static uint64_t heap_end(const struct seg_head *h)
{
	return h->heap_end != 0 ? h->heap_end : h->len;
}

HAFT_START bool shm_heap_limit(struct shm_seg *seg, int me, uint64_t end)
{
	struct seg_head *h = seg->head;
	bool good;

	shm_lock_take(seg, me, &h->lock);
	good = h->heap_top <= end;
	if (good && end < heap_end(h))
		h->heap_end = end;
	shm_lock_drop(&h->lock);
	return good;
}

bool shm_heap_valid(struct shm *s)
{
	const struct seg_head *h = s->seg->head;
	uint64_t top, left;
	bool good;

	shm_lock_take(s->seg, s->me, &s->seg->head->lock);
	top = h->heap_top != 0 ? h->heap_top : h->heap;
	left = (top - h->heap) / CACHE_LINE; /* more extents cannot be free: a list has no cycle */
	good = top >= h->heap && top <= heap_end(h);
	for (unsigned class = 0; good && class < HEAP_CLASSES; class ++)
		for (uint64_t off = h->heap_free[class]; good && off != 0; left--) {
			good = off >= h->heap && off < top && off % CACHE_LINE == 0 && left > 0;
			if (good)
				memcpy(&off, s->base + off, sizeof(off));
		}
	shm_lock_drop(&s->seg->head->lock);
	return good;
}

/* Other ranks change the words meanwhile. */
double shm_heap_share(const struct shm *s)
{
	const volatile struct seg_head *h = s->seg->head;
	uint64_t top = h->heap_top, end = h->heap_end != 0 ? h->heap_end : h->len;

	if (top <= h->heap || end <= h->heap)
		return 0;
	return top < end ? (double)(top - h->heap) / (double)(end - h->heap) : 1;
}

/* Where an extent begins: at a multiple of this. */
static uint64_t heap_boundary(unsigned class, uint64_t size)
{
	if (class <= HEAP_LINES)
		return size % LINE_PAIR == 0 ? LINE_PAIR : CACHE_LINE;
	return size >= SHM_HUGE ? SHM_HUGE : PAGE;
}

static uint64_t heap_extent_alloc(struct shm *s, unsigned class, uint64_t size, bool *fresh)
{
	struct seg_head *h = s->seg->head;
	uint64_t off, start, unit;

	shm_lock_take(s->seg, s->me, &h->lock);
	off = h->heap_free[class];
	*fresh = off == 0;
	if (off != 0) {
		memcpy(&h->heap_free[class], s->base + off, sizeof(off));
	} else {
		start = h->heap_top != 0 ? h->heap_top : h->heap;
		unit = heap_boundary(class, size);
		start = (start + unit - 1) / unit * unit;
		if (start <= heap_end(h) && size <= heap_end(h) - start) {
			off = start;
			h->heap_top = start + size;
		}
	}
	shm_lock_drop(&h->lock);
	return off;
}

static void heap_extent_free(struct shm_seg *seg, int me, unsigned class, uint64_t off)
{
	struct seg_head *h = seg->head;

	shm_lock_take(seg, me, &h->lock);
	memcpy(seg->base + off, &h->heap_free[class], sizeof(off));
	atomic_signal_fence(memory_order_seq_cst); /* whole at every store: the link comes first */
	h->heap_free[class] = off;
	shm_lock_drop(&h->lock);
}

/* Gives back an extent that could not be reserved: its pages, and its room if it is still the
 * last. */
static void heap_undo(struct shm *s, unsigned class, uint64_t off, uint64_t size, bool fresh)
{
	struct seg_head *h = s->seg->head;

	if (size >= PUNCH_LEN)
		shm_seg_punch(s->seg, off, size);
	if (!fresh) {
		heap_extent_free(s->seg, s->me, class, off);
		return;
	}
	shm_lock_take(s->seg, s->me, &h->lock);
	if (h->heap_top == off + size)
		h->heap_top = off;
	shm_lock_drop(&h->lock);
}

static int heap_reserve(const struct shm_seg *seg, uint64_t off, size_t len, size_t align)
{
	uint64_t first = off / PAGE * PAGE;

	if (align == SHM_HUGE)
		return shm_seg_reserve_huge(seg, off, len);
	return shm_seg_reserve(seg, first, off + len - first);
}

uint64_t shm_heap_alloc(struct shm *s, size_t len, size_t align)
{
	uint64_t off, size;
	unsigned class;
	bool fresh;

	if (len == 0 || len > s->seg->head->len || (align > PAGE && align != SHM_HUGE) ||
		NEVER(align == SHM_HUGE && len < SHM_HUGE))
		return 0;
	if (shm_os_memory_check(len) != 0) /* asked before address space goes for it */
		return 0;
	class = heap_class(len, align, &size);
	off = heap_extent_alloc(s, class, size, &fresh);
	if (off == 0)
		return 0;
	if ((fresh || size >= PUNCH_LEN) && heap_reserve(s->seg, off, len, align) != 0) {
		heap_undo(s, class, off, size, fresh);
		return 0;
	}
	if (!fresh)
		memset(s->base + off, 0, size >= PUNCH_LEN ? sizeof(off) : len);
	return off;
}

HAFT_START void shm_seg_heap_free(
	struct shm_seg *seg, int me, uint64_t off, size_t len, size_t align)
{
	unsigned class;
	uint64_t size;

	if (off == 0 || NEVER(len == 0))
		return;
	class = heap_class(len, align, &size);
	if (size >= PUNCH_LEN && shm_seg_punch(seg, off, size) != 0)
		memset(seg->base + off, 0, len);
	heap_extent_free(seg, me, class, off);
}

HAFT_START void shm_heap_free(struct shm *s, uint64_t off, size_t len, size_t align)
{
	shm_seg_heap_free(s->seg, s->me, off, len, align);
}
