// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_FT=yes ABORT=half|alone|handler|window" */
/* RUN np=4 rc=7 env="HAFT_FT=yes ABORT=world" */
/* RUN np=4 rc=7 env="ABORT=half" */
/* MPI-5.0 11.4.2, 9.3: where failures are survived, MPI_Abort and MPI_ERRORS_ABORT end the
 * processes of the communicator, also one that is not in MPI, and no others.  These see that they
 * have failed, and why.  Otherwise the job ends. */
#include "tests/ft/ft.h"

#define CODE 7

/* Rank 2 aborts. */
static void aborts(const char *how, MPI_Comm half)
{
	int *base;
	MPI_Win win;

	if (strcmp(how, "window") == 0) {
		OK(MPI_Win_allocate(4, 1, MPI_INFO_NULL, half, &base, &win));
		OK(MPI_Win_set_errhandler(win, MPI_ERRORS_ABORT));
		OK(MPI_Barrier(half));
		MPI_Win_call_errhandler(win, CODE);
	}
	OK(MPI_Barrier(half));
	if (strcmp(how, "handler") == 0) {
		OK(MPI_Comm_set_errhandler(half, MPI_ERRORS_ABORT));
		MPI_Comm_call_errhandler(half, CODE);
	}
	MPI_Abort(strcmp(how, "alone") == 0   ? MPI_COMM_SELF
		  : strcmp(how, "world") == 0 ? MPI_COMM_WORLD
					      : half,
		CODE);
}

/* Rank 3: its program computes, and sees nothing. */
static void member_computes(const char *how, MPI_Comm half)
{
	int *base;
	MPI_Win win;

	if (strcmp(how, "window") == 0)
		OK(MPI_Win_allocate(4, 1, MPI_INFO_NULL, half, &base, &win));
	OK(MPI_Barrier(half));
	for (;;)
		pause();
}

static void survives(MPI_Comm half, int failed)
{
	char words[MPI_MAX_ERROR_STRING];
	int err, n, sum = 0;

	err = MPI_Recv(&n, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(err == MPIX_ERR_PROC_FAILED);
	OK(MPI_Error_string(err, words, &n));
	CHECK(strstr(words, "was ended by MPI_Abort with code 7") != NULL);
	CHECK(strstr(words, "rank 2") != NULL);
	ft_await_failures(failed);
	usleep(400000); /* no other is ended, then or after the grace of those that are */
	CHECK(ft_failures(MPI_COMM_WORLD) == failed);
	OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, half));
	CHECK(sum == (failed == 2 ? 1 : 4));
	OK(MPI_Comm_free(&half));
	MPI_Finalize();
	exit(check_end());
}

/* All members have their part of the split before the first of them ends. */
static void split_done(void)
{
	int n = 0;

	if (check_rank != 2)
		OK(MPI_Send(&n, 0, MPI_INT, 2, 1, MPI_COMM_WORLD));
	for (int i = 1; check_rank == 2 && i < check_size; i++)
		OK(MPI_Recv(&n, 0, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
	const char *how = getenv("ABORT");
	bool alone = strcmp(how, "alone") == 0;
	MPI_Comm half;

	ft_init(&argc, &argv);
	OK(MPI_Comm_split(MPI_COMM_WORLD, alone ? check_rank == 2 : check_rank / 2, 0, &half));
	OK(MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN));
	split_done();
	if (check_rank == 2)
		aborts(how, half);
	if (check_rank == 3 && !alone)
		member_computes(how, half);
	survives(half, alone ? 1 : 2);
}
