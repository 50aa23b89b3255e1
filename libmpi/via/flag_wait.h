// SPDX-License-Identifier: BSD-3-Clause
/* flag_wait.h - waiting for a flag in memory that the members of a communicator share on this node.
 *
 *      shm_block_join(key, n, me)   lines, counters and buffers of libshm's block, for libmpi/coll
 *      via_flag_wait(flag, want)    one look at a flag; then a wait that makes progress
 *
 * As in via.h, libshm's own names are used where a wrapper would only rename them. */
#ifndef HAFT_VIA_FLAG_WAIT_H
#define HAFT_VIA_FLAG_WAIT_H

#include "libmpi/via/via.h"

/* True if the node has had more ranks than CPUs from the start.  Equal in all its processes, at any
 * time: the members of a communicator choose one algorithm by it. */
static inline bool via_oversubscribed(void)
{
	return shm_seg_contended(via.shm->seg);
}

/* The work of a process that waits for a flag. */
struct via_flag_pass {
	int (*run)(void); /* makes progress; > 0: something has moved */
	const bool *stop; /* true: the flag will not come, and the wait ends */
};

/* The slow half of via_flag_wait. */
void via_flag_wait_slow(struct shm_flag *f, uint32_t want, uint32_t ahead,
	const struct via_flag_pass *pass, const struct shm_describer *teller);

/* Returns when the flag has reached `want' (shm_flag_reached), or pass->stop is true.  `teller' may
 * be NULL; it describes the wait for the wait report of a hung job.  Does not return once the job
 * is being ended. */
static inline void via_flag_wait(struct shm_flag *f, uint32_t want, uint32_t ahead,
	const struct via_flag_pass *pass, const struct shm_describer *teller)
{
	if (unlikely(!shm_flag_reached(shm_flag_get(f), want, ahead)))
		via_flag_wait_slow(f, want, ahead, pass, teller);
}

#endif
