// SPDX-License-Identifier: BSD-3-Clause
/* shm_table.c - which collective operations go into phases, and by which function.
 *
 *      run.c         runs the function: a blocking call of one host
 *      coll_calls.c  asks whether the members of such a call see in phases that they differ */
#include "libmpi/coll/coll_shm.h"

coll_shm_fn *const coll_shm_fns[COLL_KINDS] = {
	[COLL_BARRIER] = coll_shm_barrier,
	[COLL_BCAST] = coll_shm_bcast,
	[COLL_GATHER] = coll_shm_gather,
	[COLL_SCATTER] = coll_shm_scatter,
	[COLL_ALLGATHER] = coll_shm_allgather,
	[COLL_ALLGATHERV] = coll_shm_vector,
	[COLL_ALLTOALL] = coll_shm_alltoall,
	[COLL_ALLTOALLV] = coll_shm_vector,
	[COLL_ALLTOALLW] = coll_shm_vector,
	[COLL_REDUCE] = coll_shm_reduce,
	[COLL_ALLREDUCE] = coll_shm_allreduce,
	[COLL_REDUCE_SCATTER_BLOCK] = coll_shm_reduce_scatter,
	[COLL_REDUCE_SCATTER] = coll_shm_reduce_scatter,
	[COLL_SCAN] = coll_shm_scan,
	[COLL_EXSCAN] = coll_shm_exscan,
};

/* A message is copied once, from the sender's memory; a slot is written, and its lines cross.
 * Below, the frames of a message cost more than that.  Measured: PERF.md. */
const int64_t coll_two_from[COLL_KINDS] = {
	[COLL_BCAST] = MEAN_OR(64, 2048),
	[COLL_GATHER] = MEAN_OR(512, 4096),
	[COLL_SCATTER] = MEAN_OR(128, 512),
	[COLL_ALLGATHER] = MEAN_OR(256, 2048),
	[COLL_ALLGATHERV] = MEAN_OR(256, 2048),
	[COLL_ALLTOALL] = MEAN_OR(128, 1024),
	[COLL_ALLTOALLV] = MEAN_OR(128, 1024),
	[COLL_ALLTOALLW] = MEAN_OR(128, 1024),
};

bool coll_digest_has_phases(uint32_t digest)
{
	uint32_t kind = digest >> DIGEST_KIND_AT;

	return kind < COLL_KINDS && coll_shm_fns[kind] != NULL;
}
