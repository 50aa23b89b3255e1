// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 rc=1 env="HAFT_ENDED=1" */
/* MPI-5.0 11.8.2: a spawned program that ends without MPI_Init cannot be disconnected from: mpiexec
 * ends the job, and says why. */
#include "tests/check.h"

int main(int argc, char **argv)
{
	char *words[] = {(char *)(uintptr_t) "0.5", NULL};
	MPI_Comm c;

	check_init(&argc, &argv);
	OK(MPI_Comm_spawn(
		"/bin/sleep", words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c, MPI_ERRCODES_IGNORE));
	MPI_Comm_disconnect(&c);
	MPI_Finalize();
	return 0;
}
