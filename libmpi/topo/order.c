// SPDX-License-Identifier: BSD-3-Clause
/* order.c - rank reordering: neighbors go into one domain of locality (a node, or a NUMA node).
 *
 *     A 4 x 4 grid on four domains A, B, C, D of four processes each:
 *
 *        order of ranks        recursive bisection
 *
 *           A A A A                 A A│B B          Each box is cut in two where the number of
 *           B B B B                 A A│B B          places below the cut is a boundary between
 *           C C C C       ──>       ───┼───          domains.  Of such cuts the one that separates
 *           D D D D                 C C│D D          the fewest neighbors is taken, and so on in
 *                                   C C│D D          both halves.
 *
 *        12 pairs of neighbors      8 pairs
 *        in different domains
 *
 * A graph is traversed breadth first, and places visited one after the other go to one domain.
 * Both are heuristics (the optimum is NP-hard).  Their result is compared with the order of ranks
 * and used only if fewer pairs of neighbors are in different domains.
 *
 * Invariant: within a domain, and between domains by their first member, processes keep the order
 * of their ranks; so a rank changes only where that helps. */
#include "libmpi/topo/order.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- domains -------------------------------------------------------------------------------- */

/* The processes sorted by domain. */
struct sorted {
	int n;
	int *process; /* [n] process at each position, domain by domain */
	int *first;   /* [n] first position of the domain of position i */
	int *end;     /* [n] position behind the last of that domain */
	int *mem;     /* the three arrays */
};

struct keyed {
	int color, process;
};

static int by_color(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->color != y->color)
		return x->color < y->color ? -1 : 1;
	return x->process < y->process ? -1 : x->process > y->process;
}

static void sorted_fill(struct sorted *s, struct keyed *k, const int *color)
{
	for (int i = 0; i < s->n; i++)
		k[i] = (struct keyed){color[i], i};
	qsort(k, (size_t)s->n, sizeof(*k), by_color);
	for (int i = 0; i < s->n; i++) {
		s->process[i] = k[i].process;
		s->first[i] = i > 0 && k[i].color == k[i - 1].color ? s->first[i - 1] : i;
	}
	for (int i = s->n - 1; i >= 0; i--)
		s->end[i] = i + 1 < s->n && s->first[i] == s->first[i + 1] ? s->end[i + 1] : i + 1;
}

static int sorted_new(struct sorted *s, int n, const int *color)
{
	struct keyed *k = malloc((size_t)n * sizeof(*k));

	s->n = n;
	s->mem = malloc(3 * (size_t)n * sizeof(*s->mem));
	if (k == NULL || s->mem == NULL) {
		free(k);
		free(s->mem);
		return -1;
	}
	s->process = s->mem;
	s->first = s->process + n;
	s->end = s->first + n;
	sorted_fill(s, k, color);
	free(k);
	return 0;
}

static void order_identity(int *order, int n)
{
	for (int i = 0; i < n; i++)
		order[i] = i;
}

/* --- grids ---------------------------------------------------------------------------------- */

/* The box of the grid that is being cut: coordinates low[d] to low[d] + size[d] - 1. */
struct region {
	const struct order_grid *g;
	const struct sorted *s;
	int *low, *size, *at; /* [ndims] each; at: coordinates of the place being visited */
	int *order;           /* result: process of each place */
	bool shortest;        /* prefer the shortest cut to one between two domains */
};

/* A way to cut the box in two along one dimension. */
struct cut {
	int dim, size; /* size: extent of the lower half */
	bool border;   /* it runs between two domains */
	int faces;     /* pairs of neighbors that it separates */
	int off;       /* distance from the middle, in places */
};

static bool cut_better(const struct cut *a, const struct cut *b, bool shortest)
{
	if (a->border != b->border && (!shortest || a->faces == b->faces))
		return a->border;
	if (a->faces != b->faces)
		return a->faces < b->faces;
	return a->off < b->off;
}

/* The best cut of the box of n places, whose processes are at positions first to first + n - 1. */
static struct cut cut_find(const struct region *b, int first, int n)
{
	struct cut best = {.dim = -1};

	for (int d = 0; d < b->g->ndims; d++) {
		int faces = n / b->size[d];

		for (int p = 1; p < b->size[d]; p++) {
			int m = p * faces;
			struct cut c = {
				d, p, b->s->first[first + m] == first + m, faces, abs(n - 2 * m)};

			if (best.dim < 0 || cut_better(&c, &best, b->shortest))
				best = c;
		}
	}
	return best;
}

/* Assigns the n places of the box, row by row, to the processes at positions first and
 * following. */
static void region_fill(const struct region *b, int first, int n)
{
	const struct order_grid *g = b->g;

	memcpy(b->at, b->low, (size_t)g->ndims * sizeof(*b->at));
	for (int i = 0; i < n; i++) {
		int vertex = 0, d = g->ndims - 1;

		for (int k = 0; k < g->ndims; k++)
			vertex = vertex * g->dims[k] + b->at[k];
		b->order[vertex] = b->s->process[first + i];
		while (d >= 0 && ++b->at[d] == b->low[d] + b->size[d]) {
			b->at[d] = b->low[d];
			d--;
		}
	}
}

