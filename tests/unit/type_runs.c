// SPDX-License-Identifier: BSD-3-Clause
/* type_runs.c - runs, offsets, order and scaled types against a naive list of all entries.
 *
 *     random types ──┬── type_runs, type_offset_find, type_ordered, type_scaled ──┐
 *                    └── type_each: every entry with its displacement ────────────┴── equal
 *
 *     type_runs [SEED [STEPS]]      (the seed is printed if something differs) */
#include "libmpi/type/runs.h"
#include "libmpi/type/map_order.h"
#include "libmpi/type/scale.h"
#include "libmpi/type/signature.h"
#include "libmpi/type/type.h"

#include "libmpi/core/objects.h"
#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ENTRIES = 3000, COUNT = 4, DEPTH = 4, LIST = 5, MOST = 7 };

static uint64_t seed = 1, state;
static long steps = 3000;

static int runs_rnd(int below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (int)(state % (uint64_t)below);
}

static int runs_between(int low, int high)
{
	return low + runs_rnd(high - low + 1);
}

/* --- random types, two at a time: the same calls over two basic types ------------------------- */

struct twin {
	MPI_Datatype t[2];
};

static const MPI_Datatype basics[][2] = {
	{MPI_LONG, MPI_FLOAT}, {MPI_INT, MPI_DOUBLE}, {MPI_BYTE, MPI_BYTE}, {MPI_SHORT, MPI_FLOAT}};

/* The size that the representation gives to the first of each pair is that of the second. */
static int64_t other_extent(void *arg, const struct type *basic)
{
	(void)arg;
	for (size_t i = 0; i < countof(basics); i++)
		if (type_predefined(basics[i][0]) == basic)
			return type_predefined(basics[i][1])->size;
	return basic->size;
}

static void list_draw(int *lens, int *displs, bool tidy)
{
	int at = 0;

	for (int i = 0; i < LIST; i++) {
		lens[i] = runs_rnd(4);
		displs[i] = tidy ? at : runs_between(-3, 12);
		at += lens[i] + runs_rnd(3);
	}
}

static void array_draw(int order, MPI_Datatype old, MPI_Datatype *t)
{
	int sizes[3], subs[3], starts[3];
	uint64_t before = state;

	for (int i = 0; i < 3; i++) {
		sizes[i] = runs_between(1, 5);
		subs[i] = runs_between(1, sizes[i]);
		starts[i] = runs_rnd(sizes[i] - subs[i] + 1);
	}
	MPI_Type_create_subarray(3, sizes, subs, starts, order, old, t);
	state = before;
}

static void darray_draw(MPI_Datatype old, MPI_Datatype *t)
{
	const int cyclic = MPI_DISTRIBUTE_CYCLIC;
	int sizes[2] = {runs_between(1, 9), runs_between(1, 9)},
	    dist[2] = {MPI_DISTRIBUTE_BLOCK, cyclic};
	int dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, runs_between(1, 3)}, psizes[2] = {2, 2};

	MPI_Type_create_darray(4, runs_rnd(4), 2, sizes, dist, dargs, psizes, MPI_ORDER_C, old, t);
}

