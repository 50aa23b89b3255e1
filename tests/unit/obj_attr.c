// SPDX-License-Identifier: BSD-3-Clause
/* obj_attr.c - attributes: order, languages, and callbacks that fail, re-enter, add and delete.
 *
 * The callbacks write their arguments into `told' and act as `act' says. */
#include "tests/unit/obj_fixture.h"

#define TOLD_MAX 64

struct call {
	int copy; /* or delete */
	obj_h handle;
	int object, key;
	intptr_t in, extra;
};

static struct call told[TOLD_MAX];
static int ntold;
static void (*act)(const struct call *); /* inside a delete callback */
static int refuse_key, refuse_with;      /* callbacks of this key return that */
static int released;                     /* calls of extra_free */
static intptr_t released_extra;

static void attr_tell(struct call c)
{
	if (ntold < TOLD_MAX)
		told[ntold] = c;
	ntold++;
	if (!c.copy && act != NULL)
		act(&c);
}

static int c_copy(obj_h h, int key, void *extra, void *in, void *out, int *flag)
{
	attr_tell((struct call){
		.copy = 1, .handle = h, .key = key, .in = (intptr_t)in, .extra = (intptr_t)extra});
	*(void **)out = (void *)((intptr_t)in + 1000);
	*flag = 1;
	return key == refuse_key ? refuse_with : 0;
}

static int c_del(obj_h h, int key, void *in, void *extra)
{
	attr_tell((struct call){
		.handle = h, .key = key, .in = (intptr_t)in, .extra = (intptr_t)extra});
	return key == refuse_key ? refuse_with : 0;
}

static void f_copy(int *o, int *key, int *extra, int *in, int *out, int *flag, int *rc)
{
	attr_tell((struct call){.copy = 1, .object = *o, .key = *key, .in = *in, .extra = *extra});
	*out = *in + 1000;
	*flag = 1;
	*rc = *key == refuse_key ? refuse_with : 0;
}

static void f_del(int *o, int *key, int *in, int *extra, int *rc)
{
	attr_tell((struct call){.object = *o, .key = *key, .in = *in, .extra = *extra});
	*rc = *key == refuse_key ? refuse_with : 0;
}

static void a_copy(
	int *o, int *key, intptr_t *extra, intptr_t *in, intptr_t *out, int *flag, int *rc)
{
	attr_tell((struct call){.copy = 1, .object = *o, .key = *key, .in = *in, .extra = *extra});
	*out = *in + 1000;
	*flag = 1;
	*rc = *key == refuse_key ? refuse_with : 0;
}

static void a_del(int *o, int *key, intptr_t *in, intptr_t *extra, int *rc)
{
	attr_tell((struct call){.object = *o, .key = *key, .in = *in, .extra = *extra});
	*rc = *key == refuse_key ? refuse_with : 0;
}

static void attr_release(intptr_t extra)
{
	released++;
	released_extra = extra;
}

static int attr_setup(void **state)
{
	ntold = refuse_key = refuse_with = released = 0;
	act = NULL;
	return fix_setup(state);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, attr_setup, fix_teardown)

static int keyval(int lang, void (*copy)(void), void (*del)(void))
{
	struct obj_keyval_desc desc = {.size = sizeof(desc),
		.lang = lang,
		.copy = copy,
		.del = del,
		.extra = 0x1234567,
		.extra_free = attr_release};
	int key = 0;

	assert_int_equal(obj_keyval_new(&fix.thing, &desc, &key), OBJ_OK);
	assert_true(key >= 1 << 24);
	return key;
}

static int c_keyval(void)
{
	return keyval(OBJ_LANG_C, (void (*)(void))c_copy, (void (*)(void))c_del);
}

static void attribute_set(void *self, int key, intptr_t value)
{
	assert_int_equal(obj_attr_set(self, key, OBJ_LANG_C, value), OBJ_OK);
}

/* The value of an attribute, or -1 if there is none. */
static intptr_t attribute_get(void *self, int key)
{
	intptr_t value = -2;
	int found = -1;

	assert_int_equal(obj_attr_get(self, key, OBJ_LANG_C, &value, &found), OBJ_OK);
	assert_in_range(found, 0, 1);
	return found ? value : -1;
}

static void H5_what_was_set_is_read(void **state)
{
	struct thing *t = fix_new(0);
	int key[64];

	(void)state;
	for (int i = 0; i < 64; i++) {
		key[i] = c_keyval();
		assert_int_equal(attribute_get(t, key[i]), -1);
		attribute_set(t, key[i], i);
		for (int j = 0; j <= i; j++)
			assert_int_equal(attribute_get(t, key[j]), j);
	}
	for (int i = 0; i < 64; i += 2)
		assert_int_equal(obj_attr_delete(t, key[i]), OBJ_OK);
	for (int i = 0; i < 64; i++)
		assert_int_equal(attribute_get(t, key[i]), i % 2 ? i : -1);
	assert_int_equal(ntold, 32);
}

