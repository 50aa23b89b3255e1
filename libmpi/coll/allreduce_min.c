// SPDX-License-Identifier: BSD-3-Clause
/* allreduce_min.c - the minimum of one int over all members: the agreement below all others.
 *
 *      one group     recursive doubling
 *      two groups    recursive doubling in each; the leaders exchange; broadcast in each */
#include "libmpi/coll/algorithms.h"

static void min_steps(struct sched *s, const struct coll_args *k, const void *arg)
{
	const int leader = 0;

	(void)arg;
	coll_allreduce_doubling(s, k, 2);
	coll_sched_fence(s);
	if (!k->inter)
		return;
	if (k->me == leader) {
		int *theirs = coll_sched_bytes(s, sizeof(*theirs));

		coll_sched_group(s, k->comm->remote);
		coll_sched_recv(s, theirs, 1, k->rtype, leader);
		coll_sched_send(s, k->rbuf, 1, k->rtype, leader);
		coll_sched_fence(s);
		coll_sched_group(s, k->comm->group);
		coll_sched_reduce(s, theirs, k->rbuf, k->rbuf, 1, k->rtype);
	}
	coll_bcast_binomial(s, k);
}

int coll_allreduce_min(struct comm *c, int tag, int *value)
{
	int mine = *value;
	struct coll_args k = {.comm = c,
		.kind = COLL_ALLREDUCE,
		.n = c->size,
		.me = c->rank,
		.caller = c->rank,
		.tag = tag,
		.inter = c->remote != NULL,
		.bytes = sizeof(*value),
		.sbuf = &mine,
		.rbuf = value,
		.rcount = 1,
		.rtype = type_predefined(MPI_INT),
		.op = coll_op_predefined(MPI_MIN)};

	return coll_sched_run(&k, min_steps, NULL);
}
