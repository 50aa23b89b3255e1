// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0,2 */
/* MPI-5.0 11.9.4: a name that one process publishes is found by others of the job and by other
 * jobs, until it is withdrawn; publishing it twice, withdrawing and finding an unknown one fail. */
#include "tests/std/ch11/other_job.h"

static char service[64];

static void name_errors(const char *port)
{
	char got[MPI_MAX_PORT_NAME], longest[3000];
	MPI_Info info;

	memset(longest, 'n', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	FAILS(MPI_ERR_SERVICE, "2999 characters", MPI_Publish_name(longest, MPI_INFO_NULL, port));
	FAILS(MPI_ERR_NAME, "published", MPI_Lookup_name(longest, MPI_INFO_NULL, got));
	FAILS(MPI_ERR_SERVICE, "empty", MPI_Publish_name("", MPI_INFO_NULL, port));
	FAILS(MPI_ERR_SERVICE, "empty", MPI_Unpublish_name("", MPI_INFO_NULL, port));
	FAILS(MPI_ERR_NAME, "published", MPI_Lookup_name("", MPI_INFO_NULL, got));
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "haft_scope", "job"));
	FAILS(MPI_ERR_SERVICE, "empty", MPI_Publish_name("", info, port));
	FAILS(MPI_ERR_NAME, "published", MPI_Lookup_name("", info, got));
	FAILS(MPI_ERR_SERVICE, "2999 characters", MPI_Publish_name(longest, info, port));
	OK(MPI_Info_free(&info));
	FAILS(MPI_ERR_PORT, "empty", MPI_Publish_name("a", MPI_INFO_NULL, ""));
	FAILS(MPI_ERR_PORT, "newline at character 1", MPI_Publish_name("a", MPI_INFO_NULL, "p\nq"));
	FAILS(MPI_ERR_PORT, "empty", MPI_Unpublish_name("a", MPI_INFO_NULL, ""));
	FAILS(MPI_ERR_NAME, "published", MPI_Lookup_name("a", MPI_INFO_NULL, got));
	longest[2048] = '\0';
	OK(MPI_Publish_name(longest, MPI_INFO_NULL, port));
	OK(MPI_Lookup_name(longest, MPI_INFO_NULL, got));
	expect_eq(strcmp(got, port), 0);
	FAILS(MPI_ERR_SERVICE, "another port",
		MPI_Unpublish_name(longest, MPI_INFO_NULL, "some port"));
	OK(MPI_Unpublish_name(longest, MPI_INFO_NULL, port));
	FAILS(MPI_ERR_SERVICE, "already", MPI_Publish_name(service, MPI_INFO_NULL, port));
	FAILS(MPI_ERR_NAME, "published", MPI_Lookup_name("unknown", MPI_INFO_NULL, got));
	FAILS(MPI_ERR_SERVICE, "published", MPI_Unpublish_name("unknown", MPI_INFO_NULL, port));
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "haft_scope", "world"));
	FAILS(MPI_ERR_INFO_VALUE, "host, job and server", MPI_Publish_name("a", info, port));
	OK(MPI_Info_delete(info, "haft_scope"));
	OK(MPI_Info_set(info, "haft_replace", "maybe"));
	FAILS(MPI_ERR_INFO_VALUE, "true or false", MPI_Publish_name(service, info, port));
	OK(MPI_Info_set(info, "haft_replace", "true"));
	OK(MPI_Publish_name(service, info, "another port"));
	OK(MPI_Lookup_name(service, MPI_INFO_NULL, got));
	CHECK(strcmp(got, "another port") == 0);
	OK(MPI_Publish_name(service, info, port));
	OK(MPI_Info_free(&info));
}

/* Found, and good for a connection. */
static void name_client(void)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm c;

	OK(MPI_Lookup_name(service, MPI_INFO_NULL, port));
	OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
	OK(MPI_Comm_disconnect(&c));
}

static void server(void)
{
	char port[MPI_MAX_PORT_NAME], got[MPI_MAX_PORT_NAME];
	MPI_Comm c;
	pid_t pid;

	OK(MPI_Open_port(MPI_INFO_NULL, port));
	OK(MPI_Publish_name(service, MPI_INFO_NULL, port));
	name_errors(port);
	pid = other_job_start("client", service);
	OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
	OK(MPI_Comm_disconnect(&c));
	other_job_end(pid);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_size > 1) {
		OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c));
		OK(MPI_Comm_disconnect(&c));
	}
	OK(MPI_Unpublish_name(service, MPI_INFO_NULL, port));
	FAILS(MPI_ERR_NAME, "published", MPI_Lookup_name(service, MPI_INFO_NULL, got));
	OK(MPI_Close_port(port));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	snprintf(service, sizeof(service), "haft test of names, process %d", (int)getpid());
	OK(MPI_Bcast(service, sizeof(service), MPI_CHAR, 0, MPI_COMM_WORLD));
	if (argc > 2) {
		snprintf(service, sizeof(service), "%s", argv[2]);
		name_client();
	} else if (check_rank == 0) {
		server();
	} else {
		OK(MPI_Barrier(MPI_COMM_WORLD));
		name_client();
	}
	MPI_Finalize();
	return check_end();
}
