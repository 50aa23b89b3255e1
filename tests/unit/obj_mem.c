// SPDX-License-Identifier: BSD-3-Clause
/* obj_mem.c - memory of variable size: the domain's allocators and arenas over memory of the
 * caller's. */
#include "tests/unit/obj_fixture.h"

#include <sys/mman.h>

#define PARTS 2000
#define BIG   (3 * 1024 * 1024)

static int kind; /* of the domain of this test: enum obj_alloc */

static int setup_builtin(void **state)
{
	(void)state;
	kind = OBJ_ALLOC_BUILTIN;
	fix_open((struct obj_domain_opts){.alloc = OBJ_ALLOC_BUILTIN});
	return 0;
}

static int setup_jemalloc(void **state)
{
	(void)state;
	kind = OBJ_ALLOC_JEMALLOC;
	fix_open((struct obj_domain_opts){.alloc = OBJ_ALLOC_JEMALLOC});
	return 0;
}

static int setup_auto(void **state)
{
	(void)state;
	kind = OBJ_ALLOC_AUTO;
	fix_open((struct obj_domain_opts){.alloc = OBJ_ALLOC_AUTO});
	return 0;
}

static size_t random_size(uint64_t *seed)
{
	uint64_t r = fix_random(seed);

	return (r >> 32) % ((size_t)1 << (r % 18)) + 1;
}

static void mem_fill(unsigned char *p, size_t len, int i)
{
	memset(p, i & 0xff, len);
}

static void mem_check(const unsigned char *p, size_t len, int i)
{
	for (size_t k = 0; k < len; k++) {
		if (p[k] != (unsigned char)i)
			fail_msg("piece %d of %zu bytes: byte %zu is %#x", i, len, k, p[k]);
	}
}

static void blocks_do_not_overlap_and_are_aligned(void **state)
{
	static void *p[PARTS];
	static size_t len[PARTS];
	uint64_t seed = 5;

	(void)state;
	memset(p, 0, sizeof(p));
	for (int step = 0; step < 10 * PARTS; step++) {
		int i = (int)(fix_random(&seed) % PARTS);

		if (p[i] != NULL) {
			mem_check(p[i], len[i], i);
			obj_mem_put(fix.domain, p[i]);
			p[i] = NULL;
			continue;
		}
		len[i] = random_size(&seed);
		p[i] = obj_mem_get(fix.domain, len[i]);
		assert_non_null(p[i]);
		assert_int_equal((uintptr_t)p[i] % 16, 0);
		mem_fill(p[i], len[i], i);
	}
	for (int i = 0; i < PARTS; i++)
		obj_mem_put(fix.domain, p[i]);
	obj_mem_put(fix.domain, NULL);
}

static void bytes_count_what_is_out(void **state)
{
	size_t before = obj_mem_bytes(fix.domain);
	void *a = obj_mem_get(fix.domain, 1000), *b = obj_mem_get(fix.domain, BIG);

	(void)state;
	assert_non_null(a);
	assert_non_null(b);
	memset(b, 1, BIG);
	assert_in_range(obj_mem_bytes(fix.domain) - before, BIG + 1000, 2 * BIG);
	obj_mem_put(fix.domain, b);
	obj_mem_put(fix.domain, a);
	assert_int_equal(obj_mem_bytes(fix.domain), before);
}

static void the_kind_is_told(void **state)
{
	const char *name = obj_mem_kind(fix.domain);
	bool builtin = strcmp(name, "built-in") == 0;

	(void)state;
	assert_true(builtin || strncmp(name, "jemalloc", 8) == 0);
	if (kind == OBJ_ALLOC_BUILTIN)
		assert_true(builtin);
}

static void names_use_it_and_give_it_back(void **state)
{
	char name[100];
	size_t before;

	(void)state;
	fix_free(fix_new(0));
	before = obj_mem_bytes(fix.domain);
	memset(name, 'x', sizeof(name));
	for (int i = 0; i < 1000; i++) {
		struct thing *t = fix_new(i);

		assert_int_equal(obj_name_set(t, name, sizeof(name), OBJ_C), OBJ_OK);
		assert_true(obj_mem_bytes(fix.domain) > before);
		fix_free(t);
	}
	/* the records of the last freed objects stay, and nothing else */
	assert_true(obj_mem_bytes(fix.domain) < before + 512 * 1024);
}

static void an_impossible_size_is_refused(void **state)
{
	volatile size_t huge = SIZE_MAX - 100;
	void *none;

	(void)state;
	assert_null(obj_mem_get(fix.domain, huge));
	assert_null(obj_mem_get(fix.domain, SIZE_MAX / 2));
	none = obj_mem_get(fix.domain, 0);
	assert_non_null(none);
	obj_mem_put(fix.domain, none);
}

/* --- arenas --------------------------------------------------------------------------------- */

#define POOL_LEN ((size_t)64 << 20)

struct pool {
	char *base;
	size_t used;
	int grows;
};

static struct pool pool;

