// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_VIA=auto|net HAFT_UNEXPECTED=16k" */
/* MPI-5.0 3.5, 11.3: rank 1 sends, and ends its session while most of that is still in its
 * socket.  Rank 0 then answers with a frame (flow control: its unexpected messages are too many).
 * TCP resets a connection that gets data after its process has closed it, and the rest of the
 * messages would be lost with it.  So a process that leaves waits until its peers have all.
 * tests/ofi/tcp_provider.sh runs it over libfabric. */
#include "tests/check_true.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS  1000  /* until all connections stand */
#define LEN     15000 /* ints: below HAFT_EAGER_NET */
#define LAST    32    /* more bytes than a process keeps unexpected, fewer than a socket takes */
#define WAIT_MS 300

__attribute__((noreturn)) static inline void check_broken(
	const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: not true: %s\n", file, line, what);
	exit(1);
}

static int buf[LEN], size;

static void unread_exchange(MPI_Comm c, int peer)
{
	for (int i = 0; i < ROUNDS; i++)
		CHECK(MPI_Sendrecv_replace(
			      buf, 1, MPI_INT, peer, 1, peer, 1, c, MPI_STATUS_IGNORE) == 0);
}

static void send_and_leave(MPI_Comm c)
{
	int pid = getpid();

	CHECK(MPI_Send(&pid, 1, MPI_INT, 0, 2, c) == 0);
	for (int i = 0; i < LAST; i++) {
		buf[0] = buf[LEN - 1] = i;
		CHECK(MPI_Send(buf, LEN, MPI_INT, 0, 3, c) == 0);
	}
}

/* Waits without MPI until the others are gone, or clearly wait for this rank. */
static void await_ends(MPI_Comm c)
{
	int pid;

	for (int from = 1; from < size; from++) {
		CHECK(MPI_Recv(&pid, 1, MPI_INT, from, 2, c, MPI_STATUS_IGNORE) == 0);
		for (int ms = 0; ms < WAIT_MS && kill(pid, 0) == 0; ms++)
			usleep(1000);
	}
}

static void receive_late(MPI_Comm c)
{
	int flag;

	for (int i = 0; i < LAST; i++)
		CHECK(MPI_Iprobe(1, 99, c, &flag, MPI_STATUS_IGNORE) == 0);
	for (int from = 1; from < size; from++)
		for (int i = 0; i < LAST; i++) {
			CHECK(MPI_Recv(buf, LEN, MPI_INT, from, 3, c, MPI_STATUS_IGNORE) == 0);
			CHECK(buf[0] == i && buf[LEN - 1] == i);
		}
}

int main(void)
{
	MPI_Session session;
	MPI_Group all;
	MPI_Comm c;
	int rank;

	CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == 0);
	CHECK(MPI_Group_from_session_pset(session, "mpi://WORLD", &all) == 0);
	CHECK(MPI_Comm_create_from_group(
		      all, "left_unread", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c) == 0);
	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &size);
	for (int peer = 1; peer < size; peer++)
		if (rank == 0 || rank == peer)
			unread_exchange(c, rank == 0 ? peer : 0);
	if (rank > 0) {
		send_and_leave(c);
	} else {
		await_ends(c);
		receive_late(c);
	}
	CHECK(MPI_Group_free(&all) == 0);
	CHECK(MPI_Comm_free(&c) == 0);
	CHECK(MPI_Session_finalize(&session) == 0);
	return 0;
}
