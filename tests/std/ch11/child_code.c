// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0,1 rc=3 args="exit|abort" */
/* RUN np=0,1 rc=137 args="kill" */
/* MPI-5.0 11.4.2, 11.10.4: the failure of a spawned process ends its parent as well, with its exit
 * code, also if that is a program without mpiexec, which has no other process to show it. */
#include "tests/check.h"
#include <signal.h>

static void child_fail(const char *how)
{
	if (strcmp(how, "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	_Exit(3);
}

int main(int argc, char **argv)
{
	MPI_Comm c;

	check_init(&argc, &argv);
	OK(MPI_Comm_get_parent(&c));
	if (c != MPI_COMM_NULL)
		child_fail(argv[1]);
	OK(MPI_Comm_spawn(
		argv[0], argv + 1, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c, MPI_ERRCODES_IGNORE));
	MPI_Barrier(c);
	printf("the parent goes on\n");
	MPI_Finalize();
	return 0;
}
