// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_FT=yes HAFT_RING_SLOTS=64 HAFT_VIA=auto|net" */
/* last_messages.c - a process sends messages and dies at once.  Those that it has sent are received
 * all the same, also if the launcher tells of its death first; then receives fail.
 * tests/ofi/tcp_provider.sh runs it over libfabric. */
#include "tests/ft/ft.h"
#include <errno.h>

#define ROUNDS 500 /* until all connections stand */
#define LAST   24
#define LEN    8

static int buf[LEN];

static void exchange(void)
{
	for (int i = 0; i < ROUNDS; i++)
		OK(MPI_Sendrecv_replace(buf, LEN, MPI_INT, 1 - check_rank, 1, 1 - check_rank, 1,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void victim(void)
{
	int pid = getpid();

	OK(MPI_Send(&pid, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
	for (int i = 0; i < LAST; i++) {
		buf[0] = buf[LEN - 1] = i;
		OK(MPI_Send(buf, LEN, MPI_INT, 0, 3, MPI_COMM_WORLD));
	}
	ft_die();
}

static void survivor(void)
{
	int pid;

	OK(MPI_Recv(&pid, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	while (kill(pid, 0) == 0)
		usleep(1000);
	CHECK(errno == ESRCH);
	ft_await_failures(1);
	for (int i = 0; i < LAST; i++) {
		OK(MPI_Recv(buf, LEN, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		CHECK(buf[0] == i && buf[LEN - 1] == i);
	}
	CHECK(MPI_Recv(buf, LEN, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
		MPIX_ERR_PROC_FAILED);
}

int main(int argc, char **argv)
{
	ft_init(&argc, &argv);
	exchange();
	if (check_rank == 1)
		victim();
	survivor();
	MPI_Finalize();
	return check_end();
}
