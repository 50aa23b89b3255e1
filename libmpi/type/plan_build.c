// SPDX-License-Identifier: BSD-3-Clause
/* plan_build.c - the commit's compiler: from shapes to plans.
 *
 *      shape    ── inner types first (visit.c) ─────────────────────────────────────────────┐
 *      STRIDE   ── nest of the child, two loops around it; loops that continue each other    │
 *                  become one ──> NEST                                                       │
 *      LIST     ── equal steps? ──> NEST                                                     │
 *      FIELDS   ── only memory? ──> RUNS (adjacent ones merged) ── one, or regular? ──> NEST │
 *               └─ else ──> FIELDS, one for each block                                  <────┘
 *
 * Each type's plan is made from the plans of its inner types.  So the work is O(arguments of its
 * own constructor), also where one type is used many times. */
#include "libmpi/type/pack_plan.h"

#include "libmpi/core/err.h"
#include "libmpi/type/kernel.h"
#include "libmpi/type/shape.h"
#include "libmpi/type/visit.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_MAX 4 /* runs of different lengths may become this many equal ones each */

/* --- nests ---------------------------------------------------------------------------------- */

/* The plan of a type as a nest: its own nest, a block if it is dense, or a leaf. nest is empty
 * before. */
static void nest_of(struct type_plan *nest, const struct type *t)
{
	const struct type_plan *p = t->plan;

	if (p != NULL && p->kind == PLAN_NEST) {
		*nest = *p;
		nest->owned = NULL; /* they remain p's */
		nest->streaming = false;
		return;
	}
	nest->kind = PLAN_NEST;
	nest->size = t->size;
	nest->block = t->size;
	nest->leaf = p;
}

/* Puts a loop around a nest. false: no memory. */
HAFT_START static bool nest_repeat(struct type_plan *p, int64_t n, int64_t stride)
{
	struct plan_dim *top = p->dims > 0 ? &p->dim[p->dims - 1] : NULL;
	struct type_plan *leaf;

	if (n == 1)
		return true;
	if (top == NULL && p->leaf == NULL && stride == p->block) {
		p->block *= n;
	} else if (top != NULL && type_plan_advance(top->n, top->stride) == stride) {
		top->n *= n;
	} else if (p->dims < PLAN_DIMS) {
		p->dim[p->dims++] = (struct plan_dim){n, stride, p->size};
	} else {
		leaf = malloc(sizeof(*leaf));
		if (leaf == NULL)
			return false;
		*leaf = *p;
		leaf->off = 0;
		p->owned = leaf;
		p->leaf = leaf;
		p->block = p->size;
		p->dims = 1;
		p->dim[0] = (struct plan_dim){n, stride, p->size};
	}
	p->size *= n;
	return true;
}

/* Are `len' elements of this type one piece of memory? */
static bool is_memory(const struct type *t, int64_t len)
{
	const struct type_plan *p = t->plan;

	return p == NULL || (p->kind == PLAN_NEST && p->dims == 0 && p->leaf == NULL &&
				    (len == 1 || p->block == t->extent));
}

static int64_t block_off(const struct type *t)
{
	return t->plan == NULL ? 0 : t->plan->off;
}

/* --- blocks of a shape ---------------------------------------------------------------------- */

static const struct type *block_inner(const struct type_shape *s, int64_t i)
{
	return s->kind == SHAPE_FIELDS ? s->children[i] : s->child;
}

static int64_t block_len(const struct type_shape *s, int64_t i)
{
	return s->lens != NULL ? s->lens[i] : s->len;
}

/* Do all blocks with data have one type, one length and one step?  Sets *first, *n and *step.  A
 * list without data is regular with *n == 0. */
static bool is_regular(const struct type_shape *s, int64_t *first, int64_t *n, int64_t *step)
{
	int64_t last = -1;

	*n = 0;
	*step = 0;
	for (int64_t i = 0; i < s->n; i++) {
		if (block_len(s, i) == 0 || block_inner(s, i)->size == 0)
			continue;
		if (*n == 0)
			*first = i;
		else if (block_inner(s, i) != block_inner(s, *first) ||
			 block_len(s, i) != block_len(s, *first))
			return false;
		else if (*n == 1)
			*step = s->displs[i] - s->displs[last];
		else if (s->displs[i] - s->displs[last] != *step)
			return false;
		last = i;
		++*n;
	}
	return true;
}

/* --- runs ----------------------------------------------------------------------------------- */

/* Frees the memory behind a plan. */
static void plan_release(struct type_plan *p)
{
	free(p->run);
	free(p->run32);
	free(p->at);
	free(p->field);
	while (p->owned != NULL) {
		struct type_plan *o = p->owned;

		p->owned = o->owned;
		free(o);
	}
}

