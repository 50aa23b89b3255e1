// SPDX-License-Identifier: BSD-3-Clause
/* obj_call.c - closures and calls by signature: through libffi where it loads, from the pool where
 * it does not. */
#include "tests/unit/obj_fixture.h"

struct sum {
	int calls;
	int64_t last[8];
	int nlast;
};

static bool have_ffi(void)
{
	return strcmp(obj_closure_kind(), "libffi") == 0;
}

static void sum_body(void *state, void *ret, void **args)
{
	struct sum *s = state;
	int a, b;

	memcpy(&a, args[0], sizeof(a));
	memcpy(&b, args[1], sizeof(b));
	s->calls++;
	*(int64_t *)ret = a + b;
}

static void closures_carry_state(void **state)
{
	struct thing *t = fix_new(0), *u = fix_new(0);
	struct sum one = {0}, two = {0};
	void (*f)(void) = NULL, (*g)(void) = NULL;

	(void)state;
	assert_int_equal(obj_closure_new(t, "i(i,i)", sum_body, &one, &f), OBJ_OK);
	assert_int_equal(obj_closure_new(u, "i(i,i)", sum_body, &two, &g), OBJ_OK);
	assert_ptr_not_equal(f, g);
	assert_int_equal(((int (*)(int, int))f)(2, 3), 5);
	assert_int_equal(((int (*)(int, int))f)(-2, -3), -5);
	assert_int_equal(((int (*)(int, int))g)(20, 30), 50);
	assert_int_equal(one.calls, 2);
	assert_int_equal(two.calls, 1);
}

static void pointers_body(void *state, void *ret, void **args)
{
	struct sum *s = state;

	(void)ret;
	for (int i = 0; i < 4; i++)
		memcpy(&s->last[i], args[i], sizeof(void *));
	s->calls++;
}

static void a_reduction_operator_without_state_argument(void **state)
{
	struct thing *t = fix_new(0);
	struct sum s = {0};
	void (*f)(void) = NULL;
	char a, b;
	int len = 3, type = 9;

	(void)state;
	assert_int_equal(obj_closure_new(t, "v(p,p,p,p)", pointers_body, &s, &f), OBJ_OK);
	((void (*)(void *, void *, int *, int *))f)(&a, &b, &len, &type);
	assert_int_equal(s.calls, 1);
	assert_int_equal(s.last[0], (intptr_t)&a);
	assert_int_equal(s.last[1], (intptr_t)&b);
	assert_int_equal(s.last[2], (intptr_t)&len);
	assert_int_equal(s.last[3], (intptr_t)&type);
}

static void mixed_body(void *state, void *ret, void **args)
{
	struct sum *s = state;
	double d;
	int64_t l;
	float f;

	memcpy(&d, args[0], sizeof(d));
	memcpy(&l, args[1], sizeof(l));
	memcpy(&f, args[2], sizeof(f));
	s->calls++;
	d = d + (double)l + (double)f;
	memcpy(ret, &d, sizeof(d));
}

static void floating_point_needs_libffi(void **state)
{
	struct sum s = {0};
	void (*f)(void) = NULL;

	(void)state;
	if (!have_ffi())
		skip();
	assert_int_equal(obj_closure_new(fix_new(0), "d(d,l,f)", mixed_body, &s, &f), OBJ_OK);
	assert_true(((double (*)(double, int64_t, float))f)(1.5, 20, 0.25F) == 21.75);
}

static void closures_die_with_their_owner(void **state)
{
	(void)state;
	for (int i = 0; i < 100 * 1000; i++) {
		struct thing *t = fix_new(i);
		struct sum s = {0};
		void (*f)(void) = NULL;

		assert_int_equal(obj_closure_new(t, "i(i,i)", sum_body, &s, &f), OBJ_OK);
		if (i % 1000 == 0)
			assert_int_equal(((int (*)(int, int))f)(i, 1), i + 1);
		fix_free(t);
	}
}

