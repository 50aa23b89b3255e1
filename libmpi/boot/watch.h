// SPDX-License-Identifier: BSD-3-Clause
/* watch.h - notices that a rank has died, where no mpiexec of ours does. */
#ifndef LIBMPI_BOOT_WATCH_H
#define LIBMPI_BOOT_WATCH_H

#include "libmpi/boot/boot.h"
#include "libmpi/boot/kvs.h"

/* How long the launcher has to notice by itself: it knows the culprit's exit code or signal, and
 * hydra and mpirun need a few ms. */
#define WATCH_GRACE_MS 300

/* Starts this rank's watch: a thread that sleeps.  It ends the job by boot_abort when a rank of
 * this host has died without MPI_Finalize, or when the launcher has died, as k->fd shows.  No watch
 * where the system has none (Linux before 5.3). */
void watch_start(const struct boot *b, const struct kvs *k);

/* Ends the thread, if there is one. */
void watch_stop(void);

#endif
