/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,3,7 env="HAFT_CHECK=coll" */
/* MPI-5.0 6.14: HAFT_CHECK=coll names ranks that do not make the same call, instead of a hang. */
#include "tests/check.h"
#include <mpi.h>
#include <string.h>

static int n, me;

/* The last error of this class says `word'. */
static void coll_says(int class, const char *word)
{
	char text[MPI_MAX_ERROR_STRING];
	int len;

	expect_ok(MPI_Error_string(class, text, &len));
	if (!expect(strstr(text, word) != NULL))
		fprintf(stderr, "no \"%s\" in: %s\n", word, text);
}

/* A call that makes others inside is named, not those. */
static void inside(int last)
{
	int x[4] = {0}, *base, flag = 0;
	MPI_Comm part = MPI_COMM_NULL;
	MPI_Win win;

	if (last)
		expect_eq(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &part), MPI_ERR_OTHER);
	else
		expect_eq(MPI_Bcast(x, 4, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_OTHER);
	coll_says(MPI_ERR_OTHER, "calls MPI_Comm_split, rank 0 MPI_Bcast");
	expect_ok(MPI_Win_create(x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	if (last)
		expect_eq(MPI_Win_free(&win), MPI_ERR_OTHER);
	else
		expect_eq(MPI_Win_fence(0, win), MPI_ERR_OTHER);
	coll_says(MPI_ERR_OTHER, "calls MPI_Win_free, rank 0 MPI_Win_fence");
	expect_ok(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag));
	expect(flag && base == x);
	expect_ok(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
	expect_ok(MPI_Win_free(&win));
}

#define MANY 7 /* ranks, as the order line says */

/* Of the last rank all is MPI_FLOAT, of the others MPI_INT. */
static void blocks_odd(int last)
{
	MPI_Datatype type = last ? MPI_FLOAT : MPI_INT, all[MANY];
	int x[MANY] = {0}, y[MANY], counts[MANY], at[MANY], bytes[MANY], more[MANY];
	MPI_Comm w = MPI_COMM_WORLD;
	char word[99];

	for (int i = 0; i < n; i++) {
		counts[i] = 1;
		more[i] = 1 + (i == n - 1 && me == 0);
		at[i] = i;
		bytes[i] = 4 * i;
		all[i] = type;
	}
	snprintf(word, sizeof(word), "rank %d sends 1 MPI_FLOAT to rank 0, which expects 1 MPI_INT",
		n - 1);
	expect_eq(MPI_Alltoallv(x, counts, at, type, y, counts, at, type, w), MPI_ERR_TYPE);
	coll_says(MPI_ERR_TYPE, word);
	expect_eq(MPI_Alltoallw(x, counts, bytes, all, y, counts, bytes, all, w), MPI_ERR_TYPE);
	coll_says(MPI_ERR_TYPE, word);
	expect_eq(MPI_Allgatherv(x, 1, type, y, counts, at, type, w), MPI_ERR_TYPE);
	coll_says(MPI_ERR_TYPE, word);
	expect_eq(MPI_Gatherv(x, 1, type, y, counts, at, type, 0, w), MPI_ERR_TYPE);
	coll_says(MPI_ERR_TYPE, word);
	expect_eq(MPI_Gatherv(x, 1, MPI_INT, y, more, at, MPI_INT, 0, w), MPI_ERR_COUNT);
	snprintf(word, sizeof(word), "rank %d sends 4 bytes to rank 0, which expects 8", n - 1);
	coll_says(MPI_ERR_COUNT, word);
	expect_eq(MPI_Scatterv(x, counts, at, type, y, 1, type, 0, w), MPI_ERR_TYPE);
	snprintf(word, sizeof(word), "rank 0 sends 1 MPI_INT to rank %d, which expects 1 MPI_FLOAT",
		n - 1);
	coll_says(MPI_ERR_TYPE, word);
	expect_eq(MPI_Alltoall(x, 1, MPI_FLOAT, y, 1, MPI_INT, w), MPI_ERR_TYPE);
	coll_says(MPI_ERR_TYPE, "rank 0 sends 1 MPI_FLOAT to rank 0, which expects 1 MPI_INT");
}

/* With requests, and among neighbors: a ring, in which rank 0 is the last one's. */
static void blocks_later(int last)
{
	MPI_Datatype type = last ? MPI_FLOAT : MPI_INT;
	int x[MANY] = {0}, y[MANY], counts[MANY], at[MANY], round = 1;
	MPI_Request req;
	MPI_Comm ring;

	for (int i = 0; i < n; i++) {
		counts[i] = 1;
		at[i] = i;
	}
	expect_ok(MPI_Alltoallv_init(
		x, counts, at, type, y, counts, at, type, MPI_COMM_WORLD, MPI_INFO_NULL, &req));
	for (int i = 0; i < 2; i++) {
		expect_ok(MPI_Start(&req));
		expect_eq(MPI_Wait(&req, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
	}
	expect_ok(MPI_Request_free(&req));
	expect_ok(MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &round, 0, &ring));
	expect_eq(MPI_Neighbor_alltoall(x, 1, type, y, 1, type, ring), MPI_ERR_TYPE);
	coll_says(MPI_ERR_TYPE, "which expects 1 MPI_");
	expect_ok(MPI_Ineighbor_alltoallv(
		x, counts, at, MPI_INT, y, counts, at, MPI_INT, ring, &req));
	expect_ok(MPI_Wait(&req, MPI_STATUS_IGNORE));
	expect_ok(MPI_Comm_free(&ring));
}

/* Correct calls: other types of one signature, types that are not significant, nothing at all. */
static void blocks_right(int last)
{
	int x[2 * MANY] = {0}, y[2 * MANY], counts[MANY], at[MANY], none[MANY] = {0};
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Datatype two, apart;

	for (int i = 0; i < n; i++) {
		counts[i] = 2;
		at[i] = 2 * i;
	}
	expect_ok(MPI_Type_contiguous(2, MPI_INT, &two));
	expect_ok(MPI_Type_vector(2, 1, n, MPI_INT, &apart));
	expect_ok(MPI_Type_commit(&two));
	expect_ok(MPI_Type_commit(&apart));
	expect_ok(MPI_Gather(
		x, last ? 1 : 2, last ? apart : MPI_INT, y, 1, me == 0 ? two : MPI_CHAR, 0, w));
	expect_ok(MPI_Scatter(x, 2, me == 0 ? MPI_INT : MPI_CHAR, y, 1, last ? apart : two, 0, w));
	expect_ok(MPI_Gatherv(me == 0 ? MPI_IN_PLACE : x, 1, two, y, counts, at, MPI_INT, 0, w));
	expect_ok(MPI_Scatterv(x, counts, at, MPI_INT, me == 0 ? MPI_IN_PLACE : y, 1, two, 0, w));
	expect_ok(MPI_Allgather(x, 1, two, y, 2, MPI_INT, w));
	expect_ok(MPI_Allgatherv(last ? MPI_IN_PLACE : x, 1, two, y, counts, at, MPI_INT, w));
	expect_ok(MPI_Alltoall(x, 2, MPI_INT, y, 1, two, w));
	expect_ok(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_CHAR, y, 1, two, w));
	expect_ok(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_CHAR, y, counts, at, MPI_INT, w));
	expect_ok(MPI_Alltoallv(x, none, none, last ? MPI_INT : MPI_CHAR, y, none, none, two, w));
	expect_ok(MPI_Gather(x, 0, last ? MPI_INT : MPI_CHAR, y, 0, two, 0, w));
	MPI_Type_free(&two);
	MPI_Type_free(&apart);
}

int main(int argc, char **argv)
{
	int x[4] = {1, 2, 3, 4}, y[64], last;
	MPI_Request req;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	last = me == n - 1;
	expect_eq(MPI_Bcast(x, 4, MPI_INT, last ? 1 : 0, MPI_COMM_WORLD), MPI_ERR_ROOT);
	coll_says(MPI_ERR_ROOT, "says root 1, rank 0 says 0");
	if (last)
		expect_eq(MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_OTHER);
	else
		expect_eq(
			MPI_Allgather(x, 4, MPI_INT, y, 4, MPI_INT, MPI_COMM_WORLD), MPI_ERR_OTHER);
	coll_says(MPI_ERR_OTHER, "calls MPI_Barrier, rank 0 MPI_Allgather");
	expect_eq(MPI_Allreduce(x, y, 1 + last, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_COUNT);
	coll_says(MPI_ERR_COUNT, "says 8 bytes, rank 0 says 4");
	expect_eq(MPI_Scan(x, y, 1, MPI_INT, last ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
	coll_says(MPI_ERR_OP, "says operation MAX, rank 0 says SUM");
	expect_eq(MPI_Bcast(x, last ? 0 : 4, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
	expect_eq(MPI_Allreduce(x, y, 4, last ? MPI_FLOAT : MPI_INT, MPI_MAX, MPI_COMM_WORLD),
		MPI_ERR_TYPE);
	coll_says(MPI_ERR_TYPE, "says 4 MPI_FLOAT, rank 0 says 4 MPI_INT");
	if (last)
		expect_ok(MPI_Ibarrier(MPI_COMM_WORLD, &req));
	else
		expect_ok(MPI_Ibcast(x, 4, MPI_INT, 0, MPI_COMM_WORLD, &req));
	expect_eq(MPI_Wait(&req, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
	coll_says(MPI_ERR_OTHER, "calls MPI_Ibarrier, rank 0 MPI_Ibcast");
	expect_ok(MPI_Bcast_init(x, 4, MPI_INT, last, MPI_COMM_WORLD, MPI_INFO_NULL, &req));
	expect_ok(MPI_Start(&req));
	expect_eq(MPI_Wait(&req, MPI_STATUS_IGNORE), MPI_ERR_ROOT);
	expect_ok(MPI_Request_free(&req));
	if (n > 2) { /* the majority is right */
		expect_eq(MPI_Bcast(x, 4, MPI_INT, me == 0, MPI_COMM_WORLD), MPI_ERR_ROOT);
		coll_says(MPI_ERR_ROOT, "rank 0 says root 1, rank 1 says 0");
	}
	inside(last);
	blocks_odd(last);
	blocks_later(last);
	blocks_right(last);
	expect_ok(MPI_Allreduce(x, y, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	expect_eq(y[3], 4 * n);
	MPI_Finalize();
	return check_end();
}
