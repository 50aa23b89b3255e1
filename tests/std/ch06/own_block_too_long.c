/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2,3,9 */
/* MPI-5.0 6.5 to 6.8: a member's block for itself that is longer than its place is an error, which
 * that member finds alone, writes over nothing, and leaves the communicator as it was. */
#include "tests/check.h"

#include <mpi.h>
#include <stdlib.h>

#define LONG 4000 /* ints: more than any memory for steps has to spare */

static int n, me, *in, *out;

static void long_works(void)
{
	expect_ok(MPI_Allgather(&me, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD));
	for (int i = 0; i < n; i++)
		expect_eq(out[i], i);
}

/* All members make the mistake. */
static void long_all_to_all(void)
{
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Comm w = MPI_COMM_WORLD;

	expect_eq(MPI_Allgather(in, LONG, MPI_INT, out, 1, MPI_INT, w), MPI_ERR_TRUNCATE);
	long_works();
	expect_eq(MPI_Iallgather(in, LONG, MPI_INT, out, 1, MPI_INT, w, &r), MPI_ERR_TRUNCATE);
	expect_eq(MPI_Allgather_init(in, LONG, MPI_INT, out, 1, MPI_INT, w, MPI_INFO_NULL, &r),
		MPI_ERR_TRUNCATE);
	long_works();
	expect_eq(MPI_Alltoall(in, LONG, MPI_INT, out, 1, MPI_INT, w), MPI_ERR_TRUNCATE);
	expect_eq(MPI_Ialltoall(in, LONG, MPI_INT, out, 1, MPI_INT, w, &r), MPI_ERR_TRUNCATE);
	long_works();
	expect(r == MPI_REQUEST_NULL);
	/* no place for anything at all */
	expect_eq(MPI_Allgather(in, 1, MPI_INT, out, 0, MPI_INT, w), MPI_ERR_TRUNCATE);
	long_works();
}

/* Its own block only: by messages, and found on the way. */
static void long_vectors(void)
{
	int *counts = malloc(2 * (size_t)n * sizeof(int)), *at = counts + n;
	MPI_Request r;

	for (int i = 0; i < n; i++) {
		counts[i] = 1;
		at[i] = i;
	}
	expect_eq(MPI_Allgatherv(in, LONG, MPI_INT, out, counts, at, MPI_INT, MPI_COMM_WORLD),
		MPI_ERR_TRUNCATE);
	long_works();
	expect_ok(MPI_Iallgatherv(in, LONG, MPI_INT, out, counts, at, MPI_INT, MPI_COMM_WORLD, &r));
	expect_eq(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
	long_works();
	free(counts);
}

static void with_root(void)
{
	MPI_Comm c = MPI_COMM_SELF;

	expect_eq(MPI_Gather(in, LONG, MPI_INT, out, 1, MPI_INT, 0, c), MPI_ERR_TRUNCATE);
	expect_eq(MPI_Scatter(in, LONG, MPI_INT, out, 1, MPI_INT, 0, c), MPI_ERR_TRUNCATE);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	in = calloc((size_t)n * LONG, sizeof(int));
	out = calloc((size_t)n, sizeof(int));
	long_all_to_all();
	long_vectors();
	with_root();
	free(in);
	free(out);
	MPI_Finalize();
	return check_end();
}
