// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_FT=yes HAFT_RING_SLOTS=64 HAFT_VIA=auto|net" */
/* last_messages.c - a process sends messages and dies at once.  Those that it has sent are received
 * all the same, also if the launcher tells of its death first; then receives fail.  So do those of
 * large messages, of which it has sent no more than the announcement.
 * tests/ofi/tcp_provider.sh runs it over libfabric. */
#include "tests/ft/ft.h"
#include <errno.h>

#define ROUNDS 500 /* until all connections stand */
#define LAST   24
#define LEN    8
#define LARGE  1000000

static int buf[LEN], large[LARGE];

static void last_exchange(void)
{
	for (int i = 0; i < ROUNDS; i++)
		OK(MPI_Sendrecv_replace(buf, LEN, MPI_INT, 1 - check_rank, 1, 1 - check_rank, 1,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void last_victim(void)
{
	MPI_Request r[2];
	int pid = getpid();

	for (int i = 0; i < 2; i++)
		OK(MPI_Isend(large, LARGE, MPI_INT, 0, 4, MPI_COMM_WORLD, &r[i]));
	OK(MPI_Send(&pid, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
	for (int i = 0; i < LAST; i++) {
		buf[0] = buf[LEN - 1] = i;
		OK(MPI_Send(buf, LEN, MPI_INT, 0, 3, MPI_COMM_WORLD));
	}
	ft_die();
}

/* The receives of messages that are only announced. */
static void announced(void)
{
	MPI_Message m;
	MPI_Request r;

	OK(MPI_Irecv(large, LARGE, MPI_INT, 1, 4, MPI_COMM_WORLD, &r));
	CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPIX_ERR_PROC_FAILED);
	if (MPI_Mprobe(1, 4, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE) == MPI_SUCCESS)
		CHECK(MPI_Mrecv(large, LARGE, MPI_INT, &m, MPI_STATUS_IGNORE) ==
			MPIX_ERR_PROC_FAILED);
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
	announced();
}

int main(int argc, char **argv)
{
	ft_init(&argc, &argv);
	last_exchange();
	if (check_rank == 1)
		last_victim();
	survivor();
	MPI_Finalize();
	return check_end();
}
