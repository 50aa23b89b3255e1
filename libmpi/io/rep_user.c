// SPDX-License-Identifier: BSD-3-Clause
/* rep_user.c - data representations of the program, and calls of its functions (MPI-5.0 14.5.3). */
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/io/rep.h"
#include <engine.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int rep_register(const char *name, const struct io_rep_functions *user)
{
	struct io_rep *rep;
	int err;

	if (name[0] == '\0' || strlen(name) >= MPI_MAX_DATAREP_STRING)
		return haft_err(MPI_ERR_ARG,
			"the name of a data representation has %zu characters, not 1 to %d",
			strlen(name), MPI_MAX_DATAREP_STRING - 1);
	rep = calloc(1, sizeof(*rep));
	if (rep == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a data representation");
	rep->kind = IO_REP_USER;
	rep->user = *user;
	memcpy(rep->name, name, strlen(name) + 1);
	err = io_rep_add(rep);
	if (err != 0)
		free(rep);
	return err;
}

int io_register_datarep(const char *datarep, MPI_Datarep_conversion_function *read_conversion_fn,
	MPI_Datarep_conversion_function *write_conversion_fn,
	MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state)
{
	const struct io_rep_functions user = {
		.convert = {[IO_READ] = read_conversion_fn, [IO_WRITE] = write_conversion_fn},
		.extent = dtype_file_extent_fn,
		.state = extra_state};

	return rep_register(datarep, &user);
}

int io_register_datarep_c(const char *datarep,
	MPI_Datarep_conversion_function_c *read_conversion_fn,
	MPI_Datarep_conversion_function_c *write_conversion_fn,
	MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state)
{
	const struct io_rep_functions user = {
		.convert_c = {[IO_READ] = read_conversion_fn, [IO_WRITE] = write_conversion_fn},
		.extent = dtype_file_extent_fn,
		.state = extra_state};

	return rep_register(datarep, &user);
}

int64_t io_rep_user_extent(void *arg, const struct type *basic)
{
	const struct io_rep *rep = arg;
	MPI_Aint extent = MPI_UNDEFINED;
	bool had = haft_user_begin();
	int rc = rep->user.extent(
		obj_handle((struct obj *)(uintptr_t)&basic->o), &extent, rep->user.state);

	haft_user_end(had);
	if (rc != MPI_SUCCESS)
		return -haft_err(MPI_ERR_CONVERSION,
			"the extent function of the data representation \"%s\" has returned %d",
			rep->name, rc);
	if (extent == MPI_UNDEFINED)
		return -haft_err(MPI_ERR_VALUE_TOO_LARGE,
			"the extent function of the data representation \"%s\" has no extent for a "
			"datatype",
			rep->name);
	if (extent < 0)
		return -haft_err(MPI_ERR_CONVERSION,
			"the extent function of the data representation \"%s\" has given %lld "
			"bytes",
			rep->name, (long long)extent);
	return extent;
}

bool io_rep_user_converts(const struct io_rep *rep, enum io_direction direction)
{
	return rep->user.convert[direction] != NULL || rep->user.convert_c[direction] != NULL;
}

int io_rep_user_convert(const struct io_rep *rep, enum io_direction direction, char *buf,
	struct type *type, int64_t count, char *file, int64_t position)
{
	const struct io_rep_functions *user = &rep->user;
	void *handle = obj_handle(type);
	bool had = haft_user_begin();
	int rc = MPI_SUCCESS;

	if (user->convert_c[direction] != NULL) {
		rc = user->convert_c[direction](buf, handle, count, file, position, user->state);
	} else {
		must(count <= INT_MAX); /* convert.c cuts */
		rc = user->convert[direction](buf, handle, (int)count, file, position, user->state);
	}
	haft_user_end(had);
	if (rc == MPI_SUCCESS)
		return 0;
	return haft_err(MPI_ERR_CONVERSION,
		"the %s conversion function of the data representation \"%s\" has returned %d",
		direction == IO_READ ? "read" : "write", rep->name, rc);
}
