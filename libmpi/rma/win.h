// SPDX-License-Identifier: BSD-3-Clause
/* win.h - what the files of data movement share about windows. */
#ifndef HAFT_RMA_WIN_H
#define HAFT_RMA_WIN_H

#include "libmpi/rma/rma.h"

/* --- win_hints.c ---------------------------------------------------------------------------- */

/* The hints of a window from info (may be NULL), malloc'ed; NULL: no memory.  rma_hints_free: NULL
 * is allowed. */
struct rma_hints *rma_hints_new(const struct info *info);
void rma_hints_free(struct rma_hints *h);

bool rma_hints_no_locks(const struct rma_hints *h);
bool rma_hints_noncontig(const struct rma_hints *h);
int64_t rma_hints_align(const struct rma_hints *h); /* bytes; 0: none was asked for */

/* --- attach.c ------------------------------------------------------------------------------- */

/* Is [at, at + len) of the target's address space attached, in one piece or several
 * side by side?  0, or MPI_ERR_RMA_RANGE with
 * words. */
int rma_attach_check(const struct win *w, int rank, uint64_t at, int64_t len);

/* The window goes: all is detached. */
void rma_attach_free(struct win *w);

/* --- frame_queue.c -------------------------------------------------------------------------- */

/* A window is known by its ctx: frames that have waited for it are served.  rma_registry_remove: no
 * longer. */
void rma_registry_add(struct win *w);
void rma_registry_remove(struct win *w);

#endif
