// SPDX-License-Identifier: BSD-3-Clause
/* one_cpu.c - ping-pong between two polling ranks: for tests/tools/one_cpu.sh, on one CPU.
 *
 * The sender needs the CPU of the polling receiver.  If the sender got it only at the end of a time
 * slice, each message would cost milliseconds. */
#include "tests/check.h"
#include <time.h>

enum { ROUNDS = 300 };

static void cpu_turn(const char *how, int other, int send)
{
	MPI_Request r;
	int x = 0, flag = 0;

	if (send) {
		OK(MPI_Send(&x, 1, MPI_INT, other, 1, MPI_COMM_WORLD));
		return;
	}
	if (strcmp(how, "probe") != 0)
		OK(MPI_Irecv(&x, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &r));
	while (!flag) {
		if (strcmp(how, "probe") == 0)
			OK(MPI_Iprobe(other, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
		else if (strcmp(how, "testall") == 0)
			OK(MPI_Testall(1, &r, &flag, MPI_STATUSES_IGNORE));
		else
			OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
	}
	if (strcmp(how, "probe") == 0)
		OK(MPI_Recv(&x, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
	clock_t t;

	check_init(&argc, &argv);
	t = clock();
	for (int i = 0; i < 2 * ROUNDS; i++)
		cpu_turn(argv[1], 1 - check_rank, i % 2 == check_rank);
	t = clock() - t;
	if (check_rank == 0)
		printf("%s: %.1f us of CPU time a turn\n", argv[1],
			1e6 * (double)t / CLOCKS_PER_SEC / ROUNDS);
	CHECK((double)t / CLOCKS_PER_SEC < 0.0005 * ROUNDS);
	MPI_Finalize();
	return 0;
}
