// SPDX-License-Identifier: BSD-3-Clause
/* agree.h - one error for all members of a file.
 *
 *      rank 0: 0    rank 1: MPI_ERR_NO_SPACE "..."    rank 2: MPI_ERR_IO "..."
 *         └──────────────── minimum of ranks with an error: 1 ──────────┘
 *                           words of rank 1, to all                only after an error
 *
 * All members call these functions in the same order.  err is this member's error or 0; its words
 * are those of haft_err.  All members get the class and the words of the lowest rank that has an
 * error; the words begin with its rank. */
#ifndef HAFT_IO_AGREE_H
#define HAFT_IO_AGREE_H

#include "libmpi/io/io.h"

#define IO_AGREE_SAME 8 /* the most numbers that io_agree_same compares */

/* A number that must be equal on all members, and its name for words. */
struct io_same {
	int64_t value;
	const char *name;
	/* NULL: words have the number.  Else writes its meaning into text, of n bytes. */
	void (*say)(const void *arg, char *text, size_t n);
	const void *arg;
};

#define IO_AGREE_ANY 2

/* As io_agree, and compares n numbers: MPI_ERR_NOT_SAME if one differs.  any: NULL, or each becomes
 * true on all members if it is true on one. */
int io_agree_same(const struct io_file *f, int err, const struct io_same same[], int n,
	bool any[IO_AGREE_ANY]);

/* The end of an engine of a collective call: notes whether it has failed with the other members,
 * which then do not wait for this one.  Returns err. */
int io_has_joined(int err);

/* Has this thread's engine noted that?  Forgets it. */
bool io_joined_take(void);

#endif
