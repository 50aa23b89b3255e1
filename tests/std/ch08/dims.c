// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 8.5.2: MPI_Dims_create: dimensions as close to each other as possible. */
#include "tests/check.h"

#include <limits.h>
#include <time.h>

#define NMAX 24 /* dimensions in a test */

/* MPI-5.0 8.5.2: the table of examples */
static void examples(void)
{
	int d[3] = {0, 0, 0};

	OK(MPI_Dims_create(6, 2, d));
	CHECK(d[0] == 3 && d[1] == 2);
	d[0] = d[1] = 0;
	OK(MPI_Dims_create(7, 2, d));
	CHECK(d[0] == 7 && d[1] == 1);
	d[0] = d[2] = 0, d[1] = 3;
	OK(MPI_Dims_create(6, 3, d));
	CHECK(d[0] == 2 && d[1] == 3 && d[2] == 1);
	d[0] = d[2] = 0, d[1] = 3;
	FAILS(MPI_ERR_DIMS, "7 nodes do not fit", MPI_Dims_create(7, 3, d));
	CHECK(d[0] == 0 && d[1] == 3 && d[2] == 0);
}

/* The best way to write n as k factors, found in the plainest way: all are tried, the first of them
 * at most `most'.  Best is the smallest difference of largest and smallest; then the largest
 * smallest.
 */
struct split {
	int first, last;
};

static struct split dims_best(int n, int k, int most, int first)
{
	struct split b = {INT_MAX, 0};

	if (k == 1)
		return n <= most ? (struct split){first ? first : n, n} : b;
	for (int d = 1; d <= n && d <= most; d++) {
		struct split w;

		if (n % d != 0)
			continue;
		w = dims_best(n / d, k - 1, d, first ? first : d);
		if (w.first - w.last < b.first - b.last ||
			(w.first - w.last == b.first - b.last && w.last > b.last))
			b = w;
	}
	return b;
}

/* Any way in falling order; returns the largest and the smallest. */
static struct split factors(int n, int k)
{
	int d[NMAX] = {0};
	long long all = 1;

	OK(MPI_Dims_create(n, k, d));
	for (int i = 0; i < k; i++) {
		CHECK(d[i] > 0 && (i == 0 || d[i] <= d[i - 1]));
		all *= d[i];
	}
	CHECK(all == n);
	return (struct split){d[0], d[k - 1]};
}

static void balanced(int n, int k)
{
	struct split is = factors(n, k), want = dims_best(n, k, n, 0);

	if (is.first != want.first || is.last != want.last)
		fprintf(stderr, "%d as %d factors: %d to %d, not %d to %d\n", n, k, is.first,
			is.last, want.first, want.last);
	CHECK(is.first == want.first && is.last == want.last);
}

/* MPI-5.0 8.5.2: as close as possible, against all ways there are; in non-increasing order */
static void brute_force(void)
{
	for (int n = 1; n <= 2600; n++) {
		for (int k = 1; k <= 5; k++)
			balanced(n, k);
	}
}

/* MPI-5.0 8.5.2: where taking the nearest factor first goes wrong */
static void not_greedy(void)
{
	int d[4] = {0};

	OK(MPI_Dims_create(144, 3, d));
	CHECK(d[0] == 6 && d[1] == 6 && d[2] == 4);
	d[0] = d[1] = d[2] = 0;
	OK(MPI_Dims_create(5 * 7 * 11 * 13, 2, d));
	CHECK(d[0] == 77 && d[1] == 65);
	d[0] = d[1] = d[2] = 0;
	OK(MPI_Dims_create(5040, 3, d)); /* 20 18 14 is as close; its smallest is smaller */
	CHECK(d[0] == 21 && d[1] == 16 && d[2] == 15);
	memset(d, 0, sizeof(d));
	OK(MPI_Dims_create(5616, 4, d)); /* 13 12 6 6 as well */
	CHECK(d[0] == 13 && d[1] == 9 && d[2] == 8 && d[3] == 6);
	balanced(6240, 3);
	balanced(10800, 3);
	balanced(55440, 4);
}