static void B1_setting_again_deletes_the_old_value_whatever_the_order_of_keys(void **state)
{
	int low = c_keyval(), high = c_keyval();
	int order[2][3] = {{high, low, low}, {low, high, low}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct thing *t = fix_new(0);

		ntold = 0;
		attribute_set(t, order[i][0], 10);
		attribute_set(t, order[i][1], 11);
		assert_int_equal(ntold, 0);
		attribute_set(t, order[i][2], 12);
		assert_int_equal(ntold, 1);
		assert_int_equal(told[0].key, order[i][2]);
		assert_int_equal(told[0].in, order[i][0] == order[i][2] ? 10 : 11);
		assert_int_equal(attribute_get(t, low), 12);
		assert_int_equal(obj_attr_delete(t, low), OBJ_OK);
		assert_int_equal(attribute_get(t, low), -1);
		assert_int_equal(obj_attr_delete(t, low), OBJ_INVALID);
		assert_int_equal(ntold, 2);
	}
}

static void B5_free_deletes_last_set_first(void **state)
{
	struct thing *t = fix_new(0);
	obj_h h = obj_handle(t);
	int key[5];

	(void)state;
	for (int i = 0; i < 5; i++)
		attribute_set(t, key[i] = c_keyval(), i);
	attribute_set(t, key[1], 100); /* set again: the newest */
	ntold = 0;
	fix_free(t);
	assert_int_equal(ntold, 5);
	assert_int_equal(told[0].key, key[1]);
	assert_int_equal(told[0].in, 100);
	assert_int_equal(told[1].key, key[4]);
	assert_int_equal(told[2].key, key[3]);
	assert_int_equal(told[3].key, key[2]);
	assert_int_equal(told[4].key, key[0]);
	for (int i = 0; i < 5; i++) {
		assert_ptr_equal(told[i].handle, h);
		assert_int_equal(told[i].extra, 0x1234567);
	}
}

static struct thing *subject;
static int keys[8];

static void delete_the_others(const struct call *c)
{
	(void)c;
	for (int i = 0; i < 4; i++) {
		int rc = obj_attr_delete(subject, keys[i]);

		assert_true(rc == OBJ_OK || rc == OBJ_INVALID || rc == OBJ_BUSY);
	}
}

static void B6_a_callback_may_delete_the_other_attributes_during_free(void **state)
{
	int n[4] = {0};

	(void)state;
	subject = fix_new(0);
	for (int i = 0; i < 4; i++)
		attribute_set(subject, keys[i] = c_keyval(), i);
	act = delete_the_others;
	fix_free(subject);
	assert_int_equal(ntold, 4);
	for (int i = 0; i < 4; i++)
		n[told[i].in]++;
	for (int i = 0; i < 4; i++)
		assert_int_equal(n[i], 1);
	assert_int_equal(fix.seen.destroy, 1);
}

static void reenter_self(const struct call *c)
{
	intptr_t v;
	int found = 1;

	assert_int_equal(obj_attr_delete(subject, c->key), OBJ_BUSY);
	assert_int_equal(obj_attr_set(subject, c->key, OBJ_LANG_C, 5), OBJ_BUSY);
	assert_int_equal(obj_attr_get(subject, c->key, OBJ_LANG_C, &v, &found), OBJ_OK);
	assert_int_equal(found, 0);
}

static void B7_a_callback_is_never_called_again_from_inside_itself(void **state)
{
	(void)state;
	subject = fix_new(0);
	keys[0] = c_keyval();
	act = reenter_self;
	attribute_set(subject, keys[0], 1);
	attribute_set(subject, keys[0], 2);
	assert_int_equal(ntold, 1);
	assert_int_equal(obj_attr_delete(subject, keys[0]), OBJ_OK);
	assert_int_equal(ntold, 2);
	attribute_set(subject, keys[0], 3);
	fix_free(subject);
	assert_int_equal(ntold, 3);
}

static void set_another(const struct call *c)
{
	if (c->key == keys[0])
		attribute_set(subject, keys[1], 77);
}

static void B8_an_attribute_set_by_a_callback_of_free_is_deleted_too(void **state)
{
	(void)state;
	subject = fix_new(0);
	keys[0] = c_keyval();
	keys[1] = c_keyval();
	attribute_set(subject, keys[0], 1);
	act = set_another;
	fix_free(subject);
	assert_int_equal(ntold, 2);
	assert_int_equal(told[1].key, keys[1]);
	assert_int_equal(told[1].in, 77);
}

