// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=5,64 env="HAFT_COLL=p2p" */
/* MPI-5.0 9.3, 6.8: a member has too little room for another's block.  It says so; its
 * blocks for the others are right all the same, and come to them.  In place it sends that member as
 * little, which says so, too. */
#include "tests/check.h"

#define LEN   4 /* elements from each to each */
#define SHORT 2 /* the room of rank 0 for the first that it learns of */

static int *in, *out, *counts, *displs, *less;

static int short_given(int from, int to, int i)
{
	return from * 10000 + to * 10 + i;
}

static void short_fill(int *buf, int value_from)
{
	for (int r = 0; r < check_size; r++)
		for (int i = 0; i < LEN; i++)
			buf[r * LEN + i] = value_from < 0 ? -1 : short_given(value_from, r, i);
}

/* The buffer of each member after the call that returned `err'; rank 0 of `odd' only some. */
static void short_right(int err, int odd, int in_place)
{
	if (check_rank == 0) {
		CHECK(err == MPI_ERR_TRUNCATE);
		return;
	}
	CHECK(err == (in_place && check_rank == odd ? MPI_ERR_COUNT : 0));
	for (int r = 0; r < check_size; r++) {
		int n = in_place && r == 0 && check_rank == odd ? SHORT : LEN;

		for (int i = 0; i < n; i++)
			CHECK(out[r * LEN + i] == short_given(r, check_rank, i));
	}
}

/* The first of which rank 0 learns is `odd'. */
static void short_exchange(int odd, int in_place, int later)
{
	const void *from = in_place ? MPI_IN_PLACE : in;
	const int *room = check_rank == 0 ? less : counts;
	MPI_Request r = MPI_REQUEST_NULL;
	int err;

	less[odd] = SHORT;
	short_fill(out, in_place ? check_rank : -1);
	if (later) {
		err = MPI_Ialltoallv(from, counts, displs, MPI_INT, out, room, displs, MPI_INT,
			MPI_COMM_WORLD, &r);
		OK(err);
		err = MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else {
		err = MPI_Alltoallv(
			from, counts, displs, MPI_INT, out, room, displs, MPI_INT, MPI_COMM_WORLD);
	}
	short_right(err, odd, in_place);
	less[odd] = LEN;
}

int main(int argc, char **argv)
{
	size_t n;

	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	n = (size_t)check_size;
	in = malloc(n * LEN * sizeof(*in));
	out = malloc(n * LEN * sizeof(*out));
	counts = malloc(n * sizeof(*counts));
	displs = malloc(n * sizeof(*displs));
	less = malloc(n * sizeof(*less));
	CHECK(in != NULL && out != NULL && counts != NULL && displs != NULL && less != NULL);
	for (int r = 0; r < check_size; r++) {
		counts[r] = less[r] = LEN;
		displs[r] = r * LEN;
	}
	short_fill(in, check_rank);
	for (int later = 0; later < 2; later++) {
		short_exchange(check_size - 1, 0, later);
		short_exchange(1, 1, later);
	}
	free(in);
	free(out);
	free(counts);
	free(displs);
	free(less);
	MPI_Finalize();
	return 0;
}
