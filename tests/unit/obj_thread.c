// SPDX-License-Identifier: BSD-3-Clause
/* obj_thread.c - several threads: each makes, frees, looks up and acquires; nothing is lost,
 * nothing is freed twice. */
#include "tests/unit/obj_fixture.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define THREADS 4

static long rounds; /* of each thread */
static atomic_long destroyed, errors;
static obj_h board[64]; /* handles that any thread may take down; atomic */
static int shared_key;

static void destroy(void *self)
{
	struct thing *t = self;

	if (t->value != 0x600d)
		atomic_fetch_add(&errors, 1);
	t->value = 0xdead;
	atomic_fetch_add(&destroyed, 1);
}

static int thread_construct(void *self, void *arg)
{
	(void)arg;
	((struct thing *)self)->value = 0x600d;
	return 0;
}

static struct obj_class item;

static int setup_with(int threads, uint32_t flags)
{
	struct obj_class_desc desc = {.size = sizeof(desc),
		.name = "item",
		.obj_size = sizeof(struct thing),
		.flags = flags,
		.quarantine = 32,
		.construct = thread_construct,
		.destroy = destroy};

	fix_open((struct obj_domain_opts){.threads = threads});
	memset(&item, 0, sizeof(item));
	assert_int_equal(obj_class_open(&item, fix.domain, &desc), OBJ_OK);
	memset(board, 0, sizeof(board));
	atomic_store(&destroyed, 0);
	atomic_store(&errors, 0);
	rounds = FIX_SLOW ? 20000 : 200000;
	return 0;
}

static int thread_setup(void **state)
{
	(void)state;
	return setup_with(1, 0);
}

static int setup_simple(void **state)
{
	(void)state;
	return setup_with(0, 0);
}

static int setup_shared(void **state)
{
	(void)state;
	return setup_with(0, OBJ_F_SHARED);
}

static void thread_run(void *(*fn)(void *))
{
	pthread_t t[THREADS];

	for (long i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, fn, (void *)i), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(errors, 0);
}

static void thread_wrong(bool is)
{
	if (is)
		atomic_fetch_add(&errors, 1);
}

static struct thing *thread_make(void)
{
	struct thing *t = obj_new(&item, NULL);

	thread_wrong(t == NULL);
	return t;
}

static void *thread_pairs(void *arg)
{
	(void)arg;
	for (long i = 0; i < rounds; i++) {
		struct thing *t = thread_make();
		obj_h h = obj_handle(t), was = h;

		thread_wrong(obj_get(&item, h) != t);
		thread_wrong(obj_free(&item, &h) != OBJ_OK);
		thread_wrong(obj_get(&item, was) != NULL);
	}
	return NULL;
}

static void H10_any_thread_makes_and_frees(void **state)
{
	(void)state;
	thread_run(thread_pairs);
	assert_int_equal(destroyed, THREADS * rounds);
	assert_int_equal(fix_stats(&item).live + fix_stats(&item).pending, 0);
	assert_int_equal(fix_stats(&item).created, THREADS * rounds);
}

/* Puts objects on the board and frees those of any thread that were there. */
static void *thread_swap(void *arg)
{
	uint64_t seed = (uint64_t)(intptr_t)arg;

	for (long i = 0; i < rounds; i++) {
		size_t at = fix_random(&seed) % countof(board);
		obj_h h = __atomic_exchange_n(
			&board[at], obj_handle(thread_make()), __ATOMIC_ACQ_REL);

		if (h != NULL)
			thread_wrong(obj_free(&item, &h) != OBJ_OK);
	}
	return NULL;
}

static void H10_objects_are_freed_by_other_threads(void **state)
{
	struct obj_class_stats s;

	(void)state;
	thread_run(thread_swap);
	s = fix_stats(&item);
	assert_int_equal(s.live + (uint64_t)destroyed, THREADS * rounds);
	assert_in_range(s.live, 1, countof(board));
	assert_int_equal(s.pending, 0);
	assert_true(s.slots < 100000); /* slots wander back */
}

/* Acquires whatever hangs on the board, while others free it. */
static void *thread_race(void *arg)
{
	uint64_t seed = (uint64_t)(intptr_t)arg;

	if ((intptr_t)arg % 2 == 0)
		return thread_swap(arg);
	for (long i = 0; i < 4 * rounds; i++) {
		size_t at = fix_random(&seed) % countof(board);
		obj_h h = __atomic_load_n(&board[at], __ATOMIC_ACQUIRE);
		struct thing *t = h != NULL ? obj_acquire(&item, h) : NULL;

		if (t == NULL)
			continue;
		thread_wrong(t->value != 0x600d);
		obj_drop(t);
	}
	return NULL;
}

