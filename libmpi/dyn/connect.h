// SPDX-License-Identifier: BSD-3-Clause
/* connect.h - inter-communicators between groups that have no communicator in common. */
#ifndef HAFT_DYN_CONNECT_H
#define HAFT_DYN_CONNECT_H

#include "libmpi/core/comm_object.h"

/* MPI_Comm_accept and MPI_Comm_connect (MPI-5.0 11.9.2): collective over c, an intra-communicator;
 * port and timeout_s matter at the root alone.  timeout_s 0: no limit.  All members get the same
 * error. 0, or MPI_ERR_PORT or another class with words. */
int dyn_port_accept(
	const char *port, struct comm *c, int root, int timeout_s, struct comm **newcomm);
int dyn_port_connect(
	const char *port, struct comm *c, int root, int timeout_s, struct comm **newcomm);

/* As dyn_port_accept, for children of a spawn (boot_children_live; 0: its launcher does not tell).
 * MPI_ERR_SPAWN: one has ended on its way here. */
int dyn_port_await(const char *port, struct comm *c, int root, int spawn_id, struct comm **newcomm);

#endif
