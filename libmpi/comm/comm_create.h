// SPDX-License-Identifier: BSD-3-Clause
/* comm_create.h - the common end of all constructors of communicators, and the parts of split. */
#ifndef HAFT_COMM_COMM_CREATE_H
#define HAFT_COMM_COMM_CREATE_H

#include "libmpi/comm/context_id.h"
#include "libmpi/coll/coll_args.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/group_object.h"
#include "libmpi/core/info_object.h"

/* The communicator that a constructor makes. */
struct comm_spec {
	const struct comm *parent; /* gives error handler and session; NULL: none does */
	struct session *session;   /* with parent == NULL; NULL: that of the group */
	struct group *group;       /* the local group; the communicator holds it */
	struct group *remote;      /* the remote group, held as well; NULL: an intra-communicator */
	bool low;                  /* inter-communicator: the local group is the low one */
	struct comm_ids ids;
};

/* Makes a communicator with a handle of the user.  0 or MPI_ERR_NO_MEM. */
int comm_make(const struct comm_spec *how, struct comm **newcomm);

/* Makes a communicator without a handle; obj_drop ends it.  0 or MPI_ERR_NO_MEM. */
int comm_make_internal(const struct comm_spec *how, struct comm **newcomm);

/* A nonblocking constructor returns c, which has no ids yet: until comm_ready each call on it that
 * is not local raises MPI_ERR_COMM. */
void comm_set_incomplete(struct comm *c);

/* The constructor ends: c gets its ids, and is of use. */
void comm_ready(struct comm *c, struct comm_ids ids);

/* Sets the assertions that info has (MPI-5.0 7.4.4) and keeps the others.  info may be NULL. */
void comm_set_hints(struct comm *c, const struct info *info);

/* The kinds of memory that were asked for by c's session, or by the World Model; NULL: none.  An
 * argument for env_memory_kinds_set (MPI-5.0 11.4.3). */
const char *comm_kinds_asked(const struct comm *c);

/* Compares the calls that the members of c are in: with HAFT_CHECK=coll by messages, the names of
 * the MPI functions; else in shared memory if c has it, the constructor with other calls.  Each
 * collective constructor calls one of these once, before its first message: comm_check_joined if it
 * makes no collective call of c, which gives c shared memory, and if no other group waits.  0;
 * MPI_ERR_OTHER, with HAFT_CHECK=coll in all members. */
int comm_check(struct comm *c, enum coll_maker maker);
int comm_check_joined(struct comm *c, enum coll_maker maker);

/* --- split ---------------------------------------------------------------------------------- */

/* The contribution of a rank to a split.  In order of ranks. */
struct split_entry {
	int32_t color, key, rank, pad;
	struct comm_ids ids; /* for the new communicator, if this rank becomes its rank 0 */
};

/* Keeps the entries of one color of n, in order of the new ranks.  Returns their number. */
int comm_split_select(struct split_entry *all, int n, int color);

/* Makes the group of n entries, whose ranks are those of `from'.  0 or MPI_ERR_NO_MEM. */
int comm_split_group(
	const struct group *from, const struct split_entry *mine, int n, struct group **group);

/* MPI_Comm_split and MPI_Comm_create where the parent is an inter-communicator: intercomm.c. */
int comm_inter_split(struct comm *c, const struct split_entry *me, struct comm **newcomm);
int comm_inter_subset(struct comm *c, struct group *group, struct comm **newcomm);

#endif
