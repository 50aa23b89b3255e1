// SPDX-License-Identifier: BSD-3-Clause
/* neighbor.c - the plan of all neighborhood collectives (MPI-5.0 8.6): everything is started at once.
 *
 *      grid     what I send to out[j] arrives there as in[j ^ 1]; so receives are started in the
 *               order in[1] in[0] in[3] in[2] ..., and between two processes that are neighbors
 *               twice the n-th send meets the n-th receive
 *      graphs   of several edges between two processes the n-th of out[] meets the n-th of in[] */
#include "libmpi/coll/algorithms.h"
#include "libmpi/core/topo.h"

void coll_neighbor_linear(struct sched *s, const struct coll_args *k)
{
	const struct topo_neighbors *near = &k->comm->topo->neighbors;
	bool same = k->kind == COLL_NEIGHBOR_ALLGATHER || k->kind == COLL_NEIGHBOR_ALLGATHERV;

	for (int j = 0; j < near->nin; j++) {
		int i = near->kind == MPI_CART ? j ^ 1 : j;
		struct block b = coll_block_in(k, i);

		if (near->in[i] != MPI_PROC_NULL)
			coll_sched_recv(s, b.at, b.count, b.type, near->in[i]);
	}
	for (int i = 0; i < near->nout; i++) {
		struct block b = {(void *)(uintptr_t)k->sbuf, k->scount, k->stype};

		if (!same)
			b = coll_block_out(k, i);
		if (near->out[i] != MPI_PROC_NULL)
			coll_sched_send(s, b.at, b.count, b.type, near->out[i]);
	}
}
