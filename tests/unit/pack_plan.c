// SPDX-License-Identifier: BSD-3-Clause
/* pack_plan.c - plans move exactly the bytes of a naive list.
 *
 *     random shapes ──┬── type_plan_new ── type_plan_move, in random pieces ──┐
 *                     └── naive(): the offset of each packed byte ────────────┴── equal bytes
 *
 *     plan [SEED [TYPES]]      (the seed is printed if something differs) */
#include "libmpi/type/pack_plan.h"
#include "libmpi/type/kernel.h"
#include "libmpi/type/shape.h"
#include "libmpi/type/type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { BYTES_MOST = 6000, BLOCKS_MOST = 40, DEPTH_MOST = 5, COUNT_MOST = 40, KEPT = 12 };
enum { GUARD = 64, GUARD_BYTE = 0x5a }; /* behind the packed bytes */

static uint64_t seed = 1, state;
static long types = 3000;

static uint64_t plan_rnd(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

/* A type next to its map: map[i] is where packed byte i of an element is. */
struct thing {
	struct type t;
	struct type_shape s;
	int64_t map[BYTES_MOST];
};

static struct thing things[KEPT];

static void map_add(struct thing *a, const struct thing *inner, int64_t off, int64_t len)
{
	for (int64_t i = 0; i < len; i++)
		for (int64_t j = 0; j < inner->t.size; j++)
			a->map[a->t.size++] = off + i * inner->t.extent + inner->map[j];
}

static bool plan_fits(const struct thing *a, const struct thing *inner, int64_t len)
{
	return a->t.size + len * inner->t.size <= BYTES_MOST;
}

static void basic(struct thing *a, int64_t size)
{
	static const struct thing zero;

	*a = zero;
	a->t.size = a->t.extent = a->t.true_extent = size;
	a->t.dense = true;
	for (int64_t i = 0; i < size; i++)
		a->map[i] = i;
}

static void stride(struct thing *a, struct thing *inner)
{
	struct type_shape *s = &a->s;

	s->kind = plan_rnd(4) == 0 ? SHAPE_SAME : SHAPE_STRIDE;
	s->n = s->kind == SHAPE_SAME ? 1 : (int64_t)plan_rnd(plan_rnd(4) == 0 ? 40 : 4);
	s->len = s->kind == SHAPE_SAME ? 1 : (int64_t)plan_rnd(4);
	s->first = plan_rnd(2) == 0 ? 0 : (int64_t)plan_rnd(40) - 20;
	s->stride = plan_rnd(3) == 0 ? s->len * inner->t.extent : (int64_t)plan_rnd(400) - 100;
	s->child = &inner->t;
	if (!plan_fits(a, inner, s->n * s->len))
		s->n = 0;
	for (int64_t i = 0; i < s->n; i++)
		map_add(a, inner, s->first + i * s->stride, s->len);
}

static void plan_blocks(struct thing *a, struct thing **children, bool fields)
{
	struct type_shape *s = &a->s;
	int64_t off = (int64_t)plan_rnd(20), same = plan_rnd(3) == 0 ? 1 : 0;

	s->kind = fields ? SHAPE_FIELDS : SHAPE_LIST;
	s->n = 1 + (int64_t)plan_rnd(plan_rnd(3) == 0 ? BLOCKS_MOST : 5);
	s->displs = malloc((size_t)s->n * sizeof(*s->displs));
	s->lens = malloc((size_t)s->n * sizeof(*s->lens));
	s->child = &children[0]->t;
	s->len = 1 + (int64_t)plan_rnd(2);
	if (fields)
		s->children = malloc((size_t)s->n * sizeof(struct type *));
	for (int64_t i = 0; i < s->n; i++) {
		struct thing *inner = fields ? children[plan_rnd(3)] : children[0];
		int64_t len = same ? s->len : (int64_t)plan_rnd(4);

		if (!plan_fits(a, inner, len))
			len = 0;
		if (fields)
			s->children[i] = &inner->t;
		s->lens[i] = len;
		s->displs[i] = off;
		map_add(a, inner, off, len);
		off += len * inner->t.extent + (plan_rnd(3) == 0 ? 0 : (int64_t)plan_rnd(60) - 10);
	}
	if (!fields && same && a->t.size == s->n * s->len * children[0]->t.size) {
		free(s->lens);
		s->lens = NULL;
	}
}

/* A type made of earlier ones, in a slot of its own. */
static struct thing *derive(struct thing **children, struct thing *a)
{
	static const struct thing zero;
	int64_t low = INT64_MAX, high = INT64_MIN;

	*a = zero;
	a->t.shape = &a->s;
	switch (plan_rnd(3)) {
	case 0: stride(a, children[0]); break;
	case 1: plan_blocks(a, children, false); break;
	default: plan_blocks(a, children, true); break;
	}
	for (int64_t i = 0; i < a->t.size; i++) {
		low = a->map[i] < low ? a->map[i] : low;
		high = a->map[i] + 1 > high ? a->map[i] + 1 : high;
	}
	if (a->t.size == 0)
		low = high = 0;
	a->t.true_lb = low;
	a->t.true_extent = high - low;
	a->t.lb = plan_rnd(3) == 0 ? low : 0;
	a->t.extent = plan_rnd(4) == 0 ? (int64_t)plan_rnd(300) - 100 : high - a->t.lb;
	if (plan_rnd(4) == 0)
		assert_int_equal(type_plan_new(&a->t), 0);
	return a;
}

static void plan_drop(struct thing *a)
{
	type_plan_free(a->t.plan);
	free(a->s.displs);
	free(a->s.lens);
	free(a->s.children);
}

/* A copy to another place, and to twice as far apart. */
static void plan_copies(const struct thing *a, char *mem, int64_t low, int64_t span, int64_t count,
	const char *naive)
{
	struct type distant = a->t;
	int64_t low2, all = count * a->t.size;
	char *copy, *packed = malloc((size_t)all);

	distant.extent += plan_rnd(2) == 0 ? 0 : span;
	span = type_span(&distant, count, &low2);
	copy = calloc(1, (size_t)span);
	type_copy_bytes((char *)((uintptr_t)mem - (uintptr_t)low), &a->t,
		(char *)((uintptr_t)copy - (uintptr_t)low2), &distant, all);
	type_pack(&distant, (char *)((uintptr_t)copy - (uintptr_t)low2), count, 0, packed, all);
	assert_memory_equal(packed, naive, (size_t)all);
	free(copy);
	free(packed);
}

/* Packs and unpacks `count' elements in pieces of random sizes. */
static void plan_compare(const struct thing *a)
{
	int64_t size = a->t.size;
	int64_t count = 1 + (int64_t)plan_rnd(plan_rnd(2) == 0 ? 3 : COUNT_MOST), low, span, all;
	char *mem, *copy, *packed, *naive;

	if (size == 0)
		return;
	if (count * size > 4 * BYTES_MOST)
		count = 4 * BYTES_MOST / size;
	all = count * size;
	span = type_span(&a->t, count, &low);
	mem = malloc((size_t)span);
	copy = malloc((size_t)span);
	packed = malloc((size_t)all + GUARD);
	memset(packed, GUARD_BYTE, (size_t)all + GUARD);
	naive = malloc((size_t)all);
	for (int64_t i = 0; i < span; i++)
		mem[i] = (char)plan_rnd(256);
	memset(copy, 0, (size_t)span);
	for (int64_t i = 0; i < all; i++)
		naive[i] = mem[i / size * a->t.extent + a->map[i % size] - low];
	for (int64_t at = 0, n; at < all; at += n) {
		n = 1 + (int64_t)plan_rnd(plan_rnd(2) == 0 ? 20 : (uint64_t)all);
		n = n < all - at ? n : all - at;
		type_pack(&a->t, (char *)((uintptr_t)mem - (uintptr_t)low), count, at, packed + at,
			n);
		for (int i = 0; i < GUARD; i++)
			assert_int_equal(packed[at + n + i], GUARD_BYTE);
	}
	assert_memory_equal(packed, naive, (size_t)all);
	for (int64_t at = 0, n; at < all; at += n) {
		n = 1 + (int64_t)plan_rnd(plan_rnd(2) == 0 ? 20 : (uint64_t)all);
		n = n < all - at ? n : all - at;
		type_unpack(&a->t, (char *)((uintptr_t)copy - (uintptr_t)low), count, at,
			packed + at, n);
	}
	/* the gaps have not been touched; the data are there */
	for (int64_t i = 0; i < all; i++) {
		int64_t off = i / size * a->t.extent + a->map[i % size] - low;

		assert_int_equal(copy[off], mem[off]);
	}
	for (int64_t i = 0; i < all; i++)
		copy[i / size * a->t.extent + a->map[i % size] - low] = 0;
	for (int64_t i = 0; i < span; i++)
		assert_int_equal(copy[i], 0);
	plan_copies(a, mem, low, span, count, naive);
	free(mem);
	free(copy);
	free(packed);
	free(naive);
}

/* Half of the nests are taken for large ones, which loops of their own move. */
static void distant_away(void)
{
	for (int k = 5; k < KEPT; k++)
		if (things[k].t.plan != NULL && things[k].t.plan->kind == PLAN_NEST &&
			plan_rnd(2) == 0)
			things[k].t.plan->streaming = true;
}

/* MPI-5.0 5.1.1: a type map is a sequence of (type, displacement), whatever made it */
static void random_shapes(void **unused)
{
	static const int sizes[] = {1, 2, 4, 8, 16};

	(void)unused;
	for (long i = 0; i < types; i++) {
		state = (seed + (uint64_t)i) * 0x9e3779b97f4a7c15ULL | 1;
		type_kernel_table = type_kernel_any;
		if (i % 2 == 1)
			type_kernel_open(); /* the loops of this processor */
		for (int k = 0; k < 5; k++)
			basic(&things[k], sizes[k]);
		for (int k = 5; k < KEPT; k++) {
			struct thing *children[3];

			for (int j = 0; j < 3; j++)
				children[j] =
					&things[plan_rnd(2) == 0 ? plan_rnd((uint64_t)k)
								 : (uint64_t)k - 1 - plan_rnd(2)];
			derive(children, &things[k]);
		}
		if (type_plan_new(&things[KEPT - 1].t) != 0)
			fail();
		distant_away();
		for (int k = 5; k < KEPT; k++)
			if (things[k].t.plan != NULL || things[k].t.dense)
				plan_compare(&things[k]);
		for (int k = 5; k < KEPT; k++)
			plan_drop(&things[k]);
	}
}

static struct type make_basic(int64_t size)
{
	return (struct type){.size = size, .extent = size, .true_extent = size, .dense = true};
}

/* A stride of a stride of ... is at most four loops and a block. */
static void loops_fold(void **unused)
{
	struct type d = make_basic(8), row, plane, cube;
	struct type_shape r = {.kind = SHAPE_STRIDE, .n = 1, .len = 10, .child = &d};
	struct type_shape p = {
		.kind = SHAPE_STRIDE, .n = 20, .len = 1, .stride = 80, .child = &row};
	struct type_shape c = {
		.kind = SHAPE_STRIDE, .n = 30, .len = 1, .stride = 3200, .child = &plane};

	(void)unused;
	row = (struct type){.size = 80, .extent = 80, .shape = &r};
	plane = (struct type){.size = 1600, .extent = 1600, .shape = &p};
	cube = (struct type){.size = 48000, .extent = 30 * 3200, .shape = &c};
	assert_int_equal(type_plan_new(&cube), 0);
	assert_true(row.dense && plane.dense && !cube.dense);
	assert_int_equal(cube.plan->dims, 1);
	assert_int_equal(cube.plan->block, 1600);
	type_plan_free(cube.plan);
}

/* A million by a million doubles: some words. */
static void huge_is_small(void **unused)
{
	int64_t m = 1000000;
	struct type d = make_basic(8), row, sub;
	struct type_shape r = {.kind = SHAPE_STRIDE, .n = 1, .len = m / 2, .child = &d};
	struct type_shape s = {.kind = SHAPE_STRIDE,
		.n = m / 2,
		.len = 1,
		.stride = 8 * m,
		.first = 8 * m * 10,
		.child = &row};

	(void)unused;
	row = (struct type){.size = 4 * m, .extent = 8 * m, .shape = &r};
	sub = (struct type){.size = 4 * m * (m / 2), .extent = 8 * m * m, .shape = &s};
	assert_int_equal(type_plan_new(&sub), 0);
	assert_int_equal(sub.plan->kind, PLAN_NEST);
	assert_int_equal(sub.plan->dims, 1);
	assert_int_equal(sub.plan->size, sub.size);
	type_plan_free(sub.plan);
	type_plan_free(row.plan);
}

/* Memory is there when the order is not: no memcpy for {second half, first half}. */
static void order_counts(void **unused)
{
	struct type d = make_basic(8), t;
	int64_t displs[2] = {8, 0};
	struct type_shape s = {.kind = SHAPE_LIST, .n = 2, .len = 1, .displs = displs, .child = &d};
	int64_t mem[2] = {1, 2}, out[2];

	(void)unused;
	t = (struct type){.size = 16, .extent = 16, .true_extent = 16, .shape = &s};
	assert_int_equal(type_plan_new(&t), 0);
	assert_false(t.dense);
	type_pack(&t, mem, 1, 0, out, 16);
	assert_int_equal(out[0], 2);
	assert_int_equal(out[1], 1);
	type_plan_free(t.plan);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_shapes),
		cmocka_unit_test(loops_fold),
		cmocka_unit_test(huge_is_small),
		cmocka_unit_test(order_counts),
	};

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		types = strtol(argv[2], NULL, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
