// SPDX-License-Identifier: BSD-3-Clause
/* fence.c - MPI_Win_fence: completes this process's operations and waits for all members (MPI-5.0
 * 12.5.1).
 *
 *      accesses ──> complete at their targets ──> barrier ──> accesses
 *                   (no wait where they are
 *                   stores)
 *
 * NOPRECEDE saves looking for operations to complete.  Together with NOSUCCEED it saves the
 * barrier as well.  NOPRECEDE alone does not: accesses go straight into the targets' memory, so
 * they may start only after the targets' fences.  NOSTORE and NOPUT save nothing; HAFT_CHECK=rma
 * tests NOPUT. */
#include "libmpi/coll/coll_args.h"
#include "libmpi/rma/conflict.h"
#include "libmpi/rma/win.h"

#include <engine.h>

/* 0, or MPI_ERR_RMA_SYNC with words: a fence is not allowed now. */
static int fence_check(const struct win *w, int modes)
{
	const struct rma_epoch *e = w->rma->epoch;
	int err = rma_epoch_assert(w, modes);

	if (err != 0)
		return err;
	if (unlikely(e->access > EPOCH_FENCED))
		return rma_epoch_error(w, -1, "MPI_Win_fence inside another access epoch");
	if (unlikely(e->posted))
		return rma_epoch_error(w, -1, "MPI_Win_fence inside an exposure epoch");
	if (unlikely(e->conflicts != NULL && e->access == EPOCH_FENCED) &&
		(modes & MPI_MODE_NOPRECEDE) != 0)
		return rma_epoch_error(w, -1, "MPI_MODE_NOPRECEDE is not true");
	return 0;
}

int rma_win_fence(int modes, struct win *w)
{
	const int none = MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
	struct rma_epoch *e = w->rma->epoch;
	int err, met = 0;

	coll_barrier_prefetch(w->comm);
	err = fence_check(w, modes);
	if (err != 0)
		return err;
	if (e->access == EPOCH_FENCED || (modes & MPI_MODE_NOPRECEDE) == 0)
		err = rma_flush_all(w);
	if (unlikely(w->rma->broken)) {
		e->access = EPOCH_CLOSED;
		return err != 0 ? err : rma_broken_error(w);
	}
	rma_conflict_fence(w, modes);
	rma_epoch_open_all(w, false);
	e->access = (modes & MPI_MODE_NOSUCCEED) != 0 ? EPOCH_CLOSED : EPOCH_FENCE;
	if ((modes & none) != none)
		met = coll_barrier(w->comm);
	rma_conflict_clear(w);
	return err != 0 ? err : met;
}
