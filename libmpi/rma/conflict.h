// SPDX-License-Identifier: BSD-3-Clause
/* conflict.h - HAFT_CHECK=rma: are there two accesses to one place without an order between them?
 *
 *      origin 1   put ──> own record: {target, bytes, kind, epoch} ──> then reads all records
 *      origin 2   get ──> own record ...                           ──> one of both sees the other
 *
 *   an access is recorded until      and is compared with those of
 *     fence    the next fence        the same fence epoch
 *     start    the next epoch        the same exposure epoch of the target
 *     lock     flush, unlock, the    any that are recorded: their epochs overlap
 *              end of an MPI_Rget
 *
 * Accesses that the program has put in order are never reported: an access under a lock is
 * forgotten when it completes, and before that no access can follow it.  The request of an MPI_Rget
 * tells the program that it completed.  The requests of MPI_Rput, MPI_Raccumulate and
 * MPI_Rget_accumulate say nothing of the target (MPI-5.0 12.3.5).
 *
 * Not seen: loads and stores, and members on other hosts.  A record holds RECORD_MAX ranges of
 * memory.  When it is full, this is reported once, and the rest of the epoch is not checked. */
#ifndef HAFT_RMA_CONFLICT_H
#define HAFT_RMA_CONFLICT_H

#include "libmpi/rma/win_epoch.h"

#define RECORD_MAX 4096 /* ranges of one origin: some 160 KiB a window */

/* rma_conflict_new begins recording if HAFT_CHECK asks for it.  0 or MPI_ERR_NO_MEM. */
int rma_conflict_new(struct win *w);
void rma_conflict_free(struct win *w);

/* Records an access that passed all other checks and compares it.  0; MPI_ERR_RMA_CONFLICT with
 * words that name both accesses.  Only if accesses are recorded (epoch->conflicts). */
int rma_conflict_access(struct win *w, const struct rma_access *a);

/* Forgets accesses of this process: all; or those under a lock at a rank (-1: at any), of gets only
 * if `gets'.  No effect if nothing is recorded. */
void rma_conflict_clear(struct win *w);
void rma_conflict_complete(struct win *w, int rank, bool gets);

/* Notes what this member promises by the modes of a fence until the next one, or of a post until
 * the wait. */
void rma_conflict_fence(struct win *w, int modes);
void rma_conflict_post(struct win *w, int modes);

#endif
