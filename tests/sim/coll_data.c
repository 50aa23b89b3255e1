// SPDX-License-Identifier: BSD-3-Clause
/* coll_data.c - runs an algorithm with data, and compares the results with those of the standard.
 *
 *     element j of rank r's data is token(r, j): small whole numbers, whose sums are exact */
#include "tests/sim/coll_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAGGER 700.0 /* ns: member r begins at r times this */

static double token(int rank, int64_t j)
{
	return (double)((rank * 7919 + j * 31 + 1) & 0xfff);
}

static double sum_of(int ranks, int64_t j)
{
	double sum = 0;

	for (int r = 0; r < ranks; r++)
		sum += token(r, j);
	return sum;
}

static void element_set(const struct plan_call *call, char *buf, int64_t j, double v)
{
	int64_t n = (int64_t)v;

	memcpy(buf + 8 * j, call->floats ? (void *)&v : (void *)&n, 8);
}

static double element_get(const struct plan_call *call, const char *buf, int64_t j)
{
	double v;
	int64_t n;

	memcpy(&v, buf + 8 * j, 8);
	memcpy(&n, buf + 8 * j, 8);
	return call->floats ? v : (double)n;
}

/* Blocks that a member gives, and gets. */
static int data_blocks(const struct plan_call *call, int n, bool gives)
{
	switch (call->kind) {
	case COLL_ALLTOALL: return n;
	case COLL_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK: return gives ? n : 1;
	case COLL_GATHER:
	case COLL_ALLGATHER: return gives ? 1 : n;
	default: return 1;
	}
}

/* Does this rank have a result?  Element j of it. */
static bool has_result(const struct plan_call *call, int rank)
{
	if (call->kind == COLL_REDUCE || call->kind == COLL_GATHER)
		return rank == call->root;
	return call->kind != COLL_BARRIER && !(call->kind == COLL_EXSCAN && rank == 0);
}

static double expected(const struct plan_call *call, int n, int rank, int64_t j)
{
	int64_t count = call->bytes / 8, block = j / count, at = j % count;

	switch (call->kind) {
	case COLL_BCAST: return token(call->root, j);
	case COLL_GATHER:
	case COLL_ALLGATHER: return token((int)block, at);
	case COLL_SCATTER: return token(call->root, rank * count + j);
	case COLL_ALLTOALL: return token((int)block, rank * count + at);
	case COLL_REDUCE_SCATTER_BLOCK: return sum_of(n, rank * count + j);
	case COLL_SCAN: return sum_of(rank + 1, j);
	case COLL_EXSCAN: return sum_of(rank, j);
	default: return sum_of(n, j);
	}
}

static void buffers_make(struct plan_call *call, int n)
{
	size_t in = (size_t)(call->bytes * data_blocks(call, n, true)),
	       out = (size_t)(call->bytes * data_blocks(call, n, false));

	call->sbuf = calloc((size_t)n, sizeof(*call->sbuf));
	call->rbuf = calloc((size_t)n, sizeof(*call->rbuf));
	for (int r = 0; r < n; r++) {
		call->sbuf[r] = malloc(in + 1);
		call->rbuf[r] = malloc(out + 1);
		memset(call->rbuf[r], 0xee, out);
		for (int64_t j = 0; j < (int64_t)in / 8; j++)
			element_set(call, call->kind == COLL_BCAST ? call->rbuf[r] : call->sbuf[r],
				j, call->kind == COLL_BCAST && r != call->root ? -1 : token(r, j));
	}
}

static void buffers_free(struct plan_call *call, int n)
{
	for (int r = 0; r < n; r++) {
		free(call->sbuf[r]);
		free(call->rbuf[r]);
	}
	free(call->sbuf);
	free(call->rbuf);
}

__attribute__((noreturn)) static void wrong(
	const struct plan_shape *shape, const struct plan_call *call, const char *what, int rank)
{
	fprintf(stderr, "%s, %d ranks on %d hosts, %lld bytes, root %d: %s of rank %d\n",
		coll_kind_name(call->kind), shape->ranks, shape->hosts, (long long)call->bytes,
		call->root, what, rank);
	exit(1);
}

static void results_check(const struct plan_shape *shape, const struct plan_call *call)
{
	for (int r = 0; r < shape->ranks; r++) {
		int64_t n = call->bytes / 8 * data_blocks(call, shape->ranks, false);

		if (!has_result(call, r))
			continue;
		for (int64_t j = 0; j < n; j++)
			if (fabs(element_get(call, call->rbuf[r], j) -
				    expected(call, shape->ranks, r, j)) > 0)
				wrong(shape, call, "wrong result", r);
	}
}

void case_check(const struct plan_shape *shape, struct plan_call call)
{
	struct plan_costs costs = machines[FABRIC].work;
	struct plan *plans = calloc((size_t)shape->ranks, sizeof(*plans));
	struct loggp_job job = {.m = &machines[FABRIC],
		.plans = plans,
		.members = shape->ranks,
		.hosts = shape->hosts,
		.data = true,
		.stagger = STAGGER,
		.limit = INFINITY};
	double first;

	call.blocking = false;
	buffers_make(&call, shape->ranks);
	plan_shape_set(shape);
	for (int r = 0; r < shape->ranks; r++)
		plans[r] = plan_make(&call, &costs, r, true, false);
	for (int r = 0; r < shape->ranks; r++) {
		struct plan own = plan_make(&call, &costs, r, false, true);
		struct plan moved;

		plan_shape_set(shape);
		moved = plan_make(&call, &costs, r, false, false);
		if (!plan_equal(&own, &moved))
			wrong(shape, &call, "another plan with the shared layout", r);
		plan_free(&own);
		plan_free(&moved);
	}
	loggp_run(&job, &first);
	if (call.kind == COLL_BARRIER && first < STAGGER * (shape->ranks - 1))
		wrong(shape, &call, "too early an end", 0);
	results_check(shape, &call);
	for (int r = 0; r < shape->ranks; r++)
		plan_free(&plans[r]);
	free(plans);
	buffers_free(&call, shape->ranks);
}
