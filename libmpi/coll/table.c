// SPDX-License-Identifier: BSD-3-Clause
/* table.c - which plan a call gets: the first row of its verb that fits.
 *
 *      HAFT_COLL_PLAN=allreduce=ring,bcast=parts      these rows, where they can do it at all, and
 *                                                     messages also where memory would be faster
 *
 * A reduction whose result depends on the order of operands (floating point, users' functions) is
 * `strict' if the members could also do it through shared memory, which folds from left to right:
 * then only plans that do the same fit, and all forms of the call give the same bits. */
#include "libmpi/coll/coll.h"
#include "libmpi/coll/hosts.h"
#include "libmpi/coll/share.h"
#include "libmpi/core/set.h"
#include "libmpi/core/state.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define BCAST_LONG   MEAN_OR(64, 128 * 1024) /* bytes from which a broadcast goes in parts */
#define BLOCK_SHORT  MEAN_OR(16, 4 * 1024)   /* bytes of a block up to which a tree carries many */
#define BLOCK_TINY   MEAN_OR(8, 256)         /* the same for blocks that all send to all */
#define BLOCKS_SHORT MEAN_OR(64, 128 * 1024) /* bytes of all blocks that deputies fold */
#define FOLD_LONG    MEAN_OR(64, 64 * 1024)  /* bytes from which an operand goes round in parts */
#define FOLD_MIDDLE  MEAN_OR(32, 8 * 1024)   /* the same, in halves */
#define ALL_SHORT    MEAN_OR(64, 32 * 1024)  /* bytes of all operands that each member may see */
#define MANY         8                       /* members from which fewer messages pay */
#define SCAN_MANY    MEAN_OR(2, 16)          /* the same of a scan over several hosts */
#define CROWD        64 /* members from which one partner at a time is enough */

enum wants {
	WANT_COMMUTE = 1, /* an operation that commutes */
	WANT_NAMED = 2,   /* a predefined one */
	WANT_COUNT = 4,   /* an element for each rank */
	WANT_POWER = 8,   /* a power of two of members */
	WANT_STRICT = 16, /* a strict call; the other rows of reductions want one that is not */
	WANT_HOSTS = 64,  /* several members on some host, and several hosts */
	WANT_ORDER = 128, /* and each host's are an interval of ranks */
	WANT_MIXED = 256, /* no want: for hosts whose members are not */
	WANT_TOTAL = 32,  /* no want: from and below are about the bytes of all members */
	WANT_MOST = 512,  /* no want: they are about the longest block */
};

struct rule {
	const char *name;
	plan *plan;
	int64_t from;  /* bytes: the least number */
	int64_t below; /* 0: any */
	int ranks;     /* the least number */
	int wants;     /* enum wants */
};

#define ROWS 6

#define NAMED_COUNT (WANT_COMMUTE | WANT_NAMED | WANT_COUNT)

/* Rows that two verbs have. */
/* clang-format off */
#define SCATTERS(total) \
	{"hosts", blocks_hosts, 0, BLOCKS_SHORT, 0, WANT_HOSTS | WANT_ORDER | (total)}, \
	{"shared", scatter_shared, 0, 0, 0, WANT_STRICT}, \
	{"halving", scatter_halving, 0, FOLD_LONG, 2, WANT_COMMUTE | WANT_NAMED}, \
	{"pairwise", scatter_pairwise, 0, 0, 0, WANT_COMMUTE}, \
	{"reduced", scatter_reduced, 0, 0, 0, 0}

#define SCANS \
	{"hosts", scan_hosts, 0, 0, SCAN_MANY, WANT_HOSTS | WANT_ORDER}, \
	{"gathered", scan_gathered, 0, ALL_SHORT, 0, WANT_STRICT | WANT_TOTAL}, \
	{"chain", scan_chain, 0, 0, 0, WANT_STRICT}, \
	{"doubling", scan_doubling, 0, 0, 0, 0}
/* clang-format on */

