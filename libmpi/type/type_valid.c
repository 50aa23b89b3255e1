// SPDX-License-Identifier: BSD-3-Clause
/* type_valid.c - the invariants of a datatype, as a function that tests run (type.h,
 * pack_plan.h). */
#include "libmpi/type/type.h"

#include "libmpi/core/objects.h"
#include "libmpi/type/pack_plan.h"
#include "libmpi/type/shape.h"
#include "libmpi/type/type_make.h"

static bool nest_valid(const struct type_plan *p)
{
	int64_t bytes = p->block;

	if (p->dims > PLAN_DIMS || p->block <= 0 || (p->leaf != NULL && p->leaf->size != p->block))
		return false;
	for (int d = 0; d < p->dims; d++) {
		if (p->dim[d].n < 2 || p->dim[d].bytes != bytes)
			return false;
		bytes *= p->dim[d].n;
	}
	return bytes == p->size;
}

static bool runs_valid(const struct type_plan *p)
{
	if (p->n < 1 || (p->run == NULL) == (p->run32 == NULL))
		return false;
	if (p->block != 0)
		return p->at == NULL && p->n * p->block == p->size;
	for (int64_t i = 0; i < p->n; i++)
		if (p->at[i] >= p->at[i + 1])
			return false;
	return p->at[0] == 0 && p->at[p->n] == p->size;
}

static bool fields_valid(const struct type_plan *p)
{
	int64_t at = 0;

	for (int64_t i = 0; i < p->n; i++) {
		const struct plan_field *f = &p->field[i];

		if (f->at != at || f->n < 1 || f->block < 1)
			return false;
		if (f->sub != NULL && f->sub->size != f->block)
			return false;
		at += f->n * f->block;
	}
	return at == p->size;
}

static bool plan_valid(const struct type_plan *p)
{
	if (p->size <= 0 || p->depth < 1 || p->depth > PLAN_DEEP + 1)
		return false;
	if (p->kind == PLAN_NEST)
		return nest_valid(p);
	return p->kind == PLAN_RUNS ? runs_valid(p) : fields_valid(p);
}

bool type_valid(const struct type *t)
{
	if (t->size < 0 || t->basics < 0 || t->true_extent < 0)
		return false;
	if (t->dense && (t->extent != t->size || t->lb != 0 || t->plan != NULL))
		return false;
	if (t->solid && t->size > 0 && t->true_extent != t->size)
		return false;
	if (t->combiner == MPI_COMBINER_NAMED && t->shape != NULL)
		return false;
	if (t->plan == NULL)
		return !t->committed || t->dense || t->size == 0;
	return t->plan->size == t->size && plan_valid(t->plan);
}

static int type_is_broken(void *self, void *arg)
{
	(void)arg;
	return !type_valid(self);
}

bool type_all_valid(void)
{
	return obj_foreach(&haft_type_class, type_is_broken, NULL) == 0;
}
