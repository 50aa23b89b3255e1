// SPDX-License-Identifier: BSD-3-Clause
/* selection.c - which plan a call gets: the first row of its verb that fits.
 *
 *      HAFT_COLL_PLAN=allreduce=ring,bcast=parts      these rows, where they can do it at all, and
 *                                                     messages also where memory would be faster
 *
 * A reduction whose result depends on the order of operands (floating point, users' functions) is
 * `strict' if the members could also do it through shared memory, which folds from left to right:
 * then only plans that do the same fit, and all forms of the call give the same bits. */
#include "libmpi/coll/coll_args.h"
#include "libmpi/coll/hierarchical.h"
#include "libmpi/coll/coll_shm.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/process_state.h"
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
	RULE_COMMUTES = 1,         /* an operation that commutes */
	RULE_PREDEFINED = 2,       /* a predefined one */
	RULE_ELEMENT_PER_RANK = 4, /* an element for each rank */
	RULE_POWER_OF_TWO = 8,     /* a power of two of members */
	RULE_ORDERED = 16, /* a strict call; the other rows of reductions want one that is not */
	RULE_HIERARCHICAL = 64,   /* several members on some host, and several hosts */
	RULE_CONTIGUOUS = 128,    /* and each host's are an interval of ranks */
	RULE_SCATTERED = 256,     /* no want: for hosts whose members are not */
	RULE_TOTAL_BYTES = 32,    /* no want: from and below are about the bytes of all members */
	RULE_LONGEST_BLOCK = 512, /* no want: they are about the longest block */
};

struct rule {
	const char *name;
	coll_algorithm_fn *coll_algorithm_fn;
	int64_t from;  /* bytes: the least number */
	int64_t below; /* 0: any */
	int ranks;     /* the least number */
	int wants;     /* enum wants */
};

#define ROWS 6

#define NAMED_COUNT (RULE_COMMUTES | RULE_PREDEFINED | RULE_ELEMENT_PER_RANK)

/* Rows that two verbs have. */
/* clang-format off */
#define SCATTERS(total) \
	{"hosts", coll_reduce_scatter_hier, 0, BLOCKS_SHORT, 0, RULE_HIERARCHICAL | RULE_CONTIGUOUS | (total)}, \
	{"shared", coll_reduce_scatter_ordered, 0, 0, 0, RULE_ORDERED}, \
	{"halving", coll_reduce_scatter_recursive_halving, 0, FOLD_LONG, 2, RULE_COMMUTES | RULE_PREDEFINED}, \
	{"pairwise", coll_reduce_scatter_pairwise, 0, 0, 0, RULE_COMMUTES}, \
	{"reduced", coll_reduce_scatter_nonoverlapping, 0, 0, 0, 0}

#define SCANS \
	{"hosts", coll_scan_hier, 0, 0, SCAN_MANY, RULE_HIERARCHICAL | RULE_CONTIGUOUS}, \
	{"gathered", coll_scan_ordered_gather, 0, ALL_SHORT, 0, RULE_ORDERED | RULE_TOTAL_BYTES}, \
	{"chain", coll_scan_ordered_chain, 0, 0, 0, RULE_ORDERED}, \
	{"doubling", coll_scan_recursive_doubling, 0, 0, 0, 0}
/* clang-format on */

