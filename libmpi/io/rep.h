// SPDX-License-Identifier: BSD-3-Clause
/* rep.h - data representations (14.5): native, internal, external32, and the program's own.
 *
 *      memory  | int | double | ...      `count' elements of a type, as the program sees them
 *         │ write        ▲ read          units: entries of the type map, or whole elements
 *         ▼              │
 *      view    | int'| double'| ...      the sizes of the representation, without gaps
 *
 * "internal" is the native form of this machine: little-endian, 64-bit long and addresses, the long
 * double of x87 in 16 bytes on x86-64.  Files in it are read by programs of such machines. */
#ifndef HAFT_IO_REP_H
#define HAFT_IO_REP_H

#include "libmpi/io/io.h"

enum io_rep_kind { IO_REP_NATIVE, IO_REP_INTERNAL, IO_REP_EXTERNAL32, IO_REP_USER };

/* A representation of the program: the functions given to MPI_Register_datarep, or to its _c form.
 * NULL: MPI_CONVERSION_FN_NULL. */
struct io_rep_functions {
	MPI_Datarep_conversion_function *convert[2]; /* by enum io_direction */
	MPI_Datarep_conversion_function_c *convert_c[2];
	MPI_Datarep_extent_function *extent;
	void *state;
};

/* Never changes, and is never freed. */
struct io_rep {
	const struct io_rep *next;
	enum io_rep_kind kind;
	struct io_rep_functions user;
	char name[MPI_MAX_DATAREP_STRING];
};

/* "native". */
const struct io_rep *io_rep_native(void);

/* The representation of a name.  0, or MPI_ERR_UNSUPPORTED_DATAREP with words. */
int io_rep_find(const char *name, const struct io_rep **rep);

/* Adds one; *rep is malloc'ed, or static.  0, or MPI_ERR_DUP_DATAREP with words.  Under the
 * library's lock. */
int io_rep_add(struct io_rep *rep);

/* Do extents in the file come from a function of the program, which MPI_File_set_view must not
 * call? */
static inline bool io_rep_is_lazy(const struct io_rep *rep)
{
	return rep->kind == IO_REP_USER;
}

/* Does the view differ from packed memory? */
static inline bool io_rep_converts(const struct io_rep *rep)
{
	return unlikely(rep->kind > IO_REP_INTERNAL);
}

/* The type as the file has it; the caller drops it.  0 or an error class with words.  May call
 * functions of the program. */
int io_rep_scale(const struct io_rep *rep, struct type *t, struct type **scaled);

/* rep_user.c: bytes of a predefined type in the file, or -CLASS; a type_extent_fn. */
int64_t io_rep_user_extent(void *rep, const struct type *basic);

/* rep_user.c: has the representation a function for this way? */
bool io_rep_user_converts(const struct io_rep *rep, enum io_direction direction);

/* rep_user.c: calls it for `count' entries of the type map, from entry `position' on of elements at
 * buf.  0, or MPI_ERR_CONVERSION with words.  The library's lock is released meanwhile. */
int io_rep_user_convert(const struct io_rep *rep, enum io_direction direction, char *buf,
	struct type *type, int64_t count, char *file, int64_t position);

#endif
