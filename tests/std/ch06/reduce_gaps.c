/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2,3,5 */
/* MPI-5.0 6.9: reductions of a user's type with gaps write its data only: a column of a matrix. */
#include "tests/check.h"

#include <mpi.h>
#include <string.h>

#define ROWS 50
#define COLS 3
#define KEPT 0x5b5b5b5b
#define CALL(big, low, ...)                                                          \
	do {                                                                         \
		if (form == 0)                                                       \
			expect_ok(MPI_##big(__VA_ARGS__));                           \
		else if (form == 1)                                                  \
			expect_ok(MPI_I##low(__VA_ARGS__, &r));                      \
		else                                                                 \
			expect_ok(MPI_##big##_init(__VA_ARGS__, MPI_INFO_NULL, &r)); \
		ended(form, &r);                                                     \
	} while (0)

static int in[ROWS][COLS], out[ROWS][COLS], n, me;
static MPI_Datatype column;
static MPI_Op add;

static void add_columns(void *a, void *b, int *len, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *len * ROWS; i++)
		((int *)b)[i * COLS] += ((int *)a)[i * COLS];
}

static void ended(int form, MPI_Request *r)
{
	if (form == 2)
		expect_ok(MPI_Start(r));
	if (form > 0)
		expect_ok(MPI_Wait(r, MPI_STATUS_IGNORE));
	if (form == 2)
		expect_ok(MPI_Request_free(r));
}

/* The sum of the first `upto' ranks' columns; 0: nothing was written.  Then all is as before. */
static void holds(int upto)
{
	for (int i = 0; i < ROWS; i++) {
		int want = upto * i + upto * (upto - 1) / 2;

		expect_eq(out[i][0], upto > 0 ? want : KEPT);
		for (int j = 1; j < COLS; j++)
			expect_eq(out[i][j], KEPT);
	}
	memset(out, 0x5b, sizeof(out));
}

static void gaps_all(int form)
{
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Comm w = MPI_COMM_WORLD;
	int counts[8] = {1};

	CALL(Reduce, reduce, in, out, 1, column, add, n - 1, w);
	holds(me == n - 1 ? n : 0);
	CALL(Allreduce, allreduce, in, out, 1, column, add, w);
	holds(n);
	CALL(Scan, scan, in, out, 1, column, add, w);
	holds(me + 1);
	CALL(Exscan, exscan, in, out, 1, column, add, w);
	holds(me);
	CALL(Reduce_scatter, reduce_scatter, in, out, counts, column, add, w);
	holds(me == 0 ? n : 0);
	for (int i = 0; i < ROWS; i++)
		out[i][0] = i + me;
	CALL(Allreduce, allreduce, MPI_IN_PLACE, out, 1, column, add, w);
	holds(n);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Type_vector(ROWS, 1, COLS, MPI_INT, &column);
	MPI_Type_commit(&column);
	for (int commute = 0; commute < 2; commute++) {
		MPI_Op_create(add_columns, commute, &add);
		for (int i = 0; i < ROWS; i++)
			in[i][0] = i + me;
		memset(out, 0x5b, sizeof(out));
		for (int form = 0; form < 3; form++)
			gaps_all(form);
		MPI_Op_free(&add);
	}
	MPI_Type_free(&column);
	MPI_Finalize();
	return check_end();
}
