// SPDX-License-Identifier: BSD-3-Clause
/* obj_errh.c - the error-handler slot, and the report hook: a handle's error, in words.
 */
#include "tests/unit/obj_fixture.h"

static void H7_the_slot_holds_its_object(void **state)
{
	struct thing *t = fix_new(0), *handler = fix_new(1);
	void *got;

	(void)state;
	assert_null(obj_errh_get(t));
	assert_int_equal(obj_errh_set(t, handler), OBJ_OK);
	fix_free(handler); /* its user says goodbye; t needs it still */
	assert_int_equal(fix.seen.destroy, 0);
	got = obj_errh_get(t);
	assert_ptr_equal(got, handler);
	assert_int_equal(obj_errh_set(t, NULL), OBJ_OK);
	assert_int_equal(fix.seen.destroy, 0); /* `got' is ours */
	obj_drop(got);
	assert_int_equal(fix.seen.destroy, 1);
	assert_null(obj_errh_get(t));
}

static void H7_setting_again_drops_the_one_before(void **state)
{
	struct thing *t = fix_new(0), *a = fix_new(1), *b = fix_new(2);

	(void)state;
	assert_int_equal(obj_errh_set(t, a), OBJ_OK);
	fix_free(a);
	assert_int_equal(obj_errh_set(t, b), OBJ_OK);
	assert_int_equal(fix.seen.destroy, 1);
	assert_int_equal(fix.seen.order, 1);
	assert_int_equal(obj_errh_set(t, b), OBJ_OK); /* the same: neither lost nor counted twice */
	fix_free(b);
	assert_int_equal(fix.seen.destroy, 1);
	fix_free(t);
	assert_int_equal(fix.seen.destroy, 3);
}

static void H7_permanent_handlers_and_objects_work_too(void **state)
{
	static struct thing world, fatal;
	struct thing *handler = fix_new(1);

	(void)state;
	memset(&world, 0, sizeof(world));
	memset(&fatal, 0, sizeof(fatal));
	assert_int_equal(obj_permanent(&fix.thing, 1, &world, "world", 0), OBJ_OK);
	assert_int_equal(obj_permanent(&fix.thing, 2, &fatal, "fatal", 1), OBJ_OK);
	assert_int_equal(obj_errh_set(&world, &fatal), OBJ_OK);
	assert_ptr_equal(obj_errh_get(&world), &fatal);
	obj_drop(&fatal);
	assert_int_equal(obj_errh_set(&world, handler), OBJ_OK);
	fix_free(handler);
	obj_permanent_end(&world);
	assert_int_equal(fix.seen.destroy, 1);
}

/* Does the text contain the word? */
static void errh_says(const char *word)
{
	if (strstr(fix.diag.text, word) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", fix.diag.text, word);
}

static void H7_a_stale_report_names_object_creation_and_free(void **state)
{
	struct thing *t;
	obj_h h, again;
	uintptr_t created, freed;

	(void)state;
	created = OBJ_HERE;
	t = obj_new_at(&fix.thing, NULL, created);
	h = again = obj_handle(t);
	assert_int_equal(obj_name_set(t, "solver", 6, OBJ_C), OBJ_OK);
	freed = OBJ_HERE;
	obj_site_set(freed);
	assert_int_equal(obj_free(&fix.thing, &h), OBJ_OK);
	obj_site_set(0);
	assert_int_equal(obj_free(&fix.thing, &again), OBJ_STALE);
	assert_int_equal(fix.seen.report, 1);
	assert_int_equal(fix.diag.why, OBJ_STALE);
	assert_int_equal(fix.diag.handle, fix_bits(again));
	assert_string_equal(fix.diag.cls, "thing");
	assert_string_equal(fix.diag.name, "solver");
	assert_int_equal(fix.diag.created, created);
	assert_int_equal(fix.diag.freed, freed);
	errh_says("thing");
	errh_says("solver");
	errh_says("obj_errh.c");
	assert_null(strchr(fix.diag.text, '\n'));
}

static void H7_a_wrong_class_report_names_both(void **state)
{
	obj_h h = obj_handle(obj_new(&fix.other, NULL));

	(void)state;
	assert_int_equal(obj_free(&fix.thing, &h), OBJ_WRONG_CLASS);
	assert_int_equal(fix.diag.why, OBJ_WRONG_CLASS);
	errh_says("thing");
	errh_says("other");
}

static void H7_garbage_and_null_are_reported_as_such(void **state)
{
	obj_h h = fix_handle(0x1234567890abcdef);

	(void)state;
	assert_int_equal(obj_free(&fix.thing, &h), OBJ_GARBAGE);
	assert_int_equal(fix.diag.why, OBJ_GARBAGE);
	assert_int_equal(fix.diag.handle, 0x1234567890abcdef);
	h = NULL;
	assert_int_equal(obj_free(&fix.thing, &h), OBJ_NULL);
	assert_int_equal(fix.diag.why, OBJ_NULL);
	assert_int_equal(fix.seen.report, 2);
}

static void H7_why_tells_what_the_hook_tells_without_the_hook(void **state)
{
	struct thing *t = fix_new(1);
	obj_h h = obj_handle(t);
	int number = obj_int(t);

	(void)state;
	assert_int_equal(obj_why(&fix.thing, h, &fix.diag), OBJ_OK);
	fix_free(t);
	assert_int_equal(obj_why(&fix.thing, h, &fix.diag), OBJ_STALE);
	assert_int_equal(obj_why(&fix.thing, obj_from_int(&fix.thing, number), NULL), OBJ_STALE);
	assert_int_equal(fix.seen.report, 0);
}

static void H7_no_hook_is_allowed(void **state)
{
	obj_h h = NULL;

	(void)state;
	obj_on_error(fix.domain, NULL, NULL);
	assert_int_equal(obj_free(&fix.thing, &h), OBJ_NULL);
	obj_on_error(fix.domain, fix_report, NULL);
	assert_int_equal(obj_free(&fix.thing, &h), OBJ_NULL);
	assert_int_equal(fix.seen.report, 1);
}

static void hook_frees(void *ctx, const struct obj_diag *diag)
{
	obj_h *h = ctx;

	(void)diag;
	assert_int_equal(obj_locks_held(), 0);
	assert_int_equal(obj_free(&fix.thing, h), OBJ_OK);
}

static void H7_the_hook_may_call_libobj(void **state)
{
	obj_h h = obj_handle(fix_new(1)), none = NULL;

	(void)state;
	obj_on_error(fix.domain, hook_frees, &h);
	assert_int_equal(obj_free(&fix.thing, &none), OBJ_NULL);
	assert_null(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIX_TEST(H7_the_slot_holds_its_object),
		FIX_TEST(H7_setting_again_drops_the_one_before),
		FIX_TEST(H7_permanent_handlers_and_objects_work_too),
		FIX_TEST(H7_a_stale_report_names_object_creation_and_free),
		FIX_TEST(H7_a_wrong_class_report_names_both),
		FIX_TEST(H7_garbage_and_null_are_reported_as_such),
		FIX_TEST(H7_why_tells_what_the_hook_tells_without_the_hook),
		FIX_TEST(H7_no_hook_is_allowed),
		FIX_TEST(H7_the_hook_may_call_libobj),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
