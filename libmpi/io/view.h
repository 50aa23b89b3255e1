// SPDX-License-Identifier: BSD-3-Clause
/* view.h - positions in a view: etypes, bytes of the view, bytes of the file.
 *
 *      offset 3 (etypes) ── unit ──> view byte 12 ── io_view_byte ──> byte 100 of the file
 *                                          └───────── io_view_position ───────┘ */
#ifndef HAFT_IO_VIEW_H
#define HAFT_IO_VIEW_H

#include "libmpi/io/io.h"

/* Gives a file the view that it has after open: bytes from 0 on.  0 or MPI_ERR_NO_MEM. */
int io_view_initial(struct io_file *f);

/* view_types.c: may a view of this file have these types?  0, or an error class with words.  Looks
 * at the description of the types, and at no more than a bounded number of blocks.  Sets *overlaps
 * if the file may be written, and tiles overlap. */
int io_view_check_types(
	const struct io_file *f, struct type *etype, struct type *filetype, bool *overlaps);

/* Under the library's lock.  io_view_drop frees the view with the last reference. */
void io_view_hold(struct io_view *v);
void io_view_drop(struct io_view *v);

/* Makes the parts that depend on a user's representation, whose callbacks run now; each access and
 * each question for a position calls it first.  0 or an error class with words. */
int io_view_complete(struct io_view *v);

/* Byte `at' >= 0 of the view, as a byte of the file.  The view is complete. */
int64_t io_view_byte(const struct io_view *v, int64_t at);

/* Do the bytes of the file have numbers that hold the first `end' bytes of the view? */
bool io_view_fits(const struct io_view *v, int64_t end);

/* Do bytes `at' to `end' of the view lie in one tile? */
bool io_view_one_tile(const struct io_view *v, int64_t at, int64_t end);

/* The greatest offset, in etypes, at which bytes of the view may end.  The view is complete. */
int64_t io_view_most(const struct io_view *v);

/* The view byte at which the first etype begins that is at or after byte `byte' of the file. */
int64_t io_view_position(const struct io_view *v, int64_t byte);

/* The etypes that `at' bytes of the view are. */
static inline int64_t io_view_etypes(const struct io_view *v, int64_t at)
{
	return v->unit > 0 ? at / v->unit : 0;
}

#endif
