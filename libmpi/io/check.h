// SPDX-License-Identifier: BSD-3-Clause
/* check.h - HAFT_CHECK=io: mistakes with files that MPI does not find.
 *
 *      hints        a line on stderr for each that is ignored; "did you mean cb_nodes?"
 *      writes       ranges of each rank between two syncs; compared by MPI_File_sync and _close
 *      buffers      a sum at the begin and at the end of an access that is not blocking
 *
 * With it MPI_File_sync waits for all members. */
#ifndef HAFT_IO_CHECK_H
#define HAFT_IO_CHECK_H

#include "libmpi/io/io.h"

/* Is it wanted?  Set by the first MPI_File_open. */
extern bool io_check_wanted;

/* Reads HAFT_CHECK for io_check_wanted at open; frees the records at close. */
void io_check_open(const struct io_file *f);

/* hint_report.c: the hints of info that a call ignores, and that no call on this file has named: a
 * malloc'ed line for each, or NULL.  late: the call is not MPI_File_open.  Without HAFT_CHECK=io
 * only those with Haft's prefix. */
char *io_check_hints(const struct io_file *f, const struct info *info, bool late);

/* Collective, if `any' member has lines, equal on all: rank 0 prints each line once, and says which
 * ranks have it unless all do.  Frees the lines. */
void io_check_hints_tell(struct io_file *f, char *lines, bool any, const char *call);

/* A placed write begins. */
void io_check_write(struct io_job *j);

/* check_buffer.c: watches the buffer of a checked access that is not blocking; j->watched is NULL
 * if there is no memory for that.  io_check_buffer_end looks, and brings the `moved' bytes of a
 * read to the buffer, unless convert.c does that afterwards; io_check_buffer_error has the finding:
 * 0, or MPI_ERR_BUFFER with words. */
void io_check_buffer_begin(struct io_job *j);
void io_check_buffer_end(struct io_check_buffer *b, int64_t moved);
int io_check_buffer_error(const struct io_job *j);
void io_check_buffer_free(struct io_job *j);

/* Collective: two ranks have written the same byte since the last call: MPI_ERR_OTHER with words on
 * all members.  err: the error of this call so far, which goes before. */
int io_check_writes(struct io_file *f, int err);

/* MPI_File_close: frees the records of writes. */
void io_check_free(struct io_file *f);

#endif
