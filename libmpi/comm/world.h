// SPDX-License-Identifier: BSD-3-Clause
/* world.h - communicators and groups: making the two that exist from the start.
 *
 * Engines of MPI's own calls (comm_size, errh_create_comm ...) are in the generated engine.h. */
#ifndef HAFT_COMM_WORLD_H
#define HAFT_COMM_WORLD_H

#include "libmpi/core/comm_object.h"

#define CTX_WORLD 8  /* context ids of the two permanent communicators; others are larger */
#define CTX_SELF  16 /* mpiexec's roll-call knows both */
#define CTX_FIRST \
	24 /* where the block of MPI_COMM_WORLD begins; that of MPI_COMM_SELF is behind it */

/* comm_open fills what MPI_COMM_WORLD and MPI_COMM_SELF are, for rank `me' of `size': engines may
 * use them, also where the program only has sessions. */
void comm_open(int me, int size);

/* The two handles come with the World Model and go with it.  comm_world_open: 0 or MPI_ERR_NO_MEM.
 * comm_world_close runs the delete callbacks of attributes of MPI_COMM_SELF, last set first, then
 * of MPI_COMM_WORLD (MPI-5.0 11.2.4): 0, or the error of a callback, and then nothing else has
 * ended.  comm_world_end ends the handles. */
int comm_world_open(void);
int comm_world_close(void);
void comm_world_end(void);

/* The local group of an inter-communicator as an intra-communicator of its own, c's; made at the
 * first call, without a message.  NULL: no memory, with words. */
struct comm *comm_local(struct comm *c);

#endif
