// SPDX-License-Identifier: BSD-3-Clause
/* groups.h - making groups, for the constructors of communicators. */
#ifndef HAFT_COMM_GROUPS_H
#define HAFT_COMM_GROUPS_H

#include "libmpi/core/group_object.h"
#include "libmpi/core/session_object.h"

/* Makes a group, with a handle of the user, of n different peers in order of ranks.  peers is
 * malloc'ed and becomes the group's, also on failure.  n == 0 gives MPI_GROUP_EMPTY.  0 or
 * MPI_ERR_NO_MEM. */
int group_make(int n, int32_t *peers, struct group **group);

/* Makes the group of peers first .. first + size - 1 that belongs to a session.  0 or
 * MPI_ERR_NO_MEM. */
int group_of_session(struct session *s, int first, int size, struct group **group);

/* Makes an equal group that shares the tables of `from'.  It belongs to the session of `from', or,
 * if that is NULL, to `session', which may be NULL.  0 or MPI_ERR_NO_MEM. */
int group_copy(struct group *from, struct session *session, struct group **group);

/* MPI_IDENT, MPI_SIMILAR (another order) or MPI_UNEQUAL. */
int group_same(const struct group *a, const struct group *b);

#endif
