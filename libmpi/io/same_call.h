// SPDX-License-Identifier: BSD-3-Clause
/* same_call.h - do all members of a file make the same collective call?
 *
 *      rank 0   MPI_File_close     ──┐ number 7 of the file's communicator: by coll's phases and
 *      rank 1   MPI_File_write_all ──┘ words, or by messages with HAFT_CHECK=coll
 *
 * A call on a file makes others inside, which members could take for each other.  So each
 * collective call on a file first takes a number and a name of its own.  Errors and reports have
 * this name.
 *
 * Without HAFT_CHECK=coll no member waits here.  A difference is then found by the exchanges
 * inside, or by a wait that has become long. */
#ifndef HAFT_IO_SAME_CALL_H
#define HAFT_IO_SAME_CALL_H

#include "libmpi/coll/coll_args.h"
#include "libmpi/io/io.h"

/* A blocking call begins, in all members in the same order.  0, or an error class with words on all
 * members: of a difference, or of a communicator that is revoked. */
int io_same_call(const struct io_file *f, enum coll_maker call);

/* The call of a collective access. */
enum coll_maker io_same_call_of(const struct io_job *j);

/* A collective access begins that must not wait: sets j->comparison, whose error is that of the
 * access.  An ordered split one waits anyway.  0, or an error class that all members get. */
int io_same_call_job(struct io_job *j);

/* Did io_same_call fail because members were in different calls, with HAFT_CHECK=coll?  Then the
 * file is as it was: the next call may be right. */
bool io_same_call_goes_on(const struct io_file *f);

#endif