static void *mem_grow(void *ctx, size_t len, size_t align)
{
	struct pool *p = ctx;
	size_t at = (p->used + align - 1) & ~(align - 1);

	assert_int_equal(align % 65536, 0);
	p->grows++;
	if (len > POOL_LEN || at > POOL_LEN - len)
		return NULL;
	p->used = at + len;
	return p->base + at;
}

static struct obj_arena *arena(int alloc)
{
	struct obj_arena_opts opts = {
		.size = sizeof(opts), .alloc = alloc, .grow = mem_grow, .ctx = &pool};
	struct obj_arena *a;
	char *p = mmap(
		NULL, 2 * POOL_LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	/* the widest alignment allowed is the pool's own */
	pool = (struct pool){.base = (char *)(((uintptr_t)p + POOL_LEN - 1) & ~(POOL_LEN - 1))};
	a = obj_arena_new(&opts);
	assert_non_null(a);
	return a;
}

static void arena_parts(struct obj_arena *a)
{
	static void *p[PARTS];
	static size_t len[PARTS];
	uint64_t seed = 6;

	memset(p, 0, sizeof(p));
	for (int step = 0; step < 10 * PARTS; step++) {
		int i = (int)(fix_random(&seed) % PARTS);
		size_t align = (size_t)1 << fix_random(&seed) % (step % 10 == 0 ? 17 : 8);

		if (p[i] != NULL) {
			mem_check(p[i], len[i], i);
			obj_arena_put(a, p[i]);
			p[i] = NULL;
			continue;
		}
		len[i] = random_size(&seed) % 4096 + 1;
		p[i] = obj_arena_get(a, len[i], align);
		assert_non_null(p[i]);
		assert_int_equal((uintptr_t)p[i] % align, 0);
		assert_true((char *)p[i] >= pool.base &&
			    (char *)p[i] + len[i] <= pool.base + pool.used);
		mem_fill(p[i], len[i], i);
	}
	for (int i = 0; i < PARTS; i++) {
		if (p[i] != NULL)
			obj_arena_put(a, p[i]);
	}
	assert_int_equal(obj_arena_bytes(a), 0);
}

static void arenas_stay_inside_their_memory(void **state)
{
	static const int kinds[] = {OBJ_ALLOC_BUILTIN, OBJ_ALLOC_JEMALLOC, OBJ_ALLOC_AUTO};

	(void)state;
	for (size_t i = 0; i < countof(kinds); i++) {
		struct obj_arena *a = arena(kinds[i]);

		assert_true(strlen(obj_arena_kind(a)) > 0);
		if (kinds[i] == OBJ_ALLOC_BUILTIN)
			assert_string_equal(obj_arena_kind(a), "built-in");
		arena_parts(a);
		obj_arena_free(a);
	}
}

static void arenas_end_where_their_memory_ends(void **state)
{
	static const int kinds[] = {OBJ_ALLOC_BUILTIN, OBJ_ALLOC_JEMALLOC};

	(void)state;
	for (size_t k = 0; k < countof(kinds); k++) {
		struct obj_arena *a = arena(kinds[k]);
		void *last = NULL, *p;
		int n = 0;

		while (n < 1000000 && (p = obj_arena_get(a, 60000, 16)) != NULL) {
			last = p;
			n++;
		}
		assert_in_range(n, 300, POOL_LEN / 60000);
		assert_true(obj_arena_bytes(a) >= (size_t)n * 60000);
		obj_arena_put(a, last);
		assert_non_null(obj_arena_get(a, 60000, 16));
		obj_arena_free(a);
	}
}

static void arenas_keep_other_memory_alone(void **state)
{
	struct obj_arena *a = arena(OBJ_ALLOC_AUTO);
	void *mine = malloc(100), *p = obj_arena_get(a, 100, 64);

	(void)state;
	assert_non_null(p);
	assert_false((char *)mine >= pool.base && (char *)mine < pool.base + POOL_LEN);
	free(mine);
	obj_arena_free(a);
	assert_non_null(mine = malloc(100000));
	free(mine);
}

#define WITH(f, kind)                                             \
	{                                                         \
#f " " #kind, f, setup_##kind, fix_teardown, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(blocks_do_not_overlap_and_are_aligned, builtin),
		WITH(blocks_do_not_overlap_and_are_aligned, jemalloc),
		WITH(blocks_do_not_overlap_and_are_aligned, auto),
		WITH(bytes_count_what_is_out, builtin),
		WITH(bytes_count_what_is_out, jemalloc),
		WITH(bytes_count_what_is_out, auto),
		WITH(the_kind_is_told, builtin),
		WITH(the_kind_is_told, jemalloc),
		WITH(the_kind_is_told, auto),
		WITH(names_use_it_and_give_it_back, builtin),
		WITH(names_use_it_and_give_it_back, jemalloc),
		WITH(names_use_it_and_give_it_back, auto),
		WITH(an_impossible_size_is_refused, builtin),
		WITH(an_impossible_size_is_refused, jemalloc),
		WITH(an_impossible_size_is_refused, auto),
		WITH(arenas_stay_inside_their_memory, auto),
		WITH(arenas_end_where_their_memory_ends, auto),
		WITH(arenas_keep_other_memory_alone, auto),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
