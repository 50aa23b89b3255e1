// SPDX-License-Identifier: BSD-3-Clause
/* member_died.c - words of the segment that a process takes for a moment, and has taken when it
 * dies: the locks of stripes, bulks, the table of attached memory.
 *
 * A loop that waits for such a word may hold something itself, so it must not poll, and the window
 * is not broken before a poll.  It reads the launcher's notices instead, and goes on without it:
 * the contents of a window that has lost a member are undefined. */
#include "libmpi/p2p/p2p.h"
#include "libmpi/rma/win.h"

bool rma_member_died(const struct win *w, int rank)
{
	if (p2p_hooks.dead == NULL || via_notice_get(0) == NULL)
		return false;
	if (rank >= 0)
		return p2p_hooks.dead(w->target[rank].peer);
	for (int i = 0; i < w->size; i++)
		if (p2p_hooks.dead(w->target[i].peer))
			return true;
	return false;
}
