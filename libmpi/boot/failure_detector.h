// SPDX-License-Identifier: BSD-3-Clause
/* failure_detector.h - notices that a rank has died, where no mpiexec of ours does. */
#ifndef HAFT_BOOT_FAILURE_DETECTOR_H
#define HAFT_BOOT_FAILURE_DETECTOR_H

#include "libmpi/boot/boot.h"
#include "libmpi/boot/kvs.h"

/* How long the launcher has to notice by itself: it knows the culprit's exit code or signal, and
 * hydra and mpirun need a few ms. */
#define DETECTOR_GRACE_MS 300

/* Starts this rank's watch: a thread that sleeps.  It ends the job by boot_abort when a rank of
 * this host has died without MPI_Finalize, or when the launcher has died, as k->fd shows.  No watch
 * where the system has none (Linux before 5.3). */
void boot_detector_start(const struct boot *b, const struct kvs *k);

/* Ends the thread, if there is one. */
void boot_detector_stop(void);

#endif
