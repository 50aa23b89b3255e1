// SPDX-License-Identifier: BSD-3-Clause
/* domain_mem.c - a domain's memory for names, attributes, traces: the C library's, then jemalloc's.
 *
 *   [ len | from ] piece ...        a header of 16 bytes names the allocator of the piece
 *
 * Valgrind takes a block for lost if nothing points at its very beginning.  So under valgrind
 * pieces are bare: they have no header, are malloc's, and are not counted.
 *
 * Small programs never load jemalloc: until OBJ_ALLOC_SMALL bytes are in use, malloc serves.  A
 * piece goes back to the allocator that it came from. */
#include "libobj/arena.h"
#include <stdlib.h>

struct mem_head {
	size_t len;
	struct obj_arena *from; /* NULL: malloc */
};
static_assert(sizeof(struct mem_head) == 16, "blocks are aligned to 16");

/* The domain's jemalloc, made at first need; NULL: it does not load. */
static struct obj_arena *mem_jemalloc_get(struct obj_domain *d)
{
	const struct obj_arena_opts opts = {.size = sizeof(opts), .alloc = OBJ_ALLOC_JEMALLOC};

	if (likely(__atomic_load_n(&d->mem.tried, __ATOMIC_ACQUIRE)))
		return d->mem.big;
	obj_lock_always(&d->mem.lock);
	if (!d->mem.tried) {
		d->mem.big = obj_arena_new(&opts);
		__atomic_store_n(&d->mem.tried, true, __ATOMIC_RELEASE);
	}
	obj_unlock_always(&d->mem.lock);
	return d->mem.big;
}

HAFT_START static struct obj_arena *mem_arena_of(struct obj_domain *d)
{
	if (d->opts.alloc == OBJ_ALLOC_BUILTIN)
		return NULL;
	if (d->opts.alloc == OBJ_ALLOC_AUTO && obj_mem_bytes(d) < ALLOC_SMALL)
		return NULL;
	return mem_jemalloc_get(d);
}

HAFT_START void *obj_mem_get(struct obj_domain *d, size_t len)
{
	struct obj_arena *from;
	struct mem_head *p = NULL;

	if (unlikely(d->mem.bare))
		return malloc(len);
	from = mem_arena_of(d);
	if (len > PTRDIFF_MAX - sizeof(*p))
		return NULL;
	if (from != NULL)
		p = obj_arena_get(from, sizeof(*p) + len, sizeof(*p));
	if (p == NULL) {
		from = NULL;
		p = malloc(sizeof(*p) + len);
	}
	if (p == NULL)
		return NULL;
	p->len = len;
	p->from = from;
	__atomic_fetch_add(&d->mem.bytes, len, __ATOMIC_RELAXED);
	return p + 1;
}

void obj_mem_put(struct obj_domain *d, void *ptr)
{
	struct mem_head *p;

	if (ptr == NULL)
		return;
	if (unlikely(d->mem.bare)) {
		free(ptr);
		return;
	}
	p = (struct mem_head *)ptr - 1;
	__atomic_fetch_sub(&d->mem.bytes, p->len, __ATOMIC_RELAXED);
	if (p->from != NULL)
		obj_arena_put(p->from, p);
	else
		free(p);
}

const char *obj_mem_kind(struct obj_domain *d)
{
	struct obj_arena *a = mem_arena_of(d);

	return a != NULL ? obj_arena_kind(a) : "built-in";
}

HAFT_START size_t obj_mem_bytes(struct obj_domain *d)
{
	return __atomic_load_n(&d->mem.bytes, __ATOMIC_RELAXED);
}

void obj_mem_close(struct obj_domain *d)
{
	obj_arena_free(d->mem.big);
	d->mem.big = NULL;
}
