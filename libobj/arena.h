// SPDX-License-Identifier: BSD-3-Clause
/* arena.h - the two engines behind an arena: jemalloc (jemalloc.c) and our pages (arena_pages.c).
 *
 * Both are called with the arena's lock held, and ask `grow' of the options for memory. */
#ifndef LIBOBJ_ARENA_H
#define LIBOBJ_ARENA_H

#include "libobj/obj_inner.h"

#define ARENA_PAGE \
	((size_t)64 << 10) /* grain of memory from providers, and the largest alignment */

/* grow NULL: the engine takes memory from the system itself. */
struct arena_source {
	void *(*grow)(void *ctx, size_t len, size_t align);
	void *ctx;
};

/* jemalloc.c: NULL if jemalloc does not load. */
struct jem *obj_jem_new(const struct arena_source *source);
void *obj_jem_get(struct jem *j, size_t len, size_t align, size_t *got);
size_t obj_jem_put(struct jem *j, void *p); /* bytes given back */
void obj_jem_free(struct jem *j);
bool obj_jem_loaded(void);         /* without loading it */
const char *obj_jem_version(void); /* "jemalloc 5.3.0" */

/* arena_pages.c */
struct pages *obj_pages_new(const struct arena_source *source);
void *obj_pages_get(struct pages *p, size_t len, size_t align, size_t *got);
size_t obj_pages_put(struct pages *p, void *ptr); /* 0: it is none of ours */
void obj_pages_free(struct pages *p);

/* arena.c, for fork */
void obj_arenas_lock(void);
void obj_arenas_unlock(void);
void obj_arenas_reset(void);

#endif
