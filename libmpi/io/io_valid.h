// SPDX-License-Identifier: BSD-3-Clause
/* io_valid.h - the invariants of open files, as functions that a program can run (core/valid.h). */
#ifndef HAFT_IO_IO_VALID_H
#define HAFT_IO_IO_VALID_H

#include "libmpi/io/io.h"
#include "libmpi/io/lock.h"

/* Does a table of locks hold what its contract says?  Another process may change it meanwhile: then
 * the answer is true. */
bool io_lock_table_valid(struct io_lock_table *t);

/* Do the view, the positions, the table of locks, the queue of accesses and the stage of a file
 * hold what their contracts say?  Under the library's lock. */
bool io_file_valid(const struct io_file *f);

/* All open files of this process. */
bool io_files_valid(void);

#endif
