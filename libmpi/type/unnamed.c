// SPDX-License-Identifier: BSD-3-Clause
/* unnamed.c - predefined datatypes without a name: Fortran kinds by precision and range (MPI-5.0
 * 19.1.9), pairs of a value and an index (6.9.4).
 *
 *      (combiner, a, b) ──> bucket ──> type ──> type ...      made at the first call, then found
 *        F90_REAL, p, r
 *        F90_INTEGER, r, 0
 *        VALUE_INDEX, value type, index type
 *
 * Equal arguments return the same handle.  Users cannot free these types: MPI_Finalize does.  They
 * have no shape, as all predefined types, but can be decoded.
 *
 * Kinds are those of gfortran, for which the modules are made.  Its kind 10 is C's long double. */
#include "libmpi/type/type_make.h"

#include "libmpi/core/err.h"
#include "libmpi/type/pack_plan.h"
#include "libmpi/type/type.h"
#include <engine.h>

#define BUCKETS 64 /* programs ask for a handful; a loop over all p and r is still quick */

static struct type *bucket[BUCKETS];

static struct type **unnamed_bucket(int combiner, int64_t a, int64_t b)
{
	uint64_t h = (uint64_t)combiner * 31 + (uint64_t)a * 1031 + (uint64_t)b;

	return &bucket[(h ^ h >> 6 ^ h >> 12) % BUCKETS];
}

/* Buckets are chained through the field of the shape that these types do not use. */
static struct type **unnamed_next(struct type *t)
{
	return &type_block_of(t)->shape.child;
}

static bool unnamed_asked(const struct type *t, int combiner, int64_t a, int64_t b)
{
	const struct type_made *m = t->made;

	if (t->combiner != combiner)
		return false;
	if (combiner == MPI_COMBINER_VALUE_INDEX)
		return (intptr_t)m->types[0] == a && (intptr_t)m->types[1] == b;
	return m->ints[0] == a && (combiner == MPI_COMBINER_F90_INTEGER || m->ints[1] == b);
}

static struct type *unnamed_find(int combiner, int64_t a, int64_t b)
{
	struct type *t = *unnamed_bucket(combiner, a, b);

	while (t != NULL && !unnamed_asked(t, combiner, a, b))
		t = *unnamed_next(t);
	return t;
}

/* Enters a complete type into its bucket.  From now on it is predefined. */
static void unnamed_keep(struct type *t, int64_t a, int64_t b)
{
	struct type **first = unnamed_bucket(t->combiner, a, b);

	t->shape = NULL;
	t->committed = true;
	*unnamed_next(t) = *first;
	*first = t;
}

HAFT_START void type_fini(void)
{
	for (int i = 0; i < BUCKETS; i++) {
		while (bucket[i] != NULL) {
			struct type *t = bucket[i];

			bucket[i] = *unnamed_next(t);
			obj_free_obj(t);
		}
	}
}

/* --- Fortran kinds -------------------------------------------------------------------------- */

/* The kinds that selected_int_kind and selected_real_kind choose from, the smallest first. */
static const struct {
	int r;
	MPI_Datatype like;
} integers[] = {{2, MPI_INTEGER1}, {4, MPI_INTEGER2}, {9, MPI_INTEGER4}, {18, MPI_INTEGER8},
	{38, MPI_INTEGER16}};

static const struct {
	int p, r;
	MPI_Datatype real, complex;
} reals[] = {{6, 37, MPI_REAL4, MPI_COMPLEX8}, {15, 307, MPI_REAL8, MPI_COMPLEX16},
	{18, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX},
	{33, 4931, MPI_REAL16, MPI_COMPLEX32}};

/* Makes a type with the memory and arithmetic of the named one. ni: number of arguments given. */
static int unnamed_kind_new(
	int combiner, MPI_Datatype like, int ni, int a, int b, struct type **newtype)
{
	const struct type *named = type_predefined(like);
	struct type *t;
	int err = type_new(combiner, 0, &(struct type_room){.ints = ni}, &t);

	if (err != 0)
		return err;
	type_put_int(t, a);
	if (ni > 1)
		type_put_int(t, b);
	t->size = named->size;
	t->extent = named->extent;
	t->true_extent = named->true_extent;
	t->basics = 1;
	t->dense = t->solid = true;
	t->align = named->align;
	t->basic = named->basic;
	unnamed_keep(t, a, b);
	*newtype = t;
	return 0;
}

int type_create_f90_integer(int r, struct type **newtype)
{
	*newtype = unnamed_find(MPI_COMBINER_F90_INTEGER, r, 0);
	if (*newtype != NULL)
		return 0;
	for (size_t i = 0; i < countof(integers); i++)
		if (r <= integers[i].r)
			return unnamed_kind_new(
				MPI_COMBINER_F90_INTEGER, integers[i].like, 1, r, 0, newtype);
	return haft_err(MPI_ERR_ARG, "no INTEGER kind has a range of %d decimal digits", r);
}

