// SPDX-License-Identifier: BSD-3-Clause
/* obj_ref.c - the two counts: the user's handles and all other references; when what runs,
 * and how often. */
#include "tests/unit/obj_fixture.h"

static void H3_free_ends_the_handle_at_once_and_destroys_later(void **state)
{
	struct thing *t = fix_new(5);
	obj_h h = obj_handle(t);

	(void)state;
	obj_hold(t);
	fix_free(t);
	assert_null(obj_get(&fix.thing, h));
	assert_int_equal(obj_why(&fix.thing, h, NULL), OBJ_STALE);
	assert_int_equal(fix.seen.on_free, 1);
	assert_int_equal(fix.seen.destroy, 0);
	assert_int_equal(t->value, 5);
	assert_int_equal(fix_stats(&fix.thing).pending, 1);
	obj_drop(t);
	assert_int_equal(fix.seen.destroy, 1);
	assert_int_equal(fix.seen.on_free, 1);
	assert_int_equal(fix_stats(&fix.thing).pending, 0);
}

static void H3_the_handle_of_a_pending_object_is_never_valid(void **state)
{
	struct thing *t = fix_new(5);

	(void)state;
	obj_hold(t);
	fix_free(t);
	assert_null(obj_get(&fix.thing, obj_handle(t)));
	assert_null(obj_find(&fix.thing, obj_int(t)));
	assert_null(obj_acquire(&fix.thing, obj_handle(t)));
	obj_drop(t);
}

static void H3_both_counts_are_told(void **state)
{
	struct thing *t = fix_new(0);
	uint32_t user, internal;

	(void)state;
	obj_refs(t, &user, &internal);
	assert_int_equal(user, 1);
	assert_int_equal(internal, 0);
	obj_hold(t);
	obj_hold(t);
	assert_ptr_equal(obj_share(t), obj_handle(t));
	obj_refs(t, &user, &internal);
	assert_int_equal(user, 2);
	assert_int_equal(internal, 2);
	obj_drop(t);
	obj_drop(t);
	obj_refs(t, &user, &internal);
	assert_int_equal(user, 2);
	assert_int_equal(internal, 0);
	assert_int_equal(fix.seen.destroy, 0);
}

static void H3_a_shared_handle_dies_with_the_last_goodbye(void **state)
{
	struct thing *t = fix_new(0);
	obj_h one = obj_handle(t), two = obj_share(t);

	(void)state;
	assert_int_equal(obj_free(&fix.thing, &one), OBJ_OK);
	assert_null(one);
	assert_ptr_equal(obj_get(&fix.thing, two), t);
	assert_int_equal(fix.seen.on_free, 0);
	assert_int_equal(fix.seen.destroy, 0);
	assert_int_equal(obj_free(&fix.thing, &two), OBJ_OK);
	assert_int_equal(fix.seen.on_free, 1);
	assert_int_equal(fix.seen.destroy, 1);
}

static void H3_free_by_object_is_the_same(void **state)
{
	struct thing *t = fix_new(0);
	obj_h h = obj_handle(t);

	(void)state;
	assert_int_equal(obj_free_obj(t), OBJ_OK);
	assert_null(obj_get(&fix.thing, h));
	assert_int_equal(fix.seen.on_free, 1);
	assert_int_equal(fix.seen.destroy, 1);
}

static void B18_an_object_inside_another_lives_as_long(void **state)
{
	struct thing *outer = fix_new(1), *inner = fix_new(2);
	obj_h h = obj_handle(inner);

	(void)state;
	obj_hold(inner);
	outer->child = inner;
	fix_free(inner);
	assert_null(obj_get(&fix.thing, h));
	assert_int_equal(fix.seen.destroy, 0);
	assert_int_equal(inner->value, 2);
	fix_free(outer);
	assert_int_equal(fix.seen.destroy, 2);
	assert_int_equal(fix.seen.order, 2); /* outer's destroy dropped inner */
}

static void H3_a_chain_of_a_million_is_destroyed_without_a_deep_stack(void **state)
{
	enum { N = 1000 * 1000 };
	struct thing *last = NULL;

	(void)state;
	for (int i = 0; i < N; i++) {
		struct thing *t = fix_new(i);

		t->child = last;
		if (last != NULL) {
			obj_hold(last);
			fix_free(last);
		}
		last = t;
	}
	fix_free(last);
	assert_int_equal(fix.seen.destroy, N);
	assert_int_equal(fix_stats(&fix.thing).live + fix_stats(&fix.thing).pending, 0);
}

static void lookup_self(void *self)
{
	assert_ptr_equal(obj_get(&fix.thing, obj_handle(self)), self);
}

static void lookup_nobody(void *self)
{
	assert_null(obj_get(&fix.thing, obj_handle(self)));
	assert_null(obj_find(&fix.thing, obj_int(self)));
}

static void H3_on_free_sees_a_valid_handle_and_destroy_a_dead_one(void **state)
{
	(void)state;
	fix.in_free = lookup_self;
	fix.in_destroy = lookup_nobody;
	fix_free(fix_new(1));
	assert_int_equal(fix.seen.on_free, 1);
	assert_int_equal(fix.seen.destroy, 1);
}

