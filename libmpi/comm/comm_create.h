// SPDX-License-Identifier: BSD-3-Clause
/* comm_create.h - what all constructors of communicators end in. */
#ifndef HAFT_COMM_COMM_CREATE_H
#define HAFT_COMM_COMM_CREATE_H

#include "libmpi/comm/context_id.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/group_object.h"
#include "libmpi/core/info_object.h"

/* Whose messages and error handler a constructor uses, and what it makes. */
struct comm_spec {
	const struct comm *parent; /* whose error handler and session the new one has; NULL: none */
	struct group *group;       /* the new one holds it */
	struct group *remote;      /* the same; NULL: an intra-communicator */
	bool low;                  /* inter-communicator: this group is the low one */
	struct comm_ids ids;
};

/* comm_make makes a communicator with one user's handle.  0 or MPI_ERR_NO_MEM. */
int comm_make(const struct comm_spec *how, struct comm **newcomm);

/* The same for one that only its maker knows: no handle, and an obj_drop ends it. */
int comm_make_internal(const struct comm_spec *how, struct comm **newcomm);

/* Gives a communicator that was made without ids its own. */
void comm_set_ids(struct comm *c, struct comm_ids ids);

/* Keeps what is known of the assertions in info (may be NULL); the rest stays as it was. */
void comm_set_hints(struct comm *c, const struct info *info);

/* The kinds of memory that were asked for where c comes from, its session or the World Model; NULL:
 * none.  For env_memory_kinds (MPI-5.0 11.4.3). */
const char *comm_kinds_asked(const struct comm *c);

/* What ranks of a group say when it is split; in order of ranks. */
struct split_entry {
	int32_t color, key, rank, pad;
	struct comm_ids ids; /* to be the new communicator's if this process becomes its rank 0 */
};

/* comm_split_select keeps the offers of one color out of n, in order of the new ranks; returns how many.
 */
int comm_split_select(struct split_entry *all, int n, int color);

/* comm_split_group makes the group of n offers by ranks of `from'. */
int comm_split_group(
	const struct group *from, const struct split_entry *mine, int n, struct group **group);

/* intercomm.c: the same calls where the parent is an inter-communicator. */
int comm_inter_split(struct comm *c, const struct split_entry *me, struct comm **newcomm);
int comm_inter_subset(struct comm *c, struct group *group, struct comm **newcomm);

#endif