/* One constructor that counts elements. */
static void portable_draw(int how, bool tidy, MPI_Datatype old, MPI_Datatype *t)
{
	int lens[LIST], displs[LIST], n = runs_rnd(5), len = runs_rnd(4);

	list_draw(lens, displs, tidy);
	switch (how) {
	case 0: MPI_Type_contiguous(n, old, t); break;
	case 1:
		MPI_Type_vector(n, len, tidy ? len + runs_rnd(3) : runs_between(-3, 6), old, t);
		break;
	case 2: MPI_Type_indexed(LIST, lens, displs, old, t); break;
	case 3: MPI_Type_create_indexed_block(LIST, 1, displs, old, t); break;
	case 4: array_draw(runs_rnd(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, old, t); break;
	case 5: darray_draw(old, t); break;
	default: MPI_Type_dup(old, t); break;
	}
}

/* One that counts bytes, or has fields. */
static void other_draw(int how, bool tidy, MPI_Datatype old, MPI_Datatype *t)
{
	MPI_Datatype types[3] = {MPI_INT, old, runs_rnd(2) ? MPI_DOUBLE_INT : MPI_LONG};
	int lens[LIST] = {1, runs_rnd(3), 2}, displs[LIST];
	MPI_Aint lb, extent, bytes[LIST];

	MPI_Type_get_extent(old, &lb, &extent);
	list_draw(lens, displs, tidy);
	for (int i = 0; i < LIST; i++)
		bytes[i] = displs[i] * (extent > 0 ? extent : 8) + (tidy ? 0 : runs_rnd(3));
	switch (how) {
	case 0: MPI_Type_create_hvector(runs_rnd(4), 1, extent + runs_rnd(20), old, t); break;
	case 1: MPI_Type_create_hindexed(LIST, lens, bytes, old, t); break;
	case 2:
		MPI_Type_create_resized(old, tidy ? 0 : -runs_rnd(8), extent + runs_rnd(40), t);
		break;
	default:
		bytes[0] = 0;
		bytes[1] = 8;
		bytes[2] = 8 + lens[1] * extent + (tidy ? 8 : -4);
		MPI_Type_create_struct(3, lens, bytes, types, t);
	}
}

static struct twin twin_draw(bool portable, bool tidy)
{
	int b = runs_rnd((int)countof(basics)), depth = runs_between(1, DEPTH);
	struct twin now = {{basics[b][0], basics[b][1]}};

	for (int d = 0; d < depth; d++) {
		int how = runs_rnd(portable || runs_rnd(2) ? 7 : 4);
		bool other = !portable && how < 4 && runs_rnd(2);
		uint64_t before = state;

		for (int i = 0; i < 2; i++) {
			MPI_Datatype old = now.t[i], new;

			state = before;
			if (other)
				other_draw(how, tidy, old, &new);
			else
				portable_draw(how, tidy, old, &new);
			now.t[i] = new;
			if (d > 0)
				MPI_Type_free(&old);
		}
	}
	MPI_Type_commit(&now.t[0]);
	MPI_Type_commit(&now.t[1]);
	return now;
}

/* --- the naive list --------------------------------------------------------------------------- */

struct entry {
	int64_t off, len;
};

struct entries {
	int n;
	struct entry e[ENTRIES];
};

static bool entry_add(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct entries *l = arg;

	for (int64_t i = 0; i < n; i++) {
		if (l->n == ENTRIES)
			return false;
		l->e[l->n++] = (struct entry){(intptr_t)mem + i * basic->extent, basic->size};
	}
	return true;
}

/* The entries of `count' elements; false: too many for this test. */
static bool runs_list(struct entries *l, const struct type *t, int count)
{
	l->n = 0;
	type_each(t, NULL, count, entry_add, l);
	return l->n < ENTRIES;
}

/* As entry_add, with the sizes of the representation. */
static bool entry_add_other(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct entries *l = arg;
	int first = l->n;

	if (!entry_add(arg, basic, mem, n))
		return false;
	for (int i = first; i < l->n; i++)
		l->e[i].len = other_extent(NULL, basic);
	return true;
}

/* --- checks ----------------------------------------------------------------------------------- */

static int64_t byte_off(const struct entries *l, int64_t at)
{
	int i = 0;

	for (; at >= l->e[i].len; i++)
		at -= l->e[i].len;
	return l->e[i].off + at;
}

static void check_runs(const struct type *t, const struct entries *l, int64_t size)
{
	struct type_run run[MOST];
	int64_t at = runs_rnd((int)size), end = at + 1 + runs_rnd((int)(size - at)), bytes,
		last = INT64_MIN;
	int n;

	for (; at < end; at += bytes) {
		int most = runs_between(1, MOST);

		n = type_runs(t, at, end - at, run, most, &bytes);
		assert_in_range(n, 1, most);
		for (int64_t i = 0, b = at; i < n; b += run[i++].len) {
			assert_int_equal(byte_off(l, b), run[i].off);
			assert_int_equal(
				byte_off(l, b + run[i].len - 1), run[i].off + run[i].len - 1);
			assert_int_not_equal(run[i].off, last);
			last = run[i].off + run[i].len;
		}
	}
	assert_int_equal(at, end);
}

static bool rule_holds(const struct entries *l, enum type_rule rule)
{
	for (int i = 0; i < l->n; i++) {
		struct entry a = l->e[i > 0 ? i - 1 : 0], b = l->e[i];

		if ((rule == TYPE_NONNEGATIVE && b.off < 0) ||
			(i > 0 && rule == TYPE_NONDECREASING && b.off < a.off) ||
			(i > 0 && rule == TYPE_INCREASING && b.off <= a.off) ||
			(i > 0 && rule == TYPE_APART && b.off < a.off + a.len))
			return false;
	}
	return true;
}

static void check_order(struct type *t, const struct entries *l)
{
	for (int r = 0; r < TYPE_BLOCKS; r++) {
		int err = type_ordered(t, 1U << r, "the filetype");

		assert_int_equal(err, rule_holds(l, (enum type_rule)r) ? 0 : MPI_ERR_IO);
	}
}

/* l has COUNT elements. */
static void check_find(const struct type *t, const struct entries *l, const struct entries *one)
{
	int64_t size = COUNT * t->size, off, want = 0;

	if (!rule_holds(one, TYPE_NONDECREASING) || !rule_holds(one, TYPE_APART) || t->extent <= 0)
		return;
	off = byte_off(l, runs_rnd((int)size)) + runs_between(-3, 3);
	while (want < size && byte_off(l, want) < off)
		want++;
	if (want < size)
		assert_int_equal(type_offset_find(t, off), want);
	else
		assert_true(type_offset_find(t, off) >= size);
}

/* A portable type: its twin has the representation's basic type.  Another: displacements remain. */
static void check_scaled(struct type *t, const struct type *twin, bool portable, struct entries *l)
{
	struct type *scaled;
	struct entries *other = malloc(sizeof(*other));
	bool all = true;

	assert_int_equal(type_is_portable(t), portable);
	assert_int_equal(type_scaled(t, other_extent, NULL, &scaled), 0);
	if (portable) {
		all = runs_list(other, twin, COUNT);
		assert_int_equal(scaled->lb, twin->lb);
		assert_int_equal(scaled->extent, twin->extent);
	} else {
		other->n = 0;
		type_each_whole(t, NULL, COUNT, entry_add_other, other);
		all = other->n < ENTRIES;
		assert_int_equal(scaled->lb, t->lb);
		assert_int_equal(scaled->extent, t->extent);
	}
	l->n = 0;
	if (all) {
		int64_t at = 0;

		for (int i = 0; i < other->n; at += other->e[i++].len)
			assert_int_equal(type_offset(scaled, at), other->e[i].off);
		assert_int_equal(at, COUNT * scaled->size);
	}
	obj_drop(scaled);
	free(other);
}

static void random_types(void **unused)
{
	struct entries *l = malloc(sizeof(*l)), *one = malloc(sizeof(*one));

	(void)unused;
	state = seed * 0x9e3779b97f4a7c15ULL + 1;
	for (long i = 0; i < steps; i++) {
		bool portable = runs_rnd(2), tidy = runs_rnd(2);
		struct twin twin = twin_draw(portable, tidy);
		struct type *t = obj_get(&haft_type_class, twin.t[0]);
		struct type *other = obj_get(&haft_type_class, twin.t[1]);

		if (runs_list(l, t, COUNT) && t->size > 0) {
			runs_list(one, t, 1);
			check_runs(t, l, COUNT * t->size);
			check_order(t, one);
			check_find(t, l, one);
			check_scaled(t, other, type_is_portable(t), l);
		}
		MPI_Type_free(&twin.t[0]);
		MPI_Type_free(&twin.t[1]);
	}
	free(l);
	free(one);
}

/* 10^6 x 10^6 elements: nothing depends on how many there are. */
static void huge_type(void **unused)
{
	const int sizes[2] = {1000000, 1000000}, subs[2] = {999999, 500000}, starts[2] = {1, 3};
	struct type_run run[2];
	MPI_Datatype h;
	struct type *t;
	int64_t bytes;

	(void)unused;
	MPI_Type_create_subarray(2, sizes, subs, starts, MPI_ORDER_C, MPI_DOUBLE, &h);
	MPI_Type_commit(&h);
	t = obj_get(&haft_type_class, h);
	assert_int_equal(type_ordered(t, 1U << TYPE_APART | 1U << TYPE_INCREASING, "it"), 0);
	assert_int_equal(type_runs(t, 8 * 500000LL * 777777 + 80, 8 * 500000LL, run, 2, &bytes), 2);
	assert_int_equal(run[0].off, 8 * (777778LL * 1000000 + 3 + 10));
	assert_int_equal(run[1].off, 8 * (777779LL * 1000000 + 3));
	assert_int_equal(type_offset_find(t, run[1].off), 8 * 500000LL * 777778);
	MPI_Type_free(&h);
}

/* Blocks that overlap, in the order of their beginnings: { 0, 4, 8, 4 } is decreasing, and its
 * blocks are not. */
static void overlapping_blocks(void **unused)
{
	MPI_Datatype h;
	struct type *t;

	(void)unused;
	MPI_Type_indexed(2, (int[]){3, 1}, (int[]){0, 1}, MPI_INT, &h);
	t = obj_get(&haft_type_class, h);
	assert_int_equal(type_ordered(t, 1U << TYPE_BLOCKS, "it"), 0);
	assert_int_equal(type_ordered(t, 1U << TYPE_NONDECREASING, "it"), MPI_ERR_IO);
	MPI_Type_free(&h);
	MPI_Type_indexed(2, (int[]){1, 1}, (int[]){2, 1}, MPI_INT, &h);
	t = obj_get(&haft_type_class, h);
	assert_int_equal(type_ordered(t, 1U << TYPE_BLOCKS, "it"), MPI_ERR_IO);
	MPI_Type_free(&h);
}

/* A type that has its basic type 2^60 times: each type inside is looked at once. */
static void deep_types(void **unused)
{
	MPI_Datatype now = MPI_BYTE, next;
	struct type *t, *scaled;

	(void)unused;
	for (int i = 0; i < 60; i++) {
		MPI_Datatype two[2] = {now, now};
		MPI_Aint lb, extent, at[2] = {0, 0};
		int lens[2] = {1, 1};

		MPI_Type_get_extent(now, &lb, &extent);
		at[1] = i == 0 ? 1 : extent;
		MPI_Type_create_struct(2, lens, at, two, &next);
		if (i > 0)
			MPI_Type_free(&now);
		now = next;
	}
	MPI_Type_commit(&now);
	t = obj_get(&haft_type_class, now);
	assert_int_equal(type_ordered(t, 1U << TYPE_INCREASING, "it"), 0);
	assert_int_equal(type_scaled(t, other_extent, NULL, &scaled), 0);
	obj_drop(scaled);
	MPI_Type_free(&now);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_types),
		cmocka_unit_test(huge_type), cmocka_unit_test(overlapping_blocks),
		cmocka_unit_test(deep_types)};
	int failed;

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : seed;
	steps = argc > 2 ? atol(argv[2]) : steps;
	printf("type_runs %llu %ld\n", (unsigned long long)seed, steps);
	MPI_Init(NULL, NULL);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	MPI_Finalize();
	return failed;
}
