// SPDX-License-Identifier: BSD-3-Clause
/* flag_wait.h - the memory that the members of a communicator share on this node, for libmpi/coll.
 *
 *      shm_block_join(key, n, me)  ──>  lines, counters and buffers of libshm's block
 *      via_flag_wait(flag, want)            a look; if that is not enough, a wait that makes progress
 *
 * As in via.h, libshm's own names are used for what would only be renamed. */
#ifndef HAFT_VIA_FLAG_WAIT_H
#define HAFT_VIA_FLAG_WAIT_H

#include "libmpi/via/via.h"

/* More ranks than CPUs: waiting means giving the CPU away. */
static inline bool via_oversubscribed(void)
{
	return shm_seg_contended(via.shm->seg);
}

/* The slow half of via_flag_wait. */
void via_flag_wait_slow(struct shm_flag *f, uint32_t want, shm_progress_fn *pass,
	const struct shm_describer *teller);

/* Returns when the flag's value has reached `want' (as a sequence number); `pass' makes progress
 * meanwhile, and `teller' (may be NULL) speaks in the roll-call of a hung job.  When the job is
 * being ended it does not come back. */
static inline void via_flag_wait(struct shm_flag *f, uint32_t want, shm_progress_fn *pass,
	const struct shm_describer *teller)
{
	if (unlikely((int32_t)(shm_flag_get(f) - want) < 0))
		via_flag_wait_slow(f, want, pass, teller);
}

#endif
