// SPDX-License-Identifier: BSD-3-Clause
/* topo_order.c - where the processes of a grid or a graph go, with made-up machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "libmpi/topo/order.h"

#define NMAX 512 /* places in a test */

static int color[NMAX], order[NMAX];
static const int open_ends[8], around[8] = {1, 1, 1, 1, 1, 1, 1, 1};

/* Pairs of neighbours apart, counted from each place to its neighbours at +1. */
static int order_apart(const struct order_grid *g, const int *who)
{
	int n = 0;

	for (int i = 0; i < g->n; i++) {
		for (int d = 0, stride = g->n; d < g->ndims; d++) {
			int x, next;

			stride /= g->dims[d];
			x = i / stride % g->dims[d];
			if (x + 1 == g->dims[d] && !g->periods[d])
				continue;
			next = i + ((x + 1) % g->dims[d] - x) * stride;
			n += color[who[i]] != color[who[next]];
		}
	}
	return n;
}

static void is_permutation(int n)
{
	char seen[NMAX] = {0};

	for (int i = 0; i < n; i++) {
		assert_in_range(order[i], 0, n - 1);
		assert_int_equal(seen[order[i]], 0);
		seen[order[i]] = 1;
	}
}

/* Orders the grid with colors that are set; returns how many pairs are apart before and after. */
static bool order_ordered(int ndims, const int *dims, const int *periods, int *before, int *after)
{
	struct order_grid g = {ndims, 1, dims, periods};
	int self[NMAX];
	bool better;

	for (int d = 0; d < ndims; d++)
		g.n *= dims[d];
	for (int i = 0; i < g.n; i++)
		self[i] = i;
	assert_int_equal(topo_order_grid(&g, color, order, &better), 0);
	is_permutation(g.n);
	*before = order_apart(&g, self);
	*after = order_apart(&g, order);
	assert_int_equal(better, *after < *before);
	if (!better)
		assert_memory_equal(order, self, sizeof(int) * (size_t)g.n);
	return better;
}

static void order_blocks(int n, int each)
{
	for (int i = 0; i < n; i++)
		color[i] = i / each;
}

static void one_domain(void **state)
{
	int dims[2] = {4, 6}, before, after;

	(void)state;
	order_blocks(24, 24);
	assert_false(order_ordered(2, dims, around, &before, &after));
	assert_int_equal(after, 0);
}

static void four_nodes(void **state)
{
	static const int want[16] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
	int dims[2] = {4, 4}, before, after;

	(void)state;
	order_blocks(16, 4);
	assert_true(order_ordered(2, dims, open_ends, &before, &after));
	assert_int_equal(before, 12);
	assert_int_equal(after, 8);
	assert_memory_equal(order, want, sizeof(want));
}

static void cubes(void **state)
{
	int dims[3] = {8, 8, 8}, before, after;

	(void)state;
	order_blocks(512, 64); /* 8 nodes of 64: cubes of 4 x 4 x 4 */
	assert_true(order_ordered(3, dims, open_ends, &before, &after));
	assert_int_equal(before, 7 * 64);
	assert_int_equal(after, 3 * 64);
}

static void six_of_six(void **state)
{
	int dims[2] = {6, 6}, before, after;

	(void)state;
	order_blocks(36, 6); /* 3 x 2 blocks */
	assert_true(order_ordered(2, dims, open_ends, &before, &after));
	assert_int_equal(after, 6 + 2 * 6);
}

static void nodes_round_robin(void **state)
{
	int dims[1] = {12}, before, after;

	(void)state;
	for (int i = 0; i < 12; i++)
		color[i] = i % 3;
	assert_true(order_ordered(1, dims, around, &before, &after));
	assert_int_equal(before, 12);
	assert_int_equal(after, 3);
	for (int i = 0; i < 12; i++) /* in each domain in the order of ranks */
		assert_int_equal(order[i], i / 4 + i % 4 * 3);
}

static void already_good(void **state)
{
	int dims[2] = {4, 2}, before, after;

	(void)state;
	order_blocks(8, 4);
	assert_false(order_ordered(2, dims, open_ends, &before, &after));
	assert_int_equal(after, 2);
}

