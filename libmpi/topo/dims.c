// SPDX-License-Identifier: BSD-3-Clause
/* dims.c - MPI_Dims_create: the most balanced factors of a number (MPI-5.0 8.5.2).
 *
 * Of all ways to write n as a product of k factors the best has the smallest difference between the
 * largest and the smallest; of several such ways, the one with the larger smallest factor, then the
 * larger second smallest, and so on.  A greedy choice does not find it, so all ways are looked at,
 * in that order of preference, the smallest factor first:
 *
 *     840, k = 3:   8 ─ 7 ...     never: factors do not fall
 *                   7 ─ 10 ─ 12   difference 5, the best so far
 *                   7 ─ 8 ─ 15    no better: 15 - 7 > 5
 *                   6 ─ 10 ─ 14   sqrt(140) - 6 > 5: nothing behind 6 can be better, done
 *
 * Invariants of the search, which keep it to a few thousand steps for every int:
 *  - a factor is at most the root of the rest, or those behind it could not all be as large;
 *  - the largest is at least the root of the rest, which grows when the factor at hand gets
 *    smaller: when that is too far above the smallest, the loop is over;
 *  - the largest is also at least the largest prime of the rest. */
#include "libmpi/topo/topo_object.h"

#include <engine.h>
#include <limits.h>
#include <string.h>

#define DIVISORS_MAX 1600 /* no int has more: 2095133040 has them all */
#define FACTORS_MAX  32   /* an int is a product of at most 30 primes; further factors are 1 */
#define PRIMES_MAX   9    /* different primes in an int: 2 * 3 * 5 ... * 23 */

struct dims_search {
	int divisor[DIVISORS_MAX]; /* of n, rising */
	int prime[PRIMES_MAX];     /* of n, falling */
	int ndivisors, nprimes;
	int now[FACTORS_MAX], best[FACTORS_MAX]; /* rising: the candidate, and the best so far */
	int k;                                   /* factors wanted */
	int diff;                                /* largest - smallest of best */
};

/* x to the power k; any number above limit if the power is above limit. */
static int64_t dims_power(int64_t x, int k, int64_t limit)
{
	int64_t p = 1;

	for (int i = 0; i < k && p <= limit; i++)
		p *= x;
	return p;
}

/* The largest integer whose k-th power is not above n.  n, k >= 1. */
static int dims_root(int n, int k)
{
	int low = 1, high = n;

	while (low < high) {
		int x = low + (high - low + 1) / 2;

		if (dims_power(x, k, n) <= n)
			low = x;
		else
			high = x - 1;
	}
	return low;
}

static void divisors_find(struct dims_search *s, int n)
{
	int k = 0;

	for (int d = 1; d <= n / d; d++) {
		if (n % d == 0)
			s->divisor[k++] = d;
	}
	s->ndivisors = 2 * k - (s->divisor[k - 1] == n / s->divisor[k - 1]);
	for (int i = 0; i < k; i++)
		s->divisor[s->ndivisors - 1 - i] = n / s->divisor[i];
}

/* Finds the primes of n: its divisors above 1 that no smaller prime divides. */
static void primes_find(struct dims_search *s, int n)
{
	int rest = n, prime[PRIMES_MAX] = {0};

	for (int i = 1; i < s->ndivisors && rest > 1; i++) {
		if (rest % s->divisor[i] != 0)
			continue;
		prime[s->nprimes++] = s->divisor[i];
		while (rest % s->divisor[i] == 0)
			rest /= s->divisor[i];
	}
	for (int i = 0; i < s->nprimes; i++)
		s->prime[i] = prime[s->nprimes - 1 - i];
}

/* The index of the largest divisor that is not above x.  x >= 1. */
static int divisor_below(const struct dims_search *s, int x)
{
	int low = 0, high = s->ndivisors - 1;

	while (low < high) {
		int mid = low + (high - low + 1) / 2;

		if (s->divisor[mid] <= x)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

/* A lower bound of the largest factor, if r is a product of `left' factors. */
static int largest_least(const struct dims_search *s, int r, int left)
{
	int x = dims_root(r, left);

	if (dims_power(x, left, r) < r)
		x++;
	for (int i = 0; i < s->nprimes; i++) {
		if (r % s->prime[i] == 0)
			return s->prime[i] > x ? s->prime[i] : x;
	}
	return x;
}

/* Tries all values of the last `left' factors, whose product is r; now[0..at-1] has the others. */
static void dims_search(struct dims_search *s, int r, int left, int at)
{
	if (left == 1) {
		s->now[at] = r;
		if (r - s->now[0] < s->diff) {
			s->diff = r - s->now[0];
			memcpy(s->best, s->now, sizeof(s->best));
		}
		return;
	}
	for (int i = divisor_below(s, dims_root(r, left)); i >= 0; i--) {
		int d = s->divisor[i];

		if (at > 0 && d < s->now[at - 1])
			return;
		if (r % d != 0)
			continue;
		s->now[at] = d;
		if (largest_least(s, r / d, left - 1) - s->now[0] < s->diff)
			dims_search(s, r / d, left - 1, at + 1);
		else if (dims_root(r / d, left - 1) - s->now[0] >= s->diff)
			return;
	}
}

/* Sets those of dims[0..ndims-1] that are 0 to the k best factors of n. */
static int factors_set(int n, int k, int ndims, int *dims)
{
	struct dims_search *s = calloc(1, sizeof(*s)); /* 7 KiB: too much for a thread's stack */

	if (s == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to find the factors of %d", n);
	divisors_find(s, n);
	primes_find(s, n);
	s->diff = INT_MAX;
	s->k = k < FACTORS_MAX ? k : FACTORS_MAX;
	dims_search(s, n, s->k, 0);
	for (int d = 0, i = 0; d < ndims; d++) {
		if (dims[d] == 0) {
			dims[d] = i < s->k ? s->best[s->k - 1 - i] : 1;
			i++;
		}
	}
	free(s);
	return 0;
}

int topo_dims_create(int nnodes, int ndims, int dims[])
{
	int64_t given = 1;
	int nfree = 0;

	if (nnodes == 0)
		return haft_err(MPI_ERR_DIMS, "nnodes is 0; a grid has at least one node");
	if (dims == NULL && ndims > 0)
		return haft_err(MPI_ERR_ARG, "dims is NULL, and ndims is %d", ndims);
	for (int d = 0; d < ndims; d++) {
		if (dims[d] < 0)
			return haft_err(MPI_ERR_DIMS,
				"dims[%d] is %d; it is to be 0 (to be set) or the number of nodes",
				d, dims[d]);
		nfree += dims[d] == 0;
		given *= dims[d] == 0 ? 1 : dims[d];
		if (nnodes % given != 0)
			return haft_err(MPI_ERR_DIMS,
				"%d nodes do not fit: dims[0] to dims[%d] have %lld already",
				nnodes, d, (long long)given);
	}
	if (nfree > 0)
		return factors_set((int)(nnodes / given), nfree, ndims, dims);
	if (given != nnodes)
		return haft_err(MPI_ERR_DIMS,
			"the %d dimension%s %lld node%s, not %d, and none is left to be set", ndims,
			ndims == 1 ? " has" : "s have", (long long)given, given == 1 ? "" : "s",
			nnodes);
	return 0;
}
