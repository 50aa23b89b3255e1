// SPDX-License-Identifier: BSD-3-Clause
/* file.h - parts of opening and closing that several files of this folder use. */
#ifndef HAFT_IO_FILE_H
#define HAFT_IO_FILE_H

#include "libmpi/io/io.h"
#include <string.h>

/* Sets f->name and f->path.  0 or an error class with words. */
int io_file_path(struct io_file *f, const char *name);

/* The end of a path, of as many characters as fit `room' bytes, for reports. */
static inline const char *io_path_end(const char *path, size_t room)
{
	size_t n = strlen(path);

	return n < room ? path : path + n - room + 1;
}

/* Frees all that a file has, but its handle; it is not open any more. */
void io_file_free(struct io_file *f);

/* access_job.c: a write of this member, a change of the size, or a sync has ended with err, or with
 * 0: after the first error MPI_File_close does not give a file with haft_commit its name.  words:
 * NULL: those of haft_err.  Under the library's lock.  Returns err. */
int io_file_poison(struct io_file *f, int err, const char *words);

/* Checks that no access of this process is under way.  0, or MPI_ERR_OTHER with words. */
int io_file_idle(const struct io_file *f);

/* view.c: takes part in the MPI_File_set_view of the other members, with an error. */
int io_view_refuse(struct io_file *f, int err);

#endif
