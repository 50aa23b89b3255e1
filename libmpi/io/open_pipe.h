// SPDX-License-Identifier: BSD-3-Clause
/* open_pipe.h - a pipe is opened when both of its ends are: MPI_File_open may wait for ever. */
#ifndef HAFT_IO_OPEN_PIPE_H
#define HAFT_IO_OPEN_PIPE_H

#include "libmpi/io/io.h"

/* Calls run(arg), which waits in the kernel for the other end of the pipe f->path, in a thread of
 * its own.  This process sleeps in MPI meanwhile, so that reports name the call and the pipe.
 * Without threads run is called here.  Under the library's lock, which is released. */
void io_open_pipe(const struct io_file *f, void (*run)(void *arg), void *arg);

#endif
