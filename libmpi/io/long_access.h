// SPDX-License-Identifier: BSD-3-Clause
/* long_access.h - long accesses to files in the report of a job.
 *
 *      io_progress_begin ──> the rank's record in the segment <── io_progress_moved, ..._round
 *                                     └── mpiexec reads it: "has moved 41 % of ... bytes of x.h5"
 *
 * One access of a process is shown at a time: the first that begins while none is. */
#ifndef HAFT_IO_LONG_ACCESS_H
#define HAFT_IO_LONG_ACCESS_H

#include "libmpi/io/io.h"

#define IO_PROGRESS_LONG MEAN_OR(256, 128 << 20) /* bytes of a long access */

/* The access that is shown, or NULL.  Changes under the library's lock. */
extern const struct io_job *_Atomic io_progress_job;

/* Shows an access, if none is shown.  Under the library's lock, as io_progress_end. */
void io_progress_begin(const struct io_job *j);
void io_progress_end(void);

/* So many more bytes have been moved to or from a file, by any access.  Any thread. */
void io_progress_moved(const struct io_file *f, int64_t n);

/* The access is done in rounds, of which so many are over. */
void io_progress_round(const struct io_job *j, int64_t round, int64_t rounds);

static inline bool io_progress_is_shown(void)
{
	return unlikely(atomic_load_explicit(&io_progress_job, memory_order_relaxed) != NULL);
}

#endif
