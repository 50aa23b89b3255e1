// SPDX-License-Identifier: BSD-3-Clause
/* obj_space.c - address space and memory run out: errors that say so, nothing lost, nothing broken.
 *
 * Each test runs in a child under a limit of its address space. */
#include "tests/unit/obj_fixture.h"
#include "tests/unit/child.h"

#include <sys/resource.h>

#define MANY  (4 * 1000 * 1000) /* more objects than any of the limits here has room for */
#define NAMED 1000

/* Bytes of address space that this process takes now. */
static size_t taken(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (f != NULL && fscanf(f, "%ld", &pages) != 1)
		pages = 0;
	if (f != NULL)
		fclose(f);
	return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void space_limit(size_t more)
{
	struct rlimit rl;

	rl.rlim_cur = rl.rlim_max = taken() + more;
	setrlimit(RLIMIT_AS, &rl);
}

static obj_h handles[MANY];

static int fill_and_empty(void)
{
	int n = 0, again = 0;
	void *o;

	space_limit((size_t)256 << 20);
	while (n < MANY && (o = obj_new(&fix.other, NULL)) != NULL)
		handles[n++] = obj_handle(o);
	CHECK(n > 1000 && n < MANY);
	CHECK(fix.diag.why == OBJ_NOMEM);
	CHECK(fix_stats(&fix.other).live == (uint64_t)n);
	CHECK(fix_stats(&fix.other).capacity >= (uint64_t)n);
	for (int i = 0; i < n; i++)
		CHECK(obj_get(&fix.other, handles[i]) != NULL);
	for (int i = 0; i < n; i++)
		CHECK(obj_free(&fix.other, &handles[i]) == OBJ_OK);
	while (again < n && obj_new(&fix.other, NULL) != NULL)
		again++;
	CHECK(again == n);
	return 0;
}

static int a_dozen_classes(void)
{
	static struct obj_class c[12];

	space_limit((size_t)256 << 20);
	for (size_t i = 0; i < countof(c); i++) {
		CHECK(obj_class_open(&c[i], fix.domain, &fix_other) == OBJ_OK);
		for (int k = 0; k < 100; k++)
			CHECK(obj_new(&c[i], NULL) != NULL);
	}
	return 0;
}

/* Takes what malloc has left; a list, so that no compiler can do without it. */
static void **exhausted;

static void exhaust(void)
{
	void **p;

	while ((p = malloc(64)) != NULL) {
		*p = (void *)exhausted;
		exhausted = p;
	}
}

static int nothing_left(void)
{
	struct obj_keyval_desc desc = {.size = sizeof(desc)};
	struct thing *t = fix_new(1), *u;
	struct obj_domain *d;
	int key[NAMED], n = 0, rc = OBJ_OK;
	intptr_t value;
	int found;

	while (n < NAMED && obj_keyval_new(&fix.thing, &desc, &key[n]) == OBJ_OK)
		n++;
	CHECK(n == NAMED);
	space_limit(0);
	exhaust();
	n = 0;
	while (n < NAMED && (rc = obj_attr_set(t, key[n], OBJ_LANG_C, n)) == OBJ_OK)
		n++;
	CHECK(rc == OBJ_OK || rc == OBJ_NOMEM);
	for (int i = 0; i < NAMED; i++) {
		CHECK(obj_attr_get(t, key[i], OBJ_LANG_C, &value, &found) == OBJ_OK);
		CHECK(found == (i < n) && (!found || value == i));
	}
	for (int i = 0; i < 100 * NAMED; i++) {
		u = obj_new(&fix.thing, NULL);
		if (u == NULL)
			break;
		rc = obj_name_set(u, "a name that needs some memory of its own", 40, OBJ_C);
		CHECK(rc == OBJ_OK || rc == OBJ_NOMEM);
		rc = obj_errh_set(u, t);
		CHECK(rc == OBJ_OK || rc == OBJ_NOMEM);
		if (i % 2)
			CHECK(obj_free_obj(u) == OBJ_OK);
	}
	rc = obj_domain_open(&d, NULL);
	CHECK(rc == OBJ_NOMEM || rc == OBJ_OK);
	obj_leaks(fix.domain, OBJ_FMT_TEXT, -1);
	CHECK(obj_free_obj(t) == OBJ_OK);
	CHECK(obj_locks_held() == 0);
	return 0;
}

static void check_child(int (*fn)(void))
{
	int rc;

	if (taken() > (size_t)1 << 40)
		skip(); /* a sanitizer's shadow does not fit any limit */
	rc = child_run(fn);
	if (rc != 0)
		fail_msg("the child ended with %d: %s", rc, child_err);
}

static void B22_a_table_in_little_address_space_ends_with_nomem(void **state)
{
	(void)state;
	check_child(fill_and_empty);
}

static void H1_one_reservation_does_not_take_all_address_space(void **state)
{
	(void)state;
	check_child(a_dozen_classes);
}

static void without_any_memory_calls_fail_and_nothing_is_broken(void **state)
{
	(void)state;
	check_child(nothing_left);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIX_TEST(B22_a_table_in_little_address_space_ends_with_nomem),
		FIX_TEST(H1_one_reservation_does_not_take_all_address_space),
		FIX_TEST(without_any_memory_calls_fail_and_nothing_is_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
