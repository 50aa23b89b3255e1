// SPDX-License-Identifier: BSD-3-Clause
/* fence.c - MPI_Win_fence: what was begun is complete, and everybody has come (MPI-5.0 12.5.1).
 *
 *      accesses ──> complete at their targets ──> all members have come ──> accesses
 *                   (nothing to wait for where
 *                   they are stores)
 *
 * Of the assertions, NOPRECEDE saves looking for accesses to complete, and together with NOSUCCEED
 * everything: the fence is between nothing and nothing.  NOPRECEDE alone does not save the meeting:
 * accesses go straight into the targets' memory, so they may start only after the targets' fences.
 * NOSTORE and NOPUT promise what costs nothing here; HAFT_CHECK=rma looks whether they are kept. */
#include "libmpi/rma/epoch.h"

#include <engine.h>

int rma_win_fence(int assert, struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;
	bool first = (assert & MPI_MODE_NOPRECEDE) != 0, last = (assert & MPI_MODE_NOSUCCEED) != 0;
	int err = epoch_assert(w, assert);

	if (err != 0)
		return err;
	if (unlikely(e->access > EPOCH_FENCED))
		return epoch_wrong(w, -1, "MPI_Win_fence inside another access epoch");
	if (unlikely(e->posted))
		return epoch_wrong(w, -1, "MPI_Win_fence inside an exposure epoch");
	if (e->access == EPOCH_FENCED || !first)
		err = rma_flushed_all(w);
	epoch_open_all(w, false);
	e->access = last ? EPOCH_CLOSED : EPOCH_FENCE;
	if (first && last)
		return err;
	return coll_barrier(w->comm) != 0 || err != 0 ? err : 0;
}
