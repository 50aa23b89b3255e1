// SPDX-License-Identifier: BSD-3-Clause
/* obj_table.c - handles: their bits, how they are looked up, and that an old one never
 * means a new object. */
#include "tests/unit/obj_fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY 5000 /* more than a magazine, a quarantine and a batch */

static void H1_token_carries_tag_class_generation_and_index(void **state)
{
	struct thing *t = fix_new(1);
	uint64_t h = fix_bits(obj_handle(t));

	(void)state;
	assert_int_equal(h >> 56, 0x5a);
	assert_int_equal((h >> 48) & 0xff, fix.thing.id);
	assert_int_equal((h >> 31) & 1, 0);
	assert_int_not_equal((h >> 24) & 127, 0);
	assert_int_not_equal(h & OBJ_INDEX_MAX, 0);
}

static void H1_integer_form_is_the_low_31_bits(void **state)
{
	struct thing *t = fix_new(1);
	obj_h h = obj_handle(t);

	(void)state;
	assert_int_equal(obj_int(t), (int)(fix_bits(h) & 0x7fffffff));
	assert_int_equal(obj_to_int(h), obj_int(t));
	assert_ptr_equal(obj_from_int(&fix.thing, obj_int(t)), h);
	assert_ptr_equal(obj_find(&fix.thing, obj_int(t)), t);
	assert_true(obj_int(t) >= 1 << 24);
}

