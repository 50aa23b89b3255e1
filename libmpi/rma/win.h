// SPDX-License-Identifier: BSD-3-Clause
/* win.h - a window's parts that making and freeing it need: hints, attached memory, registry. */
#ifndef HAFT_RMA_WIN_H
#define HAFT_RMA_WIN_H

#include "libmpi/rma/rma.h"

/* --- win_hints.c ---------------------------------------------------------------------------- */

/* The hints of a window from info (may be NULL), malloc'ed; NULL: no memory.  rma_hints_free
 * accepts NULL. */
struct rma_hints *rma_hints_new(const struct info *info);
void rma_hints_free(struct rma_hints *h);

/* The values of the hints no_locks and alloc_shared_noncontig. */
bool rma_hints_no_locks(const struct rma_hints *h);
bool rma_hints_noncontig(const struct rma_hints *h);
int64_t rma_hints_align(const struct rma_hints *h); /* bytes; 0: no alignment was requested */

/* --- attach.c ------------------------------------------------------------------------------- */

/* Is [at, at + len) of the target's address space attached, as one range or as several adjacent
 * ones?  0, or MPI_ERR_RMA_RANGE with words. */
int rma_attach_check(const struct win *w, int rank, uint64_t at, int64_t len);

/* Detaches everything: the window is freed. */
void rma_attach_free(struct win *w);

/* --- win_broken.c --------------------------------------------------------------------------- */

/* A process has failed, or a communicator was revoked: which windows are broken now? */
void rma_broken_check(void);

/* 0, or MPIX_ERR_PROC_FAILED or _REVOKED with words: the window is broken. */
int rma_broken_error(const struct win *w);

/* --- member_died.c -------------------------------------------------------------------------- */

/* Has a member (rank -1: any) died, as the launcher has told?  For loops that wait for a word of
 * the segment which it may have taken.  Acts on nothing. */
bool rma_member_died(const struct win *w, int rank);

/* --- win_registry.c, dispatch.c ------------------------------------------------------------- */

/* rma_registry_add makes the window known by its context id; rma_registry_remove forgets it. */
void rma_registry_add(struct win *w);
void rma_registry_remove(struct win *w);

/* Calls fn for each window of this process. */
void rma_registry_each(void (*fn)(struct win *w));

/* Is check true of every window of this process? */
bool rma_registry_all(bool (*check)(const struct win *w));

/* Handles the frames about a window that arrived before rma_registry_add, in order. */
void rma_dispatch_unmatched(struct win *w);

#endif