static void B9_a_failing_delete_stops_free_and_keeps_what_was_not_reached(void **state)
{
	int key[3];
	obj_h h;

	(void)state;
	subject = fix_new(0);
	h = obj_handle(subject);
	for (int i = 0; i < 3; i++)
		attribute_set(subject, key[i] = c_keyval(), i);
	refuse_key = key[1];
	refuse_with = 99;
	assert_int_equal(obj_free(&fix.thing, &h), OBJ_CALLBACK);
	assert_int_equal(obj_user_rc(), 99);
	assert_ptr_equal(h, obj_handle(subject));
	assert_ptr_equal(obj_get(&fix.thing, h), subject);
	assert_int_equal(fix.seen.on_free, 0);
	assert_int_equal(attribute_get(subject, key[0]), 0);
	assert_int_equal(attribute_get(subject, key[1]), 1);
	assert_int_equal(attribute_get(subject, key[2]), -1);
	assert_int_equal(ntold, 2);
	refuse_key = 0;
	assert_int_equal(obj_free(&fix.thing, &h), OBJ_OK);
	assert_int_equal(ntold, 4);
}

static void B9_a_failing_delete_keeps_the_value_in_set_and_delete(void **state)
{
	int key = c_keyval();

	(void)state;
	subject = fix_new(0);
	attribute_set(subject, key, 1);
	refuse_key = key;
	refuse_with = -7;
	assert_int_equal(obj_attr_set(subject, key, OBJ_LANG_C, 2), OBJ_CALLBACK);
	assert_int_equal(obj_user_rc(), -7);
	assert_int_equal(attribute_get(subject, key), 1);
	assert_int_equal(obj_attr_delete(subject, key), OBJ_CALLBACK);
	assert_int_equal(attribute_get(subject, key), 1);
	assert_int_equal(obj_attr_delete_all(subject), OBJ_CALLBACK);
	assert_int_equal(attribute_get(subject, key), 1);
	assert_int_equal(ntold, 3);
}

static void B10_a_failing_copy_undoes_the_copies_newest_first(void **state)
{
	struct thing *from = fix_new(0), *to = fix_new(1);
	int key[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		attribute_set(from, key[i] = c_keyval(), i);
	refuse_key = key[2];
	refuse_with = 5;
	assert_int_equal(obj_attr_dup(from, to), OBJ_CALLBACK);
	assert_int_equal(obj_user_rc(), 5);
	assert_int_equal(ntold, 5);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(told[i].copy, 1);
		assert_int_equal(told[i].key, key[i]);
		assert_ptr_equal(told[i].handle, obj_handle(from));
	}
	for (int i = 3; i < 5; i++) {
		assert_int_equal(told[i].copy, 0);
		assert_int_equal(told[i].key, key[4 - i]);
		assert_int_equal(told[i].in, 1000 + 4 - i);
		assert_ptr_equal(told[i].handle, obj_handle(to));
	}
	for (int i = 0; i < 4; i++) {
		assert_int_equal(attribute_get(from, key[i]), i);
		assert_int_equal(attribute_get(to, key[i]), -1);
	}
}

static int refuse_all(obj_h h, int key, void *in, void *extra)
{
	(void)h, (void)key, (void)in, (void)extra;
	return 1234;
}

static void B10_copies_cannot_refuse_to_be_undone(void **state)
{
	struct thing *from = fix_new(0), *to = fix_new(1);
	int stubborn = keyval(OBJ_LANG_C, OBJ_KV_COPY_SAME, (void (*)(void))refuse_all);
	int failing = c_keyval();

	(void)state;
	attribute_set(from, stubborn, 1);
	attribute_set(from, failing, 2);
	refuse_key = failing;
	refuse_with = 5;
	assert_int_equal(obj_attr_dup(from, to), OBJ_CALLBACK);
	assert_int_equal(obj_user_rc(), 5); /* the copy's result, not the undoing's */
	assert_int_equal(attribute_get(to, stubborn), -1);
	assert_int_equal(attribute_get(from, stubborn), 1);
}

static void H5_dup_copies_oldest_first_what_wants_to_be_copied(void **state)
{
	struct thing *from = fix_new(0), *to = fix_new(1);
	int none = keyval(OBJ_LANG_C, OBJ_KV_COPY_NONE, OBJ_KV_DEL_NONE);
	int same = keyval(OBJ_LANG_C, OBJ_KV_COPY_SAME, OBJ_KV_DEL_NONE);
	int call = c_keyval();

	(void)state;
	attribute_set(from, none, 1);
	attribute_set(from, call, 2);
	attribute_set(from, same, 3);
	assert_int_equal(obj_attr_dup(from, to), OBJ_OK);
	assert_int_equal(ntold, 1);
	assert_int_equal(attribute_get(to, none), -1);
	assert_int_equal(attribute_get(to, call), 1002);
	assert_int_equal(attribute_get(to, same), 3);
	assert_int_equal(attribute_get(from, call), 2);
	assert_int_equal(obj_attr_dup(from, from), OBJ_INVALID);
}

