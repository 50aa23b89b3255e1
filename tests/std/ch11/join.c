// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0,1,2 */
/* MPI-5.0 11.10.5: MPI_Comm_join over a socket between two jobs, and between ranks of one; the
 * socket is quiet and open afterwards; an end that is no MPI gives MPI_COMM_NULL and success. */
#include "tests/std/ch11/other_job.h"
#include <netinet/in.h>
#include <sys/socket.h>

static void joined_use(MPI_Comm c, int fd)
{
	char byte = 'x', got = 0;
	int n, x = 5, y = 0;

	CHECK(c != MPI_COMM_NULL);
	OK(MPI_Comm_remote_size(c, &n));
	CHECK(n == 1);
	OK(MPI_Sendrecv(&x, 1, MPI_INT, 0, 0, &y, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE));
	CHECK(y == 5);
	CHECK(recv(fd, &got, 1, MSG_DONTWAIT) < 0);
	OK(MPI_Barrier(c));
	CHECK(send(fd, &byte, 1, 0) == 1);
	OK(MPI_Barrier(c));
	CHECK(recv(fd, &got, 1, 0) == 1 && got == 'x');
	OK(MPI_Comm_disconnect(&c));
}

static void with_another_job(void)
{
	int fd[2];
	char text[16];
	pid_t pid;
	MPI_Comm c;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
	snprintf(text, sizeof(text), "%d", fd[1]);
	pid = other_job_start("join", text);
	OK(MPI_Comm_join(fd[0], &c));
	joined_use(c, fd[0]);
	other_job_end(pid);
	close(fd[0]);
	close(fd[1]);
}

static void with_no_mpi(void)
{
	char text[200];
	int fd[2];
	MPI_Comm c = MPI_COMM_WORLD;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
	memset(text, 'h', sizeof(text));
	CHECK(write(fd[1], text, sizeof(text)) == sizeof(text));
	OK(MPI_Comm_join(fd[0], &c));
	CHECK(c == MPI_COMM_NULL);
	close(fd[0]);
	close(fd[1]);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	FAILS(MPI_ERR_ARG, "socket", MPI_Comm_join(-1, &c));
	FAILS(MPI_ERR_ARG, "socket", MPI_Comm_join(0, &c));
}

/* Ranks 0 and 1 connect by TCP.  Neither waits outside of MPI: MPI-5.0 2.9 promises progress in
 * calls of MPI only, so a message of a rank that is in accept() may wait for its next call. */
static void in_one_job(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0), s = fd;
	MPI_Comm c;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (check_rank == 0)
		CHECK(bind(fd, (struct sockaddr *)&a, len) == 0 && listen(fd, 1) == 0 &&
			getsockname(fd, (struct sockaddr *)&a, &len) == 0);
	OK(MPI_Bcast(&a, sizeof(a), MPI_BYTE, 0, MPI_COMM_WORLD));
	if (check_rank == 1)
		CHECK(connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0)
		CHECK((s = accept(fd, NULL, NULL)) >= 0);
	OK(MPI_Comm_join(s, &c));
	joined_use(c, s);
	close(s);
}

int main(int argc, char **argv)
{
	MPI_Comm c;

	check_init(&argc, &argv);
	if (argc > 2) {
		OK(MPI_Comm_join(atoi(argv[2]), &c));
		joined_use(c, atoi(argv[2]));
	} else if (check_size == 2) {
		in_one_job();
	} else {
		with_another_job();
		with_no_mpi();
	}
	MPI_Finalize();
	return check_end();
}