static void many_closures_live_together_or_end_with_nomem(void **state)
{
	enum { N = 10000 };
	static void (*f[N])(void);
	struct thing *t = fix_new(0);
	struct sum s = {0};
	int n = 0;

	(void)state;
	while (n < N && obj_closure_new(t, "i(i,i)", sum_body, &s, &f[n]) == OBJ_OK)
		n++;
	assert_true(n == N || (!have_ffi() && n == OBJ_POOL_MAX));
	for (int i = 0; i < n; i++)
		assert_int_equal(((int (*)(int, int))f[i])(i, i), 2 * i);
	fix_free(t);
	assert_int_equal(obj_closure_new(fix_new(0), "i(i,i)", sum_body, &s, f), OBJ_OK);
}

static void bad_signatures_are_invalid(void **state)
{
	static const char *const bad[] = {"", "i", "i(", "i(i", "q(i)", "i(q)", "i(i,)", "i(,i)",
		"&i(i)", "i (i)", "i(i, i)", "i(i)x", "i(v)", "(i)", "i(&)", "i(&&i)"};
	struct thing *t = fix_new(0);
	struct sum s = {0};
	void (*f)(void) = NULL;
	void *args[8] = {0};
	int64_t ret;

	(void)state;
	for (size_t i = 0; i < countof(bad); i++) {
		if (obj_closure_new(t, bad[i], sum_body, &s, &f) != OBJ_INVALID ||
			obj_call(bad[i], (void (*)(void))abort, &ret, args) != OBJ_INVALID)
			fail_msg("signature \"%s\" is not refused", bad[i]);
	}
}

static int64_t callee(int8_t b, int16_t s, int i, int64_t l, void *p, double d, float f)
{
	return b + s + i + l + (p != NULL) + (int64_t)(d + (double)f);
}

static void calls_by_signature(void **state)
{
	int8_t b = -1;
	int16_t s = -2;
	int i = -3;
	int64_t l = 1LL << 40, ret = 0;
	void *p = &l;
	double d = 2.5;
	float f = 1.5F;
	void *args[] = {&b, &s, &i, &l, &p, &d, &f};
	int rc = obj_call("l(b,s,i,l,p,d,f)", (void (*)(void))callee, &ret, args);

	(void)state;
	if (!have_ffi()) {
		assert_int_equal(rc, OBJ_NOMEM);
		skip();
	}
	assert_int_equal(rc, OBJ_OK);
	assert_int_equal(ret, (1LL << 40) - 6 + 1 + 4);
}

static void by_reference(int *a, int64_t *b, int *rc)
{
	*rc = *a + (int)*b;
}

static void calls_by_reference(void **state)
{
	int a = 5, rc = 0;
	int64_t b = 6, ret = 0;
	void *args[] = {&a, &b, &rc};

	(void)state;
	if (!have_ffi())
		skip();
	assert_int_equal(obj_call("v(&i,&l,&i)", (void (*)(void))by_reference, &ret, args), OBJ_OK);
	assert_int_equal(rc, 11);
}

static void call_none(void)
{
	fix.seen.order = 17;
}

static void no_arguments_at_all(void **state)
{
	int64_t ret;

	(void)state;
	if (!have_ffi())
		skip();
	assert_int_equal(obj_call("v()", call_none, &ret, NULL), OBJ_OK);
	assert_int_equal(fix.seen.order, 17);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIX_TEST(closures_carry_state),
		FIX_TEST(a_reduction_operator_without_state_argument),
		FIX_TEST(floating_point_needs_libffi),
		FIX_TEST(closures_die_with_their_owner),
		FIX_TEST(many_closures_live_together_or_end_with_nomem),
		FIX_TEST(bad_signatures_are_invalid),
		FIX_TEST(calls_by_signature),
		FIX_TEST(calls_by_reference),
		FIX_TEST(no_arguments_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
