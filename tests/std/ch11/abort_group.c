// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0,1,2 rc=5 env="ABORT=connected|fatal" */
/* RUN np=0,1,2 env="ABORT=apart" */
/* MPI-5.0 11.4.2, 9.3: MPI_Abort and a fatal error on a communicator with processes of another job
 * end that job, whatever it waits for; after MPI_Comm_disconnect they do not. */
#include "tests/std/ch11/other_job.h"

#define CODE 5

static void group_client(const char *port, const char *how)
{
	MPI_Comm c;

	OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
	if (strcmp(how, "apart") == 0) {
		OK(MPI_Comm_disconnect(&c));
		MPI_Abort(MPI_COMM_WORLD, CODE);
	}
	OK(MPI_Barrier(c));
	if (strcmp(how, "fatal") == 0)
		MPI_Comm_call_errhandler(c, CODE);
	MPI_Abort(c, CODE);
}

int main(int argc, char **argv)
{
	const char *how = getenv("ABORT");
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm c;
	pid_t pid = 0;
	int n;

	check_init(&argc, &argv);
	if (argc > 2)
		group_client(argv[1], argv[2]);
	CHECK(how != NULL);
	if (check_rank == 0) {
		OK(MPI_Open_port(MPI_INFO_NULL, port));
		pid = other_job_start(port, how);
	}
	OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c));
	if (strcmp(how, "apart") == 0) {
		OK(MPI_Comm_disconnect(&c));
		if (check_rank == 0)
			CHECK(waitpid(pid, NULL, 0) == pid);
	} else {
		OK(MPI_Barrier(c));
		OK(MPI_Recv(&n, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
	}
	MPI_Finalize();
	return check_end();
}
