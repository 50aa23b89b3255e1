// SPDX-License-Identifier: BSD-3-Clause
/* end_modes.c - a program of MPI that ends in the way its argument says: for
 * tests/tools/job_ends.sh. */
/* RUN np=1,2,4 */
/* MPI-5.0 11.2.1: a program begins with MPI_Init and ends with MPI_Finalize. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

/* How rank 1 ends before MPI_Finalize; the others wait for it. */
static void end_ahead(const char *how)
{
	int x = 0;

	if (strcmp(how, "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 42);
	if (strcmp(how, "abort256") == 0)
		MPI_Abort(MPI_COMM_WORLD, 256);
	if (strcmp(how, "exit0") == 0)
		exit(0);
	if (strcmp(how, "exit3") == 0)
		exit(3);
	if (strcmp(how, "segv") == 0) {
		signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would exit */
		raise(SIGSEGV);
	}
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(how, "error") == 0)
		MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
	if (strcmp(how, "hang") == 0)
		for (;;)
			pause();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int sum = 0, *app, flag = 0;

	while (strcmp(how, "late") == 0 && access(argv[2], F_OK) != 0)
		usleep(50000);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (strcmp(how, "app") == 0) {
		MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &app, &flag);
		printf("app %d\n", flag ? *app : -1);
	}
	printf("rank %d of %d sum %d", rank, size, sum); /* no newline, no flush */
	if (rank == 1)
		end_ahead(how);
	if (strcmp(how, "recv") == 0 && rank < 2)
		MPI_Recv(&sum, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	puts(".");
	if (strcmp(how, "nested") == 0 && rank == 0) {
		fflush(stdout);
		return system(argv[0]) == 0 ? 0 : 9;
	}
	if (strcmp(how, "after") == 0)
		return rank == 1 ? 5 : 0;
	return 0;
}
