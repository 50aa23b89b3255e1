// SPDX-License-Identifier: BSD-3-Clause
/* obj_pool.c - where neither libffi nor jemalloc can be loaded: closures from the pool, memory of
 * libobj's own.
 *
 * This program's dlopen stands before the C library's, and refuses those two. */
#include "tests/unit/obj_fixture.h"

#include <dlfcn.h>

void *dlopen(const char *file, int flags)
{
	void *(*real)(const char *, int);

	if (file != NULL && (strstr(file, "ffi") != NULL || strstr(file, "jemalloc") != NULL))
		return NULL;
	*(void **)&real = dlsym(RTLD_NEXT, "dlopen");
	return real != NULL ? real(file, flags) : NULL;
}

static void pool_sum(void *state, void *ret, void **args)
{
	int64_t a, b;

	memcpy(&a, args[0], sizeof(a));
	memcpy(&b, args[5], sizeof(b));
	*(int64_t *)ret = a + b + *(int *)state;
}

typedef int64_t six(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);

static void the_pool_is_what_there_is(void **state)
{
	(void)state;
	assert_string_equal(obj_closure_kind(), "pool");
}

static void thunks_carry_state_through_six_arguments(void **state)
{
	struct thing *t = fix_new(0);
	int one = 1, two = 2;
	void (*f)(void) = NULL, (*g)(void) = NULL;

	(void)state;
	assert_int_equal(obj_closure_new(t, "l(l,l,l,l,l,l)", pool_sum, &one, &f), OBJ_OK);
	assert_int_equal(obj_closure_new(t, "l(l,l,l,l,l,l)", pool_sum, &two, &g), OBJ_OK);
	assert_int_equal(((six *)f)(1LL << 40, 0, 0, 0, 0, -3), (1LL << 40) - 2);
	assert_int_equal(((six *)g)(10, 0, 0, 0, 0, 20), 32);
}

static void narrow(void *state, void *ret, void **args)
{
	int8_t b;
	int16_t s;
	int i, *r;

	(void)state;
	memcpy(&b, args[0], sizeof(b));
	memcpy(&s, args[1], sizeof(s));
	memcpy(&i, args[2], sizeof(i));
	memcpy(&r, args[3], sizeof(r));
	*r = b + s + i;
	*(int64_t *)ret = -1;
}

static void narrow_arguments_keep_their_sign(void **state)
{
	void (*f)(void) = NULL;
	int got = 0;

	(void)state;
	assert_int_equal(obj_closure_new(fix_new(0), "i(b,s,i,p)", narrow, NULL, &f), OBJ_OK);
	assert_int_equal(((int (*)(int8_t, int16_t, int, int *))f)(-1, -200, -70000, &got), -1);
	assert_int_equal(got, -70201);
}

static void there_are_so_many_and_they_come_back_with_their_owner(void **state)
{
	void (*f[OBJ_POOL_MAX + 1])(void);
	struct thing *t = fix_new(0), *u = fix_new(1);
	int zero = 0;

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < OBJ_POOL_MAX; i++)
			assert_int_equal(obj_closure_new(i % 2 ? t : u, "l(l,l,l,l,l,l)", pool_sum,
						 &zero, &f[i]),
				OBJ_OK);
		assert_int_equal(
			obj_closure_new(t, "l(l,l,l,l,l,l)", pool_sum, &zero, &f[OBJ_POOL_MAX]),
			OBJ_NOMEM);
		for (int i = 0; i < OBJ_POOL_MAX; i++)
			assert_int_equal(((six *)f[i])(i, 0, 0, 0, 0, i), 2 * i);
		fix_free(t);
		fix_free(u);
		t = fix_new(0);
		u = fix_new(1);
	}
}

static void what_thunks_cannot_do_is_refused(void **state)
{
	struct obj_lang_desc lang = {.size = sizeof(lang),
		.name = "x",
		.form = OBJ_FORM_ADDR,
		.copy_sig = "v(&l=o,&l=k,&l=x,&l=i,&l=v,&l=f,&l=r)",
		.del_sig = "v(&l=o,&l=k,&l=i,&l=x,&l=r)"};
	struct thing *t = fix_new(0);
	void (*f)(void) = NULL;
	void *args[8] = {NULL};
	int64_t ret;
	int n;

	(void)state;
	assert_int_equal(obj_closure_new(t, "i(d)", pool_sum, NULL, &f), OBJ_NOMEM);
	assert_int_equal(obj_closure_new(t, "f(i)", pool_sum, NULL, &f), OBJ_NOMEM);
	assert_int_equal(obj_closure_new(t, "i(i,i,i,i,i,i,i)", pool_sum, NULL, &f), OBJ_NOMEM);
	assert_int_equal(obj_closure_new(t, "i(q)", pool_sum, NULL, &f), OBJ_INVALID);
	assert_int_equal(obj_call("v()", (void (*)(void))abort, &ret, args), OBJ_NOMEM);
	assert_int_equal(obj_lang_add(fix.domain, &lang, &n), OBJ_NOMEM);
}

static int setup_jemalloc(void **state)
{
	(void)state;
	fix_open((struct obj_domain_opts){.alloc = OBJ_ALLOC_JEMALLOC});
	return 0;
}

static void without_jemalloc_there_is_the_built_in_allocator(void **state)
{
	void *p = obj_mem_get(fix.domain, 100000);

	(void)state;
	assert_non_null(p);
	assert_string_equal(obj_mem_kind(fix.domain), "built-in");
	obj_mem_put(fix.domain, p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIX_TEST(the_pool_is_what_there_is),
		FIX_TEST(thunks_carry_state_through_six_arguments),
		FIX_TEST(narrow_arguments_keep_their_sign),
		FIX_TEST(there_are_so_many_and_they_come_back_with_their_owner),
		FIX_TEST(what_thunks_cannot_do_is_refused),
		cmocka_unit_test_setup_teardown(without_jemalloc_there_is_the_built_in_allocator,
			setup_jemalloc, fix_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
