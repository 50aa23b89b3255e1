// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=8 time=60 */
/* MPI-5.0 11.4, 6.12: that two ranks have connected with each other is nothing to the others'
 * collective calls: all members choose one algorithm, also at sizes where a job on several hosts
 * has another than one on one host. */
#include "tests/check.h"
#include <mpi.h>

#define MOST (64 * 1024)

enum call_kind { REDUCE, ALLREDUCE, BCAST, ALLGATHER, SCAN, CALLS };

static int in[MOST], out[MOST];

/* Element i of the result of a call; a rank gives i + its rank. */
static int expected(int which, int n, int i)
{
	int size = check_size, rank = check_rank, block = n / size;

	switch (which) {
	case BCAST: return i;
	case ALLGATHER: return i % block + i / block;
	case SCAN: return (rank + 1) * i + rank * (rank + 1) / 2;
	}
	return size * i + size * (size - 1) / 2;
}

static void expect_result(int which, int n)
{
	int wrong = 0;

	if (which == REDUCE && check_rank != 0)
		return;
	for (int i = 0; i < n; i++)
		wrong += out[i] != expected(which, n, i);
	expect_eq(wrong, 0);
}

/* Runs a call with a request, which goes by messages, of n ints. */
static void call(int which, int n, int ranks)
{
	MPI_Request r;

	for (int i = 0; i < n; i++)
		out[i] = which == BCAST && check_rank == 0 ? i : -1;
	switch (which) {
	case REDUCE: MPI_Ireduce(in, out, n, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &r); break;
	case ALLREDUCE: MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r); break;
	case BCAST: MPI_Ibcast(out, n, MPI_INT, 0, MPI_COMM_WORLD, &r); break;
	case ALLGATHER:
		MPI_Iallgather(in, n / ranks, MPI_INT, out, n / ranks, MPI_INT, MPI_COMM_WORLD, &r);
		break;
	case SCAN: MPI_Iscan(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r); break;
	}
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Ranks 0 and 1 connect with each other, as two jobs do. */
static void connect_two(void)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm other;

	if (check_rank == 0) {
		OK(MPI_Open_port(MPI_INFO_NULL, port));
		OK(MPI_Send(port, sizeof(port), MPI_CHAR, 1, 0, MPI_COMM_WORLD));
		OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
		OK(MPI_Close_port(port));
	} else if (check_rank == 1) {
		OK(MPI_Recv(port, sizeof(port), MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
	} else
		return;
	OK(MPI_Comm_disconnect(&other));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	for (int i = 0; i < MOST; i++)
		in[i] = i + check_rank;
	connect_two();
	for (int n = 8; n <= MOST; n *= 2)
		for (int which = 0; which < CALLS; which++) {
			call(which, n, check_size);
			expect_result(which, n);
		}
	MPI_Finalize();
	return check_end();
}
