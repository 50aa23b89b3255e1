// SPDX-License-Identifier: BSD-3-Clause
/* obj_lock.c - the lock: it excludes, it sleeps, and in debug builds it aborts when locks are taken
 * downwards. */
#include "tests/unit/obj_fixture.h"
#include "tests/unit/child.h"

#include <pthread.h>
#include <time.h>

static struct obj_lock outer = OBJ_LOCK_INIT(10, "the outer lock");
static struct obj_lock inner = OBJ_LOCK_INIT(20, "the inner lock");
static struct obj_lock peer = OBJ_LOCK_INIT(20, "its peer");

static int lock_setup(void **state)
{
	fix_setup(state);
	obj_domain_threads(fix.domain, 1);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, lock_setup, fix_teardown)

static void locks_held_are_counted(void **state)
{
	(void)state;
	assert_int_equal(obj_locks_held(), 0);
	obj_lock(&outer);
	assert_int_equal(obj_locks_held(), 1);
	obj_lock(&inner);
	assert_int_equal(obj_locks_held(), 2);
	obj_unlock(&inner);
	obj_unlock(&outer);
	assert_int_equal(obj_locks_held(), 0);
	assert_int_equal(outer.word + inner.word, 0);
}

static int downwards(void)
{
	obj_lock(&inner);
	obj_lock(&outer);
	return 0;
}

static int sideways(void)
{
	obj_lock(&inner);
	obj_lock(&peer);
	return 0;
}

static int not_mine(void)
{
	obj_unlock(&inner);
	return 0;
}

static int upwards(void)
{
	obj_lock(&outer);
	obj_lock(&inner);
	obj_unlock(&outer); /* in any order */
	obj_unlock(&inner);
	return 7;
}

static void upwards_is_right(void **state)
{
	(void)state;
	assert_int_equal(child_run(upwards), 7);
}

static void downwards_aborts_with_both_names(void **state)
{
	(void)state;
	if (!HAFT_DEBUG)
		skip();
	assert_int_equal(child_run(downwards), -SIGABRT);
	assert_non_null(strstr(child_err, "the outer lock"));
	assert_non_null(strstr(child_err, "the inner lock"));
}

static void two_locks_of_one_rank_abort(void **state)
{
	(void)state;
	if (!HAFT_DEBUG)
		skip();
	assert_int_equal(child_run(sideways), -SIGABRT);
	assert_non_null(strstr(child_err, "its peer"));
}

static void giving_back_what_is_not_taken_aborts(void **state)
{
	(void)state;
	if (!HAFT_DEBUG)
		skip();
	assert_int_equal(child_run(not_mine), -SIGABRT);
	assert_non_null(strstr(child_err, "the inner lock"));
}

static long counter;

static void *lock_count(void *arg)
{
	long n = *(long *)arg;

	for (long i = 0; i < n; i++) {
		obj_lock(&outer);
		counter++;
		obj_unlock(&outer);
	}
	return NULL;
}

static void it_excludes(void **state)
{
	enum { THREADS = 4 };
	long n = FIX_SLOW ? 50000 : 500000;
	pthread_t t[THREADS];

	(void)state;
	counter = 0;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, lock_count, &n), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(counter, THREADS * n);
	assert_int_equal(outer.word, 0);
}

static void *wait_for_it(void *arg)
{
	struct timespec *used = arg;

	obj_lock(&outer);
	obj_unlock(&outer);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, used);
	return NULL;
}

static void who_waits_sleeps(void **state)
{
	struct timespec used = {0}, nap = {.tv_nsec = 300 * 1000 * 1000};
	pthread_t t;

	(void)state;
	obj_lock(&outer);
	assert_int_equal(pthread_create(&t, NULL, wait_for_it, &used), 0);
	nanosleep(&nap, NULL);
	obj_unlock(&outer);
	pthread_join(t, NULL);
	assert_int_equal(used.tv_sec, 0);
	assert_true(used.tv_nsec < 100 * 1000 * 1000);
}

static void without_threads_nothing_is_taken(void **state)
{
	(void)state;
	obj_domain_threads(fix.domain, 0);
	obj_lock(&outer);
	if (!HAFT_DEBUG)
		assert_int_equal(outer.word, 0);
	obj_unlock(&outer);
	assert_int_equal(outer.word, 0);
	assert_int_equal(obj_locks_held(), 0);
}

static void see_no_locks(void *self)
{
	(void)self;
	assert_int_equal(obj_locks_held(), 0);
}

static void H3_no_lock_is_held_in_callbacks(void **state)
{
	(void)state;
	fix.in_free = see_no_locks;
	fix.in_destroy = see_no_locks;
	fix_free(fix_new(1));
	obj_lock(&outer);
	fix.in_free = NULL;
	fix_free(fix_new(2)); /* destroyed after the unlock */
	obj_unlock(&outer);
	assert_int_equal(fix.seen.destroy, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(locks_held_are_counted),
		TEST(upwards_is_right),
		TEST(downwards_aborts_with_both_names),
		TEST(two_locks_of_one_rank_abort),
		TEST(giving_back_what_is_not_taken_aborts),
		TEST(it_excludes),
		TEST(who_waits_sleeps),
		TEST(without_threads_nothing_is_taken),
		TEST(H3_no_lock_is_held_in_callbacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
