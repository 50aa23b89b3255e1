// SPDX-License-Identifier: BSD-3-Clause
/* spawn_deaths.c - spawns one process for each LINE, and prints the first error of a receive from
 * the first of them.
 *
 *      spawn_deaths HOST LINE...
 *
 * HOST is the key `host'; -: none.  LINE is for sh -c; `live': a child that calls MPI_Init, and
 * waits; `abort': one that ends then. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHILDREN 8

static char *death_text(const char *s)
{
	return (char *)(uintptr_t)s;
}

static int death_child(const char *what)
{
	if (strcmp(what, "abort") == 0)
		abort();
	MPI_Recv(NULL, 0, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}

static void death_tell(int err)
{
	char words[MPI_MAX_ERROR_STRING];
	int len;

	MPI_Error_string(err, words, &len);
	puts(words);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char *commands[CHILDREN], *args[CHILDREN][3], **argvs[CHILDREN];
	int procs[CHILDREN], n = argc - 2, err, v;
	MPI_Info infos[CHILDREN];
	MPI_Comm parents, c;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parents);
	if (parents != MPI_COMM_NULL)
		return death_child(argv[1]);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	if (n < 1 || n > CHILDREN)
		return 1;
	for (int i = 0; i < n; i++) {
		const char *line = argv[i + 2];
		bool self = strcmp(line, "live") == 0 || strcmp(line, "abort") == 0;

		commands[i] = self ? argv[0] : death_text("/bin/sh");
		args[i][0] = self ? death_text(line) : death_text("-c");
		args[i][1] = self ? NULL : death_text(line);
		args[i][2] = NULL;
		argvs[i] = args[i];
		procs[i] = 1;
		MPI_Info_create(&infos[i]);
		if (strcmp(argv[1], "-") != 0)
			MPI_Info_set(infos[i], "host", argv[1]);
	}
	err = MPI_Comm_spawn_multiple(
		n, commands, argvs, procs, infos, 0, MPI_COMM_SELF, &c, MPI_ERRCODES_IGNORE);
	for (int i = 0; i < n; i++)
		MPI_Info_free(&infos[i]);
	if (err == MPI_SUCCESS)
		err = MPI_Recv(&v, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE);
	death_tell(err);
	MPI_Comm_disconnect(&c);
	MPI_Finalize();
	return 0;
}