/* Lists the runs of the blocks, adjacent ones merged: p->run and p->at. false: no memory. */
static bool runs_gather(struct type_plan *p, const struct type_shape *s)
{
	int64_t at = 0, end = 0;

	p->kind = PLAN_RUNS;
	p->run = malloc((size_t)s->n * sizeof(*p->run));
	p->at = malloc(((size_t)s->n + 1) * sizeof(*p->at));
	if (p->run == NULL || p->at == NULL)
		return false;
	for (int64_t i = 0; i < s->n; i++) {
		const struct type *inner = block_inner(s, i);
		int64_t len = block_len(s, i) * inner->size, off;

		if (len == 0)
			continue;
		off = s->displs[i] + block_off(inner);
		if (p->n == 0 || off != end) {
			p->run[p->n] = off;
			p->at[p->n++] = at;
		}
		at += len;
		end = off + len;
	}
	p->at[p->n] = at;
	p->size = at;
	return true;
}

/* The length of all runs; 0: they differ. */
static int64_t runs_equal(const struct type_plan *p)
{
	int64_t len = p->at[1];

	for (int64_t i = 1; i < p->n; i++)
		if (p->at[i + 1] - p->at[i] != len)
			return 0;
	return len;
}

/* Runs that are one block or a loop become a nest. p->block is set. */
static void runs_regular(struct type_plan *p)
{
	int64_t first = p->run[0], step = p->n > 1 ? p->run[1] - first : 0;
	int64_t n = p->n, block = p->block;

	for (int64_t i = 2; i < n; i++)
		if (p->run[i] - p->run[i - 1] != step)
			return;
	plan_release(p);
	*p = (struct type_plan){.kind = PLAN_NEST, .off = first, .size = block, .block = block};
	nest_repeat(p, n, step);
}

/* The largest length of which all runs are multiples. */
static int64_t runs_unit(const struct type_plan *p)
{
	int64_t unit = 0;

	for (int64_t i = 0; i < p->n && unit != 1; i++) {
		int64_t a = p->at[i + 1] - p->at[i];

		while (a != 0) {
			int64_t b = unit % a;

			unit = a;
			a = b;
		}
	}
	return unit;
}

/* Short runs of different lengths become more runs of one length: a loop without a branch. false:
 * no memory. */
static bool runs_split(struct type_plan *p)
{
	int64_t unit = runs_unit(p);
	int64_t n = p->size / unit, k = 0;
	int64_t *run;

	if (n > UNITS_MAX * p->n || p->n <= PLAN_RECORD)
		return true;
	run = malloc((size_t)n * sizeof(*run));
	if (run == NULL)
		return false;
	for (int64_t i = 0; i < p->n; i++)
		for (int64_t at = p->at[i]; at < p->at[i + 1]; at += unit)
			run[k++] = p->run[i] + at - p->at[i];
	free(p->run);
	p->run = run;
	p->n = n;
	p->block = unit;
	return true;
}

/* Halves the list if its offsets fit into 32 bits; else leaves it as it is. */
static void runs_narrow(struct type_plan *p)
{
	int32_t *narrow;

	for (int64_t i = 0; i < p->n; i++)
		if (p->run[i] != (int32_t)p->run[i])
			return;
	narrow = malloc((size_t)p->n * sizeof(*narrow));
	if (narrow == NULL)
		return;
	for (int64_t i = 0; i < p->n; i++)
		narrow[i] = (int32_t)p->run[i];
	free(p->run);
	p->run = NULL;
	p->run32 = narrow;
}

HAFT_START static bool runs_make(struct type_plan *p, const struct type_shape *s)
{
	if (!runs_gather(p, s))
		return false;
	p->block = runs_equal(p);
	if (p->block != 0)
		runs_regular(p);
	if (p->kind == PLAN_NEST)
		return true;
	if (p->block == 0 && !runs_split(p))
		return false;
	if (p->block != 0) {
		free(p->at);
		p->at = NULL;
	}
	runs_narrow(p);
	return true;
}

/* --- fields --------------------------------------------------------------------------------- */

/* Adds one block as a field, merged with the last field where both are memory. */
static void field_add(struct type_plan *p, const struct type *inner, int64_t off, int64_t len)
{
	struct plan_field *last = p->n > 0 ? &p->field[p->n - 1] : NULL;
	struct plan_field f = {off, p->size, len, inner->extent, inner->size, inner->plan};

	if (is_memory(inner, len)) {
		f.off += block_off(inner);
		f.block *= len;
		f.n = 1;
		f.sub = NULL;
	}
	p->size += len * inner->size;
	if (last != NULL && last->sub == NULL && f.sub == NULL && last->off + last->block == f.off)
		last->block += f.block;
	else
		p->field[p->n++] = f;
}

static bool fields_make(struct type_plan *p, const struct type_shape *s)
{
	p->kind = PLAN_FIELDS;
	p->field = malloc((size_t)s->n * sizeof(*p->field));
	if (p->field == NULL)
		return false;
	for (int64_t i = 0; i < s->n; i++) {
		const struct type *inner = block_inner(s, i);

		if (block_len(s, i) > 0 && inner->size > 0)
			field_add(p, inner, s->displs[i], block_len(s, i));
	}
	return true;
}