static int copy_not(obj_h h, int key, void *extra, void *in, void *out, int *flag)
{
	(void)h, (void)key, (void)extra, (void)in;
	*(void **)out = NULL;
	*flag = 0;
	return 0;
}

static void H5_a_copy_callback_may_decline(void **state)
{
	struct thing *from = fix_new(0), *to = fix_new(1);
	int key = keyval(OBJ_LANG_C, (void (*)(void))copy_not, OBJ_KV_DEL_NONE);

	(void)state;
	attribute_set(from, key, 8);
	assert_int_equal(obj_attr_dup(from, to), OBJ_OK);
	assert_int_equal(attribute_get(to, key), -1);
}

static void B11_a_freed_keyval_is_invalid_but_its_attributes_stay(void **state)
{
	struct thing *t = fix_new(0), *u = fix_new(1);
	int key = c_keyval(), copy = key, stale = key;
	intptr_t value;
	int found;

	(void)state;
	attribute_set(t, key, 3);
	assert_int_equal(obj_keyval_free(&fix.thing, &key), OBJ_OK);
	assert_int_equal(key, 0);
	assert_int_equal(obj_keyval_free(&fix.thing, &copy), OBJ_KEYVAL);
	assert_int_equal(copy, stale);
	assert_int_equal(obj_attr_get(t, stale, OBJ_LANG_C, &value, &found), OBJ_OK);
	assert_true(found == 1 && value == 3);
	assert_int_equal(obj_attr_get(u, stale, OBJ_LANG_C, &value, &found), OBJ_OK);
	assert_int_equal(found, 0);
	assert_int_equal(obj_attr_set(u, stale, OBJ_LANG_C, 4), OBJ_KEYVAL);
	assert_int_equal(obj_attr_delete(u, stale), OBJ_KEYVAL);
	assert_int_equal(released, 0);
	assert_int_equal(obj_attr_dup(t, u), OBJ_OK); /* it still is copied */
	assert_int_equal(ntold, 1);
	fix_free(t);
	assert_int_equal(ntold, 2);
	assert_int_equal(told[1].key, stale);
	assert_int_equal(released, 0);
	assert_int_equal(attribute_get(u, stale), 1003); /* the copy callback adds 1000 */
	fix_free(u);
	assert_int_equal(ntold, 3);
	assert_int_equal(released, 1);
	assert_int_equal(released_extra, 0x1234567);
	t = fix_new(2);
	assert_int_equal(obj_attr_get(t, stale, OBJ_LANG_C, &value, &found), OBJ_KEYVAL);
}

static void B11_the_number_of_a_freed_keyval_still_deletes(void **state)
{
	struct thing *t = fix_new(0);
	int key = c_keyval(), stale = key;

	(void)state;
	attribute_set(t, key, 3);
	assert_int_equal(obj_keyval_free(&fix.thing, &key), OBJ_OK);
	assert_int_equal(obj_attr_delete(t, stale), OBJ_OK);
	assert_int_equal(ntold, 1);
	assert_int_equal(released, 1);
	assert_int_equal(obj_attr_delete(t, stale), OBJ_KEYVAL);
	fix_free(t);
	assert_int_equal(ntold, 1);
}

static void B11_extra_is_released_once_when_no_attribute_was_left(void **state)
{
	int key = c_keyval();
	struct thing *t = fix_new(0);

	(void)state;
	attribute_set(t, key, 1);
	fix_free(t);
	assert_int_equal(released, 0);
	assert_int_equal(obj_keyval_free(&fix.thing, &key), OBJ_OK);
	assert_int_equal(released, 1);
}

