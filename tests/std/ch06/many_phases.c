// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4,9 env="HAFT_COLL=shm" */
/* MPI-5.0 6.1: collective calls that are rare among very many others get their own data.  Built
 * with MEAN=1, the number of a phase goes from 2^31 - 1 to 2^31 here, on a new communicator. */
#include "tests/check.h"

enum { CALLS = 300, LONG = 1000 };

/* Broadcasts from each rank: of 4 bytes, and of more than fit into a line. */
static void phase_rare(MPI_Comm c, int turn)
{
	int data[LONG], sum = 0;

	for (int root = 0; root < check_size; root++) {
		for (int i = 0; i < LONG; i++)
			data[i] = check_rank == root ? turn + root + i : -1;
		OK(MPI_Bcast(data, 1, MPI_INT, root, c));
		CHECK(data[0] == turn + root);
		OK(MPI_Bcast(data, LONG, MPI_INT, root, c));
		CHECK(data[LONG - 1] == turn + root + LONG - 1);
	}
	OK(MPI_Scatter(data, 1, MPI_INT, &sum, 1, MPI_INT, 0, c));
	CHECK(sum == turn + check_size - 1 + check_rank);
	OK(MPI_Reduce(&turn, &sum, 1, MPI_INT, MPI_SUM, check_size - 1, c));
	CHECK(check_rank != check_size - 1 || sum == turn * check_size);
}

int main(int argc, char **argv)
{
	MPI_Comm c;

	check_init(&argc, &argv);
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	for (int turn = 0; turn < 3; turn++) {
		for (int i = 0; i < CALLS; i++) {
			int sum = -1;

			OK(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, c));
			CHECK(sum == i * check_size);
		}
		phase_rare(c, turn);
	}
	OK(MPI_Comm_free(&c));
	MPI_Finalize();
	return 0;
}
