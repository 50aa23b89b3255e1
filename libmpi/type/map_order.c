// SPDX-License-Identifier: BSD-3-Clause
/* map_order.c - the order of a type map, computed over the shapes.
 *
 *      a, then b at a distance      first of a, last and end of b; a rule holds if it holds in a,
 *                                   in b, and between the last of a and the first of b
 *      n blocks, a stride apart     n > 1: a block, then one more; the others follow likewise
 *
 *      bits                         a power of two divides all displacements and lengths if it
 *                                   divides them or'ed
 *
 * Inner types are visited first (visit.c) and keep their order, so that the time is
 * O(description). */
#include "libmpi/type/map_order.h"

#include "libmpi/core/err.h"
#include "libmpi/type/shape.h"
#include "libmpi/type/visit.h"
#include <mpi.h>
#include <stdlib.h>

/* The order of a predefined type. */
static struct type_order order_basic(const struct type *t)
{
	const struct type_part *p = t->part;

	if (p[0].len == 0)
		return (struct type_order){.end = t->size, .bits = (uint64_t)t->size};
	return (struct type_order){.first = p[0].off,
		.last = p[1].off,
		.end = p[1].off + p[1].len,
		.block = p[0].off,
		.bits = (uint64_t)(p[0].off | p[0].len | p[1].off | p[1].len)};
}

static struct type_order order_inner(const struct type *t)
{
	return t->order != NULL ? *t->order : order_basic(t);
}

/* Notes that a rule is broken, if it was not before. */
static void order_break(struct type_order *o, enum type_rule rule, struct type_break b)
{
	if (!o->rule[rule].broken)
		o->rule[rule] = b;
}

/* Makes *o the order of a, then b with all displacements `by' larger.  `where': block number and
 * combiner, for words. */
static void order_then(
	struct type_order *o, const struct type_order *b, int64_t by, struct type_break where)
{
	int64_t from = b->first + by;

	where.broken = true;
	where.before = o->last;
	where.from = from;
	if (from < o->last)
		order_break(o, TYPE_NONDECREASING, where);
	if (from <= o->last)
		order_break(o, TYPE_INCREASING, where);
	where.before = o->end;
	if (from < o->end)
		order_break(o, TYPE_APART, where);
	where.before = o->block;
	if (from < o->block)
		order_break(o, TYPE_BLOCKS, where);
	for (int r = 0; r < TYPE_RULES; r++)
		if (b->rule[r].broken)
			order_break(o, (enum type_rule)r, b->rule[r]);
	o->last = b->last + by;
	o->end = b->end + by;
	o->block = from;
}

/* Makes *o n > 0 times itself, `stride' apart. */
static void order_times(struct type_order *o, int64_t n, int64_t stride, struct type_break where)
{
	struct type_order one;

	o->block = o->first;
	one = *o;
	if (n == 1)
		return;
	where.block = 1;
	order_then(o, &one, stride, where);
	o->last = one.last + (n - 1) * stride;
	o->end = one.end + (n - 1) * stride;
	o->block = one.first + (n - 1) * stride;
}

static void order_shift(struct type_order *o, int64_t by)
{
	o->first += by;
	o->last += by;
	o->end += by;
	o->block += by;
}

static bool order_is_broken(const struct type_order *o)
{
	for (int r = 0; r < TYPE_RULES; r++)
		if (o->rule[r].broken)
			return true;
	return false;
}

/* The order of a list whose blocks keep all rules: each begins at the end of the one before it or
 * behind that.  false: one does not. */
static bool order_list_kept(const struct type_shape *s, struct type_order *sum)
{
	struct type_order inner = order_inner(s->child), two = inner;
	int64_t extent = s->child->extent, end = INT64_MIN, len = 0, last = 0;

	order_times(&two, 2, extent, (struct type_break){0});
	if (order_is_broken(&two))
		return false;
	for (int64_t i = 0; i < s->n; i++) {
		len = s->lens != NULL ? s->lens[i] : s->len;
		if (len == 0)
			continue;
		if (s->displs[i] + inner.first < end)
			return false;
		if (end == INT64_MIN)
			sum->first = s->displs[i] + inner.first;
		last = s->displs[i];
		end = last + (len - 1) * extent + inner.end;
	}
	sum->last = end - inner.end + inner.last;
	sum->end = end;
	sum->block = last + inner.first;
	return true;
}

static struct type_order order_list(const struct type_shape *s, struct type_break where)
{
	struct type_order sum = {0}, one;
	bool empty = true;

	if (s->kind == SHAPE_LIST && s->child->size > 0 && order_list_kept(s, &sum))
		return sum;
	sum = (struct type_order){0};
	for (int64_t i = 0; i < s->n; i++) {
		const struct type *inner = s->kind == SHAPE_FIELDS ? s->children[i] : s->child;
		int64_t len = s->lens != NULL ? s->lens[i] : s->len;

		if (len == 0 || inner->size == 0)
			continue;
		one = order_inner(inner);
		order_times(&one, len, inner->extent, where);
		where.block = i;
		if (empty) {
			order_shift(&one, s->displs[i]);
			sum = one;
			sum.block = one.first;
		} else {
			order_then(&sum, &one, s->displs[i], where);
		}
		empty = false;
	}
	return sum;
}