static void B12_a_wrong_keyval_is_a_keyval_error(void **state)
{
	struct thing *t = fix_new(0);
	struct obj_keyval_desc desc = {.size = sizeof(desc)};
	uint64_t seed = 11;
	intptr_t value;
	int found, wrong = 0;

	(void)state;
	assert_int_equal(obj_keyval_new(&fix.other, &desc, &wrong), OBJ_OK);
	for (int i = 0; i < 10000; i++) {
		int key = i == 0   ? wrong
			  : i == 1 ? 0
			  : i == 2 ? obj_int(t)
				   : (int)fix_random(&seed);
		int again = key;

		if (i > 2 && key == wrong)
			continue;
		assert_int_equal(obj_attr_set(t, key, OBJ_LANG_C, 1), OBJ_KEYVAL);
		assert_int_equal(obj_attr_get(t, key, OBJ_LANG_C, &value, &found), OBJ_KEYVAL);
		assert_int_equal(obj_attr_delete(t, key), OBJ_KEYVAL);
		assert_int_equal(obj_keyval_free(&fix.thing, &again), OBJ_KEYVAL);
		assert_int_equal(again, key);
	}
	assert_int_equal(obj_keyval_free(&fix.other, &wrong), OBJ_OK);
}

static void B13_delete_callbacks_run_in_the_free_call_even_if_references_remain(void **state)
{
	struct thing *t = fix_new(0);

	(void)state;
	obj_hold(t);
	attribute_set(t, c_keyval(), 1);
	fix_free(t);
	assert_int_equal(ntold, 1);
	assert_int_equal(fix.seen.destroy, 0);
	obj_drop(t);
	assert_int_equal(ntold, 1);
	assert_int_equal(fix.seen.destroy, 1);
}

static void find_self(const struct call *c)
{
	assert_ptr_equal(obj_get(&fix.thing, c->handle), subject);
}

static void B13_the_handle_is_valid_inside_delete_callbacks(void **state)
{
	(void)state;
	subject = fix_new(0);
	attribute_set(subject, c_keyval(), 1);
	act = find_self;
	fix_free(subject);
	assert_int_equal(ntold, 1);
}

static void B19_copy_and_delete_constants_are_the_abi_numbers(void **state)
{
	(void)state;
	assert_int_equal((uintptr_t)OBJ_KV_COPY_NONE, 0);
	assert_int_equal((uintptr_t)OBJ_KV_COPY_SAME, 1);
	assert_int_equal((uintptr_t)OBJ_KV_DEL_NONE, 0);
}

static void B2_callbacks_of_fortran_get_the_objects_integer(void **state)
{
	struct thing *t = fix_new(0), *u = fix_new(1);
	int key[2] = {keyval(OBJ_LANG_FINT, (void (*)(void))f_copy, (void (*)(void))f_del),
		keyval(OBJ_LANG_FADDR, (void (*)(void))a_copy, (void (*)(void))a_del)};

	(void)state;
	for (int i = 0; i < 2; i++) {
		intptr_t value = 0;
		int found = 0, lang = i == 0 ? OBJ_LANG_FINT : OBJ_LANG_FADDR;

		ntold = 0;
		assert_int_equal(obj_attr_set(t, key[i], lang, -5), OBJ_OK);
		assert_int_equal(obj_attr_dup(t, u), OBJ_OK);
		assert_int_equal(obj_attr_get(u, key[i], lang, &value, &found), OBJ_OK);
		assert_int_equal(value, 995);
		assert_int_equal(obj_attr_delete(u, key[i]), OBJ_OK);
		assert_int_equal(obj_attr_delete(t, key[i]), OBJ_OK);
		assert_int_equal(ntold, 3);
		assert_int_equal(told[0].object, obj_int(t));
		assert_int_equal(told[0].in, -5);
		assert_int_equal(told[1].object, obj_int(u));
		assert_int_equal(told[1].in, 995);
		assert_int_equal(told[2].object, obj_int(t));
		assert_int_equal(told[2].extra, 0x1234567);
		assert_int_equal(told[2].key, key[i]);
	}
}

static intptr_t attr_as(void *self, int key, int lang)
{
	intptr_t value = 0;
	int found = 0;

	assert_int_equal(obj_attr_get(self, key, lang, &value, &found), OBJ_OK);
	assert_int_equal(found, 1);
	return value;
}