static const struct rule rules[COLL_KINDS][ROWS] = {
	/* name, plan, bytes from, below, ranks from, wants */
	[COLL_BARRIER] = {{"hosts", coll_barrier_hier, 0, 0, 0, RULE_HIERARCHICAL},
		{"dissemination", coll_barrier_dissemination, 0, 0, 0, 0},
		{"binomial", coll_barrier_binomial, 0, 0, 0, 0}},
	[COLL_BCAST] = {{"hosts", coll_bcast_hier, 0, 0, 0, RULE_HIERARCHICAL},
		{"parts", coll_bcast_scatter_allgather, BCAST_LONG, 0, 3, 0},
		{"binomial", coll_bcast_binomial, 0, 0, 0, 0}},
	[COLL_GATHER] =
		{{"hosts", coll_gather_hier, 0, BLOCK_SHORT, 0, RULE_HIERARCHICAL | RULE_SCATTERED},
			{"binomial", coll_gather_binomial, 0, BLOCK_SHORT, 2, 0},
			{"linear", coll_gather_linear, 0, 0, 0, 0}},
	[COLL_GATHERV] = {{"linear", coll_gather_linear, 0, 0, 0, 0}},
	[COLL_SCATTER] =
		{{"hosts", coll_scatter_hier, 0, BLOCK_SHORT, 0,
			 RULE_HIERARCHICAL | RULE_SCATTERED},
			{"binomial", coll_scatter_binomial, 0, BLOCK_SHORT, 2, 0},
			{"linear", coll_scatter_linear, 0, 0, 0, 0}},
	[COLL_SCATTERV] = {{"linear", coll_scatter_linear, 0, 0, 0, 0}},
	[COLL_ALLGATHER] = {{"hosts", coll_allgather_hier, 0, BLOCK_SHORT, 0, RULE_HIERARCHICAL},
		{"doubling", coll_allgather_recursive_doubling, 0, FOLD_LONG, 2, RULE_POWER_OF_TWO},
		{"bruck", coll_allgather_bruck, 0, BLOCK_SHORT, 2, 0},
		{"ring", coll_allgather_ring, 0, 0, 0, 0}},
	[COLL_ALLGATHERV] = {{"hosts", coll_allgather_hier, 0, BLOCK_SHORT, 0,
				     RULE_HIERARCHICAL | RULE_LONGEST_BLOCK},
		{"ring", coll_allgather_ring, 0, 0, 0, 0}},
	[COLL_ALLTOALL] = {{"hosts", coll_alltoall_hier, 0, BLOCK_TINY, MANY, RULE_HIERARCHICAL},
		{"bruck", coll_alltoall_bruck, 0, BLOCK_TINY, MANY, 0},
		{"pairwise", coll_alltoall_pairwise, 0, 0, CROWD, 0},
		{"spread", coll_alltoall_linear, 0, 0, 0, 0}},
	[COLL_ALLTOALLV] = {{"pairwise", coll_alltoall_pairwise, 0, 0, CROWD, 0},
		{"spread", coll_alltoall_linear, 0, 0, 0, 0}},
	[COLL_ALLTOALLW] = {{"pairwise", coll_alltoall_pairwise, 0, 0, CROWD, 0},
		{"spread", coll_alltoall_linear, 0, 0, 0, 0}},
	[COLL_REDUCE] = {{"hosts", coll_reduce_hier, 0, 0, 0, RULE_HIERARCHICAL},
		{"gathered", coll_reduce_ordered_gather, 0, ALL_SHORT, 0,
			RULE_ORDERED | RULE_TOTAL_BYTES},
		{"shared", coll_reduce_ordered_scatter, 0, 0, 0, RULE_ORDERED},
		{"halving", coll_reduce_rabenseifner, FOLD_MIDDLE, 0, 4, RULE_PREDEFINED},
		{"binomial", coll_reduce_binomial, 0, 0, 0, 0}},
	[COLL_ALLREDUCE] = {{"hosts", coll_allreduce_hier, 0, 0, 0, RULE_HIERARCHICAL},
		{"gathered", coll_allreduce_ordered_gather, 0, ALL_SHORT, 0,
			RULE_ORDERED | RULE_TOTAL_BYTES},
		{"shared", coll_allreduce_ordered_scatter, 0, 0, 0, RULE_ORDERED},
		{"ring", coll_allreduce_ring, FOLD_LONG, 0, 2, NAMED_COUNT},
		{"halving", coll_allreduce_rabenseifner, FOLD_MIDDLE, 0, 3, RULE_PREDEFINED},
		{"doubling", coll_allreduce_recursive_doubling, 0, 0, 0, 0}},
	[COLL_REDUCE_SCATTER_BLOCK] = {SCATTERS(RULE_TOTAL_BYTES)},
	[COLL_REDUCE_SCATTER] = {SCATTERS(0)},
	[COLL_SCAN] = {SCANS},
	[COLL_EXSCAN] = {SCANS},
	[COLL_NEIGHBOR_ALLGATHER] = {{"spread", coll_neighbor_linear, 0, 0, 0, 0}},
	[COLL_NEIGHBOR_ALLGATHERV] = {{"spread", coll_neighbor_linear, 0, 0, 0, 0}},
	[COLL_NEIGHBOR_ALLTOALL] = {{"spread", coll_neighbor_linear, 0, 0, 0, 0}},
	[COLL_NEIGHBOR_ALLTOALLV] = {{"spread", coll_neighbor_linear, 0, 0, 0, 0}},
	[COLL_NEIGHBOR_ALLTOALLW] = {{"spread", coll_neighbor_linear, 0, 0, 0, 0}},
};

const void *coll_algorithm_forced[COLL_KINDS]; /* the rule */

/* --- choosing ------------------------------------------------------------------------------- */

/* Whatever the order of its operands, an operation on these gives the same bits. */
static bool op_exact(const struct op *op, const struct type *type)
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

static bool args_order_matters(const struct coll_args *k)
{
	return k->op != NULL && !k->inter && !op_exact(k->op, k->rtype) &&
	       coll_shm_possible(k->comm);
}

/* Must the members of each host be neighbours? */
static bool rule_contiguous(const struct rule *r, const struct coll_args *k)
{
	return (r->wants & RULE_CONTIGUOUS) || (k->op != NULL && !k->op->commute);
}