static void free_self(void *self)
{
	obj_h h = obj_handle(self);

	assert_int_equal(obj_free(&fix.thing, &h), OBJ_BUSY);
	assert_ptr_equal(h, obj_handle(self));
	assert_int_equal(obj_free_obj(self), OBJ_BUSY);
}

static void H3_a_free_inside_its_own_free_is_busy(void **state)
{
	(void)state;
	fix.in_free = free_self;
	fix_free(fix_new(1));
	assert_int_equal(fix.seen.on_free, 1);
	assert_int_equal(fix.seen.destroy, 1);
}

static void share_self(void *self)
{
	obj_share(self);
}

static void H3_a_handle_shared_in_on_free_keeps_the_object(void **state)
{
	struct thing *t = fix_new(1);
	obj_h h = obj_handle(t), again = h;

	(void)state;
	fix.in_free = share_self;
	assert_int_equal(obj_free(&fix.thing, &h), OBJ_OK);
	assert_ptr_equal(obj_get(&fix.thing, again), t);
	assert_int_equal(fix.seen.destroy, 0);
	fix.in_free = NULL;
	assert_int_equal(obj_free(&fix.thing, &again), OBJ_OK);
	assert_int_equal(fix.seen.on_free, 2);
	assert_int_equal(fix.seen.destroy, 1);
}

static void hold_and_drop_self(void *self)
{
	obj_hold(self);
	obj_drop(self);
}

static void H3_hold_and_drop_inside_on_free_are_harmless(void **state)
{
	(void)state;
	fix.in_free = hold_and_drop_self;
	fix_free(fix_new(1));
	assert_int_equal(fix.seen.destroy, 1);
}

static struct thing *victim;

static void drop_victim(void *self)
{
	if (victim == NULL || self == victim)
		return;
	obj_drop(victim);
	assert_int_equal(fix.seen.destroy, 0); /* not inside a callback */
	victim = NULL;
}

static void H3_nothing_is_destroyed_inside_a_callback(void **state)
{
	(void)state;
	victim = fix_new(9);
	obj_hold(victim);
	fix_free(victim);
	fix.in_free = drop_victim;
	fix_free(fix_new(1));
	assert_null(victim);
	assert_int_equal(fix.seen.destroy, 2);
}

static void H3_defer_holds_destruction_back_until_the_outermost_end(void **state)
{
	(void)state;
	obj_defer_begin();
	obj_defer_begin();
	fix_free(fix_new(1));
	assert_int_equal(fix.seen.on_free, 1);
	obj_defer_end();
	assert_int_equal(fix.seen.destroy, 0);
	fix_free(fix_new(2));
	assert_int_equal(fix.seen.destroy, 0);
	obj_defer_end();
	assert_int_equal(fix.seen.destroy, 2);
}

static void H3_nothing_is_destroyed_under_a_lock(void **state)
{
	struct obj_lock lock = OBJ_LOCK_INIT(1, "mine");

	(void)state;
	obj_domain_threads(fix.domain, 1);
	obj_lock(&lock);
	fix_free(fix_new(1));
	assert_int_equal(fix.seen.destroy, 0);
	obj_unlock(&lock);
	assert_int_equal(fix.seen.destroy, 1);
}

static void H3_later_classes_are_destroyed_by_reap_only(void **state)
{
	struct obj_class later = {0};
	struct obj_class_desc desc = fix_thing;
	obj_h h;

	(void)state;
	desc.flags = OBJ_F_LATER;
	assert_int_equal(obj_class_open(&later, fix.domain, &desc), OBJ_OK);
	for (int i = 0; i < 3; i++) {
		struct thing *t = obj_new(&later, &i);

		h = obj_handle(t);
		fix_free(t);
		assert_null(obj_get(&later, h));
	}
	assert_int_equal(fix.seen.on_free, 3);
	assert_int_equal(fix.seen.destroy, 0);
	assert_int_equal(obj_reap(fix.domain), 3);
	assert_int_equal(fix.seen.destroy, 3);
	assert_int_equal(obj_reap(fix.domain), 0);
	obj_class_close(&later);
}

static void H4_acquire_holds_a_live_object_and_nothing_else(void **state)
{
	struct thing *t = fix_new(1);
	obj_h h = obj_handle(t);
	uint32_t user, internal;

	(void)state;
	assert_ptr_equal(obj_acquire(&fix.thing, h), t);
	obj_refs(t, &user, &internal);
	assert_int_equal(internal, 1);
	assert_null(obj_acquire(&fix.other, h));
	fix_free(t);
	assert_null(obj_acquire(&fix.thing, h));
	assert_int_equal(fix.seen.destroy, 0);
	obj_drop(t);
	assert_int_equal(fix.seen.destroy, 1);
	assert_null(obj_acquire(&fix.thing, NULL));
	assert_null(obj_acquire(&fix.thing, fix_handle(0xdeadbeefcafe)));
}

