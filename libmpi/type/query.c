// SPDX-License-Identifier: BSD-3-Clause
/* query.c - the engines that answer questions about a datatype. */
#include "libmpi/type/type.h"
#include "engine.h"
#include "libmpi/core/err.h"
#include "libmpi/core/attr_name.h"
#include "libmpi/core/status.h"
#include "libmpi/type/pack_plan.h"
#include "libmpi/type/shape.h"

int type_size(struct type *type, int64_t *size)
{
	*size = type_is_absent(type) ? MPI_UNDEFINED : type->size;
	return 0;
}

int type_get_extent(struct type *type, int64_t *lb, int64_t *extent)
{
	*lb = type->lb;
	*extent = type->extent;
	return 0;
}

int type_get_true_extent(struct type *type, int64_t *lb, int64_t *extent)
{
	*lb = type->true_lb;
	*extent = type->true_extent;
	return 0;
}

/* A type without data receives 0 elements (MPI-5.0 3.2.5). */
int type_get_count(const MPI_Status *status, struct type *type, int64_t *count)
{
	int64_t bytes = haft_status_bytes(status);

	if (type->size == 0)
		*count = bytes == 0 ? 0 : MPI_UNDEFINED;
	else
		*count = bytes % type->size == 0 ? bytes / type->size : MPI_UNDEFINED;
	return 0;
}

int type_refuse(
	const void *buf, int64_t count, int64_t blocks, const struct type *type, const char *which)
{
	int64_t all, bytes, reach;

	if (__builtin_mul_overflow(count, blocks, &all) ||
		__builtin_mul_overflow(all, type->size, &bytes) ||
		__builtin_mul_overflow(all, type->extent, &reach))
		return haft_err(MPI_ERR_COUNT,
			"%lld times %lld elements of %lld bytes are too much", (long long)blocks,
			(long long)count, (long long)type->size);
	if (buf == MPI_IN_PLACE)
		return haft_err(MPI_ERR_BUFFER, "MPI_IN_PLACE is not allowed as %s", which);
	if (type->shape != NULL)
		return 0;
	return haft_err(MPI_ERR_BUFFER, "%s is NULL, and %lld bytes are expected there", which,
		(long long)bytes);
}

/* One element in two measures: bytes of data, and basic elements. */
enum measure { BYTES, BASICS };

static int64_t query_measured(const struct type *t, enum measure m)
{
	return m == BYTES ? t->size : t->basics;
}

/* Skips what lies whole within *left of measure m, and adds it to *sum in the other measure.
 * Returns the inner type that is cut, *left being the part of it; NULL: nothing is left. */
static const struct type *query_whole(
	const struct type_shape *p, enum measure m, int64_t *left, int64_t *sum)
{
	bool loop = p->kind == SHAPE_STRIDE || p->kind == SHAPE_SAME;

	for (int64_t i = 0; i < (loop ? 1 : p->n) && *left > 0; i++) {
		const struct type *child = p->kind == SHAPE_FIELDS ? p->children[i] : p->child;
		int64_t len = loop ? p->n * p->len : p->lens != NULL ? p->lens[i] : p->len;
		int64_t one = query_measured(child, m), fit;

		if (len == 0 || one == 0)
			continue;
		fit = len < *left / one ? len : *left / one;
		*sum += fit * query_measured(child, m == BYTES ? BASICS : BYTES);
		*left -= fit * one;
		if (*left > 0 && fit < len)
			return child;
	}
	return NULL;
}

/* Converts `left' of one element, which has more, from measure m to the other.  *cut: a basic
 * element is cut.  A loop and no recursion: types nest as deep as users like. */
static int64_t query_part(const struct type *t, enum measure m, int64_t left, bool *cut)
{
	int64_t sum = 0;

	*cut = false;
	while (left > 0 && t->shape != NULL)
		t = query_whole(t->shape, m, &left, &sum);
	if (left == 0)
		return sum;
	if (m == BASICS)
		return sum + t->part[0].len;
	*cut = t->basics != 2 || left != t->part[0].len;
	return sum + 1;
}

