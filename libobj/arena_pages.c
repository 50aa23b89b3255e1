// SPDX-License-Identifier: BSD-3-Clause
/* arena_pages.c - the built-in engine of arenas: slabs for small pieces, runs of pages for large
 * ones.
 *
 *   region (from grow)   [ run: FREE ][ slab ][ run: USED      ][ slab ][ FREE ... ]
 *   in pages of 64 KiB     span         span    span              span    span
 *
 * Bookkeeping is kept outside, in malloc's memory: the region may be shared, and is not touched
 * before it is used.  A span is entered at its first and last page, so that a free one finds free
 * neighbours and joins them.  Pieces of up to SMALL_MAX bytes come from slabs of one page and one
 * size; the sizes of powers of two give the alignments. */
#include "libobj/arena.h"
#include <stdlib.h>
#include <string.h>

#define SMALL_MAX  8192 /* bytes: eight to a slab */
#define SMALL_STEP 16   /* bytes: sizes up to 128 are multiples, then four to a doubling */
#define SIZES      32
#define BITS       (ARENA_PAGE / SMALL_STEP)
#define GROW_MIN   ((size_t)MEAN_OR(1, 16)) /* pages asked for at once */

enum kind { SPAN_FREE, SPAN_USED, SPAN_SLAB };

struct page_span {
	char *base;
	size_t pages;
	enum kind kind;
	struct page_region *region;
	struct page_span *next, *prev; /* free spans; or slabs of a size with free pieces */
	uint32_t size;                 /* slab: bytes a piece */
	uint32_t nfree;
	uint64_t free[]; /* slab: BITS bits */
};

struct page_region {
	struct page_region *next;
	char *base;
	size_t pages;
	struct page_span *span[]; /* [pages] */
};

struct pages {
	struct arena_source source;
	struct page_region *regions;
	struct page_span *free;
	struct page_span *slabs[SIZES];
};

struct pages *obj_pages_new(const struct arena_source *source)
{
	struct pages *p = calloc(1, sizeof(*p));

	if (p != NULL)
		p->source = *source;
	return p;
}

void obj_pages_free(struct pages *p)
{
	struct page_region *r, *next;

	for (r = p->regions; r != NULL; r = next) {
		next = r->next;
		for (size_t i = 0; i < r->pages; i += r->span[i]->pages) {
			/* the last page of the span before names that span */
			if (i != 0)
				free(r->span[i - 1]);
		}
		free(r->span[r->pages - 1]);
		free(r);
	}
	free(p);
}

/* ------------------------------------------------------------------------ spans */

static void span_list_add(struct page_span **list, struct page_span *s)
{
	s->prev = NULL;
	s->next = *list;
	if (s->next != NULL)
		s->next->prev = s;
	*list = s;
}

static void span_list_remove(struct page_span **list, struct page_span *s)
{
	if (s->prev != NULL)
		s->prev->next = s->next;
	else
		*list = s->next;
	if (s->next != NULL)
		s->next->prev = s->prev;
}

static struct page_span *span_new(struct page_region *r, char *base, size_t pages, enum kind kind)
{
	size_t bits = kind == SPAN_SLAB ? BITS / 8 : 0;
	struct page_span *s = calloc(1, sizeof(*s) + bits);

	if (s == NULL)
		return NULL;
	s->region = r;
	s->base = base;
	s->pages = pages;
	s->kind = kind;
	return s;
}

static void span_enter(struct page_span *s)
{
	size_t first = (size_t)(s->base - s->region->base) / ARENA_PAGE;

	s->region->span[first] = s;
	s->region->span[first + s->pages - 1] = s;
}

/* More memory: a new region that is one free span. */
static struct page_span *region_add(struct pages *p, size_t pages)
{
	struct page_region *r;
	struct page_span *s;
	char *base;

	if (pages < GROW_MIN)
		pages = GROW_MIN;
	r = calloc(1, sizeof(*r) + pages * sizeof(struct page_span *));
	s = r != NULL ? span_new(r, NULL, pages, SPAN_FREE) : NULL;
	base = s != NULL ? p->source.grow(p->source.ctx, pages * ARENA_PAGE, ARENA_PAGE) : NULL;
	if (base == NULL) {
		free(s);
		free(r);
		return NULL;
	}
	r->base = s->base = base;
	r->pages = pages;
	r->next = p->regions;
	p->regions = r;
	span_enter(s);
	span_list_add(&p->free, s);
	return s;
}

/* The smallest free span that is large enough. */
static struct page_span *span_best(const struct pages *p, size_t pages)
{
	struct page_span *best = NULL;

	for (struct page_span *s = p->free; s != NULL; s = s->next)
		if (s->pages >= pages && (best == NULL || s->pages < best->pages))
			best = s;
	return best;
}

/* A span of exactly so many pages, on no list. */
static struct page_span *span_take(struct pages *p, size_t pages, enum kind kind)
{
	struct page_span *from = span_best(p, pages);
	struct page_span *s;

	if (from == NULL)
		from = region_add(p, pages);
	if (from == NULL)
		return NULL;
	s = span_new(from->region, from->base, pages, kind);
	if (s == NULL)
		return NULL;
	if (from->pages == pages) {
		span_list_remove(&p->free, from);
		free(from);
	} else {
		from->base += pages * ARENA_PAGE;
		from->pages -= pages;
		span_enter(from);
	}
	span_enter(s);
	return s;
}

