// SPDX-License-Identifier: BSD-3-Clause
/* stats.h - counts of accesses to this process's files, for the tools interface and for a table at
 * close. */
#ifndef HAFT_IO_STATS_H
#define HAFT_IO_STATS_H

#include "libmpi/io/io.h"

/* The sums over all files, open and closed; valid until the next call. */
const struct io_counts *io_counts_now(void);

/* Called once by close: adds the file's counts to the sums.  With the hint haft_statistics, rank 0
 * prints those of all members. */
void io_stats_close(struct io_file *f);

#endif
