// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 11.2.1: a forked child is no MPI process: its calls are refused, end nothing but the
 * child, and leave the messages of its parent as they are. */
#include "tests/check.h"

#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGES = 20, STRANGE = 1000 };

/* The exit code of a child that does this. */
static int child_of(void (*act)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		act();
		_exit(0);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void forked_refused(void)
{
	int x = STRANGE, flag = 0, size = 0, at = 0;
	char packed[8];
	MPI_Session s;

	if (MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD) != MPI_ERR_OTHER ||
		MPI_Pack(&x, 1, MPI_INT, packed, 8, &at, MPI_COMM_WORLD) != MPI_ERR_OTHER ||
		MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_ERR_OTHER ||
		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s) != MPI_ERR_OTHER ||
		MPI_Finalize() != MPI_ERR_OTHER || MPI_Abort(MPI_COMM_WORLD, 3) != MPI_ERR_OTHER)
		_exit(1);
	if (MPI_Initialized(&flag) != MPI_SUCCESS || !flag)
		_exit(2);
}

static void aborts(void)
{
	MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv)
{
	int rank, x = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		for (; x < MESSAGES / 2; x++)
			OK(MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
		CHECK(child_of(aborts) != 0); /* the handler is MPI_ERRORS_ARE_FATAL */
		OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
		CHECK(child_of(forked_refused) == 0);
		for (; x < MESSAGES; x++)
			OK(MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
	}
	for (int i = 0; rank == 1 && i < MESSAGES; i++) {
		OK(MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(x == i);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
