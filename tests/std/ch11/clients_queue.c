// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0,1 env="HAFT_IFACE=lo" */
/* MPI-5.0 11.9.2: clients that come before the server accepts queue at its port, and each is
 * served; those that know the TCP address alone, as on another host, too.  Then the port is closed,
 * and one more client gets MPI_ERR_PORT. */
#include "tests/std/ch11/other_job.h"

#define CLIENTS 6

/* The name of the port as a client on another host can use it: haft://HOST/TCP/SECRET. */
static void name_without_unix(char *to, size_t len, const char *port)
{
	const char *from = strstr(port, ",unix:"), *secret = strrchr(port, '/');

	CHECK(from != NULL && secret != NULL && secret > from);
	snprintf(to, len, "%.*s%s", (int)(from - port), port, secret);
}

static int queue_client(const char *what, const char *port)
{
	int value = atoi(what), twice = -1;
	MPI_Comm c;

	if (value < 0) {
		MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
		FAILS(MPI_ERR_PORT, "",
			MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
		return 0;
	}
	OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
	OK(MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &twice, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE));
	expect_eq(twice, 2 * value);
	OK(MPI_Comm_disconnect(&c));
	return 0;
}

/* Serves one client; its value. */
static int serve(const char *port)
{
	int value = -1, twice;
	MPI_Comm c;

	OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
	OK(MPI_Recv(&value, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE));
	twice = 2 * value;
	OK(MPI_Send(&twice, 1, MPI_INT, 0, 0, c));
	OK(MPI_Comm_disconnect(&c));
	return value;
}

int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME], distant[MPI_MAX_PORT_NAME], text[16];
	pid_t pid[CLIENTS];
	int seen = 0;

	check_init(&argc, &argv);
	if (argc > 2) {
		queue_client(argv[1], argv[2]);
		MPI_Finalize();
		return check_end();
	}
	OK(MPI_Open_port(MPI_INFO_NULL, port));
	name_without_unix(distant, sizeof(distant), port);
	for (int i = 0; i < CLIENTS; i++) {
		snprintf(text, sizeof(text), "%d", i);
		pid[i] = other_job_start(text, i % 2 == 0 ? port : distant);
	}
	usleep(500000); /* most of them are in the queue by then */
	for (int i = 0; i < CLIENTS; i++)
		seen |= 1 << serve(port);
	expect_eq(seen, (1 << CLIENTS) - 1);
	for (int i = 0; i < CLIENTS; i++)
		other_job_end(pid[i]);
	OK(MPI_Close_port(port));
	other_job_end(other_job_start("-1", port));
	other_job_end(other_job_start("-1", distant));
	MPI_Finalize();
	return check_end();
}
