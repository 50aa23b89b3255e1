// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* RUN np=2 env="HAFT_RMA=vm|box|msg" */
/* MPI-5.0 12.5.6: a datatype may be freed as soon as the call of RMA that uses it has returned,
 * long before the operation is complete. */
#include "tests/check.h"

enum { N = 3000, ROUNDS = 20 };

int main(int argc, char **argv)
{
	static int out[2 * N], back[2 * N];
	int *mem, other;
	MPI_Datatype t;
	MPI_Win win;

	check_init(&argc, &argv);
	other = 1 - check_rank;
	OK(MPI_Win_allocate(2 * N * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL,
		MPI_COMM_WORLD, &mem, &win));
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < 2 * N; i++) {
			out[i] = round + i + check_rank;
			mem[i] = back[i] = -1;
		}
		OK(MPI_Win_fence(0, win));
		OK(MPI_Type_vector(N, 1, 2, MPI_INT, &t));
		OK(MPI_Type_commit(&t));
		OK(MPI_Put(out, 1, t, other, 0, 1, t, win));
		OK(MPI_Type_free(&t));
		OK(MPI_Win_fence(0, win));
		for (int i = 0; i < 2 * N; i++)
			CHECK(mem[i] == (i % 2 == 0 && i < 2 * N - 1 ? round + i + other : -1));
		OK(MPI_Win_fence(0, win));
		OK(MPI_Type_vector(N, 1, 2, MPI_INT, &t));
		OK(MPI_Type_commit(&t));
		OK(MPI_Accumulate(out, 1, t, other, 0, 1, t, MPI_SUM, win));
		OK(MPI_Type_free(&t));
		OK(MPI_Win_fence(0, win));
		OK(MPI_Type_vector(N, 1, 2, MPI_INT, &t));
		OK(MPI_Type_commit(&t));
		OK(MPI_Get(back, 1, t, other, 0, 1, t, win));
		OK(MPI_Type_free(&t));
		OK(MPI_Win_fence(0, win));
		for (int i = 0; i < 2 * N; i += 2)
			CHECK(back[i] == 2 * (round + i + check_rank));
		OK(MPI_Win_fence(0, win));
	}
	OK(MPI_Win_free(&win));
	MPI_Finalize();
	return 0;
}