static void B20_twelve_forms_of_setting_and_reading(void **state)
{
	struct thing *t = fix_new(0);
	int key = keyval(OBJ_LANG_C, OBJ_KV_COPY_NONE, OBJ_KV_DEL_NONE);
	intptr_t big = (intptr_t)0xfedcba9876543210;

	(void)state;
	assert_int_equal(obj_attr_set(t, key, OBJ_LANG_C, big), OBJ_OK);
	assert_int_equal(attr_as(t, key, OBJ_LANG_C), big);
	assert_int_equal((int)attr_as(t, key, OBJ_LANG_FINT), 0x76543210);
	assert_int_equal(attr_as(t, key, OBJ_LANG_FADDR), big);

	assert_int_equal(obj_attr_set(t, key, OBJ_LANG_FINT, -3), OBJ_OK);
	assert_int_equal(*(int *)attr_as(t, key, OBJ_LANG_C), -3);
	assert_int_equal((int)attr_as(t, key, OBJ_LANG_FINT), -3);
	assert_int_equal(attr_as(t, key, OBJ_LANG_FADDR), -3);

	/* an int is an int, whatever came in the upper half of its register */
	assert_int_equal(obj_attr_set(t, key, OBJ_LANG_FINT, 0x1fffffffd), OBJ_OK);
	assert_int_equal(*(int *)attr_as(t, key, OBJ_LANG_C), -3);
	assert_int_equal(attr_as(t, key, OBJ_LANG_FADDR), -3);

	assert_int_equal(obj_attr_set(t, key, OBJ_LANG_FADDR, big), OBJ_OK);
	assert_int_equal(*(intptr_t *)attr_as(t, key, OBJ_LANG_C), big);
	assert_int_equal((int)attr_as(t, key, OBJ_LANG_FINT), 0x76543210);
	assert_int_equal(attr_as(t, key, OBJ_LANG_FADDR), big);
}

static void B20_the_address_of_a_value_stays_good_until_it_is_deleted(void **state)
{
	struct thing *t = fix_new(0);
	int key = keyval(OBJ_LANG_C, OBJ_KV_COPY_NONE, OBJ_KV_DEL_NONE), *at;

	(void)state;
	assert_int_equal(obj_attr_set(t, key, OBJ_LANG_FINT, 42), OBJ_OK);
	at = (int *)attr_as(t, key, OBJ_LANG_C);
	for (int i = 0; i < 200; i++) {
		attribute_set(t, keyval(OBJ_LANG_C, OBJ_KV_COPY_NONE, OBJ_KV_DEL_NONE), i);
		assert_ptr_equal((void *)attr_as(t, key, OBJ_LANG_C), at);
		assert_int_equal(*at, 42);
	}
}

static void H5_attributes_of_permanent_keyvals_are_fixed(void **state)
{
	static struct thing world;
	struct obj_keyval_desc desc = {.size = sizeof(desc), .flags = OBJ_KV_FIXED};
	int key = 501;

	(void)state;
	memset(&world, 0, sizeof(world));
	assert_int_equal(obj_permanent(&fix.thing, 501, &world, "world", 0), OBJ_OK);
	assert_int_equal(obj_keyval_permanent(&fix.thing, 501, &desc), OBJ_OK);
	assert_int_equal(obj_keyval_permanent(&fix.thing, 501, &desc), OBJ_BUSY);
	assert_int_equal(obj_keyval_permanent(&fix.thing, 0, &desc), OBJ_INVALID);
	assert_int_equal(obj_keyval_permanent(&fix.thing, 4096, &desc), OBJ_INVALID);
	assert_int_equal(attribute_get(&world, 501), -1);
	assert_int_equal(obj_attr_fix(&world, 501, OBJ_LANG_FINT, 0x7fffffff), OBJ_OK);
	assert_int_equal(*(int *)attribute_get(&world, 501), 0x7fffffff);
	assert_int_equal(obj_attr_set(&world, 501, OBJ_LANG_C, 1), OBJ_PERMANENT);
	assert_int_equal(obj_attr_delete(&world, 501), OBJ_PERMANENT);
	assert_int_equal(obj_keyval_free(&fix.thing, &key), OBJ_PERMANENT);
	assert_int_equal(key, 501);
	assert_int_equal(*(int *)attribute_get(&world, 501), 0x7fffffff);
}

static void B5_delete_all_serves_permanent_objects(void **state)
{
	static struct thing world;

	(void)state;
	memset(&world, 0, sizeof(world));
	assert_int_equal(obj_permanent(&fix.thing, 1, &world, "world", 0), OBJ_OK);
	subject = &world;
	keys[0] = c_keyval();
	keys[1] = c_keyval();
	attribute_set(&world, keys[0], 1);
	act = set_another;
	assert_int_equal(obj_attr_delete_all(&world), OBJ_OK);
	assert_int_equal(ntold, 2);
	assert_int_equal(told[1].in, 77);
	act = NULL;
	attribute_set(&world, keys[0], 1);
	obj_permanent_end(&world);
	assert_int_equal(ntold, 2);
}

static void H5_next_begins_with_the_oldest(void **state)
{
	struct thing *t = fix_new(0);
	uint64_t at = 0;
	int key, lang, n = 0;
	intptr_t value;

	(void)state;
	assert_int_equal(obj_attr_next(t, &at, &key, &lang, &value), 0);
	for (int i = 0; i < 6; i++)
		attribute_set(t, keys[i] = c_keyval(), i);
	attribute_set(t, keys[0], 6);
	assert_int_equal(obj_attr_delete(t, keys[3]), OBJ_OK);
	at = 0;
	for (int want[] = {1, 2, 4, 5, 6}; obj_attr_next(t, &at, &key, &lang, &value); n++) {
		assert_in_range(n, 0, 4);
		assert_int_equal(value, want[n]);
		assert_int_equal(lang, OBJ_LANG_C);
		assert_int_equal(key, keys[value % 6]);
	}
	assert_int_equal(n, 5);
}

