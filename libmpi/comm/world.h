// SPDX-License-Identifier: BSD-3-Clause
/* world.h - MPI_COMM_WORLD and MPI_COMM_SELF, which exist from the start.
 *
 * Functions that implement MPI calls (comm_size ...) are declared in the generated engine.h. */
#ifndef HAFT_COMM_WORLD_H
#define HAFT_COMM_WORLD_H

#include "libmpi/core/comm_object.h"

/* Context ids of the two; those of all other communicators are larger.  mpiexec's wait report knows
 * both numbers. */
#define CTX_WORLD 8
#define CTX_SELF  16

/* Start of MPI_COMM_WORLD's block of ids for duplicates; MPI_COMM_SELF's block follows it. */
#define CTX_FIRST 24

/* Fills the two communicators for rank `rank' of `size', which is number `peer' of its universe;
 * the ranks of a job have consecutive numbers.  Engines may use them from then on, also in a
 * program that has sessions only. */
void comm_open(int peer, int rank, int size);

/* The handles of the two live as long as the World Model.
 *
 *   comm_world_open    makes them.  0 or MPI_ERR_NO_MEM
 *   comm_world_close   runs the delete callbacks of attributes, of MPI_COMM_SELF first, last set
 *                      first (MPI-5.0 11.2.4).  0, or the error of a callback; nothing has ended
 *                      then
 *   comm_world_end     ends them */
int comm_world_open(void);
int comm_world_close(void);
void comm_world_end(void);

/* The local group of an inter-communicator as an intra-communicator; c owns it.  The first call
 * makes it, without messages.  NULL: MPI_ERR_NO_MEM, with words. */
struct comm *comm_local(struct comm *c);

#endif