/* --- a type --------------------------------------------------------------------------------- */

/* A nest of `n' blocks of `len' elements of a type. */
static bool stride_make(struct type_plan *p, const struct type *inner, int64_t first, int64_t len,
	int64_t n, int64_t stride)
{
	nest_of(p, inner);
	p->off += first;
	return nest_repeat(p, len, inner->extent) && nest_repeat(p, n, stride);
}

static bool list_make(struct type_plan *p, const struct type_shape *s)
{
	int64_t first = 0, n, step;
	bool memory = true;

	if (is_regular(s, &first, &n, &step))
		return stride_make(
			p, block_inner(s, first), s->displs[first], block_len(s, first), n, step);
	for (int64_t i = 0; i < s->n && memory; i++)
		memory = block_len(s, i) == 0 || is_memory(block_inner(s, i), block_len(s, i));
	return memory ? runs_make(p, s) : fields_make(p, s);
}

/* A pair of MAXLOC or MINLOC: two pieces. */
static bool pair_make(struct type_plan *p, const struct type *t)
{
	const struct type_part *c = t->part;
	int64_t lens[2] = {c[0].len, c[1].len}, displs[2] = {c[0].off, c[1].off};
	struct type byte = {.size = 1, .extent = 1};
	struct type_shape s = {
		.kind = SHAPE_LIST, .n = 2, .lens = lens, .displs = displs, .child = &byte};

	return runs_make(p, &s);
}

static bool shape_make(struct type_plan *p, const struct type *t)
{
	const struct type_shape *s = t->shape;

	if (s == NULL || s->kind == SHAPE_BASIC)
		return pair_make(p, t);
	if (s->kind == SHAPE_SAME)
		return stride_make(p, s->child, s->first, 1, 1, 0);
	if (s->kind == SHAPE_STRIDE)
		return stride_make(p, s->child, s->first, s->len, s->n, s->stride);
	return list_make(p, s);
}

static int plan_depth(const struct type_plan *p)
{
	return p == NULL ? 0 : p->depth;
}

/* Sets the depth of the plan and its heavy field: plan_execute.c needs them to limit recursion. */
static void plan_weigh(struct type_plan *p)
{
	int deep = plan_depth(p->leaf);

	for (int64_t i = 0; p->kind == PLAN_FIELDS && i < p->n; i++) {
		struct plan_field *f = &p->field[i];

		if (plan_depth(f->sub) > deep)
			deep = plan_depth(f->sub);
		if (f->sub != NULL && (p->heavy == NULL || f->block > p->heavy->block))
			p->heavy = f;
	}
	p->depth = (uint8_t)(deep < PLAN_DEEP ? deep + 1 : PLAN_DEEP + 1);
}

/* Is this the plan of a dense type? */
static bool is_dense(const struct type_plan *p, const struct type *t)
{
	return p->kind == PLAN_NEST && p->dims == 0 && p->leaf == NULL && p->off == 0 &&
	       t->lb == 0 && p->block == t->extent;
}

static struct type_plan *plan_new(void)
{
	struct type_plan *p = malloc(sizeof(*p));

	if (p == NULL)
		return NULL;
	/* in two parts: for more bytes the compiler makes a loop that takes longer */
	memset(p, 0, CACHE_LINE);
	memset((char *)p + CACHE_LINE, 0, offsetof(struct type_plan, dim) - CACHE_LINE);
	return p;
}

/* Makes a type's plan; the inner types have theirs.  Built in place: moving it takes a fifth of the
 * time that making a vector takes. */
HAFT_START static int plan_make(struct type *t)
{
	struct type_plan *p;

	t->dense = false;
	if (t->size == 0)
		return 0;
	p = plan_new();
	if (p == NULL || !shape_make(p, t)) {
		type_plan_free(p);
		return haft_err(MPI_ERR_NO_MEM, "no memory for the plan of a datatype");
	}
	must(p->size == t->size);
	t->dense = is_dense(p, t);
	if (t->dense) {
		type_plan_free(p);
		return 0;
	}
	if (t->shape != NULL)
		type_kernel_open();
	plan_weigh(p);
	p->streaming = p->kind == PLAN_NEST && t->true_extent >= PLAN_STREAMING;
	t->plan = p;
	return 0;
}

static bool is_planned(const struct type *t)
{
	return t->plan != NULL || t->dense || t->size == 0;
}

HAFT_START int type_plan_new(struct type *t)
{
	return is_planned(t) ? 0 : type_visit(t, is_planned, plan_make);
}

void type_plan_free(struct type_plan *plan)
{
	if (plan == NULL)
		return;
	plan_release(plan);
	free(plan);
}