static void H4_acquire_is_safe_against_a_concurrent_free(void **state)
{
	struct obj_class_stats s;

	(void)state;
	thread_run(thread_race);
	s = fix_stats(&item);
	assert_int_equal(s.pending, 0);
	assert_int_equal(s.live + (uint64_t)destroyed, THREADS / 2 * rounds);
}

static struct thing *common;

static void *thread_count(void *arg)
{
	(void)arg;
	for (long i = 0; i < rounds; i++) {
		obj_hold(common);
		obj_drop(common);
	}
	return NULL;
}

static void H4_no_reference_is_lost(void **state)
{
	uint32_t user, internal;

	(void)state;
	common = thread_make();
	thread_run(thread_count);
	obj_refs(common, &user, &internal);
	assert_int_equal(user, 1);
	assert_int_equal(internal, 0);
}

static void *double_free(void *arg)
{
	(void)arg;
	for (long i = 0; i < rounds / 4; i++) {
		size_t at = (size_t)i % countof(board);
		obj_h h = __atomic_load_n(&board[at], __ATOMIC_ACQUIRE);
		struct thing *t;

		if (h != NULL && obj_free(&item, &h) == OBJ_OK) {
			t = thread_make();
			__atomic_store_n(&board[at], obj_handle(t), __ATOMIC_RELEASE);
		}
	}
	return NULL;
}

static void quiet(void *ctx, const struct obj_diag *diag)
{
	(void)ctx, (void)diag;
}

static void H3_of_two_threads_that_free_one_handle_one_wins(void **state)
{
	struct obj_class_stats s;

	(void)state;
	obj_on_error(fix.domain, quiet, NULL);
	for (size_t i = 0; i < countof(board); i++)
		board[i] = obj_handle(thread_make());
	thread_run(double_free);
	s = fix_stats(&item);
	assert_int_equal(s.live, countof(board));
	assert_int_equal(s.pending, 0);
	assert_int_equal((uint64_t)destroyed + s.live, s.created);
}

static obj_h passed; /* one of the two handles of an object; atomic */

/* Two threads with a handle each: both give theirs back at the same time. */
static void free_mine(obj_h h)
{
	if (obj_free(&item, &h) != OBJ_OK || h != NULL)
		atomic_fetch_add(&errors, 1);
}

static void *taker(void *arg)
{
	(void)arg;
	for (long i = 0; i < rounds; i++) {
		obj_h h;

		while ((h = __atomic_exchange_n(&passed, NULL, __ATOMIC_ACQ_REL)) == NULL)
			sched_yield();
		free_mine(h);
	}
	return NULL;
}

static void *giver(void *arg)
{
	(void)arg;
	for (long i = 0; i < rounds; i++) {
		struct thing *t = obj_new(&item, NULL);
		obj_h h = obj_share(t);

		__atomic_store_n(&passed, h, __ATOMIC_RELEASE);
		while (__atomic_load_n(&passed, __ATOMIC_ACQUIRE) != NULL)
			sched_yield();
		free_mine(h);
	}
	return NULL;
}

