// SPDX-License-Identifier: BSD-3-Clause
/* access_thread.h - a thread that runs nonblocking collective accesses while the program computes.
 *
 *      program  iwrite_all |............ computes, without MPI ............| MPI_Wait
 *      thread     asleep   | ACCESS_THREAD_NAP_NS | exchanges, packs, writes | asleep
 *
 * Below MPI_THREAD_MULTIPLE calls of MPI take no lock.  So the call that wakes the thread admits
 * several threads: it and later ones lock, until io_access_thread_rest finds it asleep again.
 *
 * The thread delivers messages and runs accesses to files.  It calls no function of the program's:
 * neither operations of reductions nor conversions (HAFT_PROGRESS=thread does). */
#ifndef HAFT_IO_ACCESS_THREAD_H
#define HAFT_IO_ACCESS_THREAD_H

#include <stdbool.h>

/* An access is under way; pass runs what can go on, and pending says whether one is left.  No wait
 * is under way in this thread.  Without HAFT_IO_THREADS nothing happens. */
void io_access_thread_want(int (*pass)(void), bool (*pending)(void));

/* Goes back to calls without a lock, if that is possible; no wait is under way in this thread. */
void io_access_thread_rest(void);

/* Accesses under way that may call a function of the program's: the access thread leaves all alone.
 */
extern int io_access_thread_kept_off;

#endif