static const struct rule rules[VERBS][ROWS] = {
	/* name, plan, bytes from, below, ranks from, wants */
	[VERB_BARRIER] = {{"hosts", barrier_hosts, 0, 0, 0, WANT_HOSTS},
		{"dissemination", barrier_dissemination, 0, 0, 0, 0},
		{"binomial", barrier_binomial, 0, 0, 0, 0}},
	[VERB_BCAST] = {{"hosts", bcast_hosts, 0, 0, 0, WANT_HOSTS},
		{"parts", bcast_parts, BCAST_LONG, 0, 3, 0},
		{"binomial", bcast_binomial, 0, 0, 0, 0}},
	[VERB_GATHER] = {{"hosts", gather_hosts, 0, BLOCK_SHORT, 0, WANT_HOSTS | WANT_MIXED},
		{"binomial", gather_binomial, 0, BLOCK_SHORT, 2, 0},
		{"linear", gather_linear, 0, 0, 0, 0}},
	[VERB_GATHERV] = {{"linear", gather_linear, 0, 0, 0, 0}},
	[VERB_SCATTER] = {{"hosts", scatter_hosts, 0, BLOCK_SHORT, 0, WANT_HOSTS | WANT_MIXED},
		{"binomial", scatter_binomial, 0, BLOCK_SHORT, 2, 0},
		{"linear", scatter_linear, 0, 0, 0, 0}},
	[VERB_SCATTERV] = {{"linear", scatter_linear, 0, 0, 0, 0}},
	[VERB_ALLGATHER] = {{"hosts", allgather_hosts, 0, BLOCK_SHORT, 0, WANT_HOSTS},
		{"doubling", allgather_doubling, 0, FOLD_LONG, 2, WANT_POWER},
		{"bruck", allgather_bruck, 0, BLOCK_SHORT, 2, 0},
		{"ring", allgather_ring, 0, 0, 0, 0}},
	[VERB_ALLGATHERV] = {{"hosts", allgather_hosts, 0, BLOCK_SHORT, 0, WANT_HOSTS | WANT_MOST},
		{"ring", allgather_ring, 0, 0, 0, 0}},
	[VERB_ALLTOALL] = {{"hosts", alltoall_hosts, 0, BLOCK_TINY, MANY, WANT_HOSTS},
		{"bruck", alltoall_bruck, 0, BLOCK_TINY, MANY, 0},
		{"pairwise", alltoall_pairwise, 0, 0, CROWD, 0},
		{"spread", alltoall_spread, 0, 0, 0, 0}},
	[VERB_ALLTOALLV] = {{"pairwise", alltoall_pairwise, 0, 0, CROWD, 0},
		{"spread", alltoall_spread, 0, 0, 0, 0}},
	[VERB_ALLTOALLW] = {{"pairwise", alltoall_pairwise, 0, 0, CROWD, 0},
		{"spread", alltoall_spread, 0, 0, 0, 0}},
	[VERB_REDUCE] = {{"hosts", reduce_hosts, 0, 0, 0, WANT_HOSTS},
		{"gathered", reduce_gathered, 0, ALL_SHORT, 0, WANT_STRICT | WANT_TOTAL},
		{"shared", reduce_shared, 0, 0, 0, WANT_STRICT},
		{"halving", reduce_halving, FOLD_MIDDLE, 0, 4, WANT_NAMED},
		{"binomial", reduce_binomial, 0, 0, 0, 0}},
	[VERB_ALLREDUCE] = {{"hosts", allreduce_hosts, 0, 0, 0, WANT_HOSTS},
		{"gathered", allreduce_gathered, 0, ALL_SHORT, 0, WANT_STRICT | WANT_TOTAL},
		{"shared", allreduce_shared, 0, 0, 0, WANT_STRICT},
		{"ring", allreduce_ring, FOLD_LONG, 0, 2, NAMED_COUNT},
		{"halving", allreduce_halving, FOLD_MIDDLE, 0, 3, WANT_NAMED},
		{"doubling", allreduce_doubling, 0, 0, 0, 0}},
	[VERB_REDUCE_SCATTER_BLOCK] = {SCATTERS(WANT_TOTAL)},
	[VERB_REDUCE_SCATTER] = {SCATTERS(0)},
	[VERB_SCAN] = {SCANS},
	[VERB_EXSCAN] = {SCANS},
	[VERB_NEIGHBOR_ALLGATHER] = {{"spread", neighbor_spread, 0, 0, 0, 0}},
	[VERB_NEIGHBOR_ALLGATHERV] = {{"spread", neighbor_spread, 0, 0, 0, 0}},
	[VERB_NEIGHBOR_ALLTOALL] = {{"spread", neighbor_spread, 0, 0, 0, 0}},
	[VERB_NEIGHBOR_ALLTOALLV] = {{"spread", neighbor_spread, 0, 0, 0, 0}},
	[VERB_NEIGHBOR_ALLTOALLW] = {{"spread", neighbor_spread, 0, 0, 0, 0}},
};

const void *plan_forced[VERBS]; /* the rule */

