// SPDX-License-Identifier: BSD-3-Clause
/* commit.h - the hint haft_commit=rename: a file has its name when it is whole.
 *
 *      open     NAME.haft-SPACE-PID-NUMBER      SPACE, PID: where and what rank 0's process is
 *      close    ── rename ──> NAME
 *
 * A job that dies leaves the temporary file.  The next open of NAME with this hint, on the host of
 * that job's rank 0, finds the process gone and deletes it. */
#ifndef HAFT_IO_COMMIT_H
#define HAFT_IO_COMMIT_H

#include "libmpi/io/io.h"

/* The parts of a temporary name that no other open has: rank 0's, for all members. */
struct io_temporary {
	uint64_t number;
	uint32_t space;
	int32_t pid;
};

/* This process's, for an open with this number. */
struct io_temporary io_commit_mine(uint64_t number);

/* If the file has the hint and is created: f->path becomes its temporary name, f->final_path its
 * name.  0, or MPI_ERR_NO_MEM with words. */
int io_commit_name(struct io_file *f, const struct io_temporary *c);

/* Rank 0: deletes temporary files of f->final_path whose process is gone. */
void io_commit_sweep(const struct io_file *f);

#endif
