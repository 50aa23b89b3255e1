// SPDX-License-Identifier: BSD-3-Clause
/* query.c - the engines that answer questions about a datatype. */
#include "libmpi/type/type.h"
#include "engine.h"
#include "libmpi/core/err.h"
#include "libmpi/core/hang.h"
#include "libmpi/core/status.h"
#include "libmpi/type/plan.h"
#include "libmpi/type/shape.h"

int type_size(struct type *type, int64_t *size)
{
	*size = type->size;
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

/* Nothing is received of a type without data: then the answer is 0 elements (MPI-5.0 3.2.5). */
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

/* Basic elements in the first `bytes' bytes of the data of one element, fewer than all; sets
 * *whole false if they end inside one. */
static int64_t basics_in(const struct type *type, int64_t bytes, bool *whole);

/* The same for `len' copies of child; *bytes becomes what is left behind them. */
static int64_t basics_block(const struct type *child, int64_t len, int64_t *bytes, bool *whole)
{
	int64_t n, all = len * child->size;

	if (*bytes >= all) {
		*bytes -= all;
		return len * child->basics;
	}
	n = *bytes / child->size * child->basics;
	n += basics_in(child, *bytes % child->size, whole);
	*bytes = 0;
	return n;
}

static int64_t basics_in(const struct type *type, int64_t bytes, bool *whole)
{
	const struct type_shape *p = type->shape;
	int64_t n = 0;

	if (bytes == 0)
		return 0;
	if (p == NULL) {
		*whole = type->basics == 2 && bytes == type->piece[0].len;
		return *whole ? 1 : 0;
	}
	if (p->kind == SHAPE_STRIDE || p->kind == SHAPE_SAME)
		return basics_block(p->child, p->n * p->len, &bytes, whole);
	for (int64_t i = 0; i < p->n && bytes > 0; i++)
		n += basics_block(p->kind == SHAPE_FIELDS ? p->kids[i] : p->child,
			p->lens != NULL ? p->lens[i] : p->len, &bytes, whole);
	return n;
}

int64_t type_basics(const struct type *type, int64_t bytes)
{
	bool whole = true;
	int64_t n;

	if (type->size == 0)
		return bytes == 0 ? 0 : -1;
	n = bytes / type->size * type->basics + basics_in(type, bytes % type->size, &whole);
	return whole ? n : -1;
}

/* Bytes of the first n of the basic elements of one element. */
static int64_t bytes_in(const struct type *type, int64_t n);

static int64_t bytes_block(const struct type *child, int64_t len, int64_t *n)
{
	int64_t bytes, all = len * child->basics;

	if (*n >= all) {
		*n -= all;
		return len * child->size;
	}
	bytes = *n / child->basics * child->size + bytes_in(child, *n % child->basics);
	*n = 0;
	return bytes;
}

static int64_t bytes_in(const struct type *type, int64_t n)
{
	const struct type_shape *p = type->shape;
	int64_t bytes = 0;

	if (n == 0)
		return 0;
	if (p == NULL)
		return type->piece[0].len;
	if (p->kind == SHAPE_STRIDE || p->kind == SHAPE_SAME)
		return bytes_block(p->child, p->n * p->len, &n);
	for (int64_t i = 0; i < p->n && n > 0; i++)
		bytes += bytes_block(p->kind == SHAPE_FIELDS ? p->kids[i] : p->child,
			p->lens != NULL ? p->lens[i] : p->len, &n);
	return bytes;
}

int type_basics_bytes(const struct type *type, int64_t n, int64_t *bytes)
{
	*bytes = 0;
	if (type->basics == 0 && n > 0)
		return haft_err(
			MPI_ERR_COUNT, "%lld elements of a datatype that has none", (long long)n);
	if (n == 0)
		return 0;
	if (__builtin_mul_overflow(n / type->basics, type->size, bytes) ||
		__builtin_add_overflow(*bytes, bytes_in(type, n % type->basics), bytes))
		return haft_err(MPI_ERR_COUNT,
			"%lld basic elements are more bytes than a number says", (long long)n);
	return 0;
}

int type_get_elements(const MPI_Status *status, struct type *type, int64_t *count)
{
	int64_t n = type_basics(type, haft_status_bytes(status));

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
	err = type_plan_new(*type);
	if (err == 0)
		(*type)->committed = true;
	return err;
}

/* Messages under way hold the type: it goes with the last of them (5.1.9). */
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
	return haft_name_words(type,
		type_is_predefined(type) ? "an unnamed predefined datatype" : "a derived datatype",
		buf);
}
