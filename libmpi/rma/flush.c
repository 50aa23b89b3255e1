// SPDX-License-Identifier: BSD-3-Clause
/* flush.c - MPI_Win_flush and its kin: completing operations in a passive target epoch (MPI-5.0
 * 12.5.4).
 *
 * An operation that is a store is complete when its call returns.  A flush waits for active
 * messages only.  MPI_Win_sync is a processor fence: the memory model is the unified one. */
#include "libmpi/rma/win_epoch.h"

#include "libmpi/rma/conflict.h"
#include "libmpi/rma/win.h"
#include <engine.h>

/* 0 if this process has locked the target; else MPI_ERR_RMA_SYNC with words, which begin with
 * `what', MPI_ERR_RANK, or the error of a broken window. */
static int flush_check(const struct win *w, int rank, const char *what)
{
	const struct rma_epoch *e = w->rma->epoch;

	if (unlikely(rank >= w->size))
		return rma_epoch_no_rank(w, rank);
	if (rank == MPI_PROC_NULL)
		return 0;
	if (unlikely(w->rma->broken))
		return rma_broken_error(w);
	if (likely(e->access == EPOCH_ALL))
		return 0;
	if (e->access != EPOCH_LOCK || e->target[rank].held == HELD_NONE ||
		e->target[rank].held == HELD_WAITING)
		return rma_epoch_error(w, rank, what);
	return 0;
}

/* Likewise for all targets: this process has locked one or all of them. */
static int flush_check_all(const struct win *w, const char *what)
{
	const struct rma_epoch *e = w->rma->epoch;

	if (unlikely(w->rma->broken))
		return rma_broken_error(w);
	if (likely(e->access == EPOCH_ALL || e->access == EPOCH_LOCK))
		return 0;
	return rma_epoch_error(w, -1, what);
}

int rma_win_flush(int rank, struct win *w)
{
	int err = flush_check(w, rank, "MPI_Win_flush without a lock");

	if (err != 0 || rank == MPI_PROC_NULL)
		return err;
	rma_conflict_complete(w, rank, false);
	rma_epoch_poll(w);
	return rma_flush(w, rank);
}

int rma_win_flush_local(int rank, struct win *w)
{
	int err = flush_check(w, rank, "MPI_Win_flush_local without a lock");

	if (err != 0 || rank == MPI_PROC_NULL)
		return err;
	rma_conflict_complete(w, rank, true);
	rma_epoch_poll(w);
	return rma_flush_local(w, rank);
}

int rma_win_flush_all(struct win *w)
{
	int err = flush_check_all(w, "MPI_Win_flush_all without a lock");

	if (err != 0)
		return err;
	rma_conflict_complete(w, -1, false);
	rma_epoch_poll(w);
	return rma_flush_all(w);
}

int rma_win_flush_local_all(struct win *w)
{
	int err = flush_check_all(w, "MPI_Win_flush_local_all without a lock");

	if (err != 0)
		return err;
	rma_conflict_complete(w, -1, true);
	rma_epoch_poll(w);
	return rma_flush_local_all(w);
}

int rma_win_sync(struct win *w)
{
	atomic_thread_fence(memory_order_seq_cst);
	rma_epoch_poll(w);
	return rma_broken_error(w);
}