static int unnamed_real_or_complex(int combiner, int p, int r, struct type **newtype)
{
	bool complex = combiner == MPI_COMBINER_F90_COMPLEX;
	int digits = p == MPI_UNDEFINED ? 0 : p, range = r == MPI_UNDEFINED ? 0 : r;

	*newtype = unnamed_find(combiner, p, r);
	if (*newtype != NULL)
		return 0;
	if (p == MPI_UNDEFINED && r == MPI_UNDEFINED)
		return haft_err(MPI_ERR_ARG, "p and r are both MPI_UNDEFINED");
	for (size_t i = 0; i < countof(reals); i++)
		if (digits <= reals[i].p && range <= reals[i].r)
			return unnamed_kind_new(combiner,
				complex ? reals[i].complex : reals[i].real, 2, p, r, newtype);
	return haft_err(MPI_ERR_ARG, "no %s kind has %d decimal digits and a range of %d",
		complex ? "COMPLEX" : "REAL", digits, range);
}

int type_create_f90_real(int p, int r, struct type **newtype)
{
	return unnamed_real_or_complex(MPI_COMBINER_F90_REAL, p, r, newtype);
}

int type_create_f90_complex(int p, int r, struct type **newtype)
{
	return unnamed_real_or_complex(MPI_COMBINER_F90_COMPLEX, p, r, newtype);
}

/* --- pairs of a value and an index ---------------------------------------------------------- */

static const struct {
	MPI_Datatype value, index, pair;
} named[] = {
	{MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
	{MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
	{MPI_LONG, MPI_INT, MPI_LONG_INT},
	{MPI_INT, MPI_INT, MPI_2INT},
	{MPI_SHORT, MPI_INT, MPI_SHORT_INT},
	{MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
	{MPI_REAL, MPI_REAL, MPI_2REAL},
	{MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
	{MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
};

/* MPI_CHAR is text, though it can be reduced. */
static bool unnamed_is_integer(const struct type *t)
{
	return ((t->basic >= BASIC_INT8 && t->basic <= BASIC_UINT64) || t->basic == BASIC_INT128) &&
	       t != type_predefined(MPI_CHAR);
}

static bool unnamed_is_real(const struct type *t)
{
	return t->basic >= BASIC_FLOAT && t->basic <= BASIC_FLOAT128;
}

/* The loops of a named pair serve all pairs with an equal layout.  BASIC_PAIR has a general
 * loop. */
static uint8_t unnamed_pair_basic(const struct type *value, const struct type *index)
{
	for (size_t i = 0; i < countof(named); i++)
		if (type_predefined(named[i].value)->basic == value->basic &&
			type_predefined(named[i].index)->basic == index->basic)
			return type_predefined(named[i].pair)->basic;
	return BASIC_PAIR;
}

static int64_t unnamed_round_up(int64_t n, int64_t to)
{
	return (n + to - 1) / to * to;
}

/* Makes a pair with the layout of a C struct of the two. */
static int unnamed_pair_new(struct type *value, struct type *index, struct type **newtype)
{
	int64_t at = unnamed_round_up(value->size, index->align);
	struct type *t;
	int err = type_new(MPI_COMBINER_VALUE_INDEX, 0, &(struct type_room){.types = 2}, &t);

	if (err != 0)
		return err;
	type_put_type(t, value);
	type_put_type(t, index);
	t->align = value->align > index->align ? value->align : index->align;
	t->size = value->size + index->size;
	t->true_extent = at + index->size;
	t->extent = unnamed_round_up(t->true_extent, t->align);
	t->basics = 2;
	t->solid = t->size == t->true_extent;
	t->dense = t->size == t->extent;
	t->basic = unnamed_pair_basic(value, index);
	t->part[0] = (struct type_part){0, (int32_t)value->size};
	t->part[1] = (struct type_part){(int32_t)at, (int32_t)index->size};
	t->shape = NULL; /* otherwise its plan would be that of the shape */
	err = type_plan_new(t);
	if (err != 0) {
		obj_free_obj(t);
		return err;
	}
	unnamed_keep(t, (intptr_t)value, (intptr_t)index);
	*newtype = t;
	return 0;
}

int type_get_value_index(struct type *value, struct type *index, struct type **newtype)
{
	for (size_t i = 0; i < countof(named); i++)
		if (value == type_predefined(named[i].value) &&
			index == type_predefined(named[i].index)) {
			*newtype = type_predefined(named[i].pair);
			return 0;
		}
	*newtype = NULL;
	if (!(unnamed_is_integer(value) || unnamed_is_real(value)) || !unnamed_is_integer(index) ||
		type_is_absent(value) || type_is_absent(index))
		return 0;
	*newtype = unnamed_find(MPI_COMBINER_VALUE_INDEX, (intptr_t)value, (intptr_t)index);
	return *newtype != NULL ? 0 : unnamed_pair_new(value, index, newtype);
}

/* Named pairs come here when Fortran's INTEGER or REAL have another size. */
void type_pair_parts(const struct type *pair, const struct type **value, const struct type **index)
{
	if (pair->made != NULL) {
		*value = pair->made->types[0];
		*index = pair->made->types[1];
		return;
	}
	for (size_t i = 0; i < countof(named); i++)
		if (pair == type_predefined(named[i].pair)) {
			*value = type_predefined(named[i].value);
			*index = type_predefined(named[i].index);
		}
}
