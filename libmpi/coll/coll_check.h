// SPDX-License-Identifier: BSD-3-Clause
/* coll_check.h - HAFT_CHECK=coll: do all members make the same call?  See coll_check.c. */
#ifndef HAFT_COLL_COLL_CHECK_H
#define HAFT_COLL_COLL_CHECK_H

#include "libmpi/coll/coll_args.h"
#include "libmpi/coll/sched.h"

/* HAFT_CHECK=coll is set.  coll_check_open reads the setting. */
extern bool coll_check_wanted;
void coll_check_open(void);

/* Writes the steps that compare a call of all members; a difference ends the schedule, with an
 * error in all members.  The form of the call is what its name has before and after, like "I" and
 * "". */
void coll_check_steps(
	struct sched *s, const struct coll_args *k, const char *before, const char *after);

/* Compares the MPI functions that the members of a call are in, by their names: for an _init call,
 * whose arguments each start compares.  By messages.  0, or MPI_ERR_OTHER in all members. */
int coll_check_name(const struct coll_args *k);

/* Likewise for a constructor, which is a collective call of c. */
int coll_check_constructor(struct comm *c, enum coll_maker maker);

/* Begins to compare the constructor of c that has just taken its number; waits for no member.
 * *comparison has the result, and is the caller's.  0 or an MPI error class. */
int coll_check_constructor_begin(struct comm *c, enum coll_maker maker, struct req **comparison);

#endif
