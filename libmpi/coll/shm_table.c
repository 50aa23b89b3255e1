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

bool coll_digest_has_phases(uint32_t digest)
{
	uint32_t kind = digest >> DIGEST_KIND_AT;

	return kind < COLL_KINDS && coll_shm_fns[kind] != NULL;
}
