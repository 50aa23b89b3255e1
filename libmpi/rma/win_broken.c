// SPDX-License-Identifier: BSD-3-Clause
/* win_broken.c - windows that have lost a member, or are revoked (libmpi/ft).
 *
 *      a process fails ──> rma_broken_check ──> window.broken ──> no call on it waits any more:
 *      MPIX_Win_revoke ──────────┘                               they raise instead
 *
 * Locks of such a window mean nothing from then on: no call waits for that of a dead member, and
 * locks of the living need not be given back.  MPI_Win_free frees it, without the others.
 *
 * Invariant: a broken window gets no new operation, as no answer would end it. */
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/am.h"
#include "libmpi/rma/win.h"
#include "libmpi/rma/win_epoch.h"

static void window_break(struct win *w)
{
	w->rma->broken = true;
	w->rma->epoch->checked = true; /* no access is simple any more: rma_epoch_check raises */
	w->open = 0;
	for (int i = 0; i < w->size; i++)
		w->target[i].open = 0;
	rma_am_abandon(w);
}

static void window_check(struct win *w)
{
	if (!w->rma->broken && p2p_comm_broken(w->comm))
		window_break(w);
}

void rma_broken_check(void)
{
	rma_registry_each(window_check);
}

int rma_broken_error(const struct win *w)
{
	return likely(!w->rma->broken) ? 0 : p2p_comm_error(w->comm);
}