/* --- choosing ------------------------------------------------------------------------------- */

/* Whatever the order of its operands, an operation on these gives the same bits. */
static bool exact(const struct op *op, const struct type *type)
{
	if (op->loops == NULL)
		return false;
	switch (type->basic) {
	case BASIC_FLOAT:
	case BASIC_DOUBLE:
	case BASIC_LDOUBLE:
	case BASIC_FLOAT16:
	case BASIC_FLOAT128:
	case BASIC_CFLOAT:
	case BASIC_CDOUBLE:
	case BASIC_CLDOUBLE:
	case BASIC_CFLOAT16:
	case BASIC_CFLOAT128:
	case BASIC_FLOAT_INT:
	case BASIC_DOUBLE_INT:
	case BASIC_LDOUBLE_INT:
	case BASIC_2REAL:
	case BASIC_2DOUBLE: return false;
	}
	return true;
}

static bool strict(const struct call *k)
{
	return k->op != NULL && !k->inter && !exact(k->op, k->rtype) && share_near(k->comm);
}

/* Must the members of each host be neighbours? */
static bool in_order(const struct rule *r, const struct call *k)
{
	return (r->wants & WANT_ORDER) || (k->op != NULL && !k->op->commute);
}

/* It can do the call. */
static bool able(const struct rule *r, const struct call *k)
{
	if (k->n < r->ranks)
		return false;
	if ((r->wants & WANT_COMMUTE) && !k->op->commute)
		return false;
	if ((r->wants & WANT_NAMED) && k->op->loops == NULL)
		return false;
	if ((r->wants & WANT_HOSTS) && !hosts_worth(k->comm, in_order(r, k)))
		return false;
	if ((r->wants & WANT_POWER) && (k->n & (k->n - 1)) != 0)
		return false;
	return !(r->wants & WANT_COUNT) || k->rcount >= k->n;
}

/* It is for calls like this. */
static bool suits(const struct rule *r, const struct call *k, bool is_strict)
{
	int64_t bytes = r->wants & WANT_TOTAL ? k->bytes * k->n : k->bytes;

	if (r->wants & WANT_MOST)
		bytes = block_longest(k);
	if (r->from > 0 && bytes < r->from)
		return false;
	if (r->below > 0 && bytes >= r->below)
		return false;
	if ((r->wants & WANT_MIXED) && hosts_worth(k->comm, true))
		return false;
	return is_strict == ((r->wants & WANT_STRICT) != 0);
}

plan *plan_local(const struct call *k)
{
	const struct rule *r = plan_forced[k->verb];
	bool is_strict;

	if (unlikely(r != NULL) && able(r, k))
		return r->plan;
	is_strict = strict(k);
	r = rules[k->verb];
	while (!able(r, k) || !suits(r, k, is_strict))
		r++;
	return r->plan;
}

plan *plan_between(const struct call *k)
{
	const struct rule *r = plan_forced[k->verb];

	if (r != NULL && !(r->wants & WANT_HOSTS) && able(r, k))
		return r->plan;
	r = rules[k->verb];
	while ((r->wants & WANT_HOSTS) || !able(r, k) || !suits(r, k, false))
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

/* --- the user's choice ---------------------------------------------------------------------- */

/* "allreduce=ring", `len' characters; false: not understood. */
static bool force(const char *word, size_t len)
{
	const char *equal = memchr(word, '=', len);
	size_t verb_len = equal == NULL ? 0 : (size_t)(equal - word);

	for (int v = 0; v < VERBS && equal != NULL; v++) {
		const char *name = verb_name((enum verb)v) + strlen("MPI_");

		if (strlen(name) != verb_len || strncasecmp(name, word, verb_len) != 0)
			continue;
		for (const struct rule *r = rules[v]; r < rules[v] + ROWS && r->name != NULL; r++)
			if (strlen(r->name) == len - verb_len - 1 &&
				memcmp(r->name, equal + 1, len - verb_len - 1) == 0) {
				plan_forced[v] = r;
				return true;
			}
	}
	return false;
}

void plan_open(void)
{
	const char *s = haft_set_text(HAFT_SET_PLAN);

	memset(plan_forced, 0, sizeof(plan_forced));
	while (*s != '\0') {
		size_t len = strcspn(s, ",");

		if (!force(s, len) && haft_life.rank == 0)
			fprintf(stderr, "haft: HAFT_COLL_PLAN: %.*s is no collective=algorithm\n",
				(int)len, s);
		s += len;
		s += *s == ',';
	}
}