static void H1_token_used_as_an_address_faults(void **state)
{
	struct thing *t = fix_new(1);
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		/* with any sanitizer, the child does not get past the load */
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		_exit(*(volatile char *)obj_handle(t) == 0 ? 0 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void H1_lookup_of_a_live_handle_gives_its_object(void **state)
{
	struct thing *t[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++)
		t[i] = fix_new(i);
	for (int i = 0; i < MANY; i++) {
		assert_ptr_equal(obj_get(&fix.thing, obj_handle(t[i])), t[i]);
		assert_ptr_equal(obj_find(&fix.thing, obj_int(t[i])), t[i]);
		assert_int_equal(t[i]->value, i);
		assert_int_equal(obj_why(&fix.thing, obj_handle(t[i]), NULL), OBJ_OK);
	}
}

static void H1_addresses_of_objects_are_stable_and_aligned(void **state)
{
	struct thing *first = fix_new(4711);

	(void)state;
	for (int i = 0; i < MANY; i++)
		assert_int_equal((uintptr_t)fix_new(i) % 64, 0);
	assert_int_equal(first->value, 4711);
	assert_ptr_equal(obj_get(&fix.thing, obj_handle(first)), first);
}

static void H1_new_objects_are_clear_behind_the_header(void **state)
{
	(void)state;
	for (int round = 0; round < 3 * OBJ_QUARANTINE; round++) {
		struct other *o = obj_new(&fix.other, NULL);

		assert_non_null(o);
		for (size_t i = 0; i < sizeof(o->pad); i++)
			assert_int_equal(o->pad[i], 0);
		memset(o->pad, 0xee, sizeof(o->pad));
		fix_free(o);
	}
}

static void H1_a_raw_class_does_not_clear(void **state)
{
	struct obj_class raw = {0};
	struct obj_class_desc desc = fix_other;
	struct other *o;

	(void)state;
	desc.name = "raw";
	desc.flags = OBJ_F_RAW;
	assert_int_equal(obj_class_open(&raw, fix.domain, &desc), OBJ_OK);
	o = obj_new(&raw, NULL);
	assert_non_null(o);
	assert_ptr_equal(obj_get(&raw, obj_handle(o)), o);
	fix_free(o);
	assert_int_equal(obj_class_close(&raw), 0);
}

static void H1_permanent_objects_have_the_callers_number(void **state)
{
	static struct thing world, self;

	(void)state;
	memset(&world, 0, sizeof(world));
	memset(&self, 0, sizeof(self));
	assert_int_equal(obj_permanent(&fix.thing, 257, &world, "WORLD", 0), OBJ_OK);
	assert_int_equal(obj_permanent(&fix.thing, 4095, &self, NULL, 1), OBJ_OK);
	assert_int_equal(fix_bits(obj_handle(&world)), 257);
	assert_int_equal(obj_int(&world), 257);
	assert_ptr_equal(obj_get(&fix.thing, fix_handle(257)), &world);
	assert_ptr_equal(obj_find(&fix.thing, 257), &world);
	assert_ptr_equal(obj_from_int(&fix.thing, 4095), fix_handle(4095));
	assert_ptr_equal(obj_find(&fix.thing, 4095), &self);
	assert_null(obj_get(&fix.other, fix_handle(257)));
	assert_int_equal(obj_why(&fix.other, fix_handle(257), NULL), OBJ_WRONG_CLASS);
}

static void H1_permanent_numbers_are_1_to_4095_and_taken_once(void **state)
{
	static struct thing a, b;

	(void)state;
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	assert_int_equal(obj_permanent(&fix.thing, 0, &a, NULL, 0), OBJ_INVALID);
	assert_int_equal(obj_permanent(&fix.thing, OBJ_PERMANENT_MAX, &a, NULL, 0), OBJ_INVALID);
	assert_int_equal(obj_permanent(&fix.thing, 12, &a, NULL, 0), OBJ_OK);
	assert_int_equal(obj_permanent(&fix.thing, 12, &b, NULL, 0), OBJ_BUSY);
	assert_int_equal(obj_permanent(&fix.other, 12, &b, NULL, 0), OBJ_BUSY);
	obj_permanent_end(&a);
	assert_null(obj_get(&fix.thing, fix_handle(12)));
	assert_int_equal(obj_permanent(&fix.other, 12, &b, NULL, 0), OBJ_OK);
	assert_ptr_equal(obj_get(&fix.other, fix_handle(12)), &b);
}

static void B14_permanent_objects_cannot_be_freed(void **state)
{
	static struct thing strict, lax;
	obj_h h = fix_handle(33);

	(void)state;
	memset(&strict, 0, sizeof(strict));
	memset(&lax, 0, sizeof(lax));
	assert_int_equal(obj_permanent(&fix.thing, 33, &strict, "strict", 0), OBJ_OK);
	assert_int_equal(obj_permanent(&fix.thing, 34, &lax, "lax", 1), OBJ_OK);
	assert_int_equal(obj_free(&fix.thing, &h), OBJ_PERMANENT);
	assert_int_equal(fix_bits(h), 33);
	assert_int_equal(obj_free_obj(&strict), OBJ_PERMANENT);
	assert_ptr_equal(obj_get(&fix.thing, h), &strict);
	for (int i = 0; i < 5; i++) {
		h = fix_handle(34);
		assert_int_equal(obj_free(&fix.thing, &h), OBJ_OK);
		assert_ptr_equal(obj_get(&fix.thing, fix_handle(34)), &lax);
	}
	assert_int_equal(fix.seen.on_free + fix.seen.destroy, 0);
}

static void B16_a_stale_handle_is_refused_and_the_live_object_unharmed(void **state)
{
	struct thing *t = fix_new(1);
	obj_h stale = obj_handle(t), again = stale;
	int number = obj_int(t);
	struct thing *now = NULL;

	(void)state;
	fix_free(t);
	assert_null(obj_get(&fix.thing, stale));
	for (int i = 0; i < 4 * OBJ_QUARANTINE && now != t; i++) {
		now = fix_new(i);
		if (now != t)
			fix_free(now);
	}
	assert_ptr_equal(now, t); /* the slot does come back, with another handle */
	assert_ptr_not_equal(obj_handle(now), stale);
	assert_int_not_equal(obj_int(now), number);
	assert_null(obj_get(&fix.thing, stale));
	assert_null(obj_find(&fix.thing, number));
	assert_int_equal(obj_why(&fix.thing, stale, NULL), OBJ_STALE);
	assert_int_equal(obj_free(&fix.thing, &again), OBJ_STALE);
	assert_ptr_equal(again, stale);
	assert_ptr_equal(obj_get(&fix.thing, obj_handle(now)), now);
	assert_int_equal(fix.diag.why, OBJ_STALE);
}

static void H2_a_slot_waits_for_a_quarantine_of_other_frees(void **state)
{
	enum { QUARANTINE = 1000 };
	struct obj_class c = {0};
	struct obj_class_desc desc = fix_other;
	void *first;

	(void)state;
	desc.quarantine = QUARANTINE;
	assert_int_equal(obj_class_open(&c, fix.domain, &desc), OBJ_OK);
	first = obj_new(&c, NULL);
	fix_free(first);
	for (int i = 0; i < QUARANTINE - 1; i++) {
		void *o = obj_new(&c, NULL);

		assert_ptr_not_equal(o, first);
		fix_free(o);
	}
	obj_class_close(&c);
}

static void H2_an_integer_comes_back_after_127_quarantines_at_the_earliest(void **state)
{
	enum { QUARANTINE = 16 };
	struct obj_class quick = {0};
	struct obj_class_desc desc = fix_other;
	int first = 0;
	long seen = -1;

	(void)state;
	desc.quarantine = QUARANTINE;
	assert_int_equal(obj_class_open(&quick, fix.domain, &desc), OBJ_OK);
	for (long i = 0; i < 127L * QUARANTINE * 2 && seen < 0; i++) {
		void *o = obj_new(&quick, NULL);

		assert_non_null(o);
		if (i == 0)
			first = obj_int(o);
		else if (obj_int(o) == first)
			seen = i;
		fix_free(o);
	}
	assert_true(seen < 0 || seen >= 127L * QUARANTINE);
	obj_class_close(&quick);
}

static void H2_a_token_never_comes_back(void **state)
{
	enum { SLOTS = 4096, ROUNDS = 20 * 1000 * 1000 }; /* more than 2^23 generations of a slot */
	struct obj_class quick = {0};
	struct obj_class_desc desc = fix_other;
	uint64_t *last = calloc(SLOTS, sizeof(*last));
	int rounds = FIX_SLOW ? ROUNDS / 100 : ROUNDS;

	(void)state;
	desc.quarantine = 1;
	assert_int_equal(obj_class_open(&quick, fix.domain, &desc), OBJ_OK);
	for (int i = 0; i < rounds; i++) {
		void *o = obj_new(&quick, NULL);
		uint64_t h = fix_bits(obj_handle(o));

		if (o == NULL || (h & OBJ_INDEX_MAX) >= SLOTS || h <= last[h & OBJ_INDEX_MAX])
			fail_msg("round %d: token %#lx", i, (unsigned long)h);
		last[h & OBJ_INDEX_MAX] = h;
		obj_free_obj(o);
	}
	if (!FIX_SLOW)
		assert_true(fix_stats(&quick).retired > 0);
	obj_class_close(&quick);
	free(last);
}

static void B17_integers_are_unique_and_at_least_4096(void **state)
{
	enum { N = 1000 * 1000 };
	unsigned char *seen = calloc((1U << 31) / 8, 1); /* touched sparsely */

	(void)state;
	assert_non_null(seen);
	for (int i = 0; i < N; i++) {
		void *o = obj_new(i % 2 ? &fix.thing : &fix.other, NULL);
		uint32_t n = (uint32_t)obj_int(o);

		if (i % 2 == 0)
			continue;
		if (n < OBJ_PERMANENT_MAX || n >> 31 || seen[n / 8] & (1U << n % 8))
			fail_msg("object %d: integer %#x", i, n);
		seen[n / 8] |= (unsigned char)(1U << n % 8);
		if (obj_int(o) != (int)n || obj_find(&fix.thing, (int)n) != o)
			fail_msg("object %d: %#x is not its integer any more", i, n);
	}
	free(seen);
}

static void B15_wrong_class_is_told_apart_from_garbage(void **state)
{
	struct thing *t = fix_new(1);
	struct other *o = obj_new(&fix.other, NULL);
	obj_h h = obj_handle(o);
	struct obj_diag diag;

	(void)state;
	assert_null(obj_get(&fix.thing, h));
	assert_int_equal(obj_why(&fix.thing, h, &diag), OBJ_WRONG_CLASS);
	assert_string_equal(diag.cls, "thing");
	assert_string_equal(diag.other, "other");
	assert_int_equal(obj_free(&fix.thing, &h), OBJ_WRONG_CLASS);
	assert_ptr_equal(obj_get(&fix.other, h), o);
	fix_free(o);
	assert_int_equal(obj_why(&fix.thing, h, NULL), OBJ_WRONG_CLASS);
	assert_int_equal(obj_why(&fix.other, h, NULL), OBJ_STALE);
	assert_int_equal(
		obj_why(&fix.thing, fix_handle(fix_bits(obj_handle(t)) ^ 1ULL << 60), NULL),
		OBJ_GARBAGE);
	assert_int_equal(obj_why(&fix.thing, fix_handle(0x7f0012345678), NULL), OBJ_GARBAGE);
	assert_int_equal(obj_why(&fix.thing, fix_handle(99), NULL), OBJ_GARBAGE);
}

static void B15_null_handles_are_named_so(void **state)
{
	obj_h h = fix_handle(77);

	(void)state;
	assert_int_equal(obj_why(&fix.other, h, NULL), OBJ_NULL);
	assert_int_equal(obj_why(&fix.other, NULL, NULL), OBJ_NULL);
	assert_int_equal(obj_why(&fix.thing, NULL, NULL), OBJ_NULL);
	assert_int_equal(obj_free(&fix.other, &h), OBJ_NULL);
	assert_null(obj_get(&fix.other, h));
	assert_null(obj_acquire(&fix.other, h));
}

static void H3_free_leaves_the_class_null_value(void **state)
{
	struct other *o = obj_new(&fix.other, NULL);
	obj_h h = obj_handle(o);

	(void)state;
	assert_int_equal(obj_free(&fix.other, &h), OBJ_OK);
	assert_int_equal(fix_bits(h), 77);
	h = obj_handle(fix_new(1));
	assert_int_equal(obj_free(&fix.thing, &h), OBJ_OK);
	assert_null(h);
}

static void B22_a_full_table_is_an_error_that_passes(void **state)
{
	enum { MAX = 1000 };
	struct obj_class small = {0};
	struct obj_class_desc desc = fix_other;
	void *o[MAX];

	(void)state;
	desc.name = "small";
	desc.max = MAX;
	assert_int_equal(obj_class_open(&small, fix.domain, &desc), OBJ_OK);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < MAX; i++)
			assert_non_null(o[i] = obj_new(&small, NULL));
		assert_null(obj_new(&small, NULL));
		assert_int_equal(fix.diag.why, OBJ_NOMEM);
		for (int i = 0; i < MAX; i++)
			fix_free(o[i]);
	}
	obj_class_close(&small);
}

