// SPDX-License-Identifier: BSD-3-Clause
/* rep.c - the names of data representations, and extents in them (MPI-5.0 14.5). */
#include "libmpi/io/rep.h"

#include "libmpi/core/err.h"
#include "libmpi/type/scale.h"
#include <string.h>

enum rep_kind { REP_NATIVE, REP_INTERNAL, REP_EXTERNAL32 };

struct io_rep {
	enum rep_kind kind;
	const char *name;
};

static const struct io_rep rep_fixed[] = {
	[REP_NATIVE] = {REP_NATIVE, "native"},
	[REP_INTERNAL] = {REP_INTERNAL, "internal"},
};

const struct io_rep *io_rep_native(void)
{
	return &rep_fixed[REP_NATIVE];
}

int io_rep_find(const char *name, const struct io_rep **rep)
{
	for (size_t i = 0; i < countof(rep_fixed); i++) {
		if (strcmp(rep_fixed[i].name, name) == 0) {
			*rep = &rep_fixed[i];
			return 0;
		}
	}
	return haft_err(
		MPI_ERR_UNSUPPORTED_DATAREP, "there is no data representation \"%s\"", name);
}

const char *io_rep_name(const struct io_rep *rep)
{
	return rep->name;
}

bool io_rep_is_lazy(const struct io_rep *rep)
{
	(void)rep;
	return false;
}

bool io_rep_converts(const struct io_rep *rep)
{
	return rep->kind > REP_INTERNAL;
}

int io_rep_scale(const struct io_rep *rep, struct type *t, struct type **scaled)
{
	(void)rep;
	obj_hold(t);
	*scaled = t;
	return 0;
}
