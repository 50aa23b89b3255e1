// SPDX-License-Identifier: BSD-3-Clause
/* jemalloc.c - jemalloc as an engine of arenas.
 *
 * It is loaded when first wanted, with RTLD_LOCAL: linked, it would replace the application's
 * malloc.  Its thread-local part often does not fit into the room that the C library leaves for
 * libraries opened at run time; then loading fails, and arena_pages.c or malloc serve.
 * (GLIBC_TUNABLES=glibc.rtld.optional_static_tls=2048 makes room.)
 *
 *   arena ── one jemalloc arena, whose extents come from `grow' ── one explicit tcache
 *
 * With a tcache of its own a pair costs 9 ns; with none, 100.  It may be used by one thread at a
 * time: the arena's lock sees to that.  Memory goes back to its provider only as a whole. */
#include "libobj/arena.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JEM_FILE "libjemalloc.so.2"

/* From jemalloc's public header, of version 5: the part of its ABI that we use. */
struct jem_hooks {
	void *(*alloc)(struct jem_hooks *h, void *addr, size_t len, size_t align, bool *zero,
		bool *commit, unsigned arena);
	bool (*dalloc)(struct jem_hooks *h, void *p, size_t len, bool committed, unsigned arena);
	void (*destroy)(struct jem_hooks *h, void *p, size_t len, bool committed, unsigned arena);
	bool (*commit)(
		struct jem_hooks *h, void *p, size_t len, size_t at, size_t n, unsigned arena);
	bool (*decommit)(
		struct jem_hooks *h, void *p, size_t len, size_t at, size_t n, unsigned arena);
	bool (*purge_lazy)(
		struct jem_hooks *h, void *p, size_t len, size_t at, size_t n, unsigned arena);
	bool (*purge_forced)(
		struct jem_hooks *h, void *p, size_t len, size_t at, size_t n, unsigned arena);
	bool (*split)(struct jem_hooks *h, void *p, size_t len, size_t a, size_t b, bool committed,
		unsigned arena);
	bool (*merge)(struct jem_hooks *h, void *a, size_t alen, void *b, size_t blen,
		bool committed, unsigned arena);
};

/* of "experimental.arenas_create_ext" (5.3) */
struct jem_config {
	struct jem_hooks *hooks;
	bool metadata_use_hooks;
};

#define FLAG_ARENA(n)  ((int)(((n) + 1) << 20))
#define FLAG_TCACHE(n) ((int)(((n) + 2) << 8))

static struct {
	void *(*mallocx)(size_t len, int flags);
	void (*dallocx)(void *p, int flags);
	size_t (*sallocx)(const void *p, int flags);
	int (*mallctl)(const char *name, void *old, size_t *oldlen, void *new, size_t newlen);
	char version[32];
} lib;

static bool ready;
static pthread_once_t once = PTHREAD_ONCE_INIT;

struct jem {
	struct jem_hooks hooks;
	struct arena_source source;
	unsigned arena;
	unsigned tcache;
	int flags;
};

static void jem_load(void)
{
	void *so = dlopen(JEM_FILE, RTLD_NOW | RTLD_LOCAL);
	size_t len = sizeof(const char *);
	const char *version;

	if (so == NULL)
		return;
	*(void **)&lib.mallocx = dlsym(so, "mallocx");
	*(void **)&lib.dallocx = dlsym(so, "dallocx");
	*(void **)&lib.sallocx = dlsym(so, "sallocx");
	*(void **)&lib.mallctl = dlsym(so, "mallctl");
	if (lib.mallocx == NULL || lib.dallocx == NULL || lib.sallocx == NULL ||
		lib.mallctl == NULL)
		return;
	if (lib.mallctl("version", &version, &len, NULL, 0) != 0 || strncmp(version, "5.", 2) != 0)
		return;
	snprintf(lib.version, sizeof(lib.version), "jemalloc %.*s", (int)strcspn(version, "-"),
		version);
	__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
}

bool obj_jem_loaded(void)
{
	return __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
}

const char *obj_jem_version(void)
{
	return lib.version;
}

/* ------------------------------------------------------------------------ extents */

static void *hook_alloc(struct jem_hooks *h, void *addr, size_t len, size_t align, bool *zero,
	bool *commit, unsigned arena)
{
	struct jem *j = container_of(h, struct jem, hooks);
	size_t want = (len + ARENA_PAGE - 1) / ARENA_PAGE * ARENA_PAGE;
	void *p;

	(void)arena;
	if (addr != NULL)
		return NULL; /* memory cannot be had at a given place */
	p = j->source.grow(j->source.ctx, want, align < ARENA_PAGE ? ARENA_PAGE : align);
	if (p == NULL)
		return NULL;
	if (*zero)
		memset(p, 0, len);
	*commit = true;
	return p;
}