static void H3_each_of_two_handles_is_given_back_once(void **state)
{
	pthread_t t[2];

	(void)state;
	rounds *= 5;
	pthread_create(&t[0], NULL, taker, NULL);
	pthread_create(&t[1], NULL, giver, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(atomic_load(&errors), 0);
	assert_int_equal(atomic_load(&destroyed), rounds);
}

static void *name_and_errh(void *arg)
{
	char name[100];
	int len;

	memset(name, 'a' + (int)(intptr_t)arg, sizeof(name));
	for (long i = 0; i < rounds / 4; i++) {
		char got[128];
		void *handler;

		thread_wrong(obj_name_set(common, name, 1 + (size_t)(i % 90), OBJ_C) != OBJ_OK);
		obj_name_get(common, got, sizeof(got), OBJ_C, &len);
		for (int k = 1; k < len; k++)
			thread_wrong(got[k] != got[0]);
		handler = thread_make();
		thread_wrong(obj_errh_set(common, handler) != OBJ_OK);
		obj_free_obj(handler);
		handler = obj_errh_get(common);
		thread_wrong(handler == NULL || ((struct thing *)handler)->value != 0x600d);
		if (handler != NULL)
			obj_drop(handler);
	}
	return NULL;
}

static void H10_names_and_handlers_are_never_half_done(void **state)
{
	(void)state;
	common = thread_make();
	thread_run(name_and_errh);
}

static void *thread_attributes(void *arg)
{
	intptr_t v, id = (intptr_t)arg;
	int key = 0, found;
	struct obj_keyval_desc desc = {.size = sizeof(desc)};

	thread_wrong(obj_keyval_new(&item, &desc, &key) != OBJ_OK);
	for (long i = 0; i < rounds / 4; i++) {
		thread_wrong(obj_attr_set(common, key, OBJ_LANG_C, id) != OBJ_OK);
		thread_wrong(obj_attr_get(common, key, OBJ_LANG_C, &v, &found) != OBJ_OK ||
			     !found || v != id);
		thread_wrong(obj_attr_get(common, shared_key, OBJ_LANG_C, &v, &found) != OBJ_OK ||
			     !found || v != 4711);
		if (i % 2)
			thread_wrong(obj_attr_delete(common, key) != OBJ_OK);
	}
	thread_wrong(obj_keyval_free(&item, &key) != OBJ_OK);
	return NULL;
}

static void H5_attributes_are_read_while_others_set_and_delete(void **state)
{
	struct obj_keyval_desc desc = {.size = sizeof(desc)};

	(void)state;
	common = thread_make();
	assert_int_equal(obj_keyval_new(&item, &desc, &shared_key), OBJ_OK);
	assert_int_equal(obj_attr_set(common, shared_key, OBJ_LANG_C, 4711), OBJ_OK);
	thread_run(thread_attributes);
}

static void *short_life(void *arg)
{
	(void)arg;
	for (int i = 0; i < 100; i++) {
		struct thing *t = thread_make();

		if (t != NULL)
			obj_free_obj(t);
	}
	return NULL;
}

static void H10_slots_of_threads_that_ended_are_used_again(void **state)
{
	int n = FIX_SLOW ? 200 : 2000;

	(void)state;
	for (int i = 0; i < n; i++) {
		pthread_t t;

		assert_int_equal(pthread_create(&t, NULL, short_life, NULL), 0);
		pthread_join(t, NULL);
	}
	assert_int_equal(fix_stats(&item).live, 0);
	assert_true(fix_stats(&item).slots < 5000);
}

static int visit(void *self, void *ctx)
{
	struct thing *t = self;

	(void)ctx;
	thread_wrong(t->value != 0x600d);
	return 0;
}

static void *watch(void *arg)
{
	struct obj_class_stats s = {.size = sizeof(s)};

	if ((intptr_t)arg != 0)
		return thread_swap(arg);
	for (int i = 0; i < 50; i++) {
		obj_foreach(&item, visit, NULL);
		obj_stats(&item, &s);
		thread_wrong(obj_leaks(fix.domain, OBJ_FMT_TEXT, -1) < 0);
	}
	return NULL;
}

static void H9_iteration_is_safe_while_others_make_and_free(void **state)
{
	(void)state;
	thread_run(watch);
	assert_int_equal(fix_stats(&item).pending, 0);
}

#define TEST(f, s) cmocka_unit_test_setup_teardown(f, s, fix_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(H10_any_thread_makes_and_frees, thread_setup),
		TEST(H10_any_thread_makes_and_frees, setup_simple),
		TEST(H10_any_thread_makes_and_frees, setup_shared),
		TEST(H10_objects_are_freed_by_other_threads, thread_setup),
		TEST(H4_acquire_is_safe_against_a_concurrent_free, thread_setup),
		TEST(H4_acquire_is_safe_against_a_concurrent_free, setup_shared),
		TEST(H4_no_reference_is_lost, thread_setup),
		TEST(H4_no_reference_is_lost, setup_shared),
		TEST(H3_of_two_threads_that_free_one_handle_one_wins, thread_setup),
		TEST(H3_each_of_two_handles_is_given_back_once, thread_setup),
		TEST(H10_names_and_handlers_are_never_half_done, thread_setup),
		TEST(H5_attributes_are_read_while_others_set_and_delete, thread_setup),
		TEST(H10_slots_of_threads_that_ended_are_used_again, thread_setup),
		TEST(H9_iteration_is_safe_while_others_make_and_free, thread_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