static struct type_order order_shape(const struct type *t)
{
	const struct type_shape *s = t->shape;
	struct type_break where = {.combiner = t->combiner};
	struct type_order o;

	if (s->kind == SHAPE_LIST || s->kind == SHAPE_FIELDS)
		return order_list(s, where);
	o = order_inner(s->child);
	if (s->kind == SHAPE_STRIDE) {
		order_times(&o, s->len, s->child->extent, where);
		order_times(&o, s->n, s->stride, where);
	}
	order_shift(&o, s->first);
	return o;
}

/* The bits of a sequence of `len' elements. */
static uint64_t order_bits_row(const struct type *child, int64_t len)
{
	return order_inner(child).bits | (len > 1 ? (uint64_t)child->extent : 0);
}

static uint64_t order_bits_list(const struct type_shape *s)
{
	uint64_t bits = 0;
	int64_t longest = 0;

	for (int64_t i = 0; i < s->n; i++) {
		int64_t len = s->lens != NULL ? s->lens[i] : s->len;

		if (len > 0)
			bits |= (uint64_t)s->displs[i];
		longest = len > longest ? len : longest;
	}
	return bits | order_bits_row(s->child, longest);
}

static uint64_t order_bits_fields(const struct type_shape *s)
{
	uint64_t bits = 0;

	for (int64_t i = 0; i < s->n; i++)
		if (s->lens[i] > 0 && s->children[i]->size > 0)
			bits |= (uint64_t)s->displs[i] | order_bits_row(s->children[i], s->lens[i]);
	return bits;
}

static uint64_t order_bits(const struct type_shape *s)
{
	switch (s->kind) {
	case SHAPE_LIST: return order_bits_list(s);
	case SHAPE_FIELDS: return order_bits_fields(s);
	case SHAPE_STRIDE:
		return (uint64_t)s->first | (s->n > 1 ? (uint64_t)s->stride : 0) |
		       order_bits_row(s->child, s->len);
	default: return (uint64_t)s->first | order_bits_row(s->child, 1);
	}
}

static bool order_known(const struct type *t)
{
	return t->order != NULL || t->size == 0 || t->shape == NULL;
}

static int order_make(struct type *t)
{
	if (order_known(t))
		return 0;
	t->order = malloc(sizeof(*t->order));
	if (t->order == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to look at the order of a datatype");
	*t->order = order_shape(t);
	t->order->bits = order_bits(t->shape);
	t->order->whole = 0;
	return 0;
}

bool type_is_whole(const struct type *t, int64_t unit)
{
	const struct type_order *o = t->order;
	uint64_t below = (uint64_t)unit - 1;

	if (o == NULL)
		return false;
	return o->whole == unit ||
	       (((uint64_t)unit & below) == 0 && (((uint64_t)t->lb | o->bits) & below) == 0);
}

void type_whole_set(struct type *t, int64_t unit)
{
	if (t->order != NULL)
		t->order->whole = unit;
}

int type_order_of(struct type *t, struct type_order *order)
{
	int err;

	*order = (struct type_order){0};
	if (t->size == 0)
		return 0;
	err = order_known(t) ? 0 : type_visit(t, order_known, order_make);
	if (err != 0)
		return err;
	*order = order_inner(t);
	if (t->true_lb < 0)
		order_break(order, TYPE_NONNEGATIVE,
			(struct type_break){.broken = true, .from = t->true_lb});
	return 0;
}

/* The constructor of the type whose blocks are compared. */
static const char *order_maker(int combiner)
{
	switch (combiner) {
	case MPI_COMBINER_CONTIGUOUS: return "a contiguous type";
	case MPI_COMBINER_VECTOR: return "a vector";
	case MPI_COMBINER_HVECTOR: return "an hvector";
	case MPI_COMBINER_INDEXED: return "an indexed type";
	case MPI_COMBINER_HINDEXED: return "an hindexed type";
	case MPI_COMBINER_INDEXED_BLOCK: return "an indexed_block type";
	case MPI_COMBINER_HINDEXED_BLOCK: return "an hindexed_block type";
	case MPI_COMBINER_STRUCT: return "a struct";
	default: return "an array type";
	}
}

static int order_say(const struct type_break *b, enum type_rule rule, const char *which)
{
	static const char *const reach[TYPE_RULES] = {
		[TYPE_NONDECREASING] = "before its predecessor, which begins",
		[TYPE_INCREASING] = "not behind its predecessor, which begins",
		[TYPE_APART] = "inside its predecessor, which ends",
		[TYPE_BLOCKS] = "before its predecessor, which begins",
	};

	if (rule == TYPE_NONNEGATIVE)
		return haft_err(MPI_ERR_IO, "%s has data at the negative displacement %lld", which,
			(long long)b->from);
	return haft_err(MPI_ERR_IO,
		"%s is not in order: block %lld of %s in it begins at byte %lld, %s at byte %lld",
		which, (long long)b->block, order_maker(b->combiner), (long long)b->from,
		reach[rule], (long long)b->before);
}

int type_ordered(struct type *t, unsigned rules, const char *which)
{
	struct type_order o;
	int err = type_order_of(t, &o);

	for (int r = 0; err == 0 && r < TYPE_RULES; r++)
		if ((rules & 1U << r) != 0 && o.rule[r].broken)
			err = order_say(&o.rule[r], (enum type_rule)r, which);
	return err;
}