/* true is "no" in all of these: jemalloc keeps the memory for later. */
static bool hook_dalloc(struct jem_hooks *h, void *p, size_t len, bool committed, unsigned arena)
{
	(void)h, (void)p, (void)len, (void)committed, (void)arena;
	return true;
}

static void hook_destroy(struct jem_hooks *h, void *p, size_t len, bool committed, unsigned arena)
{
	(void)h, (void)p, (void)len, (void)committed, (void)arena;
}

static bool hook_no(struct jem_hooks *h, void *p, size_t len, size_t at, size_t n, unsigned arena)
{
	(void)h, (void)p, (void)len, (void)at, (void)n, (void)arena;
	return true;
}

static bool hook_commit(
	struct jem_hooks *h, void *p, size_t len, size_t at, size_t n, unsigned arena)
{
	(void)h, (void)p, (void)len, (void)at, (void)n, (void)arena;
	return false;
}

static bool hook_split(struct jem_hooks *h, void *p, size_t len, size_t a, size_t b, bool committed,
	unsigned arena)
{
	(void)h, (void)p, (void)len, (void)a, (void)b, (void)committed, (void)arena;
	return false;
}

static bool hook_merge(struct jem_hooks *h, void *a, size_t alen, void *b, size_t blen,
	bool committed, unsigned arena)
{
	(void)h, (void)a, (void)alen, (void)b, (void)blen, (void)committed, (void)arena;
	return false;
}

static const struct jem_hooks hooks_ours = {hook_alloc, hook_dalloc, hook_destroy, hook_commit,
	hook_no, hook_no, hook_no, hook_split, hook_merge};

/* ------------------------------------------------------------------------ arenas */

/* With a provider: jemalloc's own bookkeeping stays out of the provider's memory where the version
 * can do that, so that a stray store of a peer damages data and not the allocator. */
static bool arena_make(struct jem *j)
{
	struct jem_config config = {.hooks = &j->hooks, .metadata_use_hooks = false};
	struct jem_hooks *hooks = &j->hooks;
	size_t len = sizeof(j->arena);

	if (j->source.grow == NULL)
		return lib.mallctl("arenas.create", &j->arena, &len, NULL, 0) == 0;
	if (lib.mallctl("experimental.arenas_create_ext", &j->arena, &len, &config,
		    sizeof(config)) == 0)
		return true;
	return lib.mallctl("arenas.create", &j->arena, &len, &hooks, sizeof(hooks)) == 0;
}

static void arena_destroy(const struct jem *j)
{
	char name[40];

	snprintf(name, sizeof(name), "arena.%u.destroy", j->arena);
	lib.mallctl(name, NULL, NULL, NULL, 0);
}

struct jem *obj_jem_new(const struct arena_source *source)
{
	size_t len = sizeof(unsigned);
	struct jem *j;

	pthread_once(&once, jem_load);
	if (!obj_jem_loaded())
		return NULL;
	j = calloc(1, sizeof(*j));
	if (j == NULL)
		return NULL;
	j->hooks = hooks_ours;
	j->source = *source;
	if (!arena_make(j)) {
		free(j);
		return NULL;
	}
	if (lib.mallctl("tcache.create", &j->tcache, &len, NULL, 0) != 0) {
		arena_destroy(j);
		free(j);
		return NULL;
	}
	j->flags = FLAG_ARENA(j->arena) | FLAG_TCACHE(j->tcache);
	return j;
}

void *obj_jem_get(struct jem *j, size_t len, size_t align, size_t *got)
{
	int flags = j->flags | __builtin_ctzl(align);
	void *p = lib.mallocx(len != 0 ? len : 1, flags);

	if (p != NULL)
		*got = lib.sallocx(p, flags);
	return p;
}

size_t obj_jem_put(struct jem *j, void *p)
{
	size_t len = lib.sallocx(p, j->flags);

	lib.dallocx(p, j->flags);
	return len;
}

void obj_jem_free(struct jem *j)
{
	lib.mallctl("tcache.destroy", NULL, NULL, &j->tcache, sizeof(j->tcache));
	arena_destroy(j);
	free(j);
}
