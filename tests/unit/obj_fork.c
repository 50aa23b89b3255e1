// SPDX-License-Identifier: BSD-3-Clause
/* obj_fork.c - fork: the child's tables work, whatever other threads of the parent were doing.
 *
 * The C library keeps malloc whole across a fork.  AddressSanitizer's malloc (of gcc 12) does not:
 * where another thread is in it, the child inherits a taken lock and waits for ever.  So in builds
 * with it a thread passes a gate into malloc, and a fork closes the gate. */
#include "tests/unit/obj_fixture.h"
#include "tests/unit/child.h"

#include <pthread.h>
#include <stdatomic.h>

#define N 3000

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

void *__real_malloc(size_t len);
void *__wrap_malloc(size_t len);
void *__real_calloc(size_t n, size_t len);
void *__wrap_calloc(size_t n, size_t len);
void __real_free(void *p);
void __wrap_free(void *p);

static void gate_close(void)
{
	if (HAFT_ASAN)
		pthread_mutex_lock(&gate);
}

static void gate_open(void)
{
	if (HAFT_ASAN)
		pthread_mutex_unlock(&gate);
}

void *__wrap_malloc(size_t len)
{
	void *p;

	gate_close();
	p = __real_malloc(len);
	gate_open();
	return p;
}

void *__wrap_calloc(size_t n, size_t len)
{
	void *p;

	gate_close();
	p = __real_calloc(n, len);
	gate_open();
	return p;
}

void __wrap_free(void *p)
{
	gate_close();
	__real_free(p);
	gate_open();
}

static struct thing *old[N];
static obj_h handles[N];

static void make_old(void)
{
	for (int i = 0; i < N; i++) {
		old[i] = fix_new(i);
		handles[i] = obj_handle(old[i]);
	}
}

static int child_shares(void)
{
	for (int i = 0; i < N; i++) {
		CHECK(obj_get(&fix.thing, handles[i]) == old[i]);
		CHECK(old[i]->value == i);
		if (i % 2 == 0)
			CHECK(obj_free(&fix.thing, &handles[i]) == OBJ_OK);
	}
	for (int i = 0; i < N; i++) {
		struct thing *t = obj_new(&fix.thing, &i);

		CHECK(t != NULL && t->value == i);
		CHECK(obj_get(&fix.thing, obj_handle(t)) == t);
	}
	for (int i = 1; i < N; i += 2)
		CHECK(obj_get(&fix.thing, handles[i]) == old[i] && old[i]->value == i);
	return 0;
}

static void check_child_ended(int rc)
{
	if (rc != 0)
		fail_msg("the child ended with %d: %s", rc, child_err);
}

static void check_child(int (*fn)(void))
{
	check_child_ended(child_run(fn));
}

static void H10_a_child_goes_on_with_its_copies(void **state)
{
	(void)state;
	make_old();
	check_child(child_shares);
	for (int i = 0; i < N; i++)
		assert_ptr_equal(obj_get(&fix.thing, handles[i]), old[i]);
}

static int child_of_foreign(void)
{
	struct obj_diag diag;
	struct thing *t;
	obj_h h = handles[0];

	for (int i = 0; i < N; i++) {
		CHECK(obj_get(&fix.thing, handles[i]) == NULL);
		CHECK(obj_find(&fix.thing, obj_to_int(handles[i])) == NULL);
	}
	CHECK(obj_why(&fix.thing, handles[0], &diag) == OBJ_FOREIGN);
	CHECK(obj_free(&fix.thing, &h) == OBJ_FOREIGN);
	CHECK(h == handles[0]);
	CHECK(obj_get(&fix.thing, fix_handle(9)) != NULL); /* permanent objects belong to both */
	for (int i = 0; i < N; i++) {
		t = obj_new(&fix.thing, &i);
		CHECK(t != NULL && obj_get(&fix.thing, obj_handle(t)) == t);
	}
	return 0;
}

static int setup_foreign(void **state)
{
	(void)state;
	fix_open((struct obj_domain_opts){.fork = OBJ_FORK_FOREIGN});
	return 0;
}

static void H10_inherited_handles_can_be_refused(void **state)
{
	static struct thing world;

	(void)state;
	memset(&world, 0, sizeof(world));
	assert_int_equal(obj_permanent(&fix.thing, 9, &world, NULL, 0), OBJ_OK);
	make_old();
	check_child(child_of_foreign);
	assert_ptr_equal(obj_get(&fix.thing, handles[0]), old[0]);
}

static atomic_bool stop;

static void *forked_busy(void *arg)
{
	int key = 0;
	struct obj_keyval_desc desc = {.size = sizeof(desc)};

	(void)arg;
	obj_keyval_new(&fix.other, &desc, &key);
	while (!stop) {
		struct other *t = obj_new(&fix.other, NULL);

		if (t == NULL)
			continue;
		obj_name_set(t, "busy", 4, OBJ_C);
		obj_attr_set(t, key, OBJ_LANG_C, 1);
		obj_free_obj(t);
	}
	obj_keyval_free(&fix.other, &key);
	return NULL;
}

static int child_of_threads(void)
{
	struct obj_class_stats s = {.size = sizeof(s)};
	void *other;

	alarm(200); /* a lock that another thread held would stop us here */
	for (int i = 0; i < 20000; i++) {
		struct thing *t = obj_new(&fix.thing, &i);
		obj_h h;

		CHECK(t != NULL && t->value == i);
		CHECK(obj_name_set(t, "child", 5, OBJ_C) == OBJ_OK);
		h = obj_handle(t);
		CHECK(obj_get(&fix.thing, h) == t);
		CHECK(obj_free(&fix.thing, &h) == OBJ_OK);
		other = obj_new(&fix.other, NULL);
		CHECK(other != NULL && obj_free_obj(other) == OBJ_OK);
	}
	obj_stats(&fix.thing, &s);
	CHECK(s.live == N);
	obj_stats(&fix.other, &s);
	CHECK(s.live <= 2); /* the objects of the two threads just then */
	for (int i = 0; i < N; i++)
		CHECK(obj_get(&fix.thing, handles[i]) == old[i]);
	return 0;
}

static void H10_forking_while_other_threads_work_leaves_no_lock_behind(void **state)
{
	pthread_t t[2];
	int rounds = FIX_SLOW ? 10 : 50;
	int rc = 0;

	(void)state;
	make_old();
	obj_domain_threads(fix.domain, 1);
	stop = false;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&t[i], NULL, forked_busy, NULL), 0);
	for (int i = 0; i < rounds && rc == 0; i++)
		rc = child_run(child_of_threads);
	stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	check_child_ended(rc); /* not before: a failure closes the domain, which the threads use */
}

static int child_closes(void)
{
	CHECK(obj_domain_close(fix.domain, -1, OBJ_FMT_TEXT) == N);
	return 0;
}

static void H10_a_child_may_close_the_domain(void **state)
{
	(void)state;
	make_old();
	check_child(child_closes);
	assert_ptr_equal(obj_get(&fix.thing, handles[5]), old[5]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIX_TEST(H10_a_child_goes_on_with_its_copies),
		cmocka_unit_test_setup_teardown(
			H10_inherited_handles_can_be_refused, setup_foreign, fix_teardown),
		FIX_TEST(H10_forking_while_other_threads_work_leaves_no_lock_behind),
		FIX_TEST(H10_a_child_may_close_the_domain),
	};

	/* before libobj's handlers, so that a fork closes the gate after libobj's locks */
	if (pthread_atfork(gate_close, gate_open, gate_open) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
