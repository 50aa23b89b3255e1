// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 rc=39 */
/* MPI-5.0 9.3, 3.4: without memory for a message that has no receive yet the job ends with words
 * and MPI_ERR_NO_MEM, not with a crash. */
#include "tests/check.h"
#include "tests/failing_malloc.h"

#define LEN 2000 /* bytes: sent eagerly, and kept by a receiver without a matching receive */

static char buf[LEN];

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	_Static_assert(MPI_ERR_NO_MEM == 39, "the RUN line says so");
	OK(MPI_Barrier(MPI_COMM_WORLD)); /* a connection needs memory as well */
	if (check_rank == 0) {
		OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		OK(MPI_Send(buf, LEN, MPI_BYTE, 1, 1, MPI_COMM_WORLD));
	} else {
		failing_arm(LEN, 0, FAILING_ALWAYS);
		OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD));
		OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	}
	MPI_Finalize();
	return 0;
}
