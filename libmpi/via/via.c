// SPDX-License-Identifier: BSD-3-Clause
/* via.c - attaching to the transports, and what happens to a waiting rank when its job ends. */
#include "libmpi/via/via.h"

#include "libmpi/core/err.h"
#include "libmpi/core/set.h"
#include <mpi.h>
#include <unistd.h>

struct via via;

/* The table of settings has the order of libshm's. */
static_assert(SHM_SLEEP_AUTO == 0 && SHM_SLEEP_NEVER == 1 && SHM_SLEEP_ALWAYS == 2,
	"HAFT_SLEEP=auto, never, always");

static void tune(struct shm *s)
{
	const struct shm_tune t = {
		.puts = (uint32_t)haft_set(HAFT_SET_RING),
		.spins = (uint32_t)haft_set(HAFT_SET_SPIN),
		.yields = (uint32_t)haft_set(HAFT_SET_YIELD),
		.sleep = (enum shm_sleep)haft_set(HAFT_SET_SLEEP),
	};

	shm_tune_set(s, &t);
}

int via_open(struct shm_seg *seg, int me, shm_deliver_fn *deliver)
{
	int err = shm_attach(seg, me, &via.shm);

	if (err != 0)
		return haft_err(MPI_ERR_OTHER, "rank %d cannot attach to the shared segment: %s",
			me, shm_error_text(err));
	tune(via.shm);
	via.me = me;
	via.npeers = shm_seg_nranks(seg);
	via.frame_max = via.shm->frame_max;
	via.mem_len = shm_seg_len(seg);
	via.contended = shm_seg_contended(seg);
	via.deliver = deliver;
	return 0;
}

#define ENDING_S                                                                        \
	10 /* the launcher ends a rank within a second; without one we end by ourselves \
	    */

/* Another rank has given up.  The launcher reports it and ends everybody: say nothing, wait for
 * that. */
static void job_ends(void)
{
	sleep(ENDING_S);
	_exit(1);
}

void via_idle(struct shm_wait *w)
{
	if (unlikely(shm_idle(via.shm, w) == SHM_ALARM))
		job_ends();
}
