// SPDX-License-Identifier: BSD-3-Clause
/* query.c - the engines that answer questions about a datatype. */
#include "libmpi/type/type.h"
#include "engine.h"
#include "libmpi/core/err.h"
#include "libmpi/core/status.h"
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
	obj_name_get(type, name, MPI_MAX_OBJECT_NAME, OBJ_C, resultlen);
	return 0;
}

int type_set_name(struct type *type, const char *name)
{
	if (obj_name_set(type, name, strlen(name), OBJ_C) != 0)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the name of a datatype");
	return 0;
}

const char *type_words(const struct type *type, char *buf)
{
	int len;

	obj_name_get(type, buf, MPI_MAX_OBJECT_NAME, OBJ_C, &len);
	if (len == 0)
		strcpy(buf, "a derived datatype");
	return buf;
}
