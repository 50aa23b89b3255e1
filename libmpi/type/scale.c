// SPDX-License-Identifier: BSD-3-Clause
/* scale.c - rebuilds a datatype with other basic types: see scale.h.
 *
 *      collect   all types inside, inner ones first, each once:  node[0] node[1] ... node[n-1] = t
 *      rebuild   in that order: a basic type is a block of bytes; a shape is copied, with scaled
 *                numbers, around the new types of its children
 *
 * All displacements of a constructor for elements are multiples of the extent of its old type,
 * which is the unit here; the steps of an array constructor have the unit of the array's old
 * type. */
#include "libmpi/type/scale.h"

#include "libmpi/core/err.h"
#include "libmpi/core/objects.h"
#include "libmpi/type/pack_plan.h"
#include "libmpi/type/type.h"
#include "libmpi/type/type_make.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct scale_node {
	struct type *old;
	struct type *unit; /* the type whose elements the constructor counted; NULL: old is basic */
	struct type *new;  /* held */
	struct type *up;   /* while its inner types are collected: the type that asked for it */
	int64_t next;      /* the next inner type to look at */
};

struct scale {
	type_extent_fn *extent;
	void *arg;
	bool portable, same;
	int64_t n, room, depth;
	struct scale_node *node;  /* [n], inner types first */
	struct scale_node *stack; /* [depth] of `room': types whose inner types are not complete */
	int64_t slots;
	int64_t *slot; /* [slots], a power of two: hash of a type to its node + 1 */
};

static int scale_no_memory(void)
{
	return haft_err(MPI_ERR_NO_MEM, "no memory to scale a datatype");
}

bool type_is_portable(const struct type *t)
{
	for (; t->shape != NULL; t = t->made->types[0]) {
		switch (t->combiner) {
		case MPI_COMBINER_DUP:
		case MPI_COMBINER_CONTIGUOUS:
		case MPI_COMBINER_VECTOR:
		case MPI_COMBINER_INDEXED:
		case MPI_COMBINER_INDEXED_BLOCK:
		case MPI_COMBINER_SUBARRAY:
		case MPI_COMBINER_DARRAY: break;
		default: return false;
		}
	}
	return true;
}

/* --- collecting ----------------------------------------------------------------------------- */

/* The slot of a type, or the free slot where it belongs. */
static int64_t *scale_slot(const struct scale *s, const struct type *t)
{
	uint64_t i = (uint64_t)(uintptr_t)t * 0x9e3779b97f4a7c15ULL >> 20;

	for (;; i++) {
		int64_t *slot = &s->slot[i & (uint64_t)(s->slots - 1)];

		if (*slot == 0 || s->node[*slot - 1].old == t)
			return slot;
	}
}

static struct scale_node *scale_find(const struct scale *s, const struct type *t)
{
	int64_t i = *scale_slot(s, t);

	return i == 0 ? NULL : &s->node[i - 1];
}

/* Makes room for one more node. */
static int scale_grow(struct scale *s)
{
	int64_t room = s->room == 0 ? MEAN_OR(1, 16) : 2 * s->room;
	struct scale_node *node, *stack;
	int64_t *slot;

	if (s->n < s->room && s->depth < s->room)
		return 0;
	node = realloc(s->node, (size_t)room * sizeof(*node));
	s->node = node != NULL ? node : s->node;
	stack = realloc(s->stack, (size_t)room * sizeof(*stack));
	s->stack = stack != NULL ? stack : s->stack;
	slot = calloc(4 * (size_t)room, sizeof(*slot));
	if (node == NULL || stack == NULL || slot == NULL) {
		free(slot);
		return scale_no_memory();
	}
	free(s->slot);
	s->slot = slot;
	s->slots = 4 * room;
	s->room = room;
	for (int64_t i = 0; i < s->n; i++)
		*scale_slot(s, s->node[i].old) = i + 1;
	return 0;
}

