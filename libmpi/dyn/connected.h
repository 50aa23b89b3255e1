// SPDX-License-Identifier: BSD-3-Clause
/* connected.h - which spawned jobs this one is still connected to (MPI-5.0 11.10.4). */
#ifndef HAFT_DYN_CONNECTED_H
#define HAFT_DYN_CONNECTED_H

#include <stdbool.h>

/* Called by the root of a spawn, before it makes the inter-communicator: the processes first ..
 * first + n - 1 are connected to its job, until no communicator of this process has one of them as
 * a member.  Then mpiexec is told: a failure of one job no longer ends the other.  Without memory
 * the jobs stay connected. */
void dyn_connected_spawned(int first, int n);

/* Does each communicator in the list lead to another job, and has each spawned job processes?
 * (core/valid.h) */
bool dyn_connected_valid(void);

#endif
