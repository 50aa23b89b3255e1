// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=8 time=60 */
/* MPI-5.0 11.4, 6.12: that two ranks have connected with each other is nothing to the others'
 * collective calls: all members choose one algorithm, also at sizes where a job on several hosts
 * has another than one on one host. */
#include "tests/check.h"
#include <mpi.h>

#define MOST  (64 * 1024)
#define CALLS 5

static int in[MOST], out[MOST];

/* Runs a call with a request, which goes by messages, of n ints. */
static void call(int which, int n, int ranks)
{
	MPI_Request r;

	switch (which) {
	case 0: MPI_Ireduce(in, out, n, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &r); break;
	case 1: MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r); break;
	case 2: MPI_Ibcast(out, n, MPI_INT, 0, MPI_COMM_WORLD, &r); break;
	case 3:
		MPI_Iallgather(in, n / ranks, MPI_INT, out, n / ranks, MPI_INT, MPI_COMM_WORLD, &r);
		break;
	case 4: MPI_Iscan(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r); break;
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
		in[i] = 1;
	connect_two();
	for (int n = 8; n <= MOST; n *= 2)
		for (int which = 0; which < CALLS; which++) {
			call(which, n, check_size);
			if (which == 1)
				expect_eq(out[n - 1], check_size);
		}
	MPI_Finalize();
	return check_end();
}