static void H4_references_to_permanent_objects_are_not_counted(void **state)
{
	static struct thing world;

	(void)state;
	memset(&world, 0, sizeof(world));
	assert_int_equal(obj_permanent(&fix.thing, 2, &world, "world", 1), OBJ_OK);
	for (int i = 0; i < 100; i++)
		obj_drop(&world);
	obj_hold(&world);
	assert_ptr_equal(obj_acquire(&fix.thing, fix_handle(2)), &world);
	assert_ptr_equal(obj_share(&world), fix_handle(2));
	assert_ptr_equal(obj_get(&fix.thing, fix_handle(2)), &world);
	assert_int_equal(fix.seen.destroy, 0);
}

static void H4_a_count_that_is_full_stays_and_the_object_with_it(void **state)
{
	struct thing *t = fix_new(7);

	(void)state;
	t->obj.refs += OBJ_REFS_SATURATED - 10; /* as if held so often */
	for (int i = 0; i < 20; i++)
		obj_hold(t);
	obj_drop(t);
	fix_free(t);
	for (int i = 0; i < 1000; i++)
		obj_drop(t);
	assert_int_equal(fix.seen.destroy, 0);
	assert_int_equal(t->value, 7);
}

static void construct_says_no_and_the_object_is_undone(void **state)
{
	int value = 3;
	struct obj_class_stats before = fix_stats(&fix.thing);

	(void)state;
	fix.say_no = -42;
	for (int i = 0; i < 10; i++)
		assert_null(obj_new(&fix.thing, &value));
	assert_int_equal(obj_user_rc(), -42);
	assert_int_equal(fix.seen.construct, 10);
	assert_int_equal(fix.seen.destroy + fix.seen.on_free, 0);
	assert_int_equal(fix_stats(&fix.thing).live, before.live);
	assert_int_equal(fix_stats(&fix.thing).pending, before.pending);
	fix.say_no = 0;
	assert_non_null(obj_new(&fix.thing, &value));
}

static void new_in_callback(void *self)
{
	(void)self;
	if (fix.seen.construct < 4)
		fix_free(fix_new(fix.seen.construct));
}

static void H3_callbacks_may_make_and_free_objects(void **state)
{
	(void)state;
	fix.in_free = new_in_callback;
	fix.in_destroy = new_in_callback;
	fix_free(fix_new(0));
	assert_int_equal(fix.seen.construct, 4);
	assert_int_equal(fix.seen.destroy, 4);
	assert_int_equal(fix.seen.on_free, 4);
}

static void H3_close_destroys_nothing_and_counts(void **state)
{
	(void)state;
	fix_new(1);
	obj_hold(fix_new(2));
	assert_int_equal(obj_domain_close(fix.domain, -1, OBJ_FMT_TEXT), 2);
	assert_int_equal(fix.seen.destroy + fix.seen.on_free, 0);
	assert_int_equal(obj_domain_open(&fix.domain, NULL), OBJ_OK);
}

static void H3_a_closed_domain_knows_no_handle(void **state)
{
	obj_h h = obj_handle(fix_new(1));
	struct obj_class *c = &fix.thing;

	(void)state;
	obj_domain_close(fix.domain, -1, OBJ_FMT_TEXT);
	assert_null(obj_get(c, h));
	assert_null(obj_get(c, fix_handle(3)));
	assert_int_equal(obj_domain_open(&fix.domain, NULL), OBJ_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIX_TEST(H3_free_ends_the_handle_at_once_and_destroys_later),
		FIX_TEST(H3_the_handle_of_a_pending_object_is_never_valid),
		FIX_TEST(H3_both_counts_are_told),
		FIX_TEST(H3_a_shared_handle_dies_with_the_last_goodbye),
		FIX_TEST(H3_free_by_object_is_the_same),
		FIX_TEST(B18_an_object_inside_another_lives_as_long),
		FIX_TEST(H3_a_chain_of_a_million_is_destroyed_without_a_deep_stack),
		FIX_TEST(H3_on_free_sees_a_valid_handle_and_destroy_a_dead_one),
		FIX_TEST(H3_a_free_inside_its_own_free_is_busy),
		FIX_TEST(H3_a_handle_shared_in_on_free_keeps_the_object),
		FIX_TEST(H3_hold_and_drop_inside_on_free_are_harmless),
		FIX_TEST(H3_nothing_is_destroyed_inside_a_callback),
		FIX_TEST(H3_defer_holds_destruction_back_until_the_outermost_end),
		FIX_TEST(H3_nothing_is_destroyed_under_a_lock),
		FIX_TEST(H3_later_classes_are_destroyed_by_reap_only),
		FIX_TEST(H4_acquire_holds_a_live_object_and_nothing_else),
		FIX_TEST(H4_references_to_permanent_objects_are_not_counted),
		FIX_TEST(H4_a_count_that_is_full_stays_and_the_object_with_it),
		FIX_TEST(construct_says_no_and_the_object_is_undone),
		FIX_TEST(H3_callbacks_may_make_and_free_objects),
		FIX_TEST(H3_close_destroys_nothing_and_counts),
		FIX_TEST(H3_a_closed_domain_knows_no_handle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
