// SPDX-License-Identifier: BSD-3-Clause
/* commit.h - the hints haft_commit=rename and =replace: a file has its name when it is whole.
 *
 *      open     TARGET ── copy ──> TARGET.haft-SPACE-PID-NUMBER     SPACE, PID: rank 0's PID
 *      close    TARGET <── rename ──┘                               and its PID namespace
 *
 * TARGET is the file behind the symbolic links of the name.  An open for writing has the old
 * contents, owner and permissions (rename), or begins empty (replace).  The hints do nothing for
 * files that are only read, for pipes and devices, and with MPI_MODE_DELETE_ON_CLOSE.
 *
 * A job that dies leaves the temporary file.  The next open of TARGET with this hint, on the host
 * of that job's rank 0, finds the process gone and deletes it. */
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

/* Rank 0: does the hint count for this open?  Else f->path is opened as it is, and its errors are
 * those of that. */
bool io_commit_wanted(const struct io_file *f);

/* f->final_path becomes the target of f->path, and f->path its temporary name.  0 or an error class
 * with words. */
int io_commit_name(struct io_file *f, const struct io_temporary *c);

/* Rank 0: makes the temporary file if there is an old one; *made: it did.  0 or an error class with
 * words. */
int io_commit_begin(struct io_file *f, bool *made);

/* Rank 0: deletes temporary files of f->final_path whose process is gone. */
void io_commit_sweep(const struct io_file *f);

#endif
