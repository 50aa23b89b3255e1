// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 11.9.4, 11.8.2: the longest names and ports with bytes that travel as %XX, and requests
 * that are too long, get an answer or words: the launcher stays. */
#include "tests/check.h"

#include <stdlib.h>

enum { NAME = 2048, TOO_LONG = 9 << 20 };

static void spawns(void)
{
	char *words[] = {malloc(TOO_LONG + 1), NULL};
	MPI_Comm c;

	CHECK(words[0] != NULL);
	memset(words[0], 'a', TOO_LONG);
	words[0][TOO_LONG] = '\0';
	FAILS(MPI_ERR_SPAWN, "with all arguments and keys",
		MPI_Comm_spawn("/bin/true", words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c,
			MPI_ERRCODES_IGNORE));
	free(words[0]);
	OK(MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 0, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c,
		MPI_ERRCODES_IGNORE));
	OK(MPI_Comm_disconnect(&c));
}

static void long_names(const char *scope)
{
	static char name[TOO_LONG + 1];
	char port[MPI_MAX_PORT_NAME], got[MPI_MAX_PORT_NAME];
	MPI_Info info;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "haft_scope", scope));
	memset(name, '%', sizeof(name) - 1);
	memset(port, '%', sizeof(port) - 1);
	port[sizeof(port) - 1] = '\0';
	FAILS(MPI_ERR_SERVICE, "characters", MPI_Publish_name(name, info, port));
	FAILS(MPI_ERR_NAME, "characters", MPI_Lookup_name(name, info, got));
	FAILS(MPI_ERR_SERVICE, "characters", MPI_Unpublish_name(name, info, port));
	name[NAME] = '\0';
	OK(MPI_Publish_name(name, info, port));
	OK(MPI_Lookup_name(name, info, got));
	expect_eq(strcmp(got, port), 0);
	OK(MPI_Unpublish_name(name, info, port));
	OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	long_names("job");
	long_names("host");
	spawns();
	MPI_Finalize();
	return check_end();
}
