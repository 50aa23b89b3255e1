// SPDX-License-Identifier: BSD-3-Clause
/* rep.h - data representations (14.5): native, internal, external32, and the program's own.
 *
 *      memory  | int | double | ...      type, as the program sees it
 *         │ write, in chunks        ▲ read
 *         ▼                         │
 *      stream  | int'| double'| ...      sizes of the representation, no gaps */
#ifndef HAFT_IO_REP_H
#define HAFT_IO_REP_H

#include "libmpi/io/io.h"

/* "native": memory and stream are equal. */
const struct io_rep *io_rep_native(void);

/* The representation of a name.  0, or MPI_ERR_UNSUPPORTED_DATAREP with words. */
int io_rep_find(const char *name, const struct io_rep **rep);

const char *io_rep_name(const struct io_rep *rep);

/* Do extents in the file come from a function of the program, which must not be called by
 * MPI_File_set_view? */
bool io_rep_is_lazy(const struct io_rep *rep);

/* Does the stream differ from packed memory? */
bool io_rep_converts(const struct io_rep *rep);

/* The type as the file has it; the caller drops it.  0 or an error class with words.  May call
 * functions of the program. */
int io_rep_scale(const struct io_rep *rep, struct type *t, struct type **scaled);

#endif
