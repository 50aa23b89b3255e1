// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 time=60 */
/* MPI-5.0 11.9, 11.10.4: a server whose clients come, disconnect and end has after many of them as
 * many descriptors, and as much memory, as after the first: processes without mpiexec, each of
 * which is a universe of its own. */
#include "tests/check.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#define FEW  20
#define MANY 280

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

static void exchange(MPI_Comm c, int value)
{
	int got = -1;

	OK(MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE));
	expect_eq(got, value);
	OK(MPI_Comm_disconnect(&c));
}

static pid_t client_start(char *self, char *port, int value)
{
	char text[16], *argv[] = {self, port, text, NULL};
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
		exchange(c, i);
		waitpid(pid, &status, 0);
		expect_eq(status, 0);
	}
}

int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm c;
	long memory;
	int fds;

	check_init(&argc, &argv);
	if (argc > 2) {
		OK(MPI_Comm_connect(argv[1], MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
		exchange(c, atoi(argv[2]));
	} else {
		OK(MPI_Open_port(MPI_INFO_NULL, port));
		serve(argv[0], port, FEW);
		fds = descriptors();
		memory = private_memory();
		serve(argv[0], port, argc > 1 ? atoi(argv[1]) : MANY);
		expect(descriptors() <= fds + 2);         /* that of the last client may be open */
		expect(private_memory() < memory + 4096); /* malloc may keep a buffer */
		OK(MPI_Close_port(port));
	}
	MPI_Finalize();
	return check_end();
}
