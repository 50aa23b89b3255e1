// SPDX-License-Identifier: BSD-3-Clause
/* epoch_errors.c - the errors of calls and accesses that the current epoch does not allow. */
#include "libmpi/rma/win.h"
#include "libmpi/rma/win_epoch.h"

#include "libmpi/core/err.h"
#include <stdio.h>

/* Describes the epoch that is open. buf (n bytes) is room for the words. */
static const char *epoch_state_words(const struct win *w, char *buf, size_t n)
{
	static const char *const words[] = {
		[EPOCH_CLOSED] = "no access epoch is open",
		[EPOCH_FENCE] = "MPI_Win_fence was the last synchronization",
		[EPOCH_FENCED] = "a fence epoch is open",
		[EPOCH_START] = "an access epoch of MPI_Win_start is open",
		[EPOCH_LOCK] = "locked by this process",
		[EPOCH_ALL] = "an epoch of MPI_Win_lock_all is open",
	};
	const struct rma_epoch *e = w->rma->epoch;
	size_t len = 0;

	if (e->access == EPOCH_CLOSED && !e->posted)
		return "no epoch is open";
	if (e->access != EPOCH_LOCK) {
		snprintf(buf, n, "%s%s", words[e->access],
			e->posted ? ", and an exposure epoch of MPI_Win_post" : "");
		return buf;
	}
	len += (size_t)snprintf(buf, n, "locked at");
	for (int i = 0, named = 0; i < w->size && len < n && named < 4; i++) {
		if (e->target[i].held == HELD_NONE)
			continue;
		len += (size_t)snprintf(buf + len, n - len, " rank %d%s", i,
			e->target[i].held == HELD_WAITING ? " (awaited)" : "");
		named++;
	}
	if (e->posted && len < n)
		snprintf(buf + len, n - len, ", and an exposure epoch of MPI_Win_post is open");
	return buf;
}

int rma_epoch_error(const struct win *w, int rank, const char *what)
{
	char name[RMA_WIN_WORDS], room[160];
	const char *state = epoch_state_words(w, room, sizeof(room));

	if (w->rma->broken)
		return rma_broken_error(w);
	rma_win_words(w, name);
	if (rank >= 0)
		return haft_err(MPI_ERR_RMA_SYNC, "%s, rank %d: %s: %s", name, rank, what, state);
	return haft_err(MPI_ERR_RMA_SYNC, "%s: %s: %s", name, what, state);
}

int rma_epoch_no_rank(const struct win *w, int rank)
{
	char name[RMA_WIN_WORDS];

	return haft_err(MPI_ERR_RANK, "rank %d is not in %s", rank, rma_win_words(w, name));
}

int rma_epoch_assert(const struct win *w, int modes)
{
	const int all = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE |
			MPI_MODE_NOSUCCEED;
	char name[RMA_WIN_WORDS];

	if (likely((modes & ~all) == 0))
		return 0;
	return haft_err(MPI_ERR_ASSERT, "%s: 0x%x has bits that are no MPI_MODE_ constant",
		rma_win_words(w, name), (unsigned)modes);
}