/* MPI-5.0 8.5.2: numbers near the largest int, with many divisors or with none, in time */
static void dims_large(void)
{
	static const int n[] = {INT_MAX, 1 << 30, 2095133040, 1745944200, 2147483629, 1009 << 21,
		999983 * 2147, 46337 * 46337, 1290 * 1290 * 1290, 3 * 715827881, 12252240,
		735134400, 1396755360};
	clock_t t = clock();

	for (size_t i = 0; i < sizeof(n) / sizeof(*n); i++) {
		for (int k = 1; k <= NMAX; k++)
			factors(n[i], k);
	}
	CHECK(factors(46337 * 46337, 2).first == 46337);
	CHECK(factors(1290 * 1290 * 1290, 3).last == 1290);
	CHECK(factors(1 << 30, 10).first == 8);
	CHECK(factors(1 << 30, 15).last == 4);
	CHECK(factors(INT_MAX, 2).first == INT_MAX);
	CHECK((clock() - t) / CLOCKS_PER_SEC < 10); /* of its own CPU time: others may compute */
}

/* MPI-5.0 8.5.2: given dimensions stay; the others do not increase from left to right */
static void constraints(void)
{
	int d[6] = {0, 2, 0, 5, 0, 1};

	OK(MPI_Dims_create(2 * 5 * 24, 6, d));
	CHECK(d[0] == 4 && d[1] == 2 && d[2] == 3 && d[3] == 5 && d[4] == 2 && d[5] == 1);
	OK(MPI_Dims_create(2 * 5 * 24, 6, d)); /* all given */
	CHECK(d[0] == 4 && d[5] == 1);
}

/* MPI-5.0 8.5.2: no dimensions and one node; more dimensions than factors */
static void edges(void)
{
	int d[100] = {0};

	OK(MPI_Dims_create(1, 0, NULL));
	OK(MPI_Dims_create(1, 0, d));
	OK(MPI_Dims_create(1, 3, d));
	CHECK(d[0] == 1 && d[1] == 1 && d[2] == 1);
	memset(d, 0, sizeof(d));
	OK(MPI_Dims_create(1 << 30, 100, d));
	CHECK(d[0] == 2 && d[29] == 2 && d[30] == 1 && d[99] == 1);
}

/* MPI-5.0 8.5.2: negative entries, and products that do not divide, are errors */
static void dims_wrong(void)
{
	int d[3] = {0, -1, 0};

	FAILS(MPI_ERR_DIMS, "dims[1] is -1", MPI_Dims_create(6, 3, d));
	d[1] = 4;
	FAILS(MPI_ERR_DIMS, "6 nodes", MPI_Dims_create(6, 3, d));
	d[0] = d[1] = d[2] = INT_MAX;
	FAILS(MPI_ERR_DIMS, "nodes", MPI_Dims_create(INT_MAX, 3, d));
	d[0] = 3;
	FAILS(MPI_ERR_DIMS, "none is left", MPI_Dims_create(6, 1, d));
	FAILS(MPI_ERR_DIMS, "0 dimensions", MPI_Dims_create(2, 0, d));
	d[0] = 0;
	FAILS(MPI_ERR_DIMS, "nnodes is 0", MPI_Dims_create(0, 1, d));
	FAILS(MPI_ERR_ARG, "nnodes", MPI_Dims_create(-4, 1, d));
	FAILS(MPI_ERR_ARG, "ndims", MPI_Dims_create(4, -1, d));
	FAILS(MPI_ERR_ARG, "dims is NULL", MPI_Dims_create(4, 1, NULL));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	examples();
	not_greedy();
	brute_force();
	dims_large();
	constraints();
	edges();
	dims_wrong();
	MPI_Finalize();
	return 0;
}
