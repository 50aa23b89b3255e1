// SPDX-License-Identifier: BSD-3-Clause
/* win_epoch.c - the epochs of a window: allowed calls, making and freeing.  The table is in
 * win_epoch.h. */
#include "libmpi/rma/win_epoch.h"

#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/setting.h"
#include "libmpi/rma/conflict.h"
#include "libmpi/rma/win_remote.h"
#include "libmpi/rma/win.h"
#include <stdlib.h>

/* --- accesses ------------------------------------------------------------------------------- */

/* Why the target may not be accessed, in words; NULL: it may.  Opens a fence epoch, or waits for a
 * post. */
static const char *epoch_refused(struct win *w, int rank)
{
	struct rma_epoch *e = w->rma->epoch;

	switch ((enum rma_epoch_access)e->access) {
	case EPOCH_FENCE:
		if (e->posted)
			return "a fence epoch cannot be open together with one of MPI_Win_post";
		e->access = EPOCH_FENCED;
		rma_epoch_open_all(w, true);
		return NULL;
	case EPOCH_FENCED:
	case EPOCH_ALL: return NULL;
	case EPOCH_START:
		if (e->target[rank].held != HELD_STARTED)
			return "not in the group of MPI_Win_start";
		rma_epoch_start_wait(w, rank);
		return NULL;
	case EPOCH_LOCK:
		if (e->target[rank].held == HELD_NONE || e->target[rank].held == HELD_WAITING)
			return "not locked by this process";
		return NULL;
	case EPOCH_CLOSED: break;
	}
	return "no epoch lets this process access it";
}

int rma_epoch_check(struct win *w, int rank)
{
	const char *why = epoch_refused(w, rank);

	if (why != NULL)
		return rma_epoch_error(w, rank, why);
	return rma_broken_error(w); /* a member may have failed during the wait for a post */
}

int rma_epoch_passive(const struct win *w, int rank)
{
	const struct rma_epoch *e = w->rma->epoch;

	if (likely(e->access == EPOCH_LOCK || e->access == EPOCH_ALL))
		return 0;
	return rma_epoch_error(w, rank,
		"a request-based operation needs an epoch of MPI_Win_lock or MPI_Win_lock_all");
}

bool rma_epoch_types(const struct win *w)
{
	return w->rma->epoch->types;
}

int rma_epoch_record(struct win *w, const struct rma_access *a)
{
	return w->rma->epoch->conflicts != NULL ? rma_conflict_access(w, a) : 0;
}

/* --- life ----------------------------------------------------------------------------------- */

int rma_epoch_new(struct win *w, const struct info *info)
{
	struct rma_epoch *e = calloc(1, sizeof(*e));

	(void)info;
	if (e == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the epochs of a window");
	w->rma->epoch = e;
	e->target = calloc((size_t)w->size, sizeof(*e->target));
	e->started = calloc((size_t)w->size, sizeof(*e->started));
	e->posted_to = calloc((size_t)w->size, sizeof(*e->posted_to));
	e->win = w;
	e->types = (haft_setting_get(SETTING_CHECK) & HAFT_CHECK_TYPES) != 0;
	e->all_local = true;
	for (int i = 0; i < w->size; i++) {
		e->all_local = e->all_local && w->target[i].ctl != NULL;
		e->serves = e->serves || w->target[i].method == RMA_AM;
		e->helped = e->helped || w->target[i].method != RMA_DIRECT;
	}
	if (e->helped)
		haft_help_need(1);
	if (e->target == NULL || e->started == NULL || e->posted_to == NULL ||
		rma_remote_new(w) != 0 || rma_conflict_new(w) != 0) {
		rma_epoch_free(w);
		return haft_err(MPI_ERR_NO_MEM, "no memory to synchronize a window of %d processes",
			w->size);
	}
	e->checked = e->types || e->conflicts != NULL;
	return 0;
}

void rma_epoch_free(struct win *w)
{
	struct rma_epoch *e = w->rma->epoch;

	if (e == NULL)
		return;
	if (e->helped)
		haft_help_need(-1);
	rma_remote_free(w);
	rma_conflict_free(w);
	w->rma->epoch = NULL;
	free(e->target);
	free(e->started);
	free(e->posted_to);
	free(e);
}

int rma_epoch_end(struct win *w)
{
	const struct rma_epoch *e = w->rma->epoch;

	if (w->rma->broken)
		return 0;
	if (e->posted || (e->access != EPOCH_CLOSED && e->access != EPOCH_FENCE))
		return rma_epoch_error(w, -1, "it cannot be freed inside an epoch");
	return 0;
}