static void H11_a_class_of_zeros_refuses_everything(void **state)
{
	static struct obj_class closed;
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		assert_null(obj_get(&closed, fix_handle(fix_random(&seed))));
		assert_null(obj_find(&closed, (int)fix_random(&seed)));
	}
	assert_null(obj_get(&closed, NULL));
	assert_null(obj_get(&closed, fix_handle(5)));
}

static void H11_two_domains_are_separate(void **state)
{
	static struct thing mine, yours;
	struct obj_domain *d;
	struct obj_class c = {0};
	struct thing *t = fix_new(3), *u;

	(void)state;
	memset(&mine, 0, sizeof(mine));
	memset(&yours, 0, sizeof(yours));
	assert_int_equal(obj_domain_open(&d, NULL), OBJ_OK);
	assert_int_equal(obj_class_open(&c, d, &fix_thing), OBJ_OK);
	assert_int_equal(obj_permanent(&fix.thing, 9, &mine, "mine", 0), OBJ_OK);
	assert_int_equal(obj_permanent(&c, 9, &yours, "yours", 0), OBJ_OK);
	u = obj_new(&c, NULL);
	assert_non_null(u);
	assert_ptr_equal(obj_get(&fix.thing, fix_handle(9)), &mine);
	assert_ptr_equal(obj_get(&c, fix_handle(9)), &yours);
	assert_null(obj_get(&c, obj_handle(t)));
	assert_null(obj_get(&fix.thing, obj_handle(u)));
	assert_int_equal(obj_domain_close(d, -1, OBJ_FMT_TEXT), 1);
	assert_ptr_equal(obj_get(&fix.thing, obj_handle(t)), t);
}

