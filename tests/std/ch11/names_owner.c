// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 11.9.4 lets us choose: a process cannot withdraw a name that it did not publish, in any
 * scope, nor give it another port. */
#include "tests/check.h"

#include <stdio.h>
#include <unistd.h>

static char service[64];

/* A name of rank 0 in one scope. */
static void owner_only(const char *scope)
{
	char got[MPI_MAX_PORT_NAME];
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "haft_scope", scope));
	if (check_rank == 0)
		OK(MPI_Publish_name(service, info, "a port"));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 1) {
		FAILS(MPI_ERR_SERVICE, "process", MPI_Unpublish_name(service, info, "a port"));
		OK(MPI_Info_set(info, "haft_replace", "true"));
		FAILS(MPI_ERR_SERVICE, "published already",
			MPI_Publish_name(service, info, "another"));
		OK(MPI_Lookup_name(service, info, got));
		expect_eq(strcmp(got, "a port"), 0);
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0)
		OK(MPI_Unpublish_name(service, info, "a port"));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	FAILS(MPI_ERR_NAME, "published", MPI_Lookup_name(service, info, got));
	OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	snprintf(service, sizeof(service), "haft test of owners, process %d", (int)getpid());
	OK(MPI_Bcast(service, sizeof(service), MPI_CHAR, 0, MPI_COMM_WORLD));
	owner_only("host");
	owner_only("job");
	MPI_Finalize();
	return check_end();
}
