// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 time=60 */
/* MPI-5.0 11.9, 11.10.4: a server whose clients come, disconnect and end has after many of them as
 * many descriptors, and as much memory, as after the first: processes without mpiexec, each of
 * which is a universe of its own.  So it is if clients are killed while they are connected. */
#include "tests/check.h"
#define SAN_OPTIONS SAN_LEAN
#include "tests/san.inc"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#define FEW  20
#define MANY 280

static bool crash; /* the clients are killed */

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		closedir(d);
	return n;
}

/* KiB of private memory. */
static long private_memory(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kib = 0;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "RssAnon:", 8) == 0)
			kib = strtol(line + 8, NULL, 10);
	if (f != NULL)
		fclose(f);
	return kib;
}

static void often_exchange(MPI_Comm c, int value)
{
	int got = -1;

	OK(MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE));
	expect_eq(got, value);
	OK(MPI_Comm_disconnect(&c));
}

/* With a client that has been killed: its communicator goes, whatever the call returns. */
static void often_lose(MPI_Comm c)
{
	int got;

	MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
	expect(MPI_Recv(&got, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE) != MPI_SUCCESS);
	MPI_Comm_disconnect(&c);
	expect(c == MPI_COMM_NULL);
}

static pid_t client_start(char *self, char *port, int value)
{
	char text[16], *argv[] = {self, port, text, crash ? (char *)"crash" : NULL, NULL};
	pid_t pid;

	snprintf(text, sizeof(text), "%d", value);
	pid = fork();
	if (pid == 0) {
		setenv("HAFT_JOB", "", 1); /* it is no rank of this job */
		execv(self, argv);
		_exit(127);
	}
	return pid;
}

static void serve(char *self, char *port, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		pid_t pid = client_start(self, port, i);
		int status = -1;
		MPI_Comm c;

		OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
		if (crash)
			often_lose(c);
		else
			often_exchange(c, i);
		waitpid(pid, &status, 0);
		expect_eq(status, crash ? SIGKILL : 0);
	}
}

/* Serves a few clients, then many. */
static void serve_all(char *self, char *port, int many)
{
	long memory;
	int fds;

	serve(self, port, FEW);
	fds = descriptors();
	memory = private_memory();
	serve(self, port, many);
	expect(descriptors() <= fds + 2); /* that of the last client may be open */
	expect(private_memory() < memory + 4096 * san_times()); /* malloc may keep a buffer */
}

int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm c;

	check_init(&argc, &argv);
	if (argc > 2) {
		OK(MPI_Comm_connect(argv[1], MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
		if (argc > 3)
			raise(SIGKILL);
		often_exchange(c, atoi(argv[2]));
	} else {
		OK(MPI_Open_port(MPI_INFO_NULL, port));
		serve_all(argv[0], port, argc > 1 ? atoi(argv[1]) : MANY);
		crash = true;
		serve_all(argv[0], port, argc > 1 ? atoi(argv[1]) : MANY);
		OK(MPI_Close_port(port));
	}
	MPI_Finalize();
	return check_end();
}