/* Cuts the box until each part has processes of one domain only, and assigns its places. */
static void region_assign(struct region *b, int first, int n)
{
	struct cut c;
	int whole, below;

	if (b->s->end[first] >= first + n) {
		region_fill(b, first, n);
		return;
	}
	c = cut_find(b, first, n);
	whole = b->size[c.dim];
	below = n / whole * c.size;
	b->size[c.dim] = c.size;
	region_assign(b, first, below);
	b->low[c.dim] += c.size;
	b->size[c.dim] = whole - c.size;
	region_assign(b, first + below, n - below);
	b->low[c.dim] -= c.size;
	b->size[c.dim] = whole;
}

/* The number of pairs of neighbors in different domains if process order[i] takes place i. */
static int64_t grid_apart(const struct order_grid *g, const int *color, const int *order)
{
	int64_t apart = 0;
	int stride = 1;

	for (int d = g->ndims - 1; d >= 0; d--) {
		for (int i = 0; i < g->n; i++) {
			int x = i / stride % g->dims[d], next = i + stride;

			if (x + 1 == g->dims[d])
				next = g->periods[d] ? i - x * stride : i;
			apart += color[order[i]] != color[order[next]];
		}
		stride *= g->dims[d];
	}
	return apart;
}

/* Assigns all places by one of the two rules; returns the pairs of neighbors that are apart. */
static int64_t grid_try(struct region *b, bool shortest, const int *color)
{
	const struct order_grid *g = b->g;

	b->shortest = shortest;
	memset(b->low, 0, (size_t)g->ndims * sizeof(*b->low));
	memcpy(b->size, g->dims, (size_t)g->ndims * sizeof(*b->size));
	region_assign(b, 0, g->n);
	return grid_apart(g, color, b->order);
}

int topo_order_grid(const struct order_grid *g, const int *color, int *order, bool *better)
{
	struct region b = {.g = g, .order = order};
	int64_t self, border, brief;
	struct sorted s;

	order_identity(order, g->n);
	*better = false;
	self = grid_apart(g, color, order);
	if (self == 0)
		return 0;
	b.low = malloc(3 * (size_t)g->ndims * sizeof(*b.low));
	if (b.low == NULL || sorted_new(&s, g->n, color) != 0) {
		free(b.low);
		return -1;
	}
	b.s = &s;
	b.size = b.low + g->ndims;
	b.at = b.size + g->ndims;
	border = grid_try(&b, false, color);
	brief = grid_try(&b, true, color);
	if (border <= brief)
		grid_try(&b, false, color);
	*better = border < self || brief < self;
	if (!*better)
		order_identity(order, g->n);
	free(s.mem);
	free(b.low);
	return 0;
}

/* --- graphs --------------------------------------------------------------------------------- */

/* As grid_apart, for the edges of a graph. */
static int64_t graph_apart(const struct order_graph *g, const int *color, const int *order)
{
	int64_t apart = 0;

	for (int i = 0, e = 0; i < g->n; i++) {
		for (; e < g->index[i]; e++)
			apart += color[order[i]] != color[order[g->edges[e]]];
	}
	return apart;
}

/* A breadth-first traversal. */
struct bfs {
	int *vertex; /* [n] places in the order of the visit */
	bool *seen;  /* [n] visited; false at first */
	int n;       /* places visited so far */
};

static void bfs_add(struct bfs *w, int vertex)
{
	if (w->seen[vertex])
		return;
	w->seen[vertex] = true;
	w->vertex[w->n++] = vertex;
}

/* Visits all places; each component begins at its lowest place. */
static void bfs_run(struct bfs *w, const struct order_graph *g)
{
	for (int start = 0, at = 0; start < g->n; start++) {
		bfs_add(w, start);
		for (; at < w->n; at++) {
			int i = w->vertex[at];

			for (int e = i == 0 ? 0 : g->index[i - 1]; e < g->index[i]; e++)
				bfs_add(w, g->edges[e]);
		}
	}
}

int topo_order_graph(const struct order_graph *g, const int *color, int *order, bool *better)
{
	struct bfs w = {.n = 0};
	struct sorted s;
	int64_t apart;

	order_identity(order, g->n);
	*better = false;
	apart = graph_apart(g, color, order);
	if (apart == 0)
		return 0;
	w.vertex = malloc((size_t)g->n * sizeof(*w.vertex));
	w.seen = calloc((size_t)g->n, sizeof(*w.seen));
	if (w.vertex == NULL || w.seen == NULL || sorted_new(&s, g->n, color) != 0) {
		free(w.vertex);
		free(w.seen);
		return -1;
	}
	bfs_run(&w, g);
	for (int i = 0; i < g->n; i++)
		order[w.vertex[i]] = s.process[i];
	*better = graph_apart(g, color, order) < apart;
	if (!*better)
		order_identity(order, g->n);
	free(s.mem);
	free(w.vertex);
	free(w.seen);
	return 0;
}
