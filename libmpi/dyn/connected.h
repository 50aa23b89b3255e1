// SPDX-License-Identifier: BSD-3-Clause
/* connected.h - mpiexec is told which jobs are connected (MPI-5.0 11.10.4): if one fails, it ends
 * those that are connected to it, and no others.
 *
 * Two jobs of one mpiexec are connected as long as a communicator has members of both.  Processes
 * of other universes are connected by sockets, which tell by themselves. */
#ifndef HAFT_DYN_CONNECTED_H
#define HAFT_DYN_CONNECTED_H

#include <stdbool.h>

struct comm;

/* From now on communicators are watched. */
void dyn_connected_open(void);

/* Called by the root of a spawn: its launcher has connected its job to that of the children
 * (boot_spawn_disconnected), until this communicator ends. */
void dyn_connected_spawned(struct comm *c, int spawn_id);

/* Communicators that were told have members of other jobs.  (core/valid.h) */
bool dyn_connected_valid(void);

#endif
