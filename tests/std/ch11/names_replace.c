// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_NAME_SERVER=file:/no/such/file" */
/* MPI-5.0 11.9.4: a name whose port is replaced is found all the time, with one port or the other.
 * If the replacement fails at a name server, the name keeps its port on the host. */
#include "tests/check.h"

#include <stdio.h>
#include <unistd.h>

enum { TIMES = 3000, LONG = 900 };

static char service[64];

/* Rank 0 gives the name ports of two lengths in turn.  The others look it up until it is gone. */
static void found_always(MPI_Info info)
{
	char ports[2][LONG + 1] = {"short"}, got[MPI_MAX_PORT_NAME];
	MPI_Request end;

	memset(ports[1], 'l', LONG);
	if (check_rank == 0)
		OK(MPI_Publish_name(service, info, ports[0]));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 1; i <= TIMES && check_rank == 0; i++)
		OK(MPI_Publish_name(service, info, ports[i % 2]));
	OK(MPI_Ibarrier(MPI_COMM_WORLD, &end));
	for (int done = 0; !done;) {
		OK(MPI_Lookup_name(service, info, got));
		CHECK(strcmp(got, ports[0]) == 0 || strcmp(got, ports[1]) == 0);
		OK(MPI_Test(&end, &done, MPI_STATUS_IGNORE));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0)
		OK(MPI_Unpublish_name(service, info, ports[TIMES % 2]));
}

/* Without haft_scope the name goes to the server as well, which is not there. */
static void keeps(MPI_Info host)
{
	char got[MPI_MAX_PORT_NAME];
	MPI_Info info;

	if (check_rank != 0)
		return;
	OK(MPI_Publish_name(service, host, "old"));
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "haft_replace", "true"));
	FAILS(MPI_ERR_SERVICE, "no address of a name server",
		MPI_Publish_name(service, info, "new"));
	OK(MPI_Info_free(&info));
	OK(MPI_Lookup_name(service, host, got));
	expect_eq(strcmp(got, "old"), 0);
	OK(MPI_Unpublish_name(service, host, "old"));
}

int main(int argc, char **argv)
{
	MPI_Info info;

	check_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	snprintf(
		service, sizeof(service), "haft test of replaced names, process %d", (int)getpid());
	OK(MPI_Bcast(service, sizeof(service), MPI_CHAR, 0, MPI_COMM_WORLD));
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "haft_scope", "host"));
	OK(MPI_Info_set(info, "haft_replace", "true"));
	found_always(info);
	keeps(info);
	OK(MPI_Info_free(&info));
	MPI_Finalize();
	return check_end();
}
