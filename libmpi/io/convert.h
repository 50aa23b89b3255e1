// SPDX-License-Identifier: BSD-3-Clause
/* convert.h - accesses to a file whose representation is not that of memory.
 *
 *      job      memory  |..............................|       any length, any types
 *      parts            |  stage  |  stage  |  stage  |        MPI_BYTE, one after the other
 *
 *      mode              who converts                  who moves a part
 *      CONVERT_HERE      this thread                   this thread: blocking; or atomic, with
 *                                                      functions of the program
 *      CONVERT_WORKER    the worker: external32        the worker, in one piece of work
 *      CONVERT_CHAIN     progress, in the program's    a worker; then progress converts, and
 *                        thread                        starts the next part
 *      CONVERT_ROUNDS    collective.c, as above        all members; they agree after each part
 *
 * So memory is bounded, and a function of the program is called by a thread of the program only.
 * independent.c and collective.c move parts, and know no representations. */
#ifndef HAFT_IO_CONVERT_H
#define HAFT_IO_CONVERT_H

#include "libmpi/io/io.h"

enum convert_mode { CONVERT_HERE, CONVERT_WORKER, CONVERT_CHAIN, CONVERT_ROUNDS };

/* Bytes of one element of t in the view.  0 or an error class with words. */
int io_convert_size(const struct io_view *v, struct type *t, int64_t *bytes);

/* Prepares a job: makes j->convert.  If functions of the program convert a write, it converts the
 * first part.  An error is the job's. */
void io_convert_begin(struct io_job *j);

enum convert_mode io_convert_mode(const struct io_job *j);

/* The next part of a placed job, ready to be moved; or with the job's error, or one of its own.
 * The job owns it, and io_convert_taken ends it. */
struct io_job *io_convert_next(struct io_job *j);

/* The part is over: adds its result to j->moved (bytes of memory) and j->err.  true: this process
 * has another part. */
bool io_convert_taken(struct io_job *j);

/* Does a job by parts that `move' does, unless they are empty.  locked: this thread has the lock of
 * the whole range.  Any thread, if no function of the program converts. */
void io_convert_all(struct io_job *j, bool locked, void (*move)(struct io_job *part));

/* The part of io_job_end for such a job. */
void io_convert_free(struct io_job *j);

#endif