static void any_grid(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		int dims[4], n = 1, ndims, domains, before, after;

		ndims = 1 + (int)(seed >> 16) % 4;
		for (int d = 0; d < ndims; d++) {
			seed = seed * 1664525u + 1013904223u;
			dims[d] = 1 + (int)(seed >> 16) % 4;
			n *= dims[d];
		}
		domains = 1 + (int)(seed >> 20) % 6;
		for (int i = 0; i < n; i++) {
			seed = seed * 1664525u + 1013904223u;
			color[i] = (int)(seed >> 16) % domains * 1000;
		}
		order_ordered(ndims, dims, seed & 4096 ? around : open_ends, &before, &after);
	}
}

/* The best there is, by trying all ways to give places of domain 0 (half of them) away. */
static int optimum(const struct order_grid *g)
{
	int best = NMAX, half = g->n / 2, saved[NMAX], self[NMAX];

	for (int i = 0; i < g->n; i++) {
		saved[i] = color[i];
		self[i] = i;
	}
	for (unsigned set = 0; set < 1u << g->n; set++) {
		int n;

		if (__builtin_popcount(set) != half)
			continue;
		for (int i = 0; i < g->n; i++)
			color[i] = set >> i & 1;
		n = order_apart(g, self);
		best = n < best ? n : best;
	}
	for (int i = 0; i < g->n; i++)
		color[i] = saved[i];
	return best;
}

static void halves_are_best(void **state)
{
	static const int shapes[][3] = {
		{2, 3, 1}, {3, 2, 1}, {4, 3, 1}, {2, 2, 3}, {2, 7, 1}, {4, 4, 1}, {2, 2, 2}};

	(void)state;
	for (size_t k = 0; k < sizeof(shapes) / sizeof(*shapes); k++) {
		const int *dims = shapes[k];
		struct order_grid g = {3, dims[0] * dims[1] * dims[2], dims, open_ends};
		int before, after;

		for (int i = 0; i < g.n; i++)
			color[i] = i % 2;
		order_ordered(3, dims, open_ends, &before, &after);
		assert_int_equal(after, optimum(&g));
	}
}

static void graph(void **state)
{
	enum { N = 60 };
	int index[N], edges[2 * N], cross = 0;
	struct order_graph g = {N, index, edges};
	bool better;

	(void)state;
	/* a ring whose nodes are numbered with strides of 7, on three machines */
	for (int i = 0; i < N; i++) {
		index[i] = 2 * (i + 1);
		edges[2 * i] = (i + 7) % N;
		edges[2 * i + 1] = (i + N - 7) % N;
		color[i] = i / 20;
	}
	assert_int_equal(topo_order_graph(&g, color, order, &better), 0);
	assert_true(better);
	is_permutation(N);
	for (int e = 0; e < 2 * N; e++)
		cross += color[order[e / 2]] != color[order[edges[e]]];
	assert_in_range(cross, 6, 8); /* both ways around: 4 cuts, 2 edges each */
	for (int i = 0; i < N; i++)
		color[i] = 5;
	assert_int_equal(topo_order_graph(&g, color, order, &better), 0);
	assert_false(better);
}

static void graph_of_islands(void **state)
{
	int index[6] = {1, 2, 3, 3, 3, 3}, edges[3] = {3, 4, 5};
	struct order_graph g = {6, index, edges};
	bool better;

	(void)state;
	for (int i = 0; i < 6; i++)
		color[i] = i / 2;
	assert_int_equal(topo_order_graph(&g, color, order, &better), 0);
	is_permutation(6);
	assert_true(better);
	assert_int_equal(color[order[1]], color[order[4]]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_domain),
		cmocka_unit_test(four_nodes),
		cmocka_unit_test(cubes),
		cmocka_unit_test(six_of_six),
		cmocka_unit_test(nodes_round_robin),
		cmocka_unit_test(already_good),
		cmocka_unit_test(any_grid),
		cmocka_unit_test(halves_are_best),
		cmocka_unit_test(graph),
		cmocka_unit_test(graph_of_islands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
