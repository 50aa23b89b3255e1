// SPDX-License-Identifier: BSD-3-Clause
/* state.c - what the collectives keep between calls, and small helpers of all their algorithms. */
#include "libmpi/coll/coll.h"
#include "libmpi/coll/hosts.h"
#include "libmpi/coll/share.h"
#include <stdlib.h>

int coll_open(void)
{
	haft_comm_gone = share_leave;
	plan_open();
	agree_open();
	return hosts_open();
}

void coll_close(void)
{
	share_leave(&haft_self);
	share_leave(&haft_world);
	sched_close();
	hosts_close();
}

static void least_steps(struct sched *s, const struct call *k, const void *arg)
{
	(void)arg;
	if (k->inter)
		allreduce_inter(s, k);
	else
		allreduce_doubling(s, k);
}

/* Between groups each hears what the other says; the second time, of both. */
int coll_least(struct comm *c, int tag, int *value)
{
	int mine = *value, err;
	struct call k = {.comm = c,
		.verb = VERB_ALLREDUCE,
		.n = c->size,
		.me = c->rank,
		.who = c->rank,
		.tag = tag,
		.inter = c->remote != NULL,
		.bytes = sizeof(*value),
		.sbuf = &mine,
		.rbuf = value,
		.rcount = 1,
		.rtype = type_predefined(MPI_INT),
		.op = op_predefined(MPI_MIN)};

	err = sched_run(&k, least_steps, NULL);
	if (err != 0 || !k.inter)
		return err;
	if (*value < mine)
		mine = *value;
	return sched_run(&k, least_steps, NULL);
}

int temp_new(struct temp *t, const struct type *type, int64_t count)
{
	int64_t low, span = type_span(type, count, &low);

	t->mem = malloc(span > 0 ? (size_t)span : 1);
	t->at = t->mem - low;
	if (t->mem == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for %lld elements of %lld bytes",
			(long long)count, (long long)type->extent);
	return 0;
}

void temp_free(struct temp *t)
{
	free(t->mem);
	t->mem = NULL;
}