/* The next inner type that is not a node yet, or NULL. */
static struct type *scale_inner(const struct scale *s, struct scale_node *at)
{
	const struct type_shape *p = at->old->shape;

	if (p == NULL || p->kind == SHAPE_BASIC)
		return NULL;
	for (int64_t n = p->kind == SHAPE_FIELDS ? p->n : 1; at->next < n; at->next++) {
		struct type *t = p->kind == SHAPE_FIELDS ? p->children[at->next] : p->child;

		if (scale_find(s, t) == NULL)
			return t;
	}
	return NULL;
}

/* The unit of a type inside another one: inner types of an array have no constructor of their
 * own. */
static struct type *scale_unit(const struct type *t, struct type *outer)
{
	if (t->shape == NULL)
		return NULL;
	return t->made != NULL ? t->made->types[0] : outer;
}

/* Collects t and all types inside it. */
static int scale_collect(struct scale *s, struct type *t)
{
	int err = scale_grow(s);

	if (err != 0)
		return err;
	if (t->made != NULL && t->made->nd == 0) /* a struct of nothing */
		s->portable = false;
	s->stack[s->depth++] = (struct scale_node){.old = t, .unit = NULL};
	if (s->portable)
		s->stack[0].unit = scale_unit(t, NULL);
	while (s->depth > 0) {
		struct scale_node *at = &s->stack[s->depth - 1];
		struct type *inner = scale_inner(s, at);

		err = scale_grow(s);
		if (err != 0)
			return err;
		at = &s->stack[s->depth - 1];
		if (inner == NULL) {
			s->node[s->n++] = *at;
			*scale_slot(s, at->old) = s->n;
			s->depth--;
		} else {
			s->stack[s->depth++] = (struct scale_node){.old = inner,
				.unit = s->portable ? scale_unit(inner, at->unit) : NULL};
		}
	}
	return 0;
}

/* --- rebuilding ----------------------------------------------------------------------------- */

/* A number of bytes of the old type, in the new one's unit. */
static bool scale_bytes(int64_t old, const struct type *unit, const struct type *now, int64_t *new)
{
	*new = old;
	if (unit == NULL || unit->extent == now->extent)
		return true;
	*new = 0;
	return unit->extent == 0 || !__builtin_mul_overflow(old / unit->extent, now->extent, new);
}

static int scale_too_large(void)
{
	return haft_err(MPI_ERR_ARG, "the datatype exceeds 64 bits in the file's representation");
}

/* A predefined type: `bytes' bytes, with the extent of memory if nothing is scaled. */
static int scale_basic(const struct scale *s, struct scale_node *at, int64_t bytes)
{
	struct type *t;
	int err = type_new(MPI_COMBINER_CONTIGUOUS, true, &(struct type_room){.types = 1}, &t);

	if (err != 0)
		return err;
	at->new = t;
	type_put_type(t, type_predefined(MPI_BYTE));
	*t->shape = (struct type_shape){
		.kind = SHAPE_STRIDE, .n = 1, .len = bytes, .child = t->made->types[0]};
	err = type_compute_bounds(t);
	if (err == 0 && !s->portable && bytes != at->old->extent)
		err = type_set_bounds(t, at->old->lb, at->old->extent);
	return err;
}

