// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_UNEXPECTED=64M" */
/* MPI-5.0 3.5, 3.9: 20,000 receives posted, and 20,000 unexpected messages: both
 * ways of matching. */
#include "tests/check.h"

#define N 20000

static int in[N];
static MPI_Request r[N];

int main(int argc, char **argv)
{
	int x;

	check_init(&argc, &argv);
	for (int posted = 0; posted < 2; posted++) {
		for (int i = 0; i < N && check_rank == 0 && posted; i++)
			OK(MPI_Irecv(&in[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &r[i]));
		OK(MPI_Barrier(MPI_COMM_WORLD));
		for (int i = N - 1; i >= 0 && check_rank == 1; i--) {
			OK(MPI_Isend(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD, &r[0]));
			OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
		}
		for (int i = 0; i < N && check_rank == 0; i++) {
			if (posted) {
				OK(MPI_Wait(&r[i], MPI_STATUS_IGNORE));
				x = in[i];
			} else {
				OK(MPI_Recv(&x, 1, MPI_INT, i % 3 ? 1 : MPI_ANY_SOURCE, i,
					MPI_COMM_WORLD, MPI_STATUS_IGNORE));
			}
			CHECK(x == i);
		}
		OK(MPI_Barrier(MPI_COMM_WORLD));
	}
	MPI_Finalize();
	return 0;
}
