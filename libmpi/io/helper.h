// SPDX-License-Identifier: BSD-3-Clause
/* helper.h - a thread that runs nonblocking collective accesses while the program computes.
 *
 *      program   iwrite_all |......... computes, without MPI .........| MPI_Wait
 *      helper      asleep   | HELPER_NAP_NS | exchanges, packs, writes | asleep
 *
 * Below MPI_THREAD_MULTIPLE calls of MPI take no lock.  So the call that wakes the helper admits
 * several threads: it and later ones lock, until io_helper_rest finds the helper asleep again.
 *
 * The helper delivers messages and runs accesses to files.  It calls no function of the program's:
 * neither operations of reductions nor conversions (HAFT_PROGRESS=thread does). */
#ifndef HAFT_IO_HELPER_H
#define HAFT_IO_HELPER_H

#include <stdbool.h>

/* An access is under way; pass runs what can go on, and pending says whether one is left.  No wait
 * is under way in this thread.  Without HAFT_IO_THREADS nothing happens. */
void io_helper_want(int (*pass)(void), bool (*pending)(void));

/* Goes back to calls without a lock, if that is possible; no wait is under way in this thread. */
void io_helper_rest(void);

/* Accesses under way that may call a function of the program's: the helper leaves all alone.
 */
extern int io_helper_kept_off;

#endif
