// SPDX-License-Identifier: BSD-3-Clause
/* lock.h - locks on ranges of a file: between the members of a host, and with other processes. */
#ifndef HAFT_IO_LOCK_H
#define HAFT_IO_LOCK_H

#include <stdatomic.h>
#include <stdint.h>

/* The locks that the members of a file on one host share.  All zero: no range is locked. */
struct io_lock_table {
	_Atomic uint64_t word[8];
};

/* Can ranges of this file be locked?  0, or MPI_ERR_UNSUPPORTED_OPERATION with words. */
struct io_file;
int io_lock_possible(const struct io_file *f);

#endif
