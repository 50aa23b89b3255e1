// SPDX-License-Identifier: BSD-3-Clause
/* query.c - the engines that answer questions about a datatype. */
#include "libmpi/type/type.h"
#include "engine.h"
#include "libmpi/core/err.h"
#include "libmpi/core/status.h"
#include <stdio.h>
#include <string.h>

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

int64_t type_basics(const struct type *type, int64_t bytes)
{
	int64_t per = type->piece[1].len != 0 ? 2 : 1;
	int64_t whole, rest;

	if (type->size == 0)
		return bytes == 0 ? 0 : -1;
	whole = bytes / type->size;
	rest = bytes % type->size;
	if (rest == 0)
		return whole * per;
	return per == 2 && rest == type->piece[0].len ? whole * per + 1 : -1;
}

int type_get_elements(const MPI_Status *status, struct type *type, int64_t *count)
{
	int64_t n = type_basics(type, haft_status_bytes(status));

	*count = n < 0 ? MPI_UNDEFINED : n;
	return 0;
}

int type_get_name(struct type *type, char *name, int *resultlen)
{
	if (type != NULL)
		obj_name_get(type, name, MPI_MAX_OBJECT_NAME, OBJ_C, resultlen);
	else
		*resultlen = snprintf(name, MPI_MAX_OBJECT_NAME, "MPI_DATATYPE_NULL");
	return 0;
}

int type_set_name(struct type *type, const char *name)
{
	if (obj_name_set(type, name, strlen(name), OBJ_C) != 0)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the name of a datatype");
	return 0;
}

/* A predefined type is committed from the start, and may be committed again. */
int type_commit(struct type **type)
{
	if (*type == NULL)
		return haft_err(MPI_ERR_TYPE, "MPI_DATATYPE_NULL cannot be committed");
	(*type)->committed = true;
	return 0;
}

int type_get_envelope(
	struct type *type, int *num_integers, int *num_addresses, int *num_datatypes, int *combiner)
{
	*num_integers = *num_addresses = *num_datatypes = 0;
	*combiner = type->combiner;
	return 0;
}

int type_get_envelope_c(struct type *type, int64_t *num_integers, int64_t *num_addresses,
	int64_t *num_large_counts, int64_t *num_datatypes, int *combiner)
{
	*num_integers = *num_addresses = *num_large_counts = *num_datatypes = 0;
	*combiner = type->combiner;
	return 0;
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
	int len;

	obj_name_get(type, buf, MPI_MAX_OBJECT_NAME, OBJ_C, &len);
	if (len == 0)
		snprintf(buf, MPI_MAX_OBJECT_NAME, "a derived datatype");
	return buf;
}
