// SPDX-License-Identifier: BSD-3-Clause
/* obj_dump.c - what libobj tells about all objects: leak reports in text and JSON, statistics,
 * iteration. */
#include "tests/unit/obj_fixture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* The text written to the file, as a string to be freed; closes it. */
static char *text_of(int fd)
{
	off_t len = lseek(fd, 0, SEEK_END);
	char *s = calloc(1, (size_t)len + 1);

	assert_non_null(s);
	assert_int_equal(pread(fd, s, (size_t)len, 0), len);
	close(fd);
	return s;
}

static char *report(int fmt, long expected)
{
	int fd = memfd_create("leaks", 0);

	assert_true(fd >= 0);
	assert_int_equal(obj_leaks(fix.domain, fmt, fd), expected);
	return text_of(fd);
}

static void dump_says(const char *text, const char *word)
{
	if (strstr(text, word) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", text, word);
}

/* A tiny JSON reader: does the text consist of one value?  Returns where it ends, or NULL. */
static const char *json_value(const char *s, int depth);

static const char *json_blank(const char *s)
{
	while (*s == ' ' || *s == '\n' || *s == '\t' || *s == '\r')
		s++;
	return s;
}

static const char *dump_string(const char *s)
{
	for (s++; *s != '"'; s++) {
		if ((unsigned char)*s < 0x20)
			return NULL;
		if (*s == '\\' && *++s == 0)
			return NULL;
	}
	return s + 1;
}

static const char *json_many(const char *s, char end, int depth)
{
	s = json_blank(s + 1);
	if (*s == end)
		return s + 1;
	for (;;) {
		if (end == '}') {
			if (*s != '"' || (s = dump_string(s)) == NULL)
				return NULL;
			s = json_blank(s);
			if (*s++ != ':')
				return NULL;
		}
		s = json_value(s, depth + 1);
		if (s == NULL)
			return NULL;
		s = json_blank(s);
		if (*s == end)
			return s + 1;
		if (*s != ',')
			return NULL;
		s = json_blank(s + 1);
	}
}

static const char *json_value(const char *s, int depth)
{
	char *end;

	s = json_blank(s);
	if (depth > 20)
		return NULL;
	if (*s == '{')
		return json_many(s, '}', depth);
	if (*s == '[')
		return json_many(s, ']', depth);
	if (*s == '"')
		return dump_string(s);
	if (strncmp(s, "true", 4) == 0 || strncmp(s, "null", 4) == 0)
		return s + 4;
	if (strncmp(s, "false", 5) == 0)
		return s + 5;
	strtod(s, &end);
	return end != s ? end : NULL;
}

static void is_json(const char *s)
{
	const char *end = json_value(s, 0);

	if (end == NULL || *json_blank(end) != 0)
		fail_msg("not JSON: %s", s);
}

static void leave_some(void)
{
	for (int i = 0; i < 3; i++)
		obj_new_at(&fix.thing, &i, OBJ_HERE);
	assert_int_equal(obj_name_set(obj_new_at(&fix.other, NULL, OBJ_HERE), "forgotten \"one\"\n",
				 16, OBJ_C),
		OBJ_OK);
}

static void H8_an_empty_domain_leaks_nothing(void **state)
{
	char *s = report(OBJ_FMT_TEXT, 0);

	(void)state;
	free(s);
	s = report(OBJ_FMT_JSON, 0);
	is_json(s);
	free(s);
}

static void B23_a_text_report_names_class_site_name_and_words(void **state)
{
	char *s, number[20];
	struct thing *t;

	(void)state;
	leave_some();
	t = fix_new(1234567);
	s = report(OBJ_FMT_TEXT, 5);
	dump_says(s, "thing");
	dump_says(s, "other");
	dump_says(s, "forgotten");
	dump_says(s, "obj_dump.c");
	dump_says(s, "value 1234567");
	snprintf(number, sizeof(number), "%x", (unsigned)obj_int(t));
	free(s);
	fix_free(t);
	s = report(OBJ_FMT_TEXT, 4);
	assert_null(strstr(s, "1234567"));
	free(s);
}

static void B23_a_json_report_is_json_and_says_the_same(void **state)
{
	char *s;

	(void)state;
	leave_some();
	fix_new(1234567);
	s = report(OBJ_FMT_JSON, 5);
	is_json(s);
	dump_says(s, "\"thing\"");
	dump_says(s, "\"other\"");
	dump_says(s, "forgotten \\\"one\\\"");
	dump_says(s, "obj_dump.c");
	dump_says(s, "value 1234567");
	free(s);
}

static void B23_pending_objects_are_leaks_too(void **state)
{
	struct thing *t = fix_new(1);
	char *s;

	(void)state;
	obj_hold(t);
	fix_free(t);
	s = report(OBJ_FMT_TEXT, 1);
	dump_says(s, "thing");
	free(s);
	obj_drop(t);
	free(report(OBJ_FMT_TEXT, 0));
}

static struct obj_class curious;

static int look_around(void *self, void *arg)
{
	struct obj_class_stats s = {.size = sizeof(s)};

	(void)self, (void)arg;
	free(report(OBJ_FMT_TEXT, 1)); /* the one before us, of another class */
	free(report(OBJ_FMT_JSON, 1));
	obj_stats(&curious, &s);
	assert_int_equal(s.live, 0);
	assert_int_equal(s.pending, 0);
	return 3;
}

static void H8_an_object_under_construction_is_not_there_yet(void **state)
{
	struct obj_class_desc desc = fix_thing;

	(void)state;
	memset(&curious, 0, sizeof(curious));
	desc.construct = look_around;
	assert_int_equal(obj_class_open(&curious, fix.domain, &desc), OBJ_OK);
	fix_new(1);
	assert_null(obj_new(&curious, NULL));
	assert_int_equal(obj_user_rc(), 3);
	obj_class_close(&curious);
}

static void B23_keyvals_are_leaks_too(void **state)
{
	struct obj_keyval_desc desc = {.size = sizeof(desc)};
	int key;
	char *s;

	(void)state;
	assert_int_equal(obj_keyval_new(&fix.thing, &desc, &key), OBJ_OK);
	s = report(OBJ_FMT_TEXT, 1);
	dump_says(s, "keyval");
	free(s);
	assert_int_equal(obj_keyval_free(&fix.thing, &key), OBJ_OK);
	free(report(OBJ_FMT_TEXT, 0));
}

static void B23_permanent_objects_are_no_leaks(void **state)
{
	static struct thing world;

	(void)state;
	memset(&world, 0, sizeof(world));
	assert_int_equal(obj_permanent(&fix.thing, 3, &world, "world", 0), OBJ_OK);
	free(report(OBJ_FMT_TEXT, 0));
}

static void B23_closing_the_domain_reports(void **state)
{
	int fd = memfd_create("leaks", 0);
	char *s;

	(void)state;
	leave_some();
	assert_int_equal(obj_domain_close(fix.domain, fd, OBJ_FMT_TEXT), 4);
	s = text_of(fd);
	dump_says(s, "forgotten");
	dump_says(s, "fix"); /* the domain's name */
	free(s);
	assert_int_equal(obj_domain_open(&fix.domain, NULL), OBJ_OK);
}

static void H8_a_site_is_the_callers_address_if_nobody_says_more(void **state)
{
	struct thing *t;
	char buf[300], *s;
	int n;

	(void)state;
	t = obj_new(&fix.thing, NULL);
	assert_true(obj_site_text(t->obj.site, buf, sizeof(buf)) > 0);
	s = report(OBJ_FMT_TEXT, 1);
	dump_says(s, "obj_dump"); /* the program's name */
	free(s);
	n = obj_site_text(OBJ_HERE, buf, sizeof(buf));
	assert_int_equal(n, strlen(buf));
	assert_non_null(strstr(buf, "obj_dump.c:"));
	assert_non_null(strstr(buf, __func__));
	assert_int_equal(obj_site_text(OBJ_HERE, buf, 5), n);
	assert_int_equal(strlen(buf), 4);
}

static int setup_trace(void **state)
{
	(void)state;
	fix_open((struct obj_domain_opts){.trace = 8});
	return 0;
}

static void H8_a_backtrace_goes_with_each_object_if_wanted(void **state)
{
	char *s;

	(void)state;
	leave_some();
	s = report(OBJ_FMT_TEXT, 4);
	dump_says(s, "obj_dump");
	free(s);
	s = report(OBJ_FMT_JSON, 4);
	is_json(s);
	free(s);
}

static void H9_statistics_count(void **state)
{
	static struct thing world;
	struct obj_class_stats s;
	struct thing *t[100];

	(void)state;
	s = fix_stats(&fix.thing);
	assert_int_equal(s.live + s.pending + s.permanent + s.created + s.slots + s.retired, 0);
	for (int i = 0; i < 100; i++)
		t[i] = fix_new(i);
	for (int i = 0; i < 10; i++) {
		obj_hold(t[i]);
		fix_free(t[i]);
	}
	for (int i = 10; i < 30; i++)
		fix_free(t[i]);
	memset(&world, 0, sizeof(world));
	assert_int_equal(obj_permanent(&fix.thing, 3, &world, "world", 0), OBJ_OK);
	s = fix_stats(&fix.thing);
	assert_int_equal(s.live, 70);
	assert_int_equal(s.pending, 10);
	assert_int_equal(s.permanent, 1);
	assert_int_equal(s.created, 100);
	assert_in_range(s.slots, 100, 200);
	assert_int_equal(s.retired, 0);
	assert_true(s.capacity >= 1000000);
	assert_int_equal(s.stride % 64, 0);
	assert_true(s.stride >= sizeof(struct thing));
	for (int i = 0; i < 10; i++)
		obj_drop(t[i]);
	assert_int_equal(fix_stats(&fix.thing).pending, 0);
}

static void H9_a_bare_object_takes_64_bytes(void **state)
{
	struct obj_class bare = {0};
	struct obj_class_desc desc = {
		.size = sizeof(desc), .name = "bare", .obj_size = sizeof(struct obj)};

	(void)state;
	assert_true(sizeof(struct obj) <= 40);
	assert_int_equal(obj_class_open(&bare, fix.domain, &desc), OBJ_OK);
	assert_non_null(obj_new(&bare, NULL));
	assert_int_equal(fix_stats(&bare).stride, 64);
	obj_class_close(&bare);
}

static int sum_values(void *self, void *ctx)
{
	*(long *)ctx += ((struct thing *)self)->value;
	return 0;
}

static int stop_at_7(void *self, void *ctx)
{
	(*(long *)ctx)++;
	return ((struct thing *)self)->value == 7 ? 777 : 0;
}

static int free_each(void *self, void *ctx)
{
	uint32_t user, internal;

	obj_refs(self, &user, &internal);
	assert_int_equal(internal, 1); /* held meanwhile */
	(*(long *)ctx)++;
	fix_free(self);
	assert_int_equal(fix.seen.destroy, (int)*(long *)ctx - 1);
	return 0;
}

static int new_each(void *self, void *ctx)
{
	(void)self;
	if (++*(long *)ctx < 1000)
		fix_new(0);
	return 0;
}

static void H9_foreach_visits_every_live_object(void **state)
{
	long sum = 0, n = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct thing *t = fix_new(i);

		if (i % 3 == 0)
			fix_free(t);
	}
	assert_int_equal(obj_foreach(&fix.thing, sum_values, &sum), 0);
	assert_int_equal(sum, 1000 * 999 / 2 - 3 * 333 * 334 / 2);
	assert_int_equal(obj_foreach(&fix.thing, stop_at_7, &n), 777);
	assert_in_range(n, 1, 666);
	assert_int_equal(obj_foreach(&fix.other, sum_values, &sum), 0);
}

