// SPDX-License-Identifier: BSD-3-Clause
/* obj_garbage.c - anything may be given where a handle is wanted: it is refused, by name, and
 * nothing is touched.
 *
 * Values are drawn from several bags: any 64 bits, addresses, near misses of live handles (one bit,
 * the next index, the next generation, another class), old handles, integers.  A live handle is
 * known, so every answer can be checked. */
#include "tests/unit/obj_fixture.h"

#define LIVE  512
#define DRAWS (1000 * 1000)

static struct thing *live[LIVE];
static obj_h dead[LIVE], foreign[LIVE];
static struct obj_class direct;
static obj_h addresses[LIVE];

static int garbage_setup(void **state)
{
	struct obj_class_desc desc = fix_thing;

	fix_setup(state);
	memset(&direct, 0, sizeof(direct));
	desc.name = "direct";
	desc.flags = OBJ_F_DIRECT;
	assert_int_equal(obj_class_open(&direct, fix.domain, &desc), OBJ_OK);
	for (int i = 0; i < LIVE; i++) {
		struct thing *t = fix_new(-1);

		dead[i] = obj_handle(t);
		live[i] = fix_new(i);
		foreign[i] = obj_handle(obj_new(&fix.other, NULL));
		addresses[i] = obj_handle(obj_new(&direct, NULL));
		fix_free(t);
	}
	/* half of the dead ones' slots are in use again */
	for (int i = 0; i < OBJ_QUARANTINE; i++)
		fix_free(fix_new(-1));
	for (int i = 0; i < LIVE / 2; i++)
		fix_new(-2);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, garbage_setup, fix_teardown)

static uint64_t garbage_draw(uint64_t *seed)
{
	uint64_t r = fix_random(seed), k = r % LIVE;
	uint64_t h = fix_bits(obj_handle(live[k]));

	switch ((r >> 40) % 12) {
	case 0: return fix_random(seed);
	case 1: return fix_random(seed) & 0x7fffffffffff; /* like an address */
	case 2: return h ^ 1ULL << (r >> 50) % 64;        /* one bit */
	case 3: return h + ((r >> 50) % 64);              /* the next indices */
	case 4: return h + ((uint64_t)1 << 24);           /* the next generation */
	case 5: return h ^ (1 + ((r >> 50) % 15)) << 48;  /* another class */
	case 6: return fix_bits(dead[k]);
	case 7: return fix_bits(foreign[k]);
	case 8: return (r >> 20) % OBJ_PERMANENT_MAX;
	case 9: return fix_bits((obj_h)live[k]);                   /* the object itself */
	case 10: return (h & 0x7fffffff) | fix_random(seed) << 32; /* half right */
	default: return fix_bits(addresses[k]) + (r >> 50) % 128;
	}
}

/* Is it the handle of a live thing?  Known without the table's help: -1 values are of no interest
 * to us. */
static bool is_live(uint64_t h)
{
	for (int i = 0; i < LIVE; i++) {
		if (fix_bits(obj_handle(live[i])) == h)
			return true;
	}
	return false;
}

static void B15_a_million_random_values_are_refused(void **state)
{
	uint64_t seed = 42;
	long accepted = 0;

	(void)state;
	for (int i = 0; i < DRAWS; i++) {
		uint64_t h = garbage_draw(&seed);
		struct thing *t = obj_get(&fix.thing, fix_handle(h));

		if (t == NULL)
			continue;
		/* the few that are live by chance are right to the bit */
		if (fix_bits(obj_handle(t)) != h || (t->value != -2 && !is_live(h)))
			fail_msg("%#lx is accepted", (unsigned long)h);
		accepted++;
	}
	assert_true(accepted < DRAWS / 10);
}

