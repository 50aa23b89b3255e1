// SPDX-License-Identifier: BSD-3-Clause
/* split.h - split collective accesses (14.4.5): a nonblocking one whose request the file keeps. */
#ifndef HAFT_IO_SPLIT_H
#define HAFT_IO_SPLIT_H

#include "libmpi/io/io.h"

/* Begins the access of *j, if no other one is active on the file. */
int io_split_begin(struct io_job *j);

/* Ends it.  MPI_ERR_OTHER with words: another one, or none, is active; it stays active. */
int io_split_end(struct io_file *f, enum io_direction direction, enum io_positioning positioning,
	const void *buf, MPI_Status *status);

#endif