static void H9_objects_may_be_freed_and_made_inside_foreach(void **state)
{
	long n = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		fix_new(i);
	assert_int_equal(obj_foreach(&fix.thing, new_each, &n), 0);
	assert_true(n >= 100);
	fix.seen.destroy = 0;
	n = 0;
	assert_int_equal(obj_foreach(&fix.thing, free_each, &n), 0);
	assert_int_equal(fix_stats(&fix.thing).live, 0);
	assert_int_equal(fix.seen.destroy, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIX_TEST(H8_an_empty_domain_leaks_nothing),
		FIX_TEST(B23_a_text_report_names_class_site_name_and_words),
		FIX_TEST(B23_a_json_report_is_json_and_says_the_same),
		FIX_TEST(B23_pending_objects_are_leaks_too),
		FIX_TEST(H8_an_object_under_construction_is_not_there_yet),
		FIX_TEST(B23_keyvals_are_leaks_too),
		FIX_TEST(B23_permanent_objects_are_no_leaks),
		FIX_TEST(B23_closing_the_domain_reports),
		FIX_TEST(H8_a_site_is_the_callers_address_if_nobody_says_more),
		cmocka_unit_test_setup_teardown(
			H8_a_backtrace_goes_with_each_object_if_wanted, setup_trace, fix_teardown),
		FIX_TEST(H9_statistics_count),
		FIX_TEST(H9_a_bare_object_takes_64_bytes),
		FIX_TEST(H9_foreach_visits_every_live_object),
		FIX_TEST(H9_objects_may_be_freed_and_made_inside_foreach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
