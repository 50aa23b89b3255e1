// SPDX-License-Identifier: BSD-3-Clause
/* coll_names.c - the names of the collective operations, as MPI calls them. */
#include "libmpi/coll/coll_args.h"

static const char *const names[COLL_KINDS] = {
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
	return names[kind];
}
