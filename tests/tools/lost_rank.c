// SPDX-License-Identifier: BSD-3-Clause
/* lost_rank.c - rank 1 ends as argv[1] says, while all others wait for it; with a second argument
 * its launcher sleeps meanwhile, so that the ends of the others are known first.  hosts.sh checks
 * which rank is named. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LATE_US 400000

static void launcher_sleeps(void)
{
	pid_t launcher = getppid();

	kill(launcher, SIGSTOP);
	if (fork() != 0)
		return;
	setpgid(0, 0); /* not ended with the rank's group */
	usleep(LATE_US);
	kill(launcher, SIGCONT);
	_exit(0);
}

static void job_end(const char *how)
{
	if (strcmp(how, "kill") == 0 || strcmp(how, "ignored") == 0)
		raise(SIGKILL);
	if (strcmp(how, "exit") == 0 || strcmp(how, "amid") == 0)
		exit(3);
	if (strcmp(how, "zero") == 0)
		exit(0);
	if (strcmp(how, "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 7);
	if (strcmp(how, "error") == 0)
		MPI_Abort(MPI_COMM_WORLD, MPI_ERR_PROC_ABORTED);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int rank, x;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(how, "ignored") == 0)
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1 && argc > 2)
		launcher_sleeps();
	if (rank == 1)
		job_end(how);
	if (strcmp(how, "amid") == 0) /* some miss it only because others do */
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return 9; /* the error was ignored */
}
