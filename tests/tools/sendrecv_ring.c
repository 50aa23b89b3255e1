// SPDX-License-Identifier: BSD-3-Clause
/* sendrecv_ring.c - short messages and a long one around a ring: bad_settings.sh. */
#include <mpi.h>
#include <stdlib.h>

enum { N = 1 << 18, SMALL = 40 };

int main(int argc, char **argv)
{
	int rank, size, *out = malloc(N * sizeof(*out)), *in = malloc(N * sizeof(*in));

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < N; i++)
		out[i] = rank * N + i;
	int to = (rank + 1) % size, from = (rank + size - 1) % size;
	for (int k = 0; k < SMALL; k++)
		MPI_Sendrecv(out + k, 1, MPI_INT, to, 1, in + k, 1, MPI_INT, from, 1,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(out + SMALL, N - SMALL, MPI_INT, to, 2, in + SMALL, N - SMALL, MPI_INT, from,
		2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < N; i++)
		if (in[i] != from * N + i)
			MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Finalize();
	free(out);
	free(in);
	return 0;
}
