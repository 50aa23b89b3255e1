// SPDX-License-Identifier: BSD-3-Clause
/* convert.h - accesses to a file whose representation is not that of memory.
 *
 *      blocking      stage of bounded size, chunk by chunk: convert, write; or read, convert
 *      nonblocking   external32, of one member: likewise, in the worker that moves the bytes
 *                    else: stage for all, as the program's functions must not be called by a
 *                    worker: converted before the write begins, or after the read ends
 *
 * Below, an access of MPI_BYTE to the stage is done by independent.c or collective.c, which know no
 * representations. */
#ifndef HAFT_IO_CONVERT_H
#define HAFT_IO_CONVERT_H

#include "libmpi/io/io.h"

/* Bytes of one element of t in the view.  0 or an error class with words. */
int io_convert_size(const struct io_view *v, struct type *t, int64_t *bytes);

/* Does a placed, blocking job, by jobs for a stage that `move' does.  j->moved becomes bytes of
 * memory. */
void io_convert(struct io_job *j, void (*move)(struct io_job *part));

/* Prepares a placed job that is not blocking: j->buf becomes the stage for all, or
 * io_convert_later does the job, by parts that `move' does: any thread, without the library's lock.
 * An error is the job's. */
void io_convert_begin(struct io_job *j);
bool io_convert_is_later(const struct io_job *j);
void io_convert_later(struct io_job *j, void (*move)(struct io_job *part));

/* The parts of io_job_finish and of io_job_end for such a job. */
void io_convert_finish(struct io_job *j);
void io_convert_free(struct io_job *j);

#endif
