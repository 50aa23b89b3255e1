// SPDX-License-Identifier: BSD-3-Clause
/* obj_direct.c - direct classes: the handle is an address that a loader may read, and still it is
 * checked. */
#include "tests/unit/obj_fixture.h"

struct icd {
	struct obj obj;
	void *dispatch; /* a loader reads it through the handle */
	int value;
};

static struct obj_class direct;
static int table; /* stands for a dispatch table */

static int direct_construct(void *self, void *arg)
{
	struct icd *o = self;

	o->dispatch = &table;
	o->value = arg != NULL ? *(int *)arg : 0;
	return 0;
}

static int direct_setup(void **state)
{
	struct obj_class_desc desc = {.size = sizeof(desc),
		.name = "icd",
		.obj_size = sizeof(struct icd),
		.flags = OBJ_F_DIRECT,
		.construct = direct_construct};

	fix_setup(state);
	memset(&direct, 0, sizeof(direct));
	assert_int_equal(obj_class_open(&direct, fix.domain, &desc), OBJ_OK);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, direct_setup, fix_teardown)

static struct icd *direct_new(int value)
{
	struct icd *o = obj_new(&direct, &value);

	assert_non_null(o);
	return o;
}

static void H1_a_direct_handle_points_to_the_dispatch_word(void **state)
{
	struct icd *o = direct_new(1);
	obj_h h = obj_handle(o);

	(void)state;
	assert_ptr_equal(h, &o->dispatch);
	assert_ptr_equal(*(void **)h, &table);
	assert_ptr_equal(obj_get(&direct, h), o);
	assert_ptr_equal(obj_acquire(&direct, h), o);
	obj_drop(o);
	assert_int_equal(obj_why(&direct, h, NULL), OBJ_OK);
}

static void H1_direct_objects_have_integers_too(void **state)
{
	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct icd *o = direct_new(i);

		assert_true(obj_int(o) >= 1 << 24);
		assert_ptr_equal(obj_find(&direct, obj_int(o)), o);
		assert_ptr_equal(obj_from_int(&direct, obj_int(o)), obj_handle(o));
	}
}

static void B15_addresses_inside_and_around_a_slot_are_garbage(void **state)
{
	struct icd *o = direct_new(1), *last;
	uint64_t h = fix_bits(obj_handle(o));

	(void)state;
	for (int i = 0; i < 100; i++)
		last = direct_new(i);
	for (int64_t d = -300; d < 300; d++) {
		void *got = obj_get(&direct, fix_handle(h + (uint64_t)d));
		const struct icd *other = got;

		if (d == 0)
			continue;
		if (got != NULL)
			assert_ptr_equal(&other->dispatch, fix_handle(h + (uint64_t)d));
	}
	assert_null(obj_get(&direct, fix_handle(h + 1)));
	assert_null(obj_get(&direct, fix_handle(h - sizeof(struct obj))));
	assert_null(obj_get(&direct, fix_handle(h + ((uint64_t)1 << 40))));
	assert_null(obj_get(&direct, (obj_h)&h));
	assert_null(obj_get(&direct, NULL));
	assert_null(obj_get(&direct, fix_handle(UINT64_MAX)));
	h = fix_bits(obj_handle(last)) + 10 * fix_stats(&direct).stride;
	assert_null(obj_get(&direct, fix_handle(h)));
}

static void B16_a_freed_direct_handle_is_refused(void **state)
{
	struct icd *o = direct_new(1);
	obj_h h = obj_handle(o), again = h;
	int number = obj_int(o);

	(void)state;
	obj_hold(o);
	assert_int_equal(obj_free(&direct, &h), OBJ_OK);
	assert_null(obj_get(&direct, again));
	assert_null(obj_find(&direct, number));
	assert_int_equal(obj_free(&direct, &again), OBJ_STALE);
	obj_drop(o);
	assert_null(obj_get(&direct, again));
	assert_int_equal(obj_why(&direct, again, NULL), OBJ_STALE);
}

static void B16_a_loader_may_still_read_a_freed_handles_memory(void **state)
{
	struct icd *o = direct_new(1);
	volatile struct obj *header = &o->obj;

	(void)state;
	fix_free(o);
	/* never unmapped: reading the header of a dead slot is what obj_get does */
	assert_true(header->token != 0 || header->refs == 0);
}

static void B15_direct_handles_of_another_class_are_wrong_class(void **state)
{
	struct icd *o = direct_new(1);
	struct thing *t = fix_new(2);
	struct obj_diag diag;

	(void)state;
	assert_null(obj_get(&fix.thing, obj_handle(o)));
	assert_null(obj_get(&direct, obj_handle(t)));
	assert_int_equal(obj_why(&direct, obj_handle(t), NULL), OBJ_WRONG_CLASS);
	obj_name_set(o, "named", 5, OBJ_C);
	assert_int_equal(obj_why(&fix.thing, obj_handle(o), &diag), OBJ_WRONG_CLASS);
	assert_string_equal(diag.name, "named");
}

static void H4_retain_and_release_as_a_loader_does(void **state)
{
	struct icd *o = direct_new(5);
	obj_h h = obj_handle(o), first = h, second = h;

	(void)state;
	assert_ptr_equal(obj_share(o), h);
	assert_int_equal(obj_free(&direct, &first), OBJ_OK);
	assert_ptr_equal(obj_get(&direct, h), o);
	assert_ptr_equal(*(void **)h, &table);
	assert_int_equal(obj_free(&direct, &second), OBJ_OK);
	assert_null(obj_get(&direct, h));
}

static void H1_permanent_objects_of_direct_classes_have_numbers(void **state)
{
	static struct icd world;

	(void)state;
	memset(&world, 0, sizeof(world));
	assert_int_equal(obj_permanent(&direct, 7, &world, "world", 0), OBJ_OK);
	assert_ptr_equal(obj_handle(&world), fix_handle(7));
	assert_ptr_equal(obj_get(&direct, fix_handle(7)), &world);
	assert_ptr_equal(obj_find(&direct, 7), &world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(H1_a_direct_handle_points_to_the_dispatch_word),
		TEST(H1_direct_objects_have_integers_too),
		TEST(B15_addresses_inside_and_around_a_slot_are_garbage),
		TEST(B16_a_freed_direct_handle_is_refused),
		TEST(B16_a_loader_may_still_read_a_freed_handles_memory),
		TEST(B15_direct_handles_of_another_class_are_wrong_class),
		TEST(H4_retain_and_release_as_a_loader_does),
		TEST(H1_permanent_objects_of_direct_classes_have_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