/* Copies the shape around the new children. */
static int scale_shape(const struct scale *s, const struct scale_node *at)
{
	const struct type_shape *old = at->old->shape;
	struct type_shape *new = at->new->shape;
	const struct type *now = at->unit != NULL ? scale_find(s, at->unit)->new : NULL;
	int64_t *lens = new->lens, *displs = new->displs,
		nd = old->kind == SHAPE_FIELDS ? old->n : 1;
	bool fits = true;

	*new = *old;
	new->lens = old->lens != NULL ? lens : NULL;
	new->displs = old->displs != NULL ? displs : NULL;
	new->children = NULL;
	for (int64_t i = 0; i < nd; i++)
		type_put_type(at->new,
			scale_find(s, old->kind == SHAPE_FIELDS ? old->children[i] : old->child)
				->new);
	if (old->kind == SHAPE_FIELDS)
		new->children = at->new->made->types;
	else
		new->child = at->new->made->types[0];
	fits &= scale_bytes(old->first, at->unit, now, &new->first);
	fits &= scale_bytes(old->stride, at->unit, now, &new->stride);
	for (int64_t i = 0; new->lens != NULL &&i < old->n; i++)
		lens[i] = old->lens[i];
	for (int64_t i = 0; new->displs != NULL &&i < old->n; i++)
		fits &= scale_bytes(old->displs[i], at->unit, now, &displs[i]);
	return fits ? 0 : scale_too_large();
}

/* The bounds of the new type: as they were, if nothing is scaled; else computed, but those that an
 * array constructor has set are scaled. */
static int scale_bounds(const struct scale *s, const struct scale_node *at)
{
	const struct type *now = at->unit != NULL ? scale_find(s, at->unit)->new : NULL;
	struct type natural = *at->old;
	int64_t lb, extent;
	int err = type_compute_bounds(at->new);

	if (err != 0)
		return err;
	if (s->portable &&
		(type_compute_bounds(&natural) != 0 ||
			(natural.lb == at->old->lb && natural.extent == at->old->extent &&
				natural.bounded == at->old->bounded)))
		return 0;
	if (!scale_bytes(at->old->lb, at->unit, now, &lb) ||
		!scale_bytes(at->old->extent, at->unit, now, &extent))
		return scale_too_large();
	return type_set_bounds(at->new, lb, extent);
}

static int scale_derived(const struct scale *s, struct scale_node *at)
{
	const struct type_shape *p = at->old->shape;
	struct type_room room = {.types = p->kind == SHAPE_FIELDS ? p->n : 1,
		.lens = p->lens != NULL ? p->n : 0,
		.displs = p->displs != NULL ? p->n : 0};
	int err = type_new(MPI_COMBINER_STRUCT, true, &room, &at->new);

	if (err == 0)
		err = scale_shape(s, at);
	return err != 0 ? err : scale_bounds(s, at);
}

/* Asks for the extents of the basic types.  s->same: all are as in memory. */
static int scale_ask(struct scale *s)
{
	s->same = true;
	for (int64_t i = 0; i < s->n; i++) {
		struct scale_node *at = &s->node[i];

		if (at->old->shape != NULL)
			continue;
		at->next = s->extent(s->arg, at->old);
		if (at->next < 0)
			return (int)-at->next;
		s->same &= at->next == at->old->extent && at->old->dense;
	}
	return 0;
}

static int scale_rebuild(struct scale *s)
{
	for (int64_t i = 0; i < s->n; i++) {
		struct scale_node *at = &s->node[i];
		int err = at->old->shape == NULL ? scale_basic(s, at, at->next)
						 : scale_derived(s, at);

		if (err != 0)
			return err;
	}
	return 0;
}

int type_scaled(struct type *t, type_extent_fn *extent, void *arg, struct type **scaled)
{
	struct scale s = {.extent = extent, .arg = arg, .portable = type_is_portable(t)};
	struct type *result = NULL;
	int err = scale_collect(&s, t);

	if (err == 0)
		err = scale_ask(&s);
	if (err == 0 && s.same)
		result = t;
	else if (err == 0)
		err = scale_rebuild(&s);
	if (err == 0 && result == NULL) {
		result = s.node[s.n - 1].new;
		err = type_plan_new(result);
		result->committed = true;
	}
	if (err == 0) {
		obj_hold(result);
		*scaled = result;
	}
	for (int64_t i = s.n - 1; i >= 0;
		i--) /* their handles; the outer types hold the inner ones */
		if (s.node[i].new != NULL)
			obj_free_obj(s.node[i].new);
	free(s.node);
	free(s.stack);
	free(s.slot);
	return err;
}
