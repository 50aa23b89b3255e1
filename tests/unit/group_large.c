// SPDX-License-Identifier: BSD-3-Clause
/* group_large.c - groups of peers of a job much larger than this machine could run: their answers,
 * and their memory.
 *
 *     random lists ──> group_make ──┬── rank -> peer, peer -> rank: as in the list
 *                                   ├── at even distances: no tables
 *                                   └── else: tables of the size of the group */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libmpi/comm/groups.h"
#include "libmpi/core/process_state.h"
#include "libmpi/via/alias.h"
#include <engine.h>

#define JOB  1000000 /* peers */
#define MANY 3000    /* in a group of a test */

/* No process of another universe is known here, so no group holds one. */
bool via_alias_any(void)
{
	return false;
}

void via_alias_hold(int alias)
{
	fail_msg("alias %d is held", alias);
}

void via_alias_drop(int alias)
{
	fail_msg("alias %d is dropped", alias);
}

static int32_t peers[MANY];
static unsigned seed = 1;

static int group_rnd(int below)
{
	seed = seed * 1664525u + 1013904223u;
	return (int)((seed >> 4) % (unsigned)below);
}

static struct group *group_made(int n)
{
	int32_t *copy = malloc((size_t)n * sizeof(*copy));
	struct group *g = NULL;

	assert_non_null(copy);
	memcpy(copy, peers, (size_t)n * sizeof(*copy));
	assert_int_equal(group_make(n, copy, &g), 0);
	return g;
}

/* The group is the list, from both sides; peers around the members are not in it. */
static void is_list(const struct group *g, int n)
{
	assert_int_equal(g->size, n);
	for (int i = 0; i < n; i++) {
		assert_int_equal(group_peer(g, i), peers[i]);
		assert_int_equal(group_rank_of(g, peers[i]), i);
	}
	for (int i = 0; i < n && n <= 50; i++) {
		for (int p = peers[i] - 3; p <= peers[i] + 3; p++) {
			int want = -1;

			for (int k = 0; k < n; k++)
				want = peers[k] == p ? k : want;
			assert_int_equal(group_rank_of(g, p), want);
		}
	}
	assert_int_equal(group_rank_of(g, -5 * JOB), -1);
	assert_int_equal(group_rank_of(g, 2 * JOB), -1);
}

/* n different peers below `limit', in any order. */
static void choose(int n, int limit)
{
	for (int i = 0; i < n; i++) {
		bool again = true;

		while (again) {
			peers[i] = group_rnd(limit);
			again = false;
			for (int k = 0; k < i && !again; k++)
				again = peers[k] == peers[i];
		}
	}
}

static void any_list(void **state)
{
	(void)state;
	for (int round = 0; round < 500; round++) {
		int n = 1 + group_rnd(40);
		struct group *g;

		choose(n, n + (round % 2 ? group_rnd(20) : group_rnd(JOB)));
		g = group_made(n);
		is_list(g, n);
		obj_free_obj(g);
	}
}

static void even_distances(void **state)
{
	(void)state;
	for (int stride = -37; stride <= 37; stride++) {
		struct group *g;
		int n = 2 + group_rnd(MANY - 2);

		if (stride == 0)
			continue;
		for (int i = 0; i < n; i++)
			peers[i] = JOB / 2 + i * stride;
		g = group_made(n);
		is_list(g, n);
		assert_null(g->map);
		assert_null(g->unmap);
		obj_free_obj(g);
	}
}

/* Memory of a group of a few members of a large job. */
static void distant_apart(void **state)
{
	struct group *g;

	(void)state;
	peers[0] = 0, peers[1] = JOB - 1, peers[2] = 5;
	g = group_made(3);
	is_list(g, 3);
	assert_int_equal(g->span, 0);
	obj_free_obj(g);
}

static void local_each_other(void **state)
{
	struct group *g;

	(void)state;
	for (int i = 0; i < MANY; i++)
		peers[i] = i ^ 1;
	g = group_made(MANY);
	is_list(g, MANY);
	assert_int_equal(g->span, MANY);
	obj_free_obj(g);
}

/* A range of a range of all: no tables, whatever its size. */
static void ranges_of_ranges(void **state)
{
	int odd[1][3] = {{1, JOB - 1, 2}}, back[1][3] = {{JOB / 2 - 1, 0, -1000}};
	int one[1][3] = {{7, 7, INT32_MAX}};
	struct group *all, *a, *b, *c;

	(void)state;
	for (int i = 0; i < MANY; i++)
		peers[i] = i;
	all = group_made(MANY);
	all->size = JOB; /* neighbours have no tables that could be too small */
	assert_int_equal(group_range_incl(all, 1, odd, &a), 0);
	assert_int_equal(a->size, JOB / 2);
	assert_int_equal(group_peer(a, 10), 21);
	assert_int_equal(group_rank_of(a, 22), -1);
	assert_int_equal(group_range_incl(a, 1, back, &b), 0);
	assert_int_equal(b->size, JOB / 2000);
	for (int i = 0; i < b->size; i++)
		peers[i] = 2 * (JOB / 2 - 1 - 1000 * i) + 1;
	is_list(b, b->size);
	assert_int_equal(group_range_incl(b, 1, one, &c), 0);
	assert_int_equal(group_peer(c, 0), peers[7]);
	assert_null(b->map);
	assert_int_equal(group_same(b, a), MPI_UNEQUAL);
	assert_int_equal(group_same(b, b), MPI_IDENT);
	obj_free_obj(c);
	obj_free_obj(b);
	obj_free_obj(a);
	obj_free_obj(all);
}

/* Copies share tables, and outlive their originals. */
static void group_copies(void **state)
{
	struct group *g, *h, *i;

	(void)state;
	choose(20, JOB);
	g = group_made(20);
	assert_int_equal(group_copy(g, NULL, &h), 0);
	assert_ptr_equal(h->map, g->map);
	assert_int_equal(group_copy(h, NULL, &i), 0);
	obj_free_obj(g);
	obj_free_obj(h);
	is_list(i, 20);
	obj_free_obj(i);
}

static int open_objects(void **state)
{
	(void)state;
	return haft_objects_open();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_list),
		cmocka_unit_test(even_distances),
		cmocka_unit_test(distant_apart),
		cmocka_unit_test(local_each_other),
		cmocka_unit_test(ranges_of_ranges),
		cmocka_unit_test(group_copies),
	};

	return cmocka_run_group_tests(tests, open_objects, NULL);
}
