// SPDX-License-Identifier: BSD-3-Clause
/* death_notice.h - tells all processes of the end of one, while the job goes on.
 *
 *      notice_send ──┬── into the segment of this host      ──> libmpi/ft/failure_notice.c
 *                    └── FRAME_NOTICE: into those of others ──┘ */
#ifndef MPIEXEC_DEATH_NOTICE_H
#define MPIEXEC_DEATH_NOTICE_H

#include "libmpi/boot/boot.h"
#include "tools/mpiexec/job.h"

/* how: enum boot_end.  False: it cannot be told. */
bool notice_send(struct job *j, const struct death *d, int how);

/* Entry r was spawned, and has ended before MPI_Init was called, or because another of its world
 * has: tells all processes, once.  Operations with it raise MPI_ERR_SPAWN.  The words for those
 * that end with their world name the first one. */
void notice_spawn_failed(struct job *j, int r, int status);

/* Likewise of one that has exited with 0; the first one of its world is told to the user. */
void notice_no_init(struct job *j, int r);

#endif
