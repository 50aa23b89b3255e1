// SPDX-License-Identifier: BSD-3-Clause
/* failure_detector.h - notices the death of a rank under launchers that do not end the job then. */
#ifndef LIBMPI_BOOT_FAILURE_DETECTOR_H
#define LIBMPI_BOOT_FAILURE_DETECTOR_H

#include "libmpi/boot/boot.h"
#include "libmpi/boot/kvs.h"

/* The launcher has so long to notice a death by itself: it knows the exit code or signal.  hydra
 * and mpirun need a few ms. */
#define DETECTOR_GRACE_MS 300

/* Starts a thread that sleeps until a rank of this host dies before MPI_Finalize, or the launcher
 * dies (k->fd shows it); then it calls abort_job, or tells the ranks of this host by a notice if
 * failures are survived (enum boot_ft).  Without pidfds (Linux before 5.3) it does nothing. */
void boot_detector_start(
	const struct boot *b, const struct kvs *k, void (*abort_job)(int code, const char *text));

/* Ends the thread, if there is one. */
void boot_detector_stop(void);

#endif
