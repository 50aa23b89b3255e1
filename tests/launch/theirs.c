// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 args="names|spawn" */
/* MPI-5.0 11.8, 11.9.4: names and a spawn as a program of another MPI asks for them: mpich.sh
 * builds this one with MPICH.
 *
 *   theirs names     publishes, looks up and withdraws
 *   theirs spawn     spawns two processes, and exchanges a message with each */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHILDREN 2

static int rank, bad;

static void theirs_check(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "rank %d: %s\n", rank, what);
	bad = 1;
}

static void theirs_names(void)
{
	char port[MPI_MAX_PORT_NAME] = "tag#0$description#a$", got[MPI_MAX_PORT_NAME], name[64];

	snprintf(name, sizeof(name), "theirs-%d", (int)getpid());
	MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	if (rank == 0)
		theirs_check(MPI_Publish_name(name, MPI_INFO_NULL, port) == MPI_SUCCESS,
			"not published");
	MPI_Barrier(MPI_COMM_WORLD);
	theirs_check(MPI_Lookup_name(name, MPI_INFO_NULL, got) == MPI_SUCCESS, "not found");
	theirs_check(strcmp(got, port) == 0, got);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		theirs_check(MPI_Unpublish_name(name, MPI_INFO_NULL, port) == MPI_SUCCESS,
			"not withdrawn");
	MPI_Barrier(MPI_COMM_WORLD);
	theirs_check(
		MPI_Lookup_name(name, MPI_INFO_NULL, got) != MPI_SUCCESS, "found after its end");
	if (rank == 0 && !bad)
		puts("names are well");
}

static void spawn(char *self)
{
	char *args[] = {"spawn", NULL};
	int codes[CHILDREN];
	MPI_Comm c;

	MPI_Comm_spawn(self, args, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c, codes);
	for (int i = 0; i < CHILDREN && rank == 0; i++) {
		int v = i;

		theirs_check(codes[i] == MPI_SUCCESS, "an error code");
		MPI_Send(&v, 1, MPI_INT, i, 1, c);
		MPI_Recv(&v, 1, MPI_INT, i, 2, c, MPI_STATUS_IGNORE);
		theirs_check(v == 2 * i, "a wrong answer");
	}
	MPI_Comm_disconnect(&c);
	if (rank == 0 && !bad)
		puts("spawn is well");
}

static void theirs_child(MPI_Comm parents)
{
	int v;

	MPI_Recv(&v, 1, MPI_INT, 0, 1, parents, MPI_STATUS_IGNORE);
	v += rank;
	MPI_Send(&v, 1, MPI_INT, 0, 2, parents);
	MPI_Comm_disconnect(&parents);
}

int main(int argc, char **argv)
{
	MPI_Comm parents;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_parent(&parents);
	if (parents != MPI_COMM_NULL)
		theirs_child(parents);
	else if (argc > 1 && strcmp(argv[1], "spawn") == 0)
		spawn(argv[0]);
	else
		theirs_names();
	MPI_Finalize();
	return bad;
}
