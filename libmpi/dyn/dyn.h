// SPDX-License-Identifier: BSD-3-Clause
/* dyn.h - the parts of dyn that its files share.
 *
 * Functions that implement MPI calls (dyn_spawn ...) are declared in the generated engine.h. */
#ifndef HAFT_DYN_DYN_H
#define HAFT_DYN_DYN_H

#include "libmpi/comm/context_id.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/group_object.h"

/* Makes an inter-communicator of two groups whose context ids are known on both sides, without a
 * message.  low: the local group is the one that offered the ids.  parent: gives the error handler.
 * 0 or MPI_ERR_NO_MEM. */
int dyn_inter_make(const struct comm *parent, struct group *local, struct group *remote,
	struct comm_ids ids, bool low, struct comm **newcomm);

/* The group of n consecutive numbers.  The caller ends its handle.  0 or MPI_ERR_NO_MEM. */
int dyn_group_range(int first, int n, struct group **group);

/* Have all living members of c got the children of a spawn?  err: of this one.  Collective.  0, or
 * a class with words in all: a member has failed, or has not.  With HAFT_FT=no err, at once. */
int dyn_spawn_agree(struct comm *c, int err);

/* --- birth.c: the parents' data for their children, as a text without blanks ---------------- */

/* Another text: this character and the name of a port, to which the children connect in MPI_Init.
 * For children that are strangers, and parents of whom some are. */
#define DYN_BIRTH_PORT      'P'
#define DYN_BIRTH_TIMEOUT_S 60

/* malloc'ed; NULL: no memory. */
char *dyn_birth_write(const struct group *parents, struct comm_ids ids);

/* Reads such a text.  The caller ends the group's handle.  0, MPI_ERR_NO_MEM, or MPI_ERR_OTHER with
 * words: it is no such text. */
int dyn_birth_read(const char *text, struct group **parents, struct comm_ids *ids);

#endif
