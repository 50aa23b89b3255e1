// SPDX-License-Identifier: BSD-3-Clause
/* rep.c - the names of data representations, and types in them (MPI-5.0 14.5). */
#include "libmpi/io/rep.h"

#include "libmpi/core/err.h"
#include "libmpi/type/scale.h"
#include "libmpi/type/signature.h"
#include <string.h>

static const struct io_rep rep_native = {.kind = IO_REP_NATIVE, .name = "native"};
static const struct io_rep rep_internal = {
	.next = &rep_native, .kind = IO_REP_INTERNAL, .name = "internal"};
static const struct io_rep rep_external32 = {
	.next = &rep_internal, .kind = IO_REP_EXTERNAL32, .name = "external32"};

static const struct io_rep *rep_first = &rep_external32; /* grows at the front */

const struct io_rep *io_rep_native(void)
{
	return &rep_native;
}

static const struct io_rep *rep_find(const char *name)
{
	const struct io_rep *r = rep_first;

	while (r != NULL && strcmp(r->name, name) != 0)
		r = r->next;
	return r;
}

int io_rep_find(const char *name, const struct io_rep **rep)
{
	*rep = rep_find(name);
	if (*rep != NULL)
		return 0;
	return haft_err(MPI_ERR_UNSUPPORTED_DATAREP,
		"there is no data representation \"%s\": it is not native, internal or external32, "
		"and was not registered",
		name);
}

int io_rep_add(struct io_rep *rep)
{
	if (rep_find(rep->name) != NULL)
		return haft_err(MPI_ERR_DUP_DATAREP,
			"there is a data representation \"%s\" already", rep->name);
	rep->next = rep_first;
	rep_first = rep;
	return 0;
}

static int64_t rep_external_extent(void *arg, const struct type *basic)
{
	const struct type_signature *sum = type_signature_of((struct type *)(uintptr_t)basic);

	(void)arg;
	return sum != NULL ? sum->external : -haft_err(MPI_ERR_NO_MEM, "no memory for a signature");
}

int io_rep_scale(const struct io_rep *rep, struct type *t, struct type **scaled)
{
	if (rep->kind == IO_REP_EXTERNAL32)
		return type_scaled(t, rep_external_extent, NULL, scaled);
	if (rep->kind == IO_REP_USER)
		return type_scaled(t, io_rep_user_extent, (void *)(uintptr_t)rep, scaled);
	obj_hold(t);
	*scaled = t;
	return 0;
}
