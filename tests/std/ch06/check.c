/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,3,7 env="HAFT_CHECK=coll" */
/* MPI-5.0 6.14: HAFT_CHECK=coll names ranks that do not make the same call, instead of a hang. */
#include "tests/t.h"
#include <mpi.h>
#include <string.h>

static int n, me;

/* The last error of this class says `word'. */
static void says(int class, const char *word)
{
	char text[MPI_MAX_ERROR_STRING];
	int len;

	t_ok(MPI_Error_string(class, text, &len));
	if (!t_true(strstr(text, word) != NULL))
		fprintf(stderr, "no \"%s\" in: %s\n", word, text);
}

/* A call that makes others inside is named, not those. */
static void inside(int last)
{
	int x[4] = {0}, *base, flag = 0;
	MPI_Comm part = MPI_COMM_NULL;
	MPI_Win win;

	if (last)
		t_eq(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &part), MPI_ERR_OTHER);
	else
		t_eq(MPI_Bcast(x, 4, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_OTHER);
	says(MPI_ERR_OTHER, "calls MPI_Comm_split, rank 0 MPI_Bcast");
	t_ok(MPI_Win_create(x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	if (last)
		t_eq(MPI_Win_free(&win), MPI_ERR_OTHER);
	else
		t_eq(MPI_Win_fence(0, win), MPI_ERR_OTHER);
	says(MPI_ERR_OTHER, "calls MPI_Win_free, rank 0 MPI_Win_fence");
	t_ok(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag));
	t_true(flag && base == x);
	t_ok(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
	t_ok(MPI_Win_free(&win));
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
	t_eq(MPI_Bcast(x, 4, MPI_INT, last ? 1 : 0, MPI_COMM_WORLD), MPI_ERR_ROOT);
	says(MPI_ERR_ROOT, "says root 1, rank 0 says 0");
	if (last)
		t_eq(MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_OTHER);
	else
		t_eq(MPI_Allgather(x, 4, MPI_INT, y, 4, MPI_INT, MPI_COMM_WORLD), MPI_ERR_OTHER);
	says(MPI_ERR_OTHER, "calls MPI_Barrier, rank 0 MPI_Allgather");
	t_eq(MPI_Allreduce(x, y, 1 + last, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_COUNT);
	says(MPI_ERR_COUNT, "says 8 bytes, rank 0 says 4");
	t_eq(MPI_Scan(x, y, 1, MPI_INT, last ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
	says(MPI_ERR_OP, "says operation MAX, rank 0 says SUM");
	t_eq(MPI_Bcast(x, last ? 0 : 4, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
	t_eq(MPI_Allreduce(x, y, 4, last ? MPI_FLOAT : MPI_INT, MPI_MAX, MPI_COMM_WORLD),
		MPI_ERR_TYPE);
	says(MPI_ERR_TYPE, "says 4 MPI_FLOAT, rank 0 says 4 MPI_INT");
	if (last)
		t_ok(MPI_Ibarrier(MPI_COMM_WORLD, &req));
	else
		t_ok(MPI_Ibcast(x, 4, MPI_INT, 0, MPI_COMM_WORLD, &req));
	t_eq(MPI_Wait(&req, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
	says(MPI_ERR_OTHER, "calls MPI_Ibarrier, rank 0 MPI_Ibcast");
	t_ok(MPI_Bcast_init(x, 4, MPI_INT, last, MPI_COMM_WORLD, MPI_INFO_NULL, &req));
	t_ok(MPI_Start(&req));
	t_eq(MPI_Wait(&req, MPI_STATUS_IGNORE), MPI_ERR_ROOT);
	t_ok(MPI_Request_free(&req));
	if (n > 2) { /* the majority is right */
		t_eq(MPI_Bcast(x, 4, MPI_INT, me == 0, MPI_COMM_WORLD), MPI_ERR_ROOT);
		says(MPI_ERR_ROOT, "rank 0 says root 1, rank 1 says 0");
	}
	inside(last);
	t_ok(MPI_Allreduce(x, y, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	t_eq(y[3], 4 * n);
	MPI_Finalize();
	return t_end();
}