static void free_keyval(const struct call *c)
{
	int key = c->key;

	if (ntold == 1)
		assert_int_equal(obj_keyval_free(&fix.thing, &key), OBJ_OK);
}

static void B11_a_callback_may_free_its_own_keyval(void **state)
{
	(void)state;
	subject = fix_new(0);
	act = free_keyval;
	attribute_set(subject, c_keyval(), 1);
	fix_free(subject);
	assert_int_equal(ntold, 1);
	assert_int_equal(released, 1);
}

static void free_object(const struct call *c)
{
	obj_h h = c->handle;

	assert_int_equal(obj_free(&fix.thing, &h), fix.seen.order);
}

static void B6_a_callback_may_free_the_object(void **state)
{
	int key = c_keyval();

	(void)state;
	subject = fix_new(0);
	attribute_set(subject, key, 1);
	act = free_object;
	fix.seen.order = OBJ_BUSY; /* expected: this is its free */
	fix_free(subject);
	assert_int_equal(ntold, 1);
	assert_int_equal(fix.seen.destroy, 1);
	subject = fix_new(0);
	attribute_set(subject, key, 1);
	fix.seen.order = OBJ_OK; /* expected: it is not freed yet */
	obj_hold(subject);
	assert_int_equal(obj_attr_delete(subject, key), OBJ_OK);
	assert_int_equal(ntold, 2);
	assert_int_equal(fix.seen.destroy, 1);
	obj_drop(subject);
	assert_int_equal(fix.seen.destroy, 2);
}

static int my_copy(struct obj_attr_call *c)
{
	assert_ptr_equal(c->ctx, &keys);
	c->out = c->in * 2;
	c->flag = 1;
	return 0;
}

static int my_del(struct obj_attr_call *c)
{
	attr_tell((struct call){.handle = c->handle,
		.object = c->object,
		.key = c->key,
		.in = c->in,
		.extra = c->extra});
	return 0;
}

static void H5_a_language_of_ones_own(void **state)
{
	struct thing *t = fix_new(0), *u = fix_new(1);
	struct obj_lang_desc desc = {.size = sizeof(desc),
		.name = "lua",
		.form = OBJ_FORM_ADDR,
		.copy = my_copy,
		.del = my_del,
		.ctx = &keys};
	int lang = 0, key;

	(void)state;
	assert_int_equal(obj_lang_add(fix.domain, &desc, &lang), OBJ_OK);
	assert_true(lang >= OBJ_LANG_USER);
	key = keyval(lang, (void (*)(void))c_copy, (void (*)(void))c_del);
	assert_int_equal(obj_attr_set(t, key, lang, 21), OBJ_OK);
	assert_int_equal(obj_attr_dup(t, u), OBJ_OK);
	assert_int_equal(attr_as(u, key, lang), 42);
	assert_int_equal(*(intptr_t *)attr_as(u, key, OBJ_LANG_C), 42);
	fix_free(u);
	assert_int_equal(ntold, 1);
	assert_int_equal(told[0].object, obj_to_int(told[0].handle));
	assert_int_equal(told[0].extra, 0x1234567);
}

static void H5_languages_end_with_an_error(void **state)
{
	struct obj_lang_desc desc = {
		.size = sizeof(desc), .name = "x", .copy = my_copy, .del = my_del};
	struct obj_keyval_desc kv = {.size = sizeof(kv), .lang = OBJ_LANG_MAX + 5};
	int lang, key, n = OBJ_LANG_USER;

	(void)state;
	while (obj_lang_add(fix.domain, &desc, &lang) == OBJ_OK)
		assert_int_equal(lang, n++);
	assert_int_equal(n, OBJ_LANG_MAX);
	assert_int_equal(obj_lang_add(fix.domain, &desc, &lang), OBJ_NOMEM);
	assert_int_equal(obj_keyval_new(&fix.thing, &kv, &key), OBJ_INVALID);
	assert_int_equal(obj_attr_set(fix_new(0), c_keyval(), OBJ_LANG_MAX + 5, 0), OBJ_INVALID);
}

static void long_del(int64_t *o, int64_t *key, int64_t *in, int64_t *extra, int64_t *rc)
{
	attr_tell((struct call){.object = (int)*o,
		.key = (int)*key,
		.in = (intptr_t)*in,
		.extra = (intptr_t)*extra});
	*rc = 0;
}

