// SPDX-License-Identifier: BSD-3-Clause
/* runs.c - the contiguous runs of a range of the packed form, and the way back from an offset.
 *
 *      runs_seek     element ── step of each loop ── field ── ...     to the block of byte `at'
 *          │                       └── the last loop: its steps are equal blocks, `stride' apart
 *      runs_row, runs_list          the rest of that loop, or of that list
 *
 * Each seek ends at an innermost loop or list, of which all remaining runs are listed.  So a seek
 * is paid once a row, and needs no memory however deep the types nest. */
#include "libmpi/type/runs.h"

#include "libmpi/type/pack_plan.h"

struct runs_out {
	struct type_run *run;
	int n, most;
	int64_t left; /* bytes that are still wanted */
	bool full;
};

/* Where a seek ends.  A list: byte `at' of one element of it, which begins at off.  Else byte `at'
 * of the first of `steps' blocks of `block' bytes. */
struct runs_cursor {
	const struct type_plan *list; /* PLAN_RUNS, or NULL */
	int64_t off, at;
	int64_t steps, stride, block;
};

/* Adds a run; the part that is not wanted any more is cut off. */
static void runs_add(struct runs_out *o, int64_t off, int64_t len)
{
	struct type_run *last = o->n > 0 ? &o->run[o->n - 1] : NULL;

	len = len < o->left ? len : o->left;
	if (last != NULL && last->off + last->len == off)
		last->len += len;
	else if (o->n < o->most)
		o->run[o->n++] = (struct type_run){off, len};
	else {
		o->full = true;
		return;
	}
	o->left -= len;
}

/* Enters step number at / bytes of a loop. */
static void runs_repeat(struct runs_cursor *w, int64_t n, int64_t stride, int64_t bytes)
{
	int64_t i = w->at < bytes ? 0 : w->at / bytes;

	w->off += type_plan_advance(i, stride);
	w->at -= i * bytes;
	w->steps = n - i;
	w->stride = stride;
	w->block = bytes;
}

/* The last of n fields that begins at or before packed byte `at'. */
static const struct plan_field *runs_field(const struct type_plan *p, int64_t at)
{
	int64_t i = 0, above = p->n;

	while (above - i > 1) {
		int64_t mid = i + (above - i) / 2;

		if (p->field[mid].at <= at)
			i = mid;
		else
			above = mid;
	}
	return &p->field[i];
}

/* Finds byte w->at of elements of a plan that are w->stride apart.  w->steps: how many elements the
 * caller wants to see at most. */
static void runs_seek(const struct type_plan *p, struct runs_cursor *w)
{
	runs_repeat(w, w->steps, w->stride, p->size);
	while (p != NULL && p->kind != PLAN_RUNS) {
		if (p->kind == PLAN_NEST) {
			w->off += p->off;
			for (int d = p->dims - 1; d >= 0; d--)
				runs_repeat(w, p->dim[d].n, p->dim[d].stride, p->dim[d].bytes);
			p = p->leaf;
		} else {
			const struct plan_field *f = runs_field(p, w->at);

			w->at -= f->at;
			w->off += f->off;
			runs_repeat(w, f->n, f->stride, f->block);
			p = f->sub;
		}
	}
	w->list = p;
}

/* Adds the rest of the blocks of a loop. */
static void runs_row(struct runs_out *o, const struct runs_cursor *w)
{
	int64_t off = w->off;

	runs_add(o, off + w->at, w->block - w->at);
	for (int64_t i = 1; i < w->steps && o->left > 0 && !o->full; i++) {
		off += w->stride;
		runs_add(o, off, w->block);
	}
}

static int64_t runs_list_off(const struct type_plan *p, int64_t i)
{
	return p->run32 != NULL ? p->run32[i] : p->run[i];
}

static int64_t runs_list_at(const struct type_plan *p, int64_t i)
{
	return p->at != NULL ? p->at[i] : i * p->block;
}

/* The run of a list that has packed byte `at'. */
static int64_t runs_list_find(const struct type_plan *p, int64_t at)
{
	int64_t i = 0, above = p->n;

	if (p->at == NULL)
		return at / p->block;
	while (above - i > 1) {
		int64_t mid = i + (above - i) / 2;

		if (p->at[mid] <= at)
			i = mid;
		else
			above = mid;
	}
	return i;
}

