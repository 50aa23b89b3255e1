// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 11.9.2, 11.9.3: the key `timeout' of MPI_Comm_accept and MPI_Comm_connect is a number of
 * seconds, with decimals; another value is an error of all members.  Info counts at the root.  The
 * words say whether the port could be reached. */
#include "tests/check.h"
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

static MPI_Info timeout_info(const char *value)
{
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "timeout", value));
	return info;
}

/* Both calls with a value, at a port that is open and that no process serves. */
static void both_fail(const char *port, const char *value, int class, const char *words)
{
	MPI_Info info = timeout_info(value), other = timeout_info("other");
	const char *name = check_rank == 0 ? port : "";
	double begin = MPI_Wtime();
	MPI_Comm c;

	if (check_rank != 0)
		OK(MPI_Info_free(&info));
	FAILS(class, words,
		MPI_Comm_accept(name, check_rank == 0 ? info : other, 0, MPI_COMM_WORLD, &c));
	FAILS(class, words,
		MPI_Comm_connect(name, check_rank == 0 ? info : other, 0, MPI_COMM_WORLD, &c));
	if (class == MPI_ERR_PORT)
		expect(MPI_Wtime() - begin >= 2 * atof(value) * 0.9);
	if (check_rank == 0)
		OK(MPI_Info_free(&info));
	OK(MPI_Info_free(&other));
}

/* A port whose host does not answer: the queue of a listener is full, so the kernel drops what
 * comes. */
static void out_of_reach(void)
{
	enum { FILLERS = 4 };
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd[1 + FILLERS];
	char port[MPI_MAX_PORT_NAME];
	MPI_Info info = timeout_info("0.3");
	MPI_Comm c;

	fd[0] = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(bind(fd[0], (struct sockaddr *)&at, len) == 0 && listen(fd[0], 0) == 0);
	CHECK(getsockname(fd[0], (struct sockaddr *)&at, &len) == 0);
	for (int i = 1; i <= FILLERS; i++) {
		fd[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)connect(fd[i], (struct sockaddr *)&at, len);
	}
	snprintf(port, sizeof(port),
		"haft://faraway/tcp:127.0.0.1:%d/00000000000000000000000000000000",
		ntohs(at.sin_port));
	FAILS(MPI_ERR_PORT, "could not be reached within 0.3 s: address 1 of 1, tcp:127.0.0.1",
		MPI_Comm_connect(port, info, 0, MPI_COMM_SELF, &c));
	for (int i = 0; i <= FILLERS; i++)
		close(fd[i]);
	OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
	static const char *const bad[] = {"soon", "-1", "1s", "nan", "inf", "0x"};
	char port[MPI_MAX_PORT_NAME] = "";

	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	if (check_rank == 0)
		OK(MPI_Open_port(MPI_INFO_NULL, port));
	both_fail(port, "0.2", MPI_ERR_PORT, "0.2 s");
	both_fail(port, " 0.05 ", MPI_ERR_PORT, "0.05 s");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		both_fail(port, bad[i], MPI_ERR_INFO_VALUE, "seconds");
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	out_of_reach();
	if (check_rank == 0)
		OK(MPI_Close_port(port));
	MPI_Finalize();
	return check_end();
}