static void long_copy(int64_t *o, int64_t *key, int64_t *extra, int64_t *in, int64_t *out,
	int64_t *flag, int64_t *rc)
{
	(void)o, (void)key, (void)extra;
	*out = *in - 1;
	*flag = 1;
	*rc = 0;
}

static void H5_a_fortran_with_8_byte_integers_by_signature(void **state)
{
	struct thing *t = fix_new(0), *u = fix_new(1);
	struct obj_lang_desc desc = {.size = sizeof(desc),
		.name = "fortran -i8",
		.form = OBJ_FORM_ADDR,
		.copy_sig = "v(&l=o,&l=k,&l=x,&l=i,&l=v,&l=f,&l=r)",
		.del_sig = "v(&l=o,&l=k,&l=i,&l=x,&l=r)"};
	int lang, key;

	(void)state;
	if (strcmp(obj_closure_kind(), "libffi") != 0)
		skip();
	assert_int_equal(obj_lang_add(fix.domain, &desc, &lang), OBJ_OK);
	key = keyval(lang, (void (*)(void))long_copy, (void (*)(void))long_del);
	assert_int_equal(obj_attr_set(t, key, lang, -9), OBJ_OK);
	assert_int_equal(obj_attr_dup(t, u), OBJ_OK);
	assert_int_equal(attr_as(u, key, lang), -10);
	fix_free(t);
	assert_int_equal(ntold, 1);
	assert_int_equal(told[0].in, -9);
	assert_int_equal(told[0].extra, 0x1234567);
	desc.del_sig = "v(&l=o,";
	assert_int_equal(obj_lang_add(fix.domain, &desc, &lang), OBJ_INVALID);
}

static void H5_keyvals_come_and_go_by_the_hundred_thousand(void **state)
{
	struct thing *t = fix_new(0);

	(void)state;
	for (int i = 0; i < 100 * 1000; i++) {
		int key = keyval(OBJ_LANG_C, OBJ_KV_COPY_NONE, OBJ_KV_DEL_NONE);

		attribute_set(t, key, i);
		assert_int_equal(attribute_get(t, key), i);
		assert_int_equal(obj_attr_delete(t, key), OBJ_OK);
		assert_int_equal(obj_keyval_free(&fix.thing, &key), OBJ_OK);
	}
	assert_int_equal(released, 100 * 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(H5_what_was_set_is_read),
		TEST(B1_setting_again_deletes_the_old_value_whatever_the_order_of_keys),
		TEST(B2_callbacks_of_fortran_get_the_objects_integer),
		TEST(B5_free_deletes_last_set_first),
		TEST(B5_delete_all_serves_permanent_objects),
		TEST(B6_a_callback_may_delete_the_other_attributes_during_free),
		TEST(B6_a_callback_may_free_the_object),
		TEST(B7_a_callback_is_never_called_again_from_inside_itself),
		TEST(B8_an_attribute_set_by_a_callback_of_free_is_deleted_too),
		TEST(B9_a_failing_delete_stops_free_and_keeps_what_was_not_reached),
		TEST(B9_a_failing_delete_keeps_the_value_in_set_and_delete),
		TEST(B10_a_failing_copy_undoes_the_copies_newest_first),
		TEST(B10_copies_cannot_refuse_to_be_undone),
		TEST(H5_dup_copies_oldest_first_what_wants_to_be_copied),
		TEST(H5_a_copy_callback_may_decline),
		TEST(B11_a_freed_keyval_is_invalid_but_its_attributes_stay),
		TEST(B11_the_number_of_a_freed_keyval_still_deletes),
		TEST(B11_extra_is_released_once_when_no_attribute_was_left),
		TEST(B11_a_callback_may_free_its_own_keyval),
		TEST(B12_a_wrong_keyval_is_a_keyval_error),
		TEST(B13_delete_callbacks_run_in_the_free_call_even_if_references_remain),
		TEST(B13_the_handle_is_valid_inside_delete_callbacks),
		TEST(B19_copy_and_delete_constants_are_the_abi_numbers),
		TEST(B20_twelve_forms_of_setting_and_reading),
		TEST(B20_the_address_of_a_value_stays_good_until_it_is_deleted),
		TEST(H5_attributes_of_permanent_keyvals_are_fixed),
		TEST(H5_next_begins_with_the_oldest),
		TEST(H5_a_language_of_ones_own),
		TEST(H5_languages_end_with_an_error),
		TEST(H5_a_fortran_with_8_byte_integers_by_signature),
		TEST(H5_keyvals_come_and_go_by_the_hundred_thousand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