/* Adds the rest of the runs of a list. */
static void runs_list(struct runs_out *o, const struct runs_cursor *w)
{
	const struct type_plan *p = w->list;
	int64_t i = runs_list_find(p, w->at), skip = w->at - runs_list_at(p, i);

	for (; i < p->n && o->left > 0 && !o->full; i++, skip = 0)
		runs_add(o, w->off + runs_list_off(p, i) + skip,
			runs_list_at(p, i + 1) - runs_list_at(p, i) - skip);
}

int type_runs(
	const struct type *t, int64_t at, int64_t n, struct type_run *run, int most, int64_t *bytes)
{
	struct runs_out o = {.run = run, .most = most, .left = n};

	if (t->plan == NULL) {
		runs_add(&o, at, n);
		*bytes = n;
		return 1;
	}
	while (o.left > 0 && !o.full) {
		int64_t now = at + n - o.left;
		struct runs_cursor w = {.at = now,
			.steps = now / t->size + o.left / t->size + 2,
			.stride = t->extent};

		runs_seek(t->plan, &w);
		if (w.list != NULL)
			runs_list(&o, &w);
		else
			runs_row(&o, &w);
	}
	*bytes = n - o.left;
	return o.n;
}

int64_t type_offset(const struct type *t, int64_t at)
{
	struct type_run one;
	int64_t bytes;

	type_runs(t, at, 1, &one, 1, &bytes);
	return one.off;
}

bool type_comb(const struct type *t, struct type_comb *c)
{
	const struct type_plan *p = t->plan;

	*c = (struct type_comb){0, 1, t->size, 0};
	if (p == NULL)
		return true;
	if (p->kind != PLAN_NEST || p->leaf != NULL || p->dims > 1)
		return false;
	c->off = p->off;
	c->block = p->block;
	if (p->dims == 1) {
		c->n = p->dim[0].n;
		c->stride = p->dim[0].stride;
	}
	return true;
}

/* --- from an offset to the packed form ------------------------------------------------------ */

/* In one element of a nest without a leaf: bytes before the first one at `off' or behind.  There is
 * one.  Of each loop, finds the first step that ends behind off. */
static int64_t runs_find_nest(const struct type_plan *p, int64_t off)
{
	int64_t span[PLAN_DIMS + 1], at = 0;

	span[0] = p->block;
	for (int d = 0; d < p->dims; d++)
		span[d + 1] = span[d] + type_plan_advance(p->dim[d].n - 1, p->dim[d].stride);
	off -= p->off;
	for (int d = p->dims - 1; d >= 0 && off > 0; d--) {
		int64_t i = off < span[d] ? 0 : (off - span[d]) / p->dim[d].stride + 1;

		off -= i * p->dim[d].stride;
		at += i * p->dim[d].bytes;
	}
	return off > 0 ? at + off : at;
}

/* As runs_find_nest, for any type: by bisection. */
static int64_t runs_find_any(const struct type *t, int64_t off)
{
	int64_t at = 0, above = t->size - 1; /* the last byte is not before off */

	while (at < above) {
		int64_t mid = at + (above - at) / 2;

		if (type_offset(t, mid) >= off)
			above = mid;
		else
			at = mid + 1;
	}
	return at;
}

/* As runs_find_nest, in a list: the first run that ends behind off. */
static int64_t runs_find_list(const struct type_plan *p, int64_t off)
{
	int64_t i = 0, above = p->n - 1, into;

	while (i < above) {
		int64_t mid = i + (above - i) / 2;
		int64_t len = runs_list_at(p, mid + 1) - runs_list_at(p, mid);

		if (runs_list_off(p, mid) + len > off)
			above = mid;
		else
			i = mid + 1;
	}
	into = off - runs_list_off(p, i);
	return runs_list_at(p, i) + (into > 0 ? into : 0);
}

int64_t type_offset_find(const struct type *t, int64_t off)
{
	int64_t end = t->true_lb + t->true_extent, i = 0, before;
	const struct type_plan *p = t->plan;

	if (p == NULL)
		return off > 0 ? off : 0;
	if (off >= end && t->extent <= 0)
		return INT64_MAX;
	if (off >= end)
		i = (off - end) / t->extent + 1;
	if (__builtin_mul_overflow(i, t->size, &before))
		return INT64_MAX;
	off -= i * t->extent;
	if (off <= t->true_lb)
		return before;
	if (p->kind == PLAN_NEST && p->leaf == NULL)
		return before + runs_find_nest(p, off);
	if (p->kind == PLAN_RUNS)
		return before + runs_find_list(p, off);
	return before + runs_find_any(t, off);
}