static void H11_class_close_returns_what_was_alive(void **state)
{
	struct obj_class c = {0};
	obj_h h;

	(void)state;
	assert_int_equal(obj_class_open(&c, fix.domain, &fix_other), OBJ_OK);
	h = obj_handle(obj_new(&c, NULL));
	obj_new(&c, NULL);
	fix_free(obj_new(&c, NULL));
	assert_string_equal(obj_class_name(&c), "other");
	assert_int_equal(obj_class_close(&c), 2);
	assert_null(obj_get(&c, h));
	assert_int_equal(c.nperm, 0);
	assert_int_equal(obj_class_open(&c, fix.domain, &fix_other), OBJ_OK);
	assert_null(obj_get(&c, h));
	assert_int_equal(obj_class_close(&c), 0);
}

static void H11_class_descriptions_are_checked(void **state)
{
	struct obj_class c = {0};
	struct obj_class_desc desc = fix_other;

	(void)state;
	desc.obj_size = sizeof(struct obj) - 1;
	assert_int_equal(obj_class_open(&c, fix.domain, &desc), OBJ_INVALID);
	desc = fix_other;
	desc.name_max = OBJ_NAME_MAX + 1;
	assert_int_equal(obj_class_open(&c, fix.domain, &desc), OBJ_INVALID);
	desc = fix_other;
	desc.size = 0;
	assert_int_equal(obj_class_open(&c, fix.domain, &desc), OBJ_INVALID);
	desc = fix_other;
	desc.name = NULL;
	assert_int_equal(obj_class_open(&c, fix.domain, &desc), OBJ_INVALID);
}

