// SPDX-License-Identifier: BSD-3-Clause
/* arena.c - arenas: memory of a provider, handed out in pieces by one of two engines.
 *
 *   obj_arena_get ── lock ─┬─> jemalloc.c (jemalloc)    ─┐
 *                          └─> arena_pages.c (built-in) ─┴── grow(ctx, len, align): the provider */
#include "libobj/arena.h"
#include <stdlib.h>
#include <string.h>

struct obj_arena {
	struct obj_lock lock; /* rank ARENA */
	struct jem *jem;      /* one of the two */
	struct pages *pages;
	size_t bytes;
	struct obj_arena *next, *prev;
};

static struct obj_arena *arenas;
static struct obj_lock arenas_list = OBJ_LOCK_INIT(RANK_ARENA, "arenas");

struct obj_arena *obj_arena_new(const struct obj_arena_opts *given)
{
	struct obj_arena_opts opts;
	struct arena_source source;
	struct obj_arena *a;

	memset(&opts, 0, sizeof(opts));
	memcpy(&opts, given, given->size < sizeof(opts) ? given->size : sizeof(opts));
	a = calloc(1, sizeof(*a));
	if (a == NULL)
		return NULL;
	a->lock = (struct obj_lock)OBJ_LOCK_INIT(RANK_ARENA, "arena");
	source = (struct arena_source){opts.grow, opts.ctx};
	if (opts.alloc == OBJ_ALLOC_JEMALLOC || (opts.alloc == OBJ_ALLOC_AUTO && obj_jem_loaded()))
		a->jem = obj_jem_new(&source);
	if (a->jem == NULL && opts.grow != NULL)
		a->pages = obj_pages_new(&source);
	if (a->jem == NULL && a->pages == NULL) {
		free(a);
		return NULL;
	}
	obj_lock_always(&arenas_list);
	a->next = arenas;
	if (arenas != NULL)
		arenas->prev = a;
	arenas = a;
	obj_unlock_always(&arenas_list);
	return a;
}

void *obj_arena_get(struct obj_arena *a, size_t len, size_t align)
{
	size_t got = 0;
	void *p;

	if (align == 0 || align & (align - 1) || align > ARENA_PAGE)
		return NULL;
	obj_lock_always(&a->lock);
	p = a->jem != NULL ? obj_jem_get(a->jem, len, align, &got)
			   : obj_pages_get(a->pages, len, align, &got);
	a->bytes += got;
	obj_unlock_always(&a->lock);
	return p;
}

void obj_arena_put(struct obj_arena *a, void *p)
{
	if (p == NULL)
		return;
	obj_lock_always(&a->lock);
	a->bytes -= a->jem != NULL ? obj_jem_put(a->jem, p) : obj_pages_put(a->pages, p);
	obj_unlock_always(&a->lock);
}

size_t obj_arena_bytes(struct obj_arena *a)
{
	size_t n;

	obj_lock_always(&a->lock);
	n = a->bytes;
	obj_unlock_always(&a->lock);
	return n;
}

const char *obj_arena_kind(const struct obj_arena *a)
{
	return a->jem != NULL ? obj_jem_version() : "built-in";
}

HAFT_START void obj_arena_free(struct obj_arena *a)
{
	if (a == NULL)
		return;
	obj_lock_always(&arenas_list);
	if (a->prev != NULL)
		a->prev->next = a->next;
	else
		arenas = a->next;
	if (a->next != NULL)
		a->next->prev = a->prev;
	obj_unlock_always(&arenas_list);
	if (a->jem != NULL)
		obj_jem_free(a->jem);
	else
		obj_pages_free(a->pages);
	free(a);
}

void obj_arenas_lock(void)
{
	obj_lock_take(&arenas_list);
	for (struct obj_arena *a = arenas; a != NULL; a = a->next)
		obj_lock_take(&a->lock);
}

void obj_arenas_unlock(void)
{
	for (struct obj_arena *a = arenas; a != NULL; a = a->next)
		obj_lock_give(&a->lock);
	obj_lock_give(&arenas_list);
}

void obj_arenas_reset(void)
{
	for (struct obj_arena *a = arenas; a != NULL; a = a->next)
		a->lock.word = 0;
	arenas_list.word = 0;
}