static void B15_why_names_them_all(void **state)
{
	uint64_t seed = 43;
	struct obj_diag diag;
	int draws = FIX_SLOW ? DRAWS / 20 : DRAWS;

	(void)state;
	for (int i = 0; i < draws; i++) {
		obj_h h = fix_handle(garbage_draw(&seed));
		int why = obj_why(&fix.thing, h, i % 16 ? NULL : &diag);

		if (fix_bits(h) == (fix_bits(h) & 0x7fffffff) &&
			obj_find(&fix.thing, obj_to_int(h)))
			continue; /* an INTEGER form: obj_why understands it */
		if ((why == OBJ_OK) != (obj_get(&fix.thing, h) != NULL))
			fail_msg("%p: why says %s", h, obj_error_text(why));
		if (h == NULL)
			assert_int_equal(why, OBJ_NULL);
		else if (why != OBJ_OK && why != OBJ_STALE && why != OBJ_WRONG_CLASS)
			assert_int_equal(why, OBJ_GARBAGE);
		if (i % 16 == 0) {
			assert_int_equal(diag.why, why);
			assert_in_range(
				strlen(diag.text), why == OBJ_OK ? 0 : 1, sizeof(diag.text) - 1);
		}
	}
	for (int i = 0; i < LIVE; i++) {
		assert_int_equal(obj_why(&fix.thing, dead[i], NULL), OBJ_STALE);
		assert_int_equal(obj_why(&fix.thing, foreign[i], NULL), OBJ_WRONG_CLASS);
		assert_int_equal(obj_why(&fix.other, dead[i], NULL), OBJ_WRONG_CLASS);
	}
}

static void B15_every_integer_form_is_refused_or_right(void **state)
{
	uint64_t seed = 44;

	(void)state;
	for (int i = 0; i < DRAWS; i++) {
		int n = (int)(i % 2 ? garbage_draw(&seed) : fix_random(&seed));
		struct thing *t = obj_find(&fix.thing, n);
		obj_h h = obj_from_int(&fix.thing, n);

		if (t != NULL && obj_int(t) != n)
			fail_msg("%#x is accepted", (unsigned)n);
		if (obj_get(&fix.thing, h) != t)
			fail_msg("%#x: obj_find and obj_from_int do not agree", (unsigned)n);
		if (t == NULL)
			assert_int_equal(fix_bits(h), (uint32_t)n);
	}
	for (int i = 0; i < LIVE; i++) {
		uint64_t n = (uint64_t)obj_to_int(dead[i]);
		int why = obj_why(&fix.thing, fix_handle(n), NULL);

		/* without the token's class: it may be a number of a live object of another one */
		assert_null(obj_find(&fix.thing, (int)n));
		assert_true(why == OBJ_STALE || why == OBJ_WRONG_CLASS);
	}
}

static void B15_garbage_can_neither_be_freed_nor_acquired(void **state)
{
	uint64_t seed = 45;
	int draws = FIX_SLOW ? DRAWS / 50 : DRAWS / 5;

	(void)state;
	for (int i = 0; i < draws; i++) {
		obj_h h = fix_handle(garbage_draw(&seed)), was = h;
		int rc;

		if (obj_get(&fix.thing, h) != NULL)
			continue;
		assert_null(obj_acquire(&fix.thing, h));
		rc = obj_free(&fix.thing, &h);
		assert_int_not_equal(rc, OBJ_OK);
		assert_ptr_equal(h, was);
		assert_int_equal(fix.diag.why, rc);
	}
	for (int i = 0; i < LIVE; i++)
		assert_int_equal(live[i]->value, i);
}

static void B15_direct_classes_refuse_garbage_too(void **state)
{
	uint64_t seed = 46;

	(void)state;
	for (int i = 0; i < DRAWS; i++) {
		obj_h h = fix_handle(garbage_draw(&seed));
		struct thing *t = obj_get(&direct, h);

		if (t != NULL && obj_handle(t) != h)
			fail_msg("%p is accepted", h);
		t = obj_find(&direct, (int)fix_bits(h));
		if (t != NULL && obj_int(t) != (int)fix_bits(h))
			fail_msg("%#x is accepted", (unsigned)fix_bits(h));
	}
	assert_non_null(obj_get(&direct, addresses[LIVE / 2]));
}

static void B12_garbage_keyvals_are_keyval_errors(void **state)
{
	uint64_t seed = 47;
	intptr_t value;
	int found;

	(void)state;
	for (int i = 0; i < DRAWS; i++) {
		int key = (int)garbage_draw(&seed);

		if (obj_attr_get(live[0], key, OBJ_LANG_C, &value, &found) != OBJ_KEYVAL)
			fail_msg("keyval %#x is accepted", (unsigned)key);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(B15_a_million_random_values_are_refused),
		TEST(B15_why_names_them_all),
		TEST(B15_every_integer_form_is_refused_or_right),
		TEST(B15_garbage_can_neither_be_freed_nor_acquired),
		TEST(B15_direct_classes_refuse_garbage_too),
		TEST(B12_garbage_keyvals_are_keyval_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
