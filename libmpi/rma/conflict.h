// SPDX-License-Identifier: BSD-3-Clause
/* conflict.h - HAFT_CHECK=rma: are there two accesses to one place, of which nobody can say which
 * comes first?
 *
 *      origin 1   put ──> own record: {target, bytes, what, epoch} ──> then looks at all records
 *      origin 2   get ──> own record ...                            '─> one of the two sees the
 * other
 *
 *   an access is recorded until      and meets those of
 *     fence    the next fence        the same fence epoch
 *     start    its next epoch        the same exposure epoch of the target
 *     lock     flush, unlock, the    any that are recorded: their epochs overlap
 *              end of an MPI_Rget
 *
 * So what was put in order by the program is never reported: an access under a lock is forgotten
 * when it is complete, and before that nobody can be after it.  The request of an MPI_Rget says
 * that it is; those of MPI_Rput, MPI_Raccumulate and MPI_Rget_accumulate say nothing of the target
 * (MPI-5.0 12.3.5).  What loads and stores do is not
 * seen, nor what members on other nodes do.  A record holds RECORD_MAX pieces of memory; when there
 * are more, that is said once and the rest of the epoch is not checked. */
#ifndef HAFT_RMA_CONFLICT_H
#define HAFT_RMA_CONFLICT_H

#include "libmpi/rma/win_epoch.h"

#define RECORD_MAX 4096 /* pieces of memory of one origin: 160 KiB and some a window */

/* Recording, if HAFT_CHECK says so, and its end.  0 or MPI_ERR_NO_MEM. */
int rma_conflict_new(struct win *w);
void rma_conflict_free(struct win *w);

/* An access that the epoch allows and with which nothing else is wrong.  0; MPI_ERR_RMA_CONFLICT
 * with words that name both.  Only if something is recorded (epoch->check). */
int rma_conflict_access(struct win *w, const struct rma_access *a);

/* What this process has accessed is over: all of it; under a lock at a rank (-1: at any), of gets
 * only if so said.  Does nothing if nothing is recorded. */
void rma_conflict_clear(struct win *w);
void rma_conflict_complete(struct win *w, int rank, bool gets);

/* A fence ends: what the window's owner promises until the next one.  A post: the same until the
 * wait. */
void rma_conflict_fence(struct win *w, int modes);
void rma_conflict_post(struct win *w, int modes);

#endif
