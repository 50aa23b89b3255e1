// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 env="HAFT_NAME_SERVER=file:/no/such/file" */
/* MPI-5.0 11.9.4: a name that cannot be published in one of its scopes gets its old port back in
 * the others; if that fails as well, the words of the error say so. */
#include "tests/check.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int passes = -1; /* so many names get memory yet; -1: all */

/* In place of libc's: a name on the host is kept in such a file. */
int memfd_create(const char *name, unsigned flags)
{
	if (strcmp(name, "haft-name") == 0 && passes >= 0 && passes-- == 0) {
		errno = EMFILE;
		return -1;
	}
	return (int)syscall(SYS_memfd_create, name, flags);
}

int main(int argc, char **argv)
{
	char service[64], got[MPI_MAX_PORT_NAME];
	MPI_Info host, all;

	check_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	snprintf(service, sizeof(service), "haft test of rollbacks, process %d", (int)getpid());
	OK(MPI_Info_create(&host));
	OK(MPI_Info_set(host, "haft_scope", "host"));
	OK(MPI_Info_create(&all));
	OK(MPI_Info_set(all, "haft_replace", "true"));
	OK(MPI_Publish_name(service, host, "old"));
	passes = 1; /* the new port; none for the old one */
	FAILS(MPI_ERR_SERVICE, "no address of a name server",
		MPI_Publish_name(service, all, "new"));
	OK(MPI_Lookup_name(service, host, got));
	CHECK(strcmp(got, "new") == 0);
	passes = 1;
	FAILS(MPI_ERR_SERVICE,
		"the new port stays in the scope host: ", MPI_Publish_name(service, all, "newer"));
	passes = -1;
	FAILS(MPI_ERR_SERVICE, "no address of a name server",
		MPI_Publish_name(service, all, "newest"));
	OK(MPI_Lookup_name(service, host, got));
	CHECK(strcmp(got, "newer") == 0);
	OK(MPI_Unpublish_name(service, host, "newer"));
	OK(MPI_Info_free(&host));
	OK(MPI_Info_free(&all));
	MPI_Finalize();
	return check_end();
}
