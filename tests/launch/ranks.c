// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 args="hello" */
/* MPI-5.0 11.1: also started by other launchers; tests/launch/x.sh asks for the other modes:
 *
 *   hello   allreduce and a ring, then one line "rank R of N sum S"
 *   nest    the same, and rank 0 starts this program once more by itself
 *   abort   the last rank calls MPI_Abort with code 7
 *   kill    the last rank is killed in MPI, the others wait for it
 *   busy    the same, and the others compute
 *   exit    the last rank ends with exit code 0, but without MPI_Finalize
 *   late    rank 0 ends with code 3 after MPI_Finalize
 *   long    all wait for a minute */
#include "tests/check.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void hello(void)
{
	int sum = 0, turn = check_rank, right = (check_rank + 1) % check_size,
	    left = (check_rank + check_size - 1) % check_size;

	OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	CHECK(sum == check_size * (check_size - 1) / 2);
	OK(MPI_Sendrecv_replace(
		&turn, 1, MPI_INT, right, 1, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	CHECK(turn == left);
	printf("rank %d of %d sum %d\n", check_rank, check_size, sum);
	fflush(stdout);
}

static void ranks_nest(const char *self)
{
	char cmd[1024];

	if (check_rank != 0)
		return;
	snprintf(cmd, sizeof(cmd), "exec '%s' hello", self);
	CHECK(system(cmd) == 0);
}

/* The failure of the last rank, while the others wait for it. */
static void ranks_fail(const char *how)
{
	if (check_rank != check_size - 1)
		for (volatile int i = 0; strcmp(how, "busy") == 0; i++)
			continue;
	else if (strcmp(how, "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 7);
	else if (strcmp(how, "exit") == 0)
		_exit(0);
	else
		raise(SIGKILL);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "hello";

	check_init(&argc, &argv);
	hello();
	if (strcmp(mode, "nest") == 0)
		ranks_nest(argv[0]);
	else if (strcmp(mode, "long") == 0)
		sleep(60);
	else if (strcmp(mode, "hello") != 0 && strcmp(mode, "late") != 0)
		ranks_fail(mode);
	MPI_Finalize();
	return strcmp(mode, "late") == 0 && check_rank == 0 ? 3 : 0;
}
