// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_SINGLE_COPY=always|never" */
/* MPI-5.0 3.5: large messages, read from the sender's memory or through the pipe: whole, in order,
 * cut where the receiver has less room. */
#include "tests/check.h"

enum { MOST = 20 << 20, MANY = 50, EACH = 40000 };

static unsigned char *out, *in;

static unsigned char large_byte(int n, int i)
{
	return (unsigned char)(i * 31 + i / 4096 + n);
}

/* Every size around the limits of a chunk, an eager message, and of a read. */
static void large_sizes(int rank)
{
	static const int at[] = {16384, 65536, 262144, 1 << 20, 16 << 20, 17 << 20};

	for (int k = 0; k < 6; k++)
		for (int n = at[k] - 1; n <= at[k] + 1; n++) {
			for (int i = 0; i < n; i++)
				out[i] = large_byte(n, i);
			memset(in, 0, (size_t)n + 1);
			if (rank == 0) {
				OK(MPI_Send(out, n, MPI_BYTE, 1, k, MPI_COMM_WORLD));
				OK(MPI_Recv(
					in, n, MPI_BYTE, 1, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
			} else {
				OK(MPI_Recv(
					in, n, MPI_BYTE, 0, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
				OK(MPI_Send(in, n, MPI_BYTE, 0, k, MPI_COMM_WORLD));
			}
			CHECK(memcmp(in, out, (size_t)n) == 0 && in[n] == 0);
		}
}

/* More at once than there are leases; received before and after they come; some cut. */
static void large_many(int rank)
{
	MPI_Request reqs[MANY];

	for (int late = 0; late < 2; late++) {
		memset(in, 0, (size_t)MANY * EACH);
		if (rank == 0) {
			for (int i = 0; i < MANY; i++) {
				memset(out + i * EACH, i + 1, EACH);
				OK(MPI_Isend(out + i * EACH, EACH, MPI_BYTE, 1, 7, MPI_COMM_WORLD,
					&reqs[i]));
			}
			OK(MPI_Waitall(MANY, reqs, MPI_STATUSES_IGNORE));
			continue;
		}
		if (late)
			OK(MPI_Probe(0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		for (int i = 0; i < MANY; i++)
			OK(MPI_Irecv(in + i * EACH, i % 5 == 3 ? EACH - 1 : EACH, MPI_BYTE, 0, 7,
				MPI_COMM_WORLD, &reqs[i]));
		for (int i = 0; i < MANY; i++) {
			int err = MPI_Wait(&reqs[i], MPI_STATUS_IGNORE), cut = i % 5 == 3;

			CHECK(err == (cut ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
			for (int j = 0; j < EACH; j++)
				CHECK(in[i * EACH + j] == (cut && j == EACH - 1 ? 0 : i + 1));
		}
	}
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	out = malloc(MOST);
	in = malloc(MOST);
	CHECK(out != NULL && in != NULL);
	large_sizes(rank);
	large_many(rank);
	free(out);
	free(in);
	MPI_Finalize();
	return 0;
}