/* Joins the free span b, which comes after a, to it. */
static void span_join(struct pages *p, struct page_span *a, struct page_span *b)
{
	span_list_remove(&p->free, b);
	a->pages += b->pages;
	free(b);
	span_enter(a);
}

static void span_give(struct pages *p, struct page_span *s)
{
	struct page_region *r = s->region;
	size_t first = (size_t)(s->base - r->base) / ARENA_PAGE;
	size_t after = first + s->pages;

	s->kind = SPAN_FREE;
	span_list_add(&p->free, s);
	if (after < r->pages && r->span[after]->kind == SPAN_FREE)
		span_join(p, s, r->span[after]);
	if (first != 0 && r->span[first - 1]->kind == SPAN_FREE)
		span_join(p, r->span[first - 1], s);
}

/* The span of a piece's address, or NULL. */
static struct page_span *span_of(const struct pages *p, const char *ptr)
{
	for (const struct page_region *r = p->regions; r != NULL; r = r->next) {
		size_t off = (size_t)(ptr - r->base);

		if (ptr >= r->base && off < r->pages * ARENA_PAGE)
			return r->span[off / ARENA_PAGE];
	}
	return NULL;
}

/* ------------------------------------------------------------------------ slabs */

/* Index of the smallest size that holds len, and that size. */
static uint32_t size_index(size_t len, uint32_t *size)
{
	uint32_t n = len <= SMALL_STEP ? SMALL_STEP : (uint32_t)len;
	uint32_t step = SMALL_STEP, top;

	if (n <= 128) {
		*size = (n + step - 1) / step * step;
		return *size / step - 1;
	}
	top = 31 - (uint32_t)__builtin_clz(n - 1); /* 2^top < n <= 2^(top+1) */
	step = 1u << (top - 2);
	*size = (n + step - 1) / step * step;
	return 8 + (top - 7) * 4 + (*size - (1u << top)) / step - 1;
}

static struct page_span *slab_new(struct pages *p, uint32_t size)
{
	struct page_span *s = span_take(p, 1, SPAN_SLAB);

	if (s == NULL)
		return NULL;
	s->size = size;
	s->nfree = (uint32_t)(ARENA_PAGE / size);
	for (uint32_t i = 0; i < s->nfree; i++)
		s->free[i / 64] |= 1ULL << (i % 64);
	return s;
}

static void *slab_get(struct page_span *s)
{
	uint32_t w = 0, bit;

	while (s->free[w] == 0)
		w++;
	bit = (uint32_t)__builtin_ctzll(s->free[w]);
	s->free[w] &= s->free[w] - 1;
	s->nfree--;
	return s->base + (size_t)(w * 64 + bit) * s->size;
}

static void *small_get(struct pages *p, size_t len, size_t *got)
{
	uint32_t size, index = size_index(len, &size);
	struct page_span *s = p->slabs[index];
	void *ptr;

	if (s == NULL) {
		s = slab_new(p, size);
		if (s == NULL)
			return NULL;
		span_list_add(&p->slabs[index], s);
	}
	ptr = slab_get(s);
	if (s->nfree == 0)
		span_list_remove(&p->slabs[index], s);
	*got = size;
	return ptr;
}

static size_t small_put(struct pages *p, struct page_span *s, const char *ptr)
{
	uint32_t n = (uint32_t)((size_t)(ptr - s->base) / s->size);
	uint32_t size, index = size_index(s->size, &size);
	uint64_t bit = 1ULL << (n % 64);

	if (NEVER((size_t)(ptr - s->base) % s->size != 0 || s->free[n / 64] & bit))
		return 0;
	s->free[n / 64] |= bit;
	if (s->nfree++ == 0)
		span_list_add(&p->slabs[index], s);
	/* an empty slab goes back, unless it is the last of its size */
	if (s->nfree == ARENA_PAGE / s->size && (s->next != NULL || s->prev != NULL)) {
		span_list_remove(&p->slabs[index], s);
		span_give(p, s);
	}
	return size;
}

/* ------------------------------------------------------------------------ pieces */

void *obj_pages_get(struct pages *p, size_t len, size_t align, size_t *got)
{
	struct page_span *s;

	if (len > PTRDIFF_MAX - ARENA_PAGE)
		return NULL;
	if (align > SMALL_STEP && len < SMALL_MAX) {
		/* a power of two that is no smaller than the alignment */
		size_t size = align;

		while (size < len)
			size *= 2;
		len = size;
	}
	if (len <= SMALL_MAX)
		return small_get(p, len, got);
	s = span_take(p, (len + ARENA_PAGE - 1) / ARENA_PAGE, SPAN_USED);
	if (s == NULL)
		return NULL;
	*got = s->pages * ARENA_PAGE;
	return s->base;
}

size_t obj_pages_put(struct pages *p, void *ptr)
{
	struct page_span *s = span_of(p, ptr);
	size_t len;

	if (s != NULL && s->kind == SPAN_SLAB)
		return small_put(p, s, ptr);
	if (NEVER(s == NULL || s->kind != SPAN_USED || s->base != ptr))
		return 0;
	len = s->pages * ARENA_PAGE;
	span_give(p, s);
	return len;
}
