// SPDX-License-Identifier: BSD-3-Clause
/* coll_names.c - the names of collective operations and constructors, as MPI calls them. */
#include "libmpi/coll/coll_shm.h"
#include <stdio.h>
#include <string.h>

static const char *const kind_names[COLL_KINDS] = {
	[COLL_BARRIER] = "MPI_Barrier",
	[COLL_BCAST] = "MPI_Bcast",
	[COLL_GATHER] = "MPI_Gather",
	[COLL_GATHERV] = "MPI_Gatherv",
	[COLL_SCATTER] = "MPI_Scatter",
	[COLL_SCATTERV] = "MPI_Scatterv",
	[COLL_ALLGATHER] = "MPI_Allgather",
	[COLL_ALLGATHERV] = "MPI_Allgatherv",
	[COLL_ALLTOALL] = "MPI_Alltoall",
	[COLL_ALLTOALLV] = "MPI_Alltoallv",
	[COLL_ALLTOALLW] = "MPI_Alltoallw",
	[COLL_REDUCE] = "MPI_Reduce",
	[COLL_ALLREDUCE] = "MPI_Allreduce",
	[COLL_REDUCE_SCATTER_BLOCK] = "MPI_Reduce_scatter_block",
	[COLL_REDUCE_SCATTER] = "MPI_Reduce_scatter",
	[COLL_SCAN] = "MPI_Scan",
	[COLL_EXSCAN] = "MPI_Exscan",
	[COLL_NEIGHBOR_ALLGATHER] = "MPI_Neighbor_allgather",
	[COLL_NEIGHBOR_ALLGATHERV] = "MPI_Neighbor_allgatherv",
	[COLL_NEIGHBOR_ALLTOALL] = "MPI_Neighbor_alltoall",
	[COLL_NEIGHBOR_ALLTOALLV] = "MPI_Neighbor_alltoallv",
	[COLL_NEIGHBOR_ALLTOALLW] = "MPI_Neighbor_alltoallw",
};

const char *coll_kind_name(enum coll_kind kind)
{
	return kind_names[kind];
}

static const char *const maker_names[COLL_MAKERS] = {
	[COLL_COMM_DUP] = "MPI_Comm_dup",
	[COLL_COMM_IDUP] = "MPI_Comm_idup",
	[COLL_COMM_CREATE] = "MPI_Comm_create",
	[COLL_COMM_SPLIT] = "MPI_Comm_split",
	[COLL_INTERCOMM_CREATE] = "MPI_Intercomm_create",
	[COLL_INTERCOMM_MERGE] = "MPI_Intercomm_merge",
	[COLL_COMM_ACCEPT] = "MPI_Comm_accept",
	[COLL_COMM_CONNECT] = "MPI_Comm_connect",
	[COLL_COMM_SPAWN] = "MPI_Comm_spawn",
	[COLL_COMM_SPAWN_MULTIPLE] = "MPI_Comm_spawn_multiple",
	[COLL_WIN_CREATE] = "MPI_Win_create",
	[COLL_WIN_ALLOCATE] = "MPI_Win_allocate",
	[COLL_WIN_ALLOCATE_SHARED] = "MPI_Win_allocate_shared",
	[COLL_WIN_CREATE_DYNAMIC] = "MPI_Win_create_dynamic",
	[COLL_FILE_OPEN] = "MPI_File_open",
	[COLL_FINALIZE] = "MPI_Finalize",
};

const char *coll_maker_name(enum coll_maker maker)
{
	return maker_names[maker];
}

void coll_digest_name(uint32_t digest, enum coll_form form, char *name, size_t n)
{
	uint32_t kind = digest >> DIGEST_KIND_AT;
	uint32_t maker = digest & ((1u << DIGEST_BYTES_BITS) - 1);
	const char *blocking = kind < COLL_KINDS ? kind_names[kind] : "another collective call";

	if (kind == DIGEST_MAKER && maker < COLL_MAKERS)
		snprintf(name, n, "%s", maker_names[maker]);
	else if (kind < COLL_KINDS && form == COLL_NONBLOCKING)
		snprintf(name, n, "MPI_I%c%s", blocking[strlen("MPI_")] | 0x20,
			blocking + strlen("MPI_B"));
	else
		snprintf(name, n, "%s%s", blocking, form == COLL_PERSISTENT ? "_init" : "");
}
