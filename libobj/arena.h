// SPDX-License-Identifier: BSD-3-Clause
/* arena.h - the two engines behind an arena: jemalloc (jem.c) and our pages (page.c).
 *
 * Both are called with the arena's lock held, and ask `grow' of the options for memory. */
#ifndef LIBOBJ_ARENA_H
#define LIBOBJ_ARENA_H

#include "libobj/inner.h"

#define ARENA_PAGE \
	((size_t)64 << 10) /* grain of memory from providers, and the largest alignment */

/* grow NULL: the engine takes memory from the system itself. */
struct arena_source {
	void *(*grow)(void *ctx, size_t len, size_t align);
	void *ctx;
};

/* jem.c: NULL if jemalloc does not load. */
struct jem *jem_new(const struct arena_source *source);
void *jem_get(struct jem *j, size_t len, size_t align, size_t *got);
size_t jem_put(struct jem *j, void *p); /* bytes given back */
void jem_free(struct jem *j);
bool jem_loaded(void);         /* without loading it */
const char *jem_version(void); /* "jemalloc 5.3.0" */

/* page.c */
struct pages *pages_new(const struct arena_source *source);
void *pages_get(struct pages *p, size_t len, size_t align, size_t *got);
size_t pages_put(struct pages *p, void *ptr); /* 0: it is none of ours */
void pages_free(struct pages *p);

/* arena.c, for fork */
void arenas_lock(void);
void arenas_unlock(void);
void arenas_reset(void);

#endif
