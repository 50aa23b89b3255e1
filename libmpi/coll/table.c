// SPDX-License-Identifier: BSD-3-Clause
/* table.c - which plan a call gets: the first row of its verb that fits. */
#include "libmpi/coll/coll.h"

#define BCAST_LONG  MEAN_OR(64, 128 * 1024) /* bytes from which a broadcast goes in parts */
#define BLOCK_SHORT MEAN_OR(16, 4 * 1024)   /* bytes of a block up to which a tree carries many */
#define FOLD_LONG   MEAN_OR(64, 64 * 1024)  /* bytes from which an operand is cut into parts */

enum wants {
	WANT_COMMUTE = 1, /* an operation that commutes */
	WANT_NAMED = 2,   /* a predefined one */
	WANT_COUNT = 4    /* an element for each rank */
};

struct rule {
	const char *name;
	plan *plan;
	int64_t from;  /* bytes: the least number */
	int64_t below; /* 0: any */
	int ranks;     /* the least number */
	int wants;     /* enum wants */
};

#define ROWS 4

static const struct rule rules[VERBS][ROWS] = {
	/* name, plan, bytes from, below, ranks from, wants */
	[VERB_BARRIER] = {{"dissemination", barrier_dissemination, 0, 0, 0, 0}},
	[VERB_BCAST] = {{"parts", bcast_parts, BCAST_LONG, 0, 3, 0},
		{"binomial", bcast_binomial, 0, 0, 0, 0}},
	[VERB_GATHER] = {{"binomial", gather_binomial, 0, BLOCK_SHORT, 2, 0},
		{"linear", gather_linear, 0, 0, 0, 0}},
	[VERB_GATHERV] = {{"linear", gather_linear, 0, 0, 0, 0}},
	[VERB_SCATTER] = {{"binomial", scatter_binomial, 0, BLOCK_SHORT, 2, 0},
		{"linear", scatter_linear, 0, 0, 0, 0}},
	[VERB_SCATTERV] = {{"linear", scatter_linear, 0, 0, 0, 0}},
	[VERB_ALLGATHER] = {{"bruck", allgather_bruck, 0, BLOCK_SHORT, 2, 0},
		{"ring", allgather_ring, 0, 0, 0, 0}},
	[VERB_ALLGATHERV] = {{"ring", allgather_ring, 0, 0, 0, 0}},
	[VERB_ALLTOALL] = {{"spread", alltoall_spread, 0, 0, 0, 0}},
	[VERB_ALLTOALLV] = {{"spread", alltoall_spread, 0, 0, 0, 0}},
	[VERB_ALLTOALLW] = {{"spread", alltoall_spread, 0, 0, 0, 0}},
	[VERB_REDUCE] = {{"binomial", reduce_binomial, 0, 0, 0, 0}},
	[VERB_ALLREDUCE] =
		{{"ring", allreduce_ring, FOLD_LONG, 0, 2, WANT_COMMUTE | WANT_NAMED | WANT_COUNT},
			{"doubling", allreduce_doubling, 0, 0, 0, 0}},
	[VERB_REDUCE_SCATTER_BLOCK] = {{"pairwise", scatter_pairwise, 0, 0, 0, WANT_COMMUTE},
		{"reduced", scatter_reduced, 0, 0, 0, 0}},
	[VERB_REDUCE_SCATTER] = {{"pairwise", scatter_pairwise, 0, 0, 0, WANT_COMMUTE},
		{"reduced", scatter_reduced, 0, 0, 0, 0}},
	[VERB_SCAN] = {{"doubling", scan_doubling, 0, 0, 0, 0}},
	[VERB_EXSCAN] = {{"doubling", scan_doubling, 0, 0, 0, 0}},
	[VERB_NEIGHBOR_ALLGATHER] = {{"spread", neighbor_spread, 0, 0, 0, 0}},
	[VERB_NEIGHBOR_ALLGATHERV] = {{"spread", neighbor_spread, 0, 0, 0, 0}},
	[VERB_NEIGHBOR_ALLTOALL] = {{"spread", neighbor_spread, 0, 0, 0, 0}},
	[VERB_NEIGHBOR_ALLTOALLV] = {{"spread", neighbor_spread, 0, 0, 0, 0}},
	[VERB_NEIGHBOR_ALLTOALLW] = {{"spread", neighbor_spread, 0, 0, 0, 0}},
};

static bool fits(const struct rule *r, const struct call *k)
{
	if (k->n < r->ranks || (r->from > 0 && k->bytes < r->from) ||
		(r->below > 0 && k->bytes >= r->below))
		return false;
	if ((r->wants & WANT_COMMUTE) && !k->op->commute)
		return false;
	if ((r->wants & WANT_NAMED) && k->op->loops == NULL)
		return false;
	return !(r->wants & WANT_COUNT) || k->rcount >= k->n;
}

plan *plan_local(const struct call *k)
{
	const struct rule *r = rules[k->verb];

	while (!fits(r, k))
		r++;
	return r->plan;
}

/* Between groups; the others are not allowed there. */
static plan *const inter[VERBS] = {
	[VERB_BARRIER] = barrier_inter,
	[VERB_BCAST] = bcast_inter,
	[VERB_GATHER] = gather_inter,
	[VERB_GATHERV] = gather_inter,
	[VERB_SCATTER] = scatter_inter,
	[VERB_SCATTERV] = scatter_inter,
	[VERB_ALLGATHER] = exchange_inter,
	[VERB_ALLGATHERV] = exchange_inter,
	[VERB_ALLTOALL] = exchange_inter,
	[VERB_ALLTOALLV] = exchange_inter,
	[VERB_ALLTOALLW] = exchange_inter,
	[VERB_REDUCE] = reduce_inter,
	[VERB_ALLREDUCE] = allreduce_inter,
	[VERB_REDUCE_SCATTER_BLOCK] = reduce_scatter_inter,
	[VERB_REDUCE_SCATTER] = reduce_scatter_inter,
};

plan *plan_choose(const struct call *k)
{
	return k->inter ? inter[k->verb] : plan_local(k);
}
