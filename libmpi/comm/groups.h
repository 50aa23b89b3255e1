// SPDX-License-Identifier: BSD-3-Clause
/* groups.h - making groups, for those who make communicators. */
#ifndef HAFT_COMM_GROUPS_H
#define HAFT_COMM_GROUPS_H

#include "libmpi/core/group_object.h"
#include "libmpi/core/session_object.h"

/* group_make makes a group, with one user's handle, of n different peers in order of ranks.  peers
 * is malloc'ed and becomes the group's, also on failure.  n == 0 gives MPI_GROUP_EMPTY.  0 or
 * MPI_ERR_NO_MEM. */
int group_make(int n, int32_t *peers, struct group **group);

/* group_of_session makes the group of peers first .. first + size - 1, which is the session's.  0
 * or MPI_ERR_NO_MEM. */
int group_of_session(struct session *s, int first, int size, struct group **group);

/* group_copy makes another object that says the same and shares the tables. */
int group_copy(struct group *from, struct group **group);

/* MPI_IDENT, MPI_SIMILAR (another order) or MPI_UNEQUAL. */
int group_same(const struct group *a, const struct group *b);

#endif
