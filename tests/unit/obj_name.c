// SPDX-License-Identifier: BSD-3-Clause
/* obj_name.c - names in C and in Fortran: cutting, padding, length. */
#include "tests/unit/obj_fixture.h"

static void name_name(void *self, const char *s)
{
	assert_int_equal(obj_name_set(self, s, strlen(s), OBJ_C), OBJ_OK);
}

static const char *name_named(const void *self)
{
	static char buf[OBJ_NAME_MAX];
	int len = -1;

	obj_name_get(self, buf, sizeof(buf), OBJ_C, &len);
	assert_int_equal(len, strlen(buf));
	return buf;
}

static void H6_an_object_has_no_name_at_first(void **state)
{
	(void)state;
	assert_string_equal(name_named(fix_new(1)), "");
}

static void H6_a_name_in_c_is_kept_as_it_is(void **state)
{
	struct thing *t = fix_new(1);

	(void)state;
	name_name(t, "  blanks on both sides  ");
	assert_string_equal(name_named(t), "  blanks on both sides  ");
	name_name(t, "x");
	assert_string_equal(name_named(t), "x");
	name_name(t, "a name that is longer than sixteen bytes");
	assert_string_equal(name_named(t), "a name that is longer than sixteen bytes");
	name_name(t, "");
	assert_string_equal(name_named(t), "");
}

static void H6_a_name_in_c_ends_at_nul_or_n(void **state)
{
	struct thing *t = fix_new(1);

	(void)state;
	assert_int_equal(obj_name_set(t, "abcdef", 3, OBJ_C), OBJ_OK);
	assert_string_equal(name_named(t), "abc");
	assert_int_equal(obj_name_set(t, "ab\0cdef", 7, OBJ_C), OBJ_OK);
	assert_string_equal(name_named(t), "ab");
}

static void B3_leading_blanks_of_fortran_count_and_trailing_ones_do_not(void **state)
{
	struct thing *t = fix_new(1);
	char buf[30];
	int len = -1;

	(void)state;
	assert_int_equal(obj_name_set(t, "  lead and trail   ", 19, OBJ_FORTRAN), OBJ_OK);
	assert_string_equal(name_named(t), "  lead and trail");
	memset(buf, '#', sizeof(buf));
	obj_name_get(t, buf, 20, OBJ_FORTRAN, &len);
	assert_int_equal(len, 16);
	assert_memory_equal(buf, "  lead and trail    ##########", 30);
}

static void B3_a_name_of_blanks_is_no_name_in_fortran(void **state)
{
	struct thing *t = fix_new(1);

	(void)state;
	name_name(t, "before");
	assert_int_equal(obj_name_set(t, "      ", 6, OBJ_FORTRAN), OBJ_OK);
	assert_string_equal(name_named(t), "");
}

static void H6_fortran_reads_what_fits(void **state)
{
	struct thing *t = fix_new(1);
	char buf[8];
	int len = -1;

	(void)state;
	name_name(t, "abcdefgh");
	memset(buf, '#', sizeof(buf));
	obj_name_get(t, buf, 5, OBJ_FORTRAN, &len);
	assert_int_equal(len, 5);
	assert_memory_equal(buf, "abcde###", 8);
	memset(buf, '#', sizeof(buf));
	obj_name_get(t, buf, 5, OBJ_C, &len);
	assert_int_equal(len, 4);
	assert_memory_equal(buf, "abcd\0###", 8);
}

static void H6_long_names_are_cut_at_the_classs_limit(void **state)
{
	char s[300], buf[400];
	int len = -1;
	struct thing *t = fix_new(1);

	(void)state;
	memset(s, 'n', sizeof(s));
	assert_int_equal(obj_name_set(t, s, sizeof(s), OBJ_C), OBJ_OK);
	obj_name_get(t, buf, sizeof(buf), OBJ_C, &len);
	assert_int_equal(len, 127);
	assert_int_equal(strlen(buf), 127);
	assert_int_equal(obj_name_set(t, s, sizeof(s), OBJ_FORTRAN), OBJ_OK);
	obj_name_get(t, buf, sizeof(buf), OBJ_C, &len);
	assert_int_equal(len, 127);
}

static void H6_a_class_may_allow_longer_names(void **state)
{
	struct obj_class c = {0};
	struct obj_class_desc desc = fix_other;
	char *s = malloc(OBJ_NAME_MAX + 10), *buf = malloc(OBJ_NAME_MAX + 10);
	int len;
	void *o;

	(void)state;
	desc.name_max = OBJ_NAME_MAX;
	assert_int_equal(obj_class_open(&c, fix.domain, &desc), OBJ_OK);
	o = obj_new(&c, NULL);
	memset(s, 'n', OBJ_NAME_MAX + 10);
	assert_int_equal(obj_name_set(o, s, OBJ_NAME_MAX + 10, OBJ_C), OBJ_OK);
	obj_name_get(o, buf, OBJ_NAME_MAX + 10, OBJ_C, &len);
	assert_int_equal(len, OBJ_NAME_MAX - 1);
	obj_class_close(&c);
	free(s);
	free(buf);
}

static void B4_names_do_not_go_with_a_copy_of_the_attributes(void **state)
{
	struct thing *from = fix_new(1), *to = fix_new(2);

	(void)state;
	name_name(from, "original");
	assert_int_equal(obj_attr_dup(from, to), OBJ_OK);
	assert_string_equal(name_named(to), "");
}

static void H6_a_new_object_in_an_old_slot_has_no_name(void **state)
{
	(void)state;
	for (int i = 0; i < 3 * OBJ_QUARANTINE; i++) {
		struct thing *t = fix_new(i);

		assert_string_equal(name_named(t), "");
		name_name(t, "a name that takes some memory of its own");
		fix_free(t);
	}
}

static void B21_permanent_objects_have_default_names_and_can_be_renamed(void **state)
{
	static struct thing world;

	(void)state;
	memset(&world, 0, sizeof(world));
	assert_int_equal(obj_permanent(&fix.thing, 257, &world, "MPI_COMM_WORLD", 0), OBJ_OK);
	assert_string_equal(name_named(&world), "MPI_COMM_WORLD");
	name_name(&world, "everybody");
	assert_string_equal(name_named(&world), "everybody");
	name_name(&world, "");
	assert_string_equal(name_named(&world), "");
	obj_permanent_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIX_TEST(H6_an_object_has_no_name_at_first),
		FIX_TEST(H6_a_name_in_c_is_kept_as_it_is),
		FIX_TEST(H6_a_name_in_c_ends_at_nul_or_n),
		FIX_TEST(B3_leading_blanks_of_fortran_count_and_trailing_ones_do_not),
		FIX_TEST(B3_a_name_of_blanks_is_no_name_in_fortran),
		FIX_TEST(H6_fortran_reads_what_fits),
		FIX_TEST(H6_long_names_are_cut_at_the_classs_limit),
		FIX_TEST(H6_a_class_may_allow_longer_names),
		FIX_TEST(B4_names_do_not_go_with_a_copy_of_the_attributes),
		FIX_TEST(H6_a_new_object_in_an_old_slot_has_no_name),
		FIX_TEST(B21_permanent_objects_have_default_names_and_can_be_renamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
