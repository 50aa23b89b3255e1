// SPDX-License-Identifier: BSD-3-Clause
/* coll_state.c - what the collectives keep between calls, and small helpers of all their algorithms. */
#include "libmpi/coll/coll_args.h"
#include "libmpi/coll/hierarchical.h"
#include "libmpi/coll/coll_shm.h"
#include <stdlib.h>

int coll_open(void)
{
	haft_comm_destroy_hook = coll_shm_leave;
	coll_algorithm_open();
	coll_check_open();
	return coll_hier_open();
}

void coll_close(void)
{
	coll_shm_leave(&haft_self);
	coll_shm_leave(&haft_world);
	coll_sched_close();
	coll_hier_close();
}

static void least_steps(struct sched *s, const struct coll_args *k, const void *arg)
{
	(void)arg;
	if (k->inter)
		coll_allreduce_inter(s, k);
	else
		coll_allreduce_recursive_doubling(s, k);
}

/* Between groups each hears what the other says; the second time, of both. */
int coll_allreduce_min(struct comm *c, int tag, int *value)
{
	int mine = *value, err;
	struct coll_args k = {.comm = c,
		.verb = COLL_ALLREDUCE,
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
		.op = coll_op_predefined(MPI_MIN)};

	err = coll_sched_run(&k, least_steps, NULL);
	if (err != 0 || !k.inter)
		return err;
	if (*value < mine)
		mine = *value;
	return coll_sched_run(&k, least_steps, NULL);
}

int coll_temp_new(struct temp *t, const struct type *type, int64_t count)
{
	int64_t low, span = type_span(type, count, &low);

	t->mem = malloc(span > 0 ? (size_t)span : 1);
	t->at = t->mem - low;
	if (t->mem == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for %lld elements of %lld bytes",
			(long long)count, (long long)type->extent);
	return 0;
}

void coll_temp_free(struct temp *t)
{
	free(t->mem);
	t->mem = NULL;
}
