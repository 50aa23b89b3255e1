// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,3,4,7,16 */
/* RUN np=2,3,4,7,16 env="HAFT_COLL=p2p" */
/* MPI-5.0 6.3: no rank leaves a barrier before all have entered it. */
#include "tests/check.h"
#include <mpi.h>
#include <time.h>

#define ROUNDS 40

int main(int argc, char **argv)
{
	double come, gone, last;
	int n, me;

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	for (int i = 0; i < ROUNDS; i++) {
		if (i % n == me) /* one is late: others sleep */
			nanosleep(&(struct timespec){0, 2000000}, NULL);
		come = MPI_Wtime();
		expect_ok(MPI_Barrier(MPI_COMM_WORLD));
		gone = MPI_Wtime(); /* one clock for the node */
		expect_ok(MPI_Allreduce(&come, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
		expect(gone >= last);
	}
	expect_ok(MPI_Barrier(MPI_COMM_SELF));
	MPI_Finalize();
	return check_end();
}
