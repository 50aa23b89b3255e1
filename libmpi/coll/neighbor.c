// SPDX-License-Identifier: BSD-3-Clause
/* neighbor.c - the algorithm of all neighborhood collectives (MPI-5.0 8.6): all starts at once.
 *
 *      grid     a message to out[j] arrives there from in[j ^ 1].  So receives are started in the
 *               order in[1] in[0] in[3] in[2] ..: between two processes that are neighbors twice,
 *               the n-th send matches the n-th receive
 *      graphs   of several edges between two processes the n-th of out[] matches that of in[] */
#include "libmpi/coll/algorithms.h"
#include "libmpi/core/topo.h"

void coll_neighbor_linear(struct sched *s, const struct coll_args *k)
{
	const struct topo_neighbors *nbr = &k->comm->topo->neighbors;
	bool same = k->kind == COLL_NEIGHBOR_ALLGATHER || k->kind == COLL_NEIGHBOR_ALLGATHERV;

	for (int j = 0; j < nbr->nin; j++) {
		int i = nbr->kind == MPI_CART ? j ^ 1 : j;
		struct block b = coll_block_in(k, i);

		if (nbr->in[i] != MPI_PROC_NULL)
			coll_sched_recv(s, b.at, b.count, b.type, nbr->in[i]);
	}
	for (int i = 0; i < nbr->nout; i++) {
		struct block b = {(void *)(uintptr_t)k->sbuf, k->scount, k->stype};

		if (!same)
			b = coll_block_out(k, i);
		if (nbr->out[i] != MPI_PROC_NULL)
			coll_sched_send(s, b.at, b.count, b.type, nbr->out[i]);
	}
}
