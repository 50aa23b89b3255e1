// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 rc=1 env="HAFT_ENDED=1" idle */
/* RUN np=2 rc=1 env="HAFT_ENDED=1 HAFT_VIA=net" idle */
/* MPI-5.0 11.8.2, 3.2.4: children have ended in good order, and the parents receive from any of
 * them: mpiexec ends the job with words, also if other ranks live. */
#include "tests/check.h"

int main(int argc, char **argv)
{
	MPI_Comm c;

	check_init(&argc, &argv);
	OK(MPI_Comm_get_parent(&c));
	if (c == MPI_COMM_NULL) {
		OK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c,
			MPI_ERRCODES_IGNORE));
		MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, c, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