static void H11_classes_end_at_254_with_nomem_and_ids_are_used_again(void **state)
{
	static struct obj_class c[OBJ_CLASS_MAX + 1];
	int n = 0;

	(void)state;
	memset(c, 0, sizeof(c));
	while (n <= OBJ_CLASS_MAX && obj_class_open(&c[n], fix.domain, &fix_other) == OBJ_OK)
		n++;
	assert_in_range(n, OBJ_CLASS_MAX - 4, OBJ_CLASS_MAX - 2);
	assert_int_equal(obj_class_open(&c[n], fix.domain, &fix_other), OBJ_NOMEM);
	assert_int_equal(obj_class_close(&c[0]), 0);
	assert_int_equal(obj_class_open(&c[n], fix.domain, &fix_other), OBJ_OK);
	assert_non_null(obj_new(&c[n], NULL));
}

static void H7_error_texts_exist(void **state)
{
	(void)state;
	for (int e = OBJ_OK; e <= OBJ_INVALID; e++)
		assert_true(strlen(obj_error_text(e)) > 0);
	assert_non_null(obj_error_text(-1));
	assert_non_null(obj_error_text(12345));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIX_TEST(H1_token_carries_tag_class_generation_and_index),
		FIX_TEST(H1_integer_form_is_the_low_31_bits),
		FIX_TEST(H1_token_used_as_an_address_faults),
		FIX_TEST(H1_lookup_of_a_live_handle_gives_its_object),
		FIX_TEST(H1_addresses_of_objects_are_stable_and_aligned),
		FIX_TEST(H1_new_objects_are_clear_behind_the_header),
		FIX_TEST(H1_a_raw_class_does_not_clear),
		FIX_TEST(H1_permanent_objects_have_the_callers_number),
		FIX_TEST(H1_permanent_numbers_are_1_to_4095_and_taken_once),
		FIX_TEST(B14_permanent_objects_cannot_be_freed),
		FIX_TEST(B16_a_stale_handle_is_refused_and_the_live_object_unharmed),
		FIX_TEST(H2_a_slot_waits_for_a_quarantine_of_other_frees),
		FIX_TEST(H2_an_integer_comes_back_after_127_quarantines_at_the_earliest),
		FIX_TEST(H2_a_token_never_comes_back),
		FIX_TEST(B17_integers_are_unique_and_at_least_4096),
		FIX_TEST(B15_wrong_class_is_told_apart_from_garbage),
		FIX_TEST(B15_null_handles_are_named_so),
		FIX_TEST(H3_free_leaves_the_class_null_value),
		FIX_TEST(B22_a_full_table_is_an_error_that_passes),
		FIX_TEST(H11_a_class_of_zeros_refuses_everything),
		FIX_TEST(H11_two_domains_are_separate),
		FIX_TEST(H11_class_close_returns_what_was_alive),
		FIX_TEST(H11_class_descriptions_are_checked),
		FIX_TEST(H11_classes_end_at_254_with_nomem_and_ids_are_used_again),
		FIX_TEST(H7_error_texts_exist),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