/* It can do the call. */
static bool rule_able(const struct rule *r, const struct coll_args *k)
{
	if (k->n < r->ranks)
		return false;
	if ((r->wants & RULE_COMMUTES) && !k->op->commute)
		return false;
	if ((r->wants & RULE_PREDEFINED) && k->op->loops == NULL)
		return false;
	if ((r->wants & RULE_HIERARCHICAL) && !coll_hier_useful(k->comm, rule_contiguous(r, k)))
		return false;
	if ((r->wants & RULE_POWER_OF_TWO) && (k->n & (k->n - 1)) != 0)
		return false;
	return !(r->wants & RULE_ELEMENT_PER_RANK) || k->rcount >= k->n;
}

/* It is for calls like this. */
static bool rule_suits(const struct rule *r, const struct coll_args *k, bool is_strict)
{
	int64_t bytes = r->wants & RULE_TOTAL_BYTES ? k->bytes * k->n : k->bytes;

	if (r->wants & RULE_LONGEST_BLOCK)
		bytes = coll_block_longest(k);
	if (r->from > 0 && bytes < r->from)
		return false;
	if (r->below > 0 && bytes >= r->below)
		return false;
	if ((r->wants & RULE_SCATTERED) && coll_hier_useful(k->comm, true))
		return false;
	return is_strict == ((r->wants & RULE_ORDERED) != 0);
}

coll_algorithm_fn *coll_algorithm_local(const struct coll_args *k)
{
	const struct rule *r = coll_algorithm_forced[k->verb];
	bool is_strict;

	if (unlikely(r != NULL) && rule_able(r, k))
		return r->coll_algorithm_fn;
	is_strict = args_order_matters(k);
	r = rules[k->verb];
	while (!rule_able(r, k) || !rule_suits(r, k, is_strict))
		r++;
	return r->coll_algorithm_fn;
}

coll_algorithm_fn *coll_algorithm_leaders(const struct coll_args *k)
{
	const struct rule *r = coll_algorithm_forced[k->verb];

	if (r != NULL && !(r->wants & RULE_HIERARCHICAL) && rule_able(r, k))
		return r->coll_algorithm_fn;
	r = rules[k->verb];
	while ((r->wants & RULE_HIERARCHICAL) || !rule_able(r, k) || !rule_suits(r, k, false))
		r++;
	return r->coll_algorithm_fn;
}

/* Between groups; the others are not allowed there. */
static coll_algorithm_fn *const inter[COLL_KINDS] = {
	[COLL_BARRIER] = coll_barrier_inter,
	[COLL_BCAST] = coll_bcast_inter,
	[COLL_GATHER] = coll_gather_inter,
	[COLL_GATHERV] = coll_gather_inter,
	[COLL_SCATTER] = coll_scatter_inter,
	[COLL_SCATTERV] = coll_scatter_inter,
	[COLL_ALLGATHER] = coll_alltoall_inter,
	[COLL_ALLGATHERV] = coll_alltoall_inter,
	[COLL_ALLTOALL] = coll_alltoall_inter,
	[COLL_ALLTOALLV] = coll_alltoall_inter,
	[COLL_ALLTOALLW] = coll_alltoall_inter,
	[COLL_REDUCE] = coll_reduce_inter,
	[COLL_ALLREDUCE] = coll_allreduce_inter,
	[COLL_REDUCE_SCATTER_BLOCK] = coll_reduce_scatter_inter,
	[COLL_REDUCE_SCATTER] = coll_reduce_scatter_inter,
};

coll_algorithm_fn *coll_algorithm(const struct coll_args *k)
{
	return k->inter ? inter[k->verb] : coll_algorithm_local(k);
}

/* --- the user's choice ---------------------------------------------------------------------- */

/* "allreduce=ring", `len' characters; false: not understood. */
static bool algorithm_force(const char *word, size_t len)
{
	const char *equal = memchr(word, '=', len);
	size_t verb_len = equal == NULL ? 0 : (size_t)(equal - word);

	for (int v = 0; v < COLL_KINDS && equal != NULL; v++) {
		const char *name = coll_kind_name((enum coll_kind)v) + strlen("MPI_");

		if (strlen(name) != verb_len || strncasecmp(name, word, verb_len) != 0)
			continue;
		for (const struct rule *r = rules[v]; r < rules[v] + ROWS && r->name != NULL; r++)
			if (strlen(r->name) == len - verb_len - 1 &&
				memcmp(r->name, equal + 1, len - verb_len - 1) == 0) {
				coll_algorithm_forced[v] = r;
				return true;
			}
	}
	return false;
}

void coll_algorithm_open(void)
{
	const char *s = haft_setting_text(SETTING_COLL_ALGORITHM);

	memset(coll_algorithm_forced, 0, sizeof(coll_algorithm_forced));
	while (*s != '\0') {
		size_t len = strcspn(s, ",");

		if (!algorithm_force(s, len) && haft_life.rank == 0)
			fprintf(stderr, "haft: HAFT_COLL_PLAN: %.*s is no collective=algorithm\n",
				(int)len, s);
		s += len;
		s += *s == ',';
	}
}