int64_t type_basic_count(const struct type *type, int64_t bytes)
{
	bool cut;
	int64_t n;

	if (type->size == 0)
		return bytes == 0 ? 0 : -1;
	n = bytes / type->size * type->basics + query_part(type, BYTES, bytes % type->size, &cut);
	return cut ? -1 : n;
}

int type_basic_bytes(const struct type *type, int64_t n, int64_t *bytes)
{
	bool cut;

	*bytes = 0;
	if (n == 0)
		return 0;
	if (type->basics == 0)
		return haft_err(
			MPI_ERR_COUNT, "%lld elements of a datatype that has none", (long long)n);
	if (__builtin_mul_overflow(n / type->basics, type->size, bytes) ||
		__builtin_add_overflow(
			*bytes, query_part(type, BASICS, n % type->basics, &cut), bytes))
		return haft_err(MPI_ERR_COUNT, "the bytes of %lld basic elements overflow 64 bits",
			(long long)n);
	return 0;
}

int type_get_elements(const MPI_Status *status, struct type *type, int64_t *count)
{
	int64_t n = type_basic_count(type, haft_status_bytes(status));

	*count = n < 0 ? MPI_UNDEFINED : n;
	return 0;
}

int type_get_name(struct type *type, char *name, int *resultlen)
{
	return haft_name_get(type, "MPI_DATATYPE_NULL", name, resultlen);
}

int type_set_name(struct type *type, const char *name)
{
	return haft_name_set(type, name);
}

/* A predefined type is committed from the start, and may be committed again. */
int type_commit(struct type **type)
{
	int err;

	if (*type == NULL)
		return haft_err(MPI_ERR_TYPE, "MPI_DATATYPE_NULL cannot be committed");
	if (type_is_absent(*type))
		return haft_err(MPI_ERR_TYPE, "this Fortran compiler has no such type");
	err = type_plan_new(*type);
	if (err == 0)
		(*type)->committed = true;
	return err;
}

/* Messages under way hold the type: it is freed with the last of them (5.1.9). */
int type_free(struct type **type)
{
	struct type *t = *type;
	char name[MPI_MAX_OBJECT_NAME];
	int err;

	if (type_is_predefined(t))
		return haft_err(
			MPI_ERR_TYPE, "%s is predefined and cannot be freed", type_words(t, name));
	err = haft_obj_free(t, MPI_ERR_TYPE, "datatype");
	if (err == 0)
		*type = NULL;
	return err;
}

/* The Fortran types with a size in their name, by class and size (MPI-5.0 19.1.9). */
static const struct {
	int class, size;
	MPI_Datatype handle;
} sized[] = {
	{MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},
	{MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},
	{MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},
	{MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},
	{MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16},
	{MPI_TYPECLASS_REAL, 2, MPI_REAL2},
	{MPI_TYPECLASS_REAL, 4, MPI_REAL4},
	{MPI_TYPECLASS_REAL, 8, MPI_REAL8},
	{MPI_TYPECLASS_REAL, 16, MPI_REAL16},
	{MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4},
	{MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},
	{MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},
	{MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32},
};

int type_match_size(int typeclass, int size, struct type **type)
{
	bool class = false;

	for (size_t i = 0; i < countof(sized); i++) {
		if (sized[i].class != typeclass)
			continue;
		class = true;
		if (sized[i].size == size) {
			*type = type_predefined(sized[i].handle);
			return 0;
		}
	}
	if (!class)
		return haft_err(MPI_ERR_ARG,
			"%d is not one of MPI_TYPECLASS_INTEGER, _REAL, _COMPLEX", typeclass);
	return haft_err(MPI_ERR_ARG, "no datatype of this class has %d bytes", size);
}

const char *type_words(const struct type *type, char *buf)
{
	return haft_name_or(type,
		type_is_predefined(type) ? "an unnamed predefined datatype" : "a derived datatype",
		buf);
}
